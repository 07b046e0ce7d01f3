// Private keys that are no longer used are not in the core's memory, whoever reads it.
import { createHash } from 'node:crypto'
import { SxAgent } from 'sx-agent'
import * as agent from 'sx-agent/simple'
import { memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as core from '#core'
import { wipeAll } from '../../src/running.ts'
import { beginOperation, letGo, type Session } from '../../src/session.ts'

const password = 'a password for tests'
const SEED = 32

/** PKCS#8 up to the seed: RFC 8410, RFC 9881. */
const prefixes = {
  ed25519: '302e020100300506032b657004220420',
  pq2025: '3034020100300b060960864801650304031304228020',
} as const

type Algorithm = keyof typeof prefixes

const algorithms = Object.keys(prefixes) as Algorithm[]

let lastSeed = 0

function newSeed(): Buffer {
  return createHash('sha256')
    .update(`seed ${++lastSeed} of ${import.meta.url}`)
    .digest()
}

function pemOf(algorithm: Algorithm, seed: Buffer): string {
  const der = Buffer.concat([Buffer.from(prefixes[algorithm], 'hex'), seed])
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}

/** What gives a private key away: its seed, and what is derived from that and kept as bytes. */
function secretsOf(seed: Buffer): Buffer[] {
  const ed25519 = createHash('sha512').update(seed).digest() // scalar before it is clamped, and prefix (RFC 8032)
  const expanded = createHash('shake256', { outputLength: 128 })
    .update(seed)
    .update(Uint8Array.of(8, 7)) // FIPS 204, algorithm 6: rho, rho', K
    .digest()
  return [seed, ed25519.subarray(1, 31), ed25519.subarray(SEED), expanded.subarray(32, 96), expanded.subarray(96)]
}

/** The whole memory of the core's instance. */
function memory(): Buffer {
  const { memory } = core.initSync({}) as unknown as { memory: WebAssembly.Memory }
  return Buffer.from(memory.buffer)
}

/** Whether anything of a private key is in the core's memory. */
function isInMemory(seed: Buffer): boolean {
  const all = memory()
  return secretsOf(seed).some((secret) => all.includes(secret))
}

interface Made {
  readonly seed: Buffer
  readonly storage: SyncStorage
}

/** An agent with a known key, closed again. */
async function create(algorithm: Algorithm): Promise<Made> {
  const seed = newSeed()
  const storage = memoryStorage()
  const { agent } = await SxAgent.create({
    name: 'Wiped',
    password,
    storage,
    algorithm,
    importKey: { pem: pemOf(algorithm, seed) },
  })
  expect(isInMemory(seed)).toBe(true)
  await agent.close()
  expect(isInMemory(seed)).toBe(false)
  return { seed, storage }
}

const templates = new Map<string, Promise<Made>>()

/** A copy of such an agent, or of a second one: to make one takes long. */
async function made(algorithm: Algorithm, which: 'first' | 'second' = 'first'): Promise<Made> {
  const name = `${algorithm} ${which}`
  const template = templates.get(name) ?? create(algorithm)
  templates.set(name, template)
  const { seed, storage } = await template
  const copy = memoryStorage()
  for (const key of storage.listSync([])) copy.putSync(key, storage.getSync(key) ?? new Uint8Array())
  expect(isInMemory(seed)).toBe(false)
  return { seed, storage: copy }
}

async function load({ storage, seed }: { readonly storage: Storage; readonly seed: Buffer }): Promise<void> {
  await agent.load({ storage, password })
  expect(isInMemory(seed)).toBe(true)
}

/** A storage that has to be awaited; `before` may hold up its calls, or have them fail. */
function awaited(storage: SyncStorage, before: (name: 'get' | 'put' | 'list') => void | Promise<void>): Storage {
  return {
    capabilities: { ...storage.capabilities, sync: false },
    get: async (key) => {
      await before('get')
      return storage.get(key)
    },
    put: async (key, bytes, options) => {
      await before('put')
      return storage.put(key, bytes, options)
    },
    delete: (key) => storage.delete(key),
    async *list(prefix, options) {
      await before('list')
      yield* storage.list(prefix, options)
    },
    flush: () => storage.flush(),
    close: () => storage.close(),
  }
}

/** A storage whose calls wait from `hold` to `release`. */
function held(inner: SyncStorage) {
  let gate = Promise.resolve()
  let open: (() => void) | undefined
  let isWaiting = false
  const storage = awaited(inner, () => {
    isWaiting ||= open !== undefined
    return gate
  })
  const hold = (): void => {
    gate = new Promise((resolve) => (open = resolve))
  }
  return { storage, hold, isWaiting: () => isWaiting, release: () => open?.() }
}

afterEach(async () => {
  vi.restoreAllMocks()
  await agent.close()
})

describe.each(algorithms)('K07: a private key of %s is not in the core any more', (algorithm) => {
  test('after another agent was loaded by the same object', async () => {
    const [first, second] = [await made(algorithm), await made(algorithm, 'second')]
    await load(first)
    await agent.signMessage({ a: 1 })
    await agent.load({ storage: second.storage, password })
    expect([isInMemory(first.seed), isInMemory(second.seed)]).toEqual([false, true])
    agent.loadSync({ storage: first.storage, password })
    expect([isInMemory(first.seed), isInMemory(second.seed)]).toEqual([true, false])
    await agent.load({ storage: first.storage, password })
    agent.signMessageSync({ a: 2 })
    expect(isInMemory(first.seed)).toBe(true)
    await agent.close()
    expect(isInMemory(first.seed)).toBe(false)
  })

  test('after a load that was running when the agent was closed', async () => {
    const one = await made(algorithm)
    let [isOpen, release] = [(): void => {}, (): void => {}]
    const opened = new Promise<void>((resolve) => (isOpen = resolve))
    const released = new Promise<void>((resolve) => (release = resolve))
    const late = awaited(one.storage, () => {
      if (!isInMemory(one.seed)) return undefined
      isOpen()
      return released
    })
    const loading = agent.load({ storage: late, password })
    loading.catch(() => {})
    await opened
    expect(isInMemory(one.seed)).toBe(true)
    await agent.close()
    release()
    await expect(loading).rejects.toMatchObject({ code: 'NoAgentLoaded' })
    expect(isInMemory(one.seed)).toBe(false)
  })

  test('after a rotation, and the new one not after closing', async () => {
    const drawn: Uint8Array[] = []
    const source = crypto.getRandomValues.bind(crypto)
    const one = await made(algorithm)
    await load(one)
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      const filled = source(array as Uint8Array<ArrayBuffer>)
      drawn.push(Uint8Array.from(filled))
      return array
    })
    await agent.rotateKey()
    const seeds = drawn.map((random) => createHash('sha256').update(random).update('seed').digest())
    expect(isInMemory(one.seed)).toBe(false)
    expect(seeds.filter(isInMemory)).toHaveLength(1)
    expect(await agent.verifyDocument(await agent.createDocument('{"a":1}'))).toBe(true)
    agent.rotateKeySync({ reason: 'compromised' })
    expect(seeds.filter(isInMemory)).toEqual([])
    const later = drawn.map((random) => createHash('sha256').update(random).update('seed').digest())
    expect(later.filter(isInMemory)).toHaveLength(1)
    await agent.close()
    expect(later.filter(isInMemory)).toEqual([])
  })

  test('after a load that fails once the key was opened', async () => {
    const [one, other] = [await made(algorithm), await made(algorithm, 'second')]
    let wasThere = false
    const failing = awaited(one.storage, (name) => {
      if (name !== 'list' || !(wasThere ||= isInMemory(one.seed))) return
      throw new Error('The list is not there.')
    })
    await expect(agent.load({ storage: failing, password })).rejects.toMatchObject({ code: 'StorageUnavailable' })
    expect([wasThere, isInMemory(one.seed)]).toEqual([true, false])

    const publicKey = other.storage.getSync(['sx_keys', 'sx.public.pem']) as Uint8Array
    one.storage.putSync(['sx_keys', 'sx.public.pem'], publicKey)
    await expect(agent.load({ storage: one.storage, password })).rejects.toMatchObject({ code: 'KeyMismatch' })
    expect(isInMemory(one.seed)).toBe(false)
  })

  test('after a creation that fails', async () => {
    const seed = newSeed()
    let wasThere = false
    const storage = awaited(memoryStorage(), (name) => {
      if (name !== 'put') return
      wasThere ||= isInMemory(seed)
      throw new Error('The storage is full.')
    })
    const importKey = { pem: pemOf(algorithm, seed) }
    await expect(SxAgent.create({ name: 'Failed', password, storage, algorithm, importKey })).rejects.toMatchObject({
      code: 'StorageUnavailable',
    })
    expect([wasThere, isInMemory(seed)]).toEqual([true, false])
  })

  test('after the password was changed, the key exported, the agent looked at, and it was closed', async () => {
    const one = await made(algorithm)
    await load(one)
    await agent.exportKey({ password: 'another password' })
    await agent.exportStore({ password: 'another password' })
    await agent.reencryptKey(password, 'a new password')
    agent.exportKeySync({ password: 'another password' })
    agent.reencryptKeySync('a new password', password)
    await agent.audit({ storage: one.storage, password })
    expect(isInMemory(one.seed)).toBe(true)
    await agent.close()
    expect(isInMemory(one.seed)).toBe(false)
    await agent.audit({ storage: one.storage, password })
    expect(isInMemory(one.seed)).toBe(false)
  })

  test('only after what still signs with it has ended, whoever loads another agent meanwhile', async () => {
    const [first, second] = [await made(algorithm), await made(algorithm, 'second')]
    const { storage, hold, isWaiting, release } = held(first.storage)
    await load({ storage, seed: first.seed })
    const { documentId } = await agent.signMessage({ a: 1 })
    hold()
    const updating = agent.updateDocument(documentId, { a: 2 })
    await expect.poll(isWaiting).toBe(true)
    await agent.load({ storage: second.storage, password })
    agent.signMessageSync({ a: 1 }) // an operation that began later
    expect([isInMemory(first.seed), isInMemory(second.seed)]).toEqual([true, true])
    release()
    expect(JSON.parse((await updating).raw)).toMatchObject({ content: { a: 2 } })
    expect([isInMemory(first.seed), isInMemory(second.seed)]).toEqual([false, true])
    await agent.close()
  })

  test('after closing, also where something still runs', async () => {
    const [first, second] = [await made(algorithm), await made(algorithm, 'second')]
    const { storage, hold, isWaiting, release } = held(first.storage)
    await load({ storage, seed: first.seed })
    const { documentId } = await agent.signMessage({ a: 1 })
    hold()
    const updating = agent.updateDocument(documentId, { a: 2 })
    await expect.poll(isWaiting).toBe(true)
    await agent.load({ storage: second.storage, password })
    await agent.close()
    expect([isInMemory(first.seed), isInMemory(second.seed)]).toEqual([false, false])
    release()
    await expect(updating).rejects.toMatchObject({ code: 'NoAgentLoaded' })
  })
})

describe('K07: what is let go', () => {
  const session = (): Session => ({ options: {}, loaded: undefined })

  test('is wiped at once where nothing runs', () => {
    const wipe = vi.fn<() => void>()
    letGo(session(), wipe)
    expect(wipe).toHaveBeenCalledOnce()
  })

  test('waits for the operations that run, not for those that begin later, and is wiped once', () => {
    const one = session()
    const wipe = vi.fn<() => void>()
    const ends = [beginOperation(one), beginOperation(one)]
    letGo(one, wipe)
    const later = beginOperation(one)
    ends[0]?.()
    expect(wipe).not.toHaveBeenCalled()
    ends[1]?.()
    expect(wipe).toHaveBeenCalledOnce()
    later()
    expect(wipe).toHaveBeenCalledOnce()
    expect(one.running).toEqual([{ running: 0, wipe: undefined }])
  })

  test('is wiped in the order in which it was let go, whatever ends first', () => {
    const wiped: number[] = []
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const one = session()
      const ends = [0, 1, 2].map((at) => {
        const end = beginOperation(one)
        letGo(one, () => wiped.push(at))
        return end
      })
      wiped.length = 0
      for (const [count, at] of order.entries()) {
        ends[at]?.()
        const ended = order.slice(0, count + 1)
        expect(wiped).toEqual([0, 1, 2].filter((each) => [0, 1, 2].slice(0, each + 1).every((n) => ended.includes(n))))
      }
      expect(one.running).toEqual([{ running: 0, wipe: undefined }])
    }
  })

  test('is wiped at once, and not again, by close()', () => {
    const one = session()
    const wipe = vi.fn<() => void>()
    const end = beginOperation(one)
    letGo(one, wipe)
    wipeAll(one.running ?? [])
    expect(wipe).toHaveBeenCalledOnce()
    end()
    expect(wipe).toHaveBeenCalledOnce()
  })
})
