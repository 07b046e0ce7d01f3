// What creating an agent finishes, leaves alone and takes back.
import { createConfig, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { type Key, memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import keys from '../vectors/keys.json' with { type: 'json' }
import { failedCalls } from './failed-creation.ts'
import { remote } from './remote.ts'

const password = 'a password for tests'
const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', password } as const
const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })
const namesOf = (storage: SyncStorage): string[] => [...storage.listSync([])].map((key) => key.join('/'))
const configOf = (storage: SyncStorage, name = 'sx.config.json'): Record<string, string> =>
  JSON.parse(decode(storage.getSync([name]) ?? encode('{}'), name)) as Record<string, string>

/** All that makes an agent, before the configuration names it. */
const staged = /^sx_keys\/\.new\/[0-9a-f]{16}\.[0-9a-f-]{36}\.json$/

const isConfig = (key: Key): boolean => key.at(-1) === 'sx.config.json'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('quickstart', () => {
  it('never gives one agent for another, whatever is in the key directory', async () => {
    const storage = memoryStorage()
    const alice = await simple.quickstart({ ...options, name: 'Alice', configPath: 'alice.json', storage })
    for (const other of [{ name: 'Bob' }, { name: 'Alice', domain: 'example.org' }]) {
      const pauses = vi.spyOn(globalThis, 'setTimeout')
      const again = simple.quickstart({ ...options, ...other, configPath: 'bob.json', storage })
      await expect(again).rejects.toThrow(failsWith('AlreadyExists'))
      expect(pauses).not.toHaveBeenCalled() // it does not wait for anybody
    }
    expect(namesOf(storage)).not.toContain('bob.json')
    expect(simple.getAgentInfo()?.agentId).toBe(alice.agentId)
  })

  it('adopts no key that has no configuration, also if it is that of the same agent', async () => {
    const storage = memoryStorage()
    await simple.quickstart({ ...options, storage })
    for (const lost of [['sx.config.json'], ['sx_keys', 'sx.public.pem']]) {
      storage.deleteSync(lost)
      const before = namesOf(storage)
      await expect(simple.quickstart({ ...options, storage })).rejects.toThrow(failsWith('AlreadyExists'))
      expect(namesOf(storage)).toEqual(before)
    }
  })

  it('finishes what a process that died has begun, once the configuration names the agent', async () => {
    const inner = memoryStorage()
    let isDead = false
    const storage = remote(inner, {
      put: async (key, bytes, how) => {
        if (isDead) throw new SxError('StorageUnavailable')
        const done = await inner.put(key, bytes, how)
        isDead = isConfig(key)
        return done
      },
    })
    const { agentId } = await simple.quickstart({ ...options, storage })
    expect(namesOf(inner)).toEqual(['sx.config.json', expect.stringMatching(staged)])
    expect(await simple.quickstart({ ...options, storage: inner })).toMatchObject({ agentId, created: false })
    expect(namesOf(inner)).toEqual([
      'sx.config.json',
      expect.stringMatching(`^sx_data/documents/../${agentId}\\.1\\.json$`),
      `sx_keys/${agentId}.public.pem`,
      'sx_keys/sx.private.pem',
      'sx_keys/sx.public.pem',
      'sx_keys/trust/.witnessed',
    ])
  })

  it('removes what was staged by a process that died before the configuration named its agent', async () => {
    const inner = memoryStorage()
    const storage = remote(inner, {
      put: (key, bytes, how) =>
        isConfig(key) ? Promise.reject(new SxError('StorageUnavailable')) : inner.put(key, bytes, how),
      delete: () => Promise.reject(new SxError('StorageUnavailable')),
    })
    await expect(simple.quickstart({ ...options, storage })).rejects.toThrow(failsWith('StorageUnavailable'))
    expect(namesOf(inner)).toEqual([expect.stringMatching(staged)])
    const [left] = namesOf(inner)
    // That of another configuration is nobody's business here.
    const foreign = `sx_keys/.new/${'0'.repeat(16)}.${left?.split('.').at(-2)}.json`
    inner.putSync(foreign.split('/'), encode('another one'))
    expect(await simple.quickstart({ ...options, storage: inner })).toMatchObject({ created: true })
    expect(namesOf(inner).filter((name) => name.includes('.new/'))).toEqual([foreign])
  })

  it('says at once that a key has lost its agent', async () => {
    const storage = memoryStorage()
    await simple.quickstart({ ...options, storage })
    for (const name of namesOf(storage)) if (!name.startsWith('sx_keys')) storage.deleteSync(name.split('/'))
    const pauses = vi.spyOn(globalThis, 'setTimeout')
    await expect(simple.quickstart({ ...options, storage })).rejects.toThrow(/private key at sx_keys\/sx\.private\.pem/)
    expect(pauses).not.toHaveBeenCalled()
  })

  it('uses a configuration that was prepared for it, and keeps what it does not know', async () => {
    const storage = memoryStorage()
    const known = { sxAgentPrivateKeyFilename: 'own.pem', sxAgentKeyAlgorithm: 'ed25519' }
    const prepared = { ...(JSON.parse(createConfig(known)) as object), owner: 'billing' }
    storage.putSync(['sx.config.json'], encode(JSON.stringify(prepared)))
    const { algorithm: _, ...rest } = options
    const info = await simple.quickstart({ ...rest, storage })
    expect(info).toMatchObject({ created: true, privateKeyPath: 'sx_keys/own.pem', algorithm: 'ed25519' })
    expect(configOf(storage)).toMatchObject({ ...prepared, sxAgentIdAndVersion: expect.any(String) as string })
    expect(await simple.quickstart({ ...rest, storage })).toMatchObject({ agentId: info.agentId, created: false })
  })

  it('refuses options that contradict a prepared configuration', async () => {
    const storage = memoryStorage()
    storage.putSync(['sx.config.json'], encode(createConfig({ sxDataDirectory: './there' })))
    const made = simple.quickstart({ ...options, dataDirectory: './here', algorithm: 'pq2025', storage })
    await expect(made).rejects.toThrow(failsWith('InvalidOption'))
    expect(namesOf(storage)).toEqual(['sx.config.json'])
  })
})

describe('create', () => {
  it('reads its options once', async () => {
    const given: { name: string; password?: string; algorithm: 'ed25519'; storage: Storage } = {
      name: 'Payroll',
      password,
      algorithm: 'ed25519',
      storage: remote(memoryStorage()),
    }
    const creating = simple.create(given)
    given.name = 'Mallory'
    delete given.password
    const info = await creating
    expect(info).toMatchObject({ name: 'Payroll' })
    expect(info).not.toHaveProperty('generatedPassword')
  })

  it('leaves a public key alone that is there, also when it fails', async () => {
    const storage = memoryStorage()
    const file = ['sx_keys', 'sx.public.pem']
    storage.putSync(file, encode('the only copy'))
    await expect(simple.create({ ...options, storage })).rejects.toThrow(failsWith('AlreadyExists'))
    expect(namesOf(storage)).toEqual(['sx_keys/sx.public.pem'])
    expect(decode(storage.getSync(file) ?? encode(''), 'file')).toBe('the only copy')
  })

  it('takes back all that it wrote if the configuration cannot be written', async () => {
    const inner = memoryStorage()
    const full: Storage['put'] = (key, bytes, how) =>
      isConfig(key) ? Promise.reject(new SxError('StorageFull')) : inner.put(key, bytes, how)
    const storage = remote(inner, { put: full })
    await expect(simple.create({ ...options, storage })).rejects.toThrow(failsWith('StorageFull'))
    expect(namesOf(inner)).toEqual([])
  })

  it('takes nothing from another process that has finished what it began', async () => {
    const inner = memoryStorage()
    let adopted: Promise<simple.CreatedAgentInfo> | undefined
    const storage = remote(inner, {
      put: (key, bytes, how) =>
        isConfig(key) ? Promise.reject(new SxError('StorageFull')) : inner.put(key, bytes, how),
      delete: async (key) => {
        adopted ??= simple.quickstart({ ...options, storage: remote(inner) })
        await adopted
        await inner.delete(key)
      },
    })
    await expect(simple.create({ ...options, storage })).rejects.toThrow(failsWith('StorageFull'))
    const info = await adopted
    expect(info).toMatchObject({ created: true })
    expect(await simple.load({ storage: remote(inner), password })).toMatchObject({ agentId: info?.agentId })
    expect(await simple.verifySelf()).toMatchObject({ valid: true })
  })

  it('takes no key file from another process that was faster with the same key', async () => {
    const inner = memoryStorage()
    const importKey = { pem: keys.keys[0]?.privateKey ?? '' }
    const mine = { name: 'A', password, importKey, configPath: 'a.json' }
    let faster: Promise<unknown> | undefined
    const storage = remote(inner, {
      put: async (key, bytes, how) => {
        if (key.includes('.new')) {
          faster ??= simple.create({ ...mine, configPath: 'b.json', storage: inner })
          await faster
        }
        return await inner.put(key, bytes, how)
      },
    })
    await expect(simple.create({ ...mine, storage })).rejects.toThrow(failsWith('AlreadyExists'))
    expect(namesOf(inner)).not.toContain('a.json')
    expect(namesOf(inner).filter((name) => name.includes('.new'))).toEqual([])
    expect(await simple.load({ configPath: 'b.json', storage: inner, password })).toMatchObject({ name: 'A' })
    expect(namesOf(inner)).toContain('sx_keys/sx.public.pem')
  })

  it('writes the algorithm of an imported key, and refuses another one', async () => {
    const importKey = { pem: keys.keys.find(({ algorithm }) => algorithm === 'ed25519')?.privateKey ?? '' }
    const storage = memoryStorage()
    const { algorithm: _, ...rest } = options
    const contradiction = simple.create({ ...rest, algorithm: 'pq2025', importKey, storage })
    await expect(contradiction).rejects.toThrow(failsWith('InvalidOption'))
    expect(namesOf(storage)).toEqual([])
    expect(await simple.create({ ...rest, importKey, storage })).toMatchObject({ algorithm: 'ed25519' })
    expect(configOf(storage)).toMatchObject({ sxAgentKeyAlgorithm: 'ed25519' })
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'half \ud800' }],
    ['domain', { domain: 'http://example.com' }],
    ['type', { agentType: 'robot' }],
    ['algorithm', { algorithm: 'rsa' }],
    ['dataDirectory', { dataDirectory: '../z' }],
    ['configPath', { configPath: 'sx.config.json.agent' }],
    ['configPath', { configPath: 'sx.config.json.agent/' }],
    ['configPath', { configPath: './sx.config.json.agent/.' }],
    ['keyDirectory', { keyDirectory: './sx.config.json.agent' }],
    ['dataDirectory', { dataDirectory: 'sx.config.json' }],
  ])('names the option %s that it refuses: %j', async (name, wrong) => {
    const storage = memoryStorage()
    const made = simple.create({ ...options, ...(wrong as object), storage })
    await expect(made).rejects.toThrow(failsWith('InvalidOption'))
    await expect(made).rejects.toThrow(name)
    expect(namesOf(storage)).toEqual([])
  })

  it('keeps neither directory where the configuration is', async () => {
    const storage = memoryStorage()
    for (const wrong of [{ keyDirectory: './sx.config.json' }, { dataDirectory: 'sx.config.json/deep' }]) {
      await expect(simple.create({ ...options, ...wrong, storage })).rejects.toThrow(failsWith('InvalidOption'))
      await expect(simple.quickstart({ ...options, ...wrong, storage })).rejects.toThrow(failsWith('InvalidOption'))
    }
    expect(namesOf(storage)).toEqual([])
  })
})

it('never costs an agent whose password nobody has seen, at some calls of a storage that fail', async () => {
  for (const after of [true, false]) expect(await failedCalls(after, 6)).toBeGreaterThan(1)
})

it('takes no claim that was put after the configuration named an agent for that agent', async () => {
  const storage = memoryStorage()
  const prepared = encode(createConfig({ sxAgentKeyAlgorithm: 'ring-Ed25519' }))
  storage.putSync(['sx.config.json'], prepared)
  const first = await simple.quickstart({ ...options, storage })
  const named = configOf(storage)
  // Who has seen the prepared configuration still puts a claim, and another one finds both.
  const late = { ...named, sxAgentIdAndVersion: `${crypto.randomUUID()}:${crypto.randomUUID()}` }
  storage.putSync(['sx.config.json.agent'], encode(JSON.stringify(late)))
  let looks = 0
  const between = remote(storage, {
    get: (key) => (isConfig(key) && ++looks === 1 ? Promise.resolve(prepared) : storage.get(key)),
  })
  expect(await simple.quickstart({ ...options, storage: between })).toMatchObject({ agentId: first.agentId })
  expect(configOf(storage)).toEqual(named)
  expect(namesOf(storage)).not.toContain('sx.config.json.agent')
})

it('takes options that a class computes for none, and copies what they hold', async () => {
  const storage = memoryStorage()
  class Computed {
    name = 'C'
    get storage(): Storage {
      return storage
    }
  }
  await expect(simple.create(new Computed())).rejects.toThrow(failsWith('InvalidOption'))
  const env = { SX_PRIVATE_KEY_PASSWORD: 'one' }
  const pems = keys.keys.map(({ privateKey }) => privateKey)
  const importKey = { pem: pems[0] ?? '' }
  const creating = simple.create({ name: 'C', env, importKey, storage: remote(storage) })
  env.SX_PRIVATE_KEY_PASSWORD = 'two'
  importKey.pem = pems[1] ?? ''
  expect(await creating).toMatchObject({ keyId: keys.keys[0]?.keyId })
  expect(await simple.load({ storage, password: 'one' })).toMatchObject({ name: 'C' })
})

it('creates an agent beside the damaged one of somebody else', async () => {
  const [storage, other] = [memoryStorage(), memoryStorage()]
  const foreign = await simple.create({ ...options, name: 'B', storage: other })
  storage.putSync(['sx_keys', `${foreign.agentId}.public.pem`], encode('a key'))
  const top = ['sx_data', 'documents', foreign.agentId.slice(0, 2)]
  storage.putSync([...top, `${foreign.agentId}.1.json`], encode('damaged'))
  const { agentId } = await simple.quickstart({ ...options, storage })
  expect(await simple.quickstart({ ...options, storage })).toMatchObject({ agentId, created: false })
  expect(await simple.listDocuments()).toHaveLength(2)
  expect(await simple.listDocuments()).toContain(foreign.agentId)
})
