// Parts of an agent that stand where they were staged: who moves them, who only reads them, and what is in their way.
import { createConfig, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { type Key, memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { decode, encode } from '../../src/bytes.ts'
import { remote } from './remote.ts'

const password = 'a password for tests'
const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', password } as const
const { password: _, ...withoutPassword } = options
const saving = { ...withoutPassword, env: { SX_SAVE_PASSWORD_FILE: 'true' } }
const generated = /^[\w-]{32}$/

const failsWith = (code: string, text = ''): unknown =>
  expect.objectContaining({ name: 'SxError', code, message: expect.stringContaining(text) as string })
const namesOf = (storage: SyncStorage): string[] => [...storage.listSync([])].map((key) => key.join('/'))
const stagedIn = (storage: SyncStorage): string[] => namesOf(storage).filter((name) => name.includes('/.new/'))
const textIn = (storage: SyncStorage, name: string): string => {
  const bytes = storage.getSync(name.split('/'))
  if (bytes === undefined) expect.fail(`there is no ${name}`)
  return decode(bytes, name)
}
const copyOf = (storage: SyncStorage): SyncStorage => {
  const copy = memoryStorage()
  for (const key of storage.listSync([])) copy.putSync(key, storage.getSync(key) ?? encode(''))
  return copy
}

/** The entry that has the configuration name the agent: itself, or the claim beside one that was prepared. */
const isNaming = (key: Key): boolean => /\.json(?:\.agent)?$/.test(key.join('/')) && key.length === 1
const refused = (): Promise<never> => Promise.reject(new SxError('StorageFull'))
const dead = (): Promise<never> => Promise.reject(new SxError('StorageUnavailable'))

/**
 * What a process writes that dies as soon as the configuration names its agent.
 *
 * @param before what others do right before that
 */
function untilNamed(inner: SyncStorage, before?: () => Promise<void>): Storage {
  let isDead = false
  return remote(inner, {
    put: async (key, bytes, how) => {
      if (isDead) return await dead()
      if (isNaming(key)) await before?.()
      const done = await inner.put(key, bytes, how)
      isDead = isNaming(key)
      return done
    },
    delete: (key) => (isDead ? dead() : inner.delete(key)),
  })
}

interface Unfinished {
  readonly agentId: string
  readonly storage: SyncStorage
  /** The name of the staged entry. */
  readonly staged: string
  readonly parts: { document: string; privateKey: string; publicKey: string; password?: string }
  /** Where the document belongs. */
  readonly document: string
}

/** An agent whose configuration names it, and whose parts are staged. */
async function unfinished(options: simple.CreateOptions): Promise<Unfinished> {
  const storage = memoryStorage()
  const { agentId } = await simple.create({ ...options, storage: untilNamed(storage) })
  const [staged = '', ...others] = stagedIn(storage)
  expect([namesOf(storage), others]).toEqual([['sx.config.json', staged], []])
  const parts = JSON.parse(textIn(storage, staged)) as Unfinished['parts']
  return { agentId, storage, staged, parts, document: `sx_data/documents/${agentId.slice(0, 2)}/${agentId}.1.json` }
}

const PRIVATE = 'sx_keys/sx.private.pem'
const SAVED = 'sx_keys/.sx_password'
const set = (storage: SyncStorage, name: string, text: string): boolean =>
  storage.putSync(name.split('/'), encode(text))

describe('a generated password that is to be saved', () => {
  it('is staged with the key, and taken back with it', async () => {
    const inner = memoryStorage()
    const put: string[] = []
    let parts: unknown
    const storage = remote(inner, {
      put: (key, bytes, how) => {
        put.push(key.join('/'))
        if (isNaming(key)) return refused()
        parts = JSON.parse(decode(bytes, 'parts'))
        return inner.put(key, bytes, how)
      },
    })
    await expect(simple.create({ ...saving, storage })).rejects.toThrow(failsWith('StorageFull'))
    expect(parts).toMatchObject({ password: expect.stringMatching(generated) as string })
    expect(put).not.toContain(SAVED)
    expect(namesOf(inner)).toEqual([])
  })

  it('is moved by the next load, which opens the key with it', async () => {
    const { agentId, storage, parts } = await unfinished(saving)
    expect(parts.password).toMatch(generated)
    expect(await simple.load({ storage, env: {} })).toMatchObject({ agentId })
    expect(textIn(storage, SAVED)).toBe(parts.password)
    expect(stagedIn(storage)).toEqual([])
    expect(await simple.load({ storage, env: {} })).toMatchObject({ agentId })
  })

  it('opens the key also where neither can be moved', async () => {
    const { agentId, storage: inner, staged, document } = await unfinished(saving)
    const storage = remote(inner, {
      put: (key, bytes, how) => (key[0] === 'sx_keys' ? refused() : inner.put(key, bytes, how)),
    })
    expect(await simple.load({ storage, env: {} })).toMatchObject({ agentId })
    expect(await simple.verifySelf()).toMatchObject({ valid: true })
    expect(namesOf(inner)).toEqual(['sx.config.json', document, staged])
  })

  it('opens the key also where the one of somebody else is saved, which stays', async () => {
    const { agentId, storage, staged } = await unfinished(saving)
    set(storage, SAVED, 'of somebody else')
    expect(await simple.load({ storage, env: {} })).toMatchObject({ agentId })
    expect(textIn(storage, SAVED)).toBe('of somebody else')
    expect(stagedIn(storage)).toEqual([staged])
  })
})

describe('parts that are damaged where they are staged', () => {
  let whole: Unfinished
  let other: Unfinished
  beforeAll(async () => {
    whole = await unfinished(options)
    other = await unfinished({ ...options, name: 'B' })
  })

  const damages: Record<string, (parts: Unfinished['parts']) => unknown> = {
    'cut off': () => '{"document":',
    'without anything': () => null,
    'with a document that is not signed so': (parts) => ({ ...parts, document: parts.document.replace('"A"', '"C"') }),
    'that are those of another agent': () => other.parts,
    "with another agent's public key": (parts) => ({ ...parts, publicKey: other.parts.publicKey }),
    'with a private key that is none': (parts) => ({ ...parts, privateKey: parts.publicKey }),
    'with a number as password': (parts) => ({ ...parts, password: 17 }),
  }
  const damaged = (damage: (parts: Unfinished['parts']) => unknown): SyncStorage => {
    const storage = copyOf(whole.storage)
    const changed = damage(whole.parts)
    set(storage, whole.staged, typeof changed === 'string' ? changed : JSON.stringify(changed))
    return storage
  }
  const corrupt = (): unknown => failsWith('CorruptStore', whole.staged.replace('sx_keys/', ''))

  it.each(Object.entries(damages))('%s are named by load, which changes nothing', async (_, damage) => {
    const storage = damaged(damage)
    const before = namesOf(storage)
    for (const verifyOnly of [false, true]) {
      await expect(simple.load({ storage, password, verifyOnly })).rejects.toThrow(corrupt())
      expect(() => simple.loadSync({ storage, password, verifyOnly })).toThrow(corrupt())
    }
    expect(namesOf(storage)).toEqual(before)
  })

  it('without a private key are those of an agent whose signer is external', async () => {
    const storage = damaged(({ document, publicKey }) => ({ document, publicKey }))
    await expect(simple.load({ storage, password })).rejects.toThrow(failsWith('NotFound', 'private key'))
    expect(await simple.load({ storage, verifyOnly: true })).toMatchObject({ agentId: whole.agentId })
  })

  it("are named while the document or the key is missing, and in nobody's way after that", async () => {
    const storage = damaged(() => 'damaged')
    const { document, parts, agentId } = whole
    for (const [name, text] of [
      [document, parts.document],
      [PRIVATE, parts.privateKey],
    ] as const) {
      set(storage, name, text)
      await expect(simple.load({ storage, password })).rejects.toThrow(corrupt())
      storage.deleteSync(name.split('/'))
    }
    set(storage, document, parts.document)
    set(storage, PRIVATE, parts.privateKey)
    expect(await simple.load({ storage, password })).toMatchObject({ agentId })
    expect(await simple.verifySelf()).toMatchObject({ valid: true })
    expect(textIn(storage, whole.staged)).toBe('damaged')
  })

  it('are not looked at by who only verifies, where the document is stored', async () => {
    const inner = damaged(() => 'damaged')
    set(inner, whole.document, whole.parts.document)
    const looked: string[] = []
    const storage = remote(inner, {
      get: (key) => {
        looked.push(key.join('/'))
        return inner.get(key)
      },
      list: (prefix, how) => {
        looked.push(prefix.join('/'))
        return inner.list(prefix, how)
      },
      put: dead,
      delete: dead,
    })
    expect(await simple.load({ storage, verifyOnly: true })).toMatchObject({ agentId: whole.agentId })
    expect(looked).toContain(whole.document)
    expect(looked.filter((name) => name.includes('.new'))).toEqual([])
  })
})

describe('who only verifies', () => {
  it('reads the document that is staged, and moves nothing', async () => {
    const { storage: inner, agentId } = await unfinished(options)
    const finished = copyOf(inner)
    await simple.load({ storage: finished, password })
    const { raw } = await simple.signMessage({ a: 1 })
    const before = namesOf(inner)
    const storage = remote(inner, { put: dead, delete: dead })
    expect(await simple.load({ storage, verifyOnly: true })).toMatchObject({ agentId, name: 'A' })
    expect(await simple.verify(raw)).toMatchObject({ valid: true, signerId: agentId })
    expect(namesOf(inner)).toEqual(before)
  })

  it('finds the document also where somebody moves it between two looks', async () => {
    const { storage: inner, agentId } = await unfinished(options)
    let moving: Promise<unknown> | undefined
    const storage = remote(inner, {
      list: async function* (prefix, how) {
        if (prefix.includes('.new')) await (moving ??= simple.load({ storage: inner, password }))
        yield* inner.list(prefix, how)
      },
    })
    expect(await simple.load({ storage, verifyOnly: true })).toMatchObject({ agentId })
    expect(moving).toBeDefined()
    expect(stagedIn(inner)).toEqual([])
  })
})

describe('two configurations with one key directory', () => {
  const prepare = (storage: SyncStorage, name: string): void => {
    const files = { sxAgentPrivateKeyFilename: `${name}.pem`, sxAgentPublicKeyFilename: `${name}.pub` }
    set(storage, `${name}.json`, createConfig({ ...files, sxAgentKeyAlgorithm: 'ed25519' }))
  }
  const prepared = (): SyncStorage => {
    const storage = memoryStorage()
    for (const name of ['a', 'b']) prepare(storage, name)
    return storage
  }

  it('have their agents finished each by its own start', async () => {
    const storage = prepared()
    const made: Record<string, string> = {}
    for (const name of ['a', 'b']) {
      const configPath = `${name}.json`
      made[name] = (await simple.create({ ...options, configPath, storage: untilNamed(storage) })).agentId
    }
    expect(stagedIn(storage)).toHaveLength(2)
    expect(await simple.load({ configPath: 'a.json', storage, password })).toMatchObject({ agentId: made['a'] })
    expect(stagedIn(storage)).toEqual([expect.stringContaining(`${made['b']}`)])
    expect(namesOf(storage)).not.toContain('sx_keys/b.pem')
    expect(await simple.load({ configPath: 'b.json', storage, password })).toMatchObject({ agentId: made['b'] })
    expect(stagedIn(storage)).toEqual([])
  })

  it('do not clear what is staged for an agent that no configuration names yet', async () => {
    const storage = prepared()
    await simple.create({ ...options, configPath: 'a.json', storage: untilNamed(storage) })
    const finish = async (): Promise<void> => {
      await simple.load({ configPath: 'a.json', storage, password })
    }
    const dying = untilNamed(storage, finish)
    const { agentId } = await simple.create({ ...options, configPath: 'b.json', storage: dying })
    expect(namesOf(storage)).toContain('sx_keys/a.pem')
    expect(stagedIn(storage)).toEqual([expect.stringContaining(agentId)])
    expect(await simple.load({ configPath: 'b.json', storage, password })).toMatchObject({ agentId })
    expect(stagedIn(storage)).toEqual([])
  })

  it('have the second agent stay where it was staged, if both name one key file', async () => {
    const storage = memoryStorage()
    const create = (configPath: string): Promise<simple.AgentInfo> =>
      simple.create({ ...options, configPath, storage: untilNamed(storage) })
    const [a, b] = [await create('a.json'), await create('b.json')]
    expect(await simple.load({ configPath: 'a.json', storage, password })).toMatchObject({ agentId: a.agentId })
    const key = textIn(storage, PRIVATE)
    for (const _ of ['once', 'again']) {
      expect(await simple.load({ configPath: 'b.json', storage, password })).toMatchObject({ agentId: b.agentId })
      expect(await simple.verifySelf()).toMatchObject({ valid: true })
      expect(stagedIn(storage)).toEqual([expect.stringContaining(b.agentId)])
    }
    expect(textIn(storage, PRIVATE)).toBe(key)
  })
})

describe('a password that is to be changed while the parts are staged', () => {
  const next = 'another password'

  it('stays as long as they cannot be moved, and the failure of that is told', async () => {
    const { storage: inner, staged, document } = await unfinished(options)
    let isFull = true
    const storage = remote(inner, {
      put: (key, bytes, how) =>
        isFull && key.join('/').endsWith('.public.pem') ? refused() : inner.put(key, bytes, how),
    })
    await simple.load({ storage, password })
    await expect(simple.reencryptKey(password, next)).rejects.toThrow(failsWith('StorageFull'))
    expect(namesOf(inner)).toEqual(['sx.config.json', document, staged])
    await simple.load({ storage, password })
    isFull = false
    await simple.reencryptKey(password, next)
    expect(stagedIn(inner)).toEqual([])
    await expect(simple.load({ storage: inner, password })).rejects.toThrow(failsWith('WrongPassword'))
    expect(await simple.load({ storage: inner, password: next })).toMatchObject({ name: 'A' })
  })

  it('stays where another key has the place of theirs', async () => {
    const { storage, agentId } = await unfinished(options)
    const other = await unfinished({ ...options, name: 'B' })
    set(storage, PRIVATE, other.parts.privateKey)
    await simple.load({ storage, password })
    const before = namesOf(storage)
    for (const change of [simple.reencryptKey, async (...both: [string, string]) => simple.reencryptKeySync(...both)]) {
      await expect(change(password, next)).rejects.toThrow(failsWith('AlreadyExists', 'which already exists'))
    }
    expect(namesOf(storage)).toEqual(before)
    expect(textIn(storage, PRIVATE)).toBe(other.parts.privateKey)
    expect(await simple.load({ storage, password })).toMatchObject({ agentId })
  })
})
