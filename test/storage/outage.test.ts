/** Verdicts while a storage does not answer, and after it does again. */
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Key, Storage, SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'
import { remote } from '../unit/remote.ts'
import { codeOf } from './outcomes.ts'

const password = 'a password for tests'
let signerId: string
let signed: string

let inner: SyncStorage
/** Entries below this cannot be reached. */
let down: string | undefined
/** What says so. */
let reason: unknown

const network = new TypeError('fetch failed')
const busy = new SxError('Busy')

const reach = (key: Key): void => {
  if (down !== undefined && `${key.join('/')}/`.startsWith(down)) throw reason
}

/** A storage at the other end of a network that can be down. */
function reached(): Storage {
  return remote(inner, {
    get: async (key) => (reach(key), inner.get(key)),
    put: async (key, bytes, options) => (reach(key), inner.put(key, bytes, options)),
    delete: async (key) => (reach(key), inner.delete(key)),
    list: async function* (prefix, options) {
      reach(prefix)
      yield* inner.list(prefix, options)
    },
  })
}

/** The same without waiting. */
function reachedAtOnce(): SyncStorage {
  return {
    ...reached(),
    capabilities: { sync: true, durability: 'strict', shared: true },
    getSync: (key) => (reach(key), inner.getSync(key)),
    putSync: (key, bytes, options) => (reach(key), inner.putSync(key, bytes, options)),
    deleteSync: (key) => (reach(key), inner.deleteSync(key)),
    listSync: (prefix, options) => (reach(prefix), inner.listSync(prefix, options)),
  }
}

const storages: [string, () => Promise<Storage>][] = [
  ['that is awaited', async () => reached()],
  ['that is mirrored', () => mirrored(reached())],
  ['that answers at once', async () => reachedAtOnce()],
]
const places = ['', 'sx_keys/trust/', 'sx_keys/']

async function opened(storage: Storage): Promise<SxAgent> {
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  return agent
}

/** What an agent has stored that trusts the signer. */
const stored: [Key, Uint8Array][] = []

beforeAll(async () => {
  await simple.create({ name: 'Signer', algorithm: 'ed25519', storage: memoryStorage(), password })
  signerId = simple.getAgentInfo()?.agentId ?? ''
  signed = (await simple.signMessage({ amount: 1 })).raw
  const signer = simple.exportAgent()
  const storage = memoryStorage()
  await simple.create({ name: 'Reader', algorithm: 'ed25519', storage, password })
  simple.trustAgent(signer)
  for (const key of storage.listSync([])) stored.push([key, storage.getSync(key) as Uint8Array])
})

beforeEach(() => {
  inner = memoryStorage()
  for (const [key, bytes] of stored) inner.putSync(key, bytes)
  down = undefined
  reason = network
})

/** Every asynchronous form of a verdict on a document of somebody else. */
const verdicts: Record<string, (agent: SxAgent) => Promise<unknown>> = {
  verifyDocument: (agent) => agent.verifyDocument(signed),
  verifySignature: (agent) => agent.verifySignature(signed),
  verifyOrThrow: async (agent) => (await agent.verifyOrThrow(signed)).valid,
}

describe.each(storages)('on a storage %s', (_, open) => {
  test.each(places)('a verdict is the error of the storage while %j is down, and then one again', async (place) => {
    const agent = await opened(await open())
    const before = [...inner.listSync([])]
    for (const verdict of Object.values(verdicts)) {
      for (let outage = 0; outage < 2; outage++) {
        down = place
        for (const why of [network, busy]) {
          reason = why
          const expected = why === busy ? busy : { name: 'SxError', code: 'StorageUnavailable', cause: network }
          for (let call = 0; call < 2; call++) await expect(verdict(agent)).rejects.toMatchObject(expected)
        }
        down = undefined
        expect(await verdict(agent)).toBe(true)
      }
    }
    expect([...inner.listSync([])]).toEqual(before)
  })

  test('many verdicts at once fail together and work together', async () => {
    const agent = await opened(await open())
    const all = (): Promise<string[]> =>
      Promise.all(Array.from({ length: 20 }, () => codeOf(() => agent.verifyOrThrow(signed))))
    down = ''
    expect(new Set(await all())).toEqual(new Set(['StorageUnavailable']))
    const [during, after] = [all(), ((down = undefined), all())]
    await during
    expect(new Set(await after)).toEqual(new Set(['no error']))
  })

  test('loading fails during an outage, and the agent that is loaded stays', async () => {
    const storage = await open()
    const agent = await opened(storage)
    down = ''
    expect(await codeOf(() => agent.load())).toBe('StorageUnavailable')
    expect(agent.isLoaded()).toBe(true)
    down = undefined
    expect(await agent.verifyDocument(signed)).toBe(true)
    await agent.load()
    expect(await agent.verifyDocument(signed)).toBe(true)
  })

  test('a decision about trust fails once in an outage, and is none afterwards', async () => {
    const agent = await opened(await open())
    down = ''
    const untrust = async (): Promise<void> => {
      agent.untrustAgent(signerId)
      await agent.flush()
    }
    expect(await codeOf(untrust)).toBe('StorageUnavailable')
    expect(await codeOf(() => agent.verifyDocument(signed))).toBe('StorageUnavailable')
    down = undefined
    expect(await agent.verifyDocument(signed)).toBe(true)
    expect([agent.isTrusted(signerId), agent.verifyDocumentSync(signed)]).toEqual([true, true])
    await untrust()
    expect(await agent.verifyDocument(signed)).toBe(false)
  })
})

describe('without waiting', () => {
  test('a verdict on a storage that answers at once fails as the awaited one does', async () => {
    const agent = await opened(reachedAtOnce())
    for (const place of places) {
      down = place
      for (const verdict of [
        () => agent.verifyDocumentSync(signed),
        () => agent.verifyOrThrowSync(signed),
        () => agent.verifySignatureSync(signed),
      ]) {
        expect(verdict).toThrow(
          expect.objectContaining({ name: 'SxError', code: 'StorageUnavailable', cause: network }),
        )
      }
      down = undefined
      expect(agent.verifyDocumentSync(signed)).toBe(true)
    }
  })

  test.each(storages.slice(0, 2))('a verdict on a storage %s is that on what was read last', async (_, open) => {
    const agent = await opened(await open())
    down = ''
    for (let call = 0; call < 2; call++) {
      expect(agent.verifyDocumentSync(signed)).toBe(true)
      expect(await codeOf(() => agent.verifyDocument(signed))).toBe('StorageUnavailable')
    }
    down = undefined
    expect(agent.verifyDocumentSync(signed)).toBe(true)
  })

  test('of a mirror that could not read a decision again nothing is said until it has', async () => {
    const mirror: MirroredStorage = await mirrored(reached())
    const agent = await opened(mirror)
    const entry = ['sx_data', 'trust', `${signerId}.1.json`]
    const unknown = expect.objectContaining({ name: 'SxError', code: 'StorageUnavailable' }) as Error
    down = ''
    await expect(mirror.invalidate([entry])).rejects.toMatchObject({ code: 'StorageUnavailable', cause: network })
    expect(() => agent.verifyDocumentSync(signed)).toThrow(unknown)
    expect(await codeOf(() => agent.verifyDocument(signed))).toBe('StorageUnavailable')
    down = undefined
    expect(() => agent.verifyDocumentSync(signed)).toThrow(unknown)
    await expect.poll(() => codeOf(() => agent.verifyOrThrowSync(signed))).toBe('no error')
    expect(await agent.verifyDocument(signed)).toBe(true)
  })
})

test('a reading that fails does not fail the one that waits for its end', async () => {
  const answers: { fail(): void; pass(): void }[] = []
  const get = (key: Key): Promise<Uint8Array | undefined> =>
    new Promise((resolve, reject) => {
      answers.push({ fail: () => reject(network), pass: () => resolve(inner.getSync(key)) })
    })
  const mirror = await mirrored(remote(inner, { list: () => memoryStorage().list([]), get }))
  const [key = []] = inner.listSync([])
  const first = mirror.get(key)
  await expect.poll(() => answers.length).toBe(1)
  const second = mirror.get(key)
  answers[0]?.fail()
  await expect(first).rejects.toMatchObject({ code: 'StorageUnavailable', cause: network })
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.pass()
  expect(await second).toEqual(inner.getSync(key))
})
