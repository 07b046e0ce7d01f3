// Storages of one's own that answer what the contract does not allow.
import { runInNewContext } from 'node:vm'
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { type Key, type ListOptions, memoryStorage, mirrored, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compareKeys } from '../../src/storage/contract.ts'
import { remote } from './remote.ts'

const password = 'a password for tests'
const REFUSED = 'StorageUnavailable'
const NO_BYTES = 'The storage returned something other than bytes or undefined.'

let signer: string
let signerId: string
let documentIds: string[]
let documents: string[]
/** What an agent has stored that trusts the signer and has signed two documents. */
const whole: [Key, Uint8Array][] = []

let stored: SyncStorage
/** What the storage answers instead of what it holds; nothing while it does as it should. */
let odd: { get?: (key: Key) => unknown; list?: (prefix: Key, options?: ListOptions) => Iterable<unknown> }

const answered = (key: Key): Uint8Array | undefined =>
  (odd.get === undefined ? stored.getSync(key) : odd.get(key)) as Uint8Array | undefined
const listed = (prefix: Key, options?: ListOptions): Iterable<Key> =>
  (odd.list === undefined ? stored.listSync(prefix, options) : odd.list(prefix, options)) as Iterable<Key>

const awaited = (): Storage =>
  remote(stored, {
    get: async (key) => answered(key),
    list: async function* (prefix, options) {
      yield* listed(prefix, options)
    },
  })
const direct = (): SyncStorage => ({
  ...awaited(),
  capabilities: { sync: true, durability: 'strict', shared: true },
  getSync: answered,
  putSync: (key, bytes, options) => stored.putSync(key, bytes, options),
  deleteSync: (key) => stored.deleteSync(key),
  listSync: listed,
})

async function opened(storage: Storage): Promise<SxAgent> {
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  return agent
}

/** The error that the work ends in, which has to be one of the library. */
async function failure(work: () => unknown): Promise<{ code: string; found: string }> {
  try {
    return { code: 'no error', found: JSON.stringify(await work()) }
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    return { code: error.code, found: error.found }
  }
}

beforeAll(async () => {
  await simple.create({ name: 'Signer', algorithm: 'ed25519', storage: memoryStorage(), password })
  signer = simple.exportAgent()
  signerId = simple.getAgentInfo()?.agentId ?? ''
  const storage = memoryStorage()
  await simple.create({ name: 'A', algorithm: 'ed25519', storage, password })
  simple.trustAgent(signer)
  documentIds = [simple.signMessageSync(1).documentId, simple.signMessageSync(2).documentId].sort()
  documents = simple.listDocumentsSync()
  for (const key of storage.listSync([])) whole.push([key, storage.getSync(key) as Uint8Array])
})

beforeEach(() => {
  odd = {}
  stored = memoryStorage()
  for (const [key, bytes] of whole) stored.putSync(key, bytes)
})

/** Something with the looks of bytes. */
const disguised = { length: 2, 0: 1, 1: 2, byteLength: 2, [Symbol.toStringTag]: 'Uint8Array' }
const noBytes: [string, unknown][] = [
  ['null', null],
  ['a text', '{}'],
  ['the empty text', ''],
  ['a number', 7],
  ['zero', 0],
  ['false', false],
  ['an object', {}],
  ['a list of numbers', [123, 125]],
  ['a buffer without a view', new ArrayBuffer(2)],
  ['a view of another kind', new DataView(new ArrayBuffer(2))],
  ['characters of two bytes', new Uint16Array(2)],
  ['what looks like bytes', disguised],
  ['what inherits from bytes', Object.create(Uint8Array.prototype)],
  ['a proxy of bytes', new Proxy(new Uint8Array(2), {})],
]

describe.each(noBytes)('an entry that is %s', (_, answer) => {
  it('is StorageUnavailable for all that reads it', async () => {
    const expected = { code: 'StorageUnavailable', found: NO_BYTES }
    const [waiting, agent] = [await opened(awaited()), await opened(direct())]
    const [id = ''] = documentIds
    odd.get = () => answer
    for (const call of [
      () => waiting.load(),
      () => waiting.getDocument(id),
      () => waiting.listDocuments(),
      () => waiting.verifyDocument(signer),
      () => agent.load(),
      () => agent.loadSync(),
      () => agent.getDocumentSync(id),
      () => agent.listDocumentsSync(),
      () => agent.trustAgent(signer),
      () => agent.untrustAgent(signerId),
      () => agent.isTrusted(signerId),
      () => agent.listTrustedAgents(),
      () => agent.getTrustedAgent(signerId),
      () => agent.verifyDocumentSync(signer),
      () => simple.load({ storage: awaited(), verifyOnly: true }),
    ]) {
      expect(await failure(call), `${call}`).toEqual(expected)
    }
    odd = {}
    for (const storage of [awaited(), direct()]) {
      await simple.load({ storage, verifyOnly: true })
      odd.get = () => answer
      expect(await failure(() => simple.verifyById(id))).toEqual(expected)
      odd = {}
    }
    expect([...stored.listSync([])].length).toBe(whole.length)
    expect(await agent.listDocuments()).toEqual(documents)
  })
})

it('an entry that is promised where it has to be answered at once is StorageUnavailable', async () => {
  const agent = await opened(direct())
  odd.get = (key) => Promise.resolve(stored.getSync(key))
  const expected = { code: 'StorageUnavailable', found: NO_BYTES }
  for (const call of [() => agent.loadSync(), () => agent.trustAgent(signer), () => agent.listDocumentsSync()])
    expect(await failure(call)).toEqual(expected)
  await agent.load()
  expect(await agent.listDocuments()).toEqual(documents)
})

it('bytes of another realm, and what extends bytes, are bytes', async () => {
  const foreign = runInNewContext('Uint8Array') as typeof Uint8Array
  for (const make of [(bytes: Uint8Array) => Buffer.from(bytes), (bytes: Uint8Array) => new foreign(bytes)]) {
    odd.get = (key) => {
      const bytes = stored.getSync(key)
      return bytes && make(bytes)
    }
    for (const storage of [awaited(), direct()]) {
      await simple.load({ storage, password })
      expect(await simple.verifyById(documentIds[0] ?? '')).toMatchObject({ valid: true })
      expect(await simple.listDocuments()).toEqual(documents)
      expect(simple.getTrustedAgent(signerId)).toBe(signer)
    }
  }
})

it.each([undefined, null, 'a text', 7, {}, new TypeError('own')])(
  'whatever a storage throws, it is the cause of StorageUnavailable: %j',
  async (thrown) => {
    const agent = await opened(direct())
    odd.get = () => {
      // oxlint-disable-next-line typescript/only-throw-error -- storages throw anything
      throw thrown
    }
    for (const call of [() => agent.load(), async () => agent.loadSync(), async () => agent.trustAgent(signer)]) {
      const error: unknown = await call().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ name: 'SxError', code: 'StorageUnavailable' })
      expect((error as SxError).cause).toBe(thrown)
    }
  },
)

const noKeys: [string, unknown][] = [
  ['null', null],
  ['undefined', undefined],
  ['a text', 'sx_data/documents'],
  ['a number', 7],
  ['an object', {}],
  ['what looks like a key', { length: 1, 0: 'sx_data', slice: () => ({ length: 0 }) }],
  ['a key with no text in it', ['sx_data', 'documents', 'x', 7]],
  ['a key with nothing in it', ['sx_data', 'documents', 'x', null]],
]

describe.each(noKeys)('a listed key that is %s', (_, key) => {
  it('is StorageUnavailable for all that lists', async () => {
    const [waiting, agent] = [await opened(awaited()), await opened(direct())]
    odd.list = () => [key]
    for (const call of [
      () => waiting.listDocuments(),
      () => agent.listDocuments(),
      () => agent.listDocumentsSync(),
      () => agent.listTrustedAgents(),
    ]) {
      expect((await failure(call)).code, `${call}`).toBe('StorageUnavailable')
    }
    expect((await failure(() => waiting.load())).code).toBe('StorageUnavailable')
    odd = {}
    expect(await waiting.listDocuments()).toEqual(documents)
  })
})

it('a listing that is none is StorageUnavailable', async () => {
  const agent = await opened(direct())
  for (const listing of [undefined, null, 7, {}, { [Symbol.iterator]: 1 }, { [Symbol.iterator]: () => ({}) }]) {
    odd.list = () => listing as never
    for (const call of [() => agent.listDocuments(), () => agent.listDocumentsSync(), () => agent.listTrustedAgents()])
      expect((await failure(call)).code).toBe('StorageUnavailable')
  }
})

describe('listed keys that should not be there', () => {
  const stranger = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
  const outside: Key[] = [
    [],
    [''],
    ['sx_data'],
    ['sx_data', 'documents'],
    ['sx_data', 'documents', '..', 'sx.config.json'],
    ['sx_data', 'documents', '6f', `${stranger}.1.json`],
    ['sx_data', 'documents', '6f', 'x', `${stranger}.1.json`],
    ['sx_data', 'trust', `${stranger}.1.json`],
    ['sx_keys', 'x', '6f', `${stranger}.1.json`],
    ['elsewhere', 'x', '6f', `${stranger}.1.json`],
    ['con', '../..', '\0', `${stranger}.1.json`],
  ]

  it('name nothing that is not stored', async () => {
    const [waiting, agent] = [await opened(awaited()), await opened(direct())]
    for (const key of outside) {
      odd.list = (prefix) => [key, ...stored.listSync(prefix)].sort(compareKeys)
      for (const list of [
        () => waiting.listDocuments(),
        () => agent.listDocuments(),
        () => agent.listDocumentsSync(),
      ]) {
        const { code, found } = await failure(list)
        // Without the prefix a key may stand in another place, and then not in the order of keys.
        expect([`no error ${JSON.stringify(documents)}`, REFUSED]).toContain(
          code === 'no error' ? `${code} ${found}` : code,
        )
      }
      const { code, found } = await failure(() => agent.listTrustedAgents())
      expect([`no error ["${signerId}"]`, REFUSED]).toContain(code === 'no error' ? `${code} ${found}` : code)
    }
  })

  it('in another order, or again and again, are StorageUnavailable', async () => {
    const [waiting, agent] = [await opened(awaited()), await opened(direct())]
    const inOrder = (prefix: Key): Key[] => [...stored.listSync(prefix)]
    function* endless(prefix: Key): Iterable<Key> {
      const [first] = inOrder(prefix)
      for (;;) yield first ?? [...prefix, 'x']
    }
    for (const list of [
      endless,
      (prefix: Key) => inOrder(prefix).reverse(),
      (prefix: Key) => inOrder(prefix).flatMap((key) => [key, key]),
      (prefix: Key) => [...inOrder(prefix), ...inOrder(prefix)],
    ]) {
      odd.list = list
      for (const call of [
        () => waiting.listDocuments(),
        () => agent.listDocuments(),
        () => agent.listDocumentsSync(),
        () => waiting.load(),
        () => mirrored(awaited()),
      ]) {
        expect((await failure(call)).code, `${call}`).toBe('StorageUnavailable')
      }
    }
    odd.list = endless
    expect((await failure(() => agent.listTrustedAgents())).code).toBe('StorageUnavailable')
  })
})

it('what putting answers is not believed where nothing or something else is answered', async () => {
  for (const answer of [undefined, null, 0, 1, 'yes']) {
    const storage = {
      ...direct(),
      putSync: (...given: Parameters<SyncStorage['putSync']>) => (stored.putSync(...given), answer as never),
    }
    const agent = await opened(storage)
    expect(agent.untrustAgent(signerId)).toBe(true)
    expect(agent.trustAgent(signer).agentId).toBe(signerId)
    expect(agent.isTrusted(signerId)).toBe(true)
  }
})
