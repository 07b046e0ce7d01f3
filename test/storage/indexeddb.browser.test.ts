import { get, set } from 'idb-keyval'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { idbStore } from '../../browser/storage/idb-store.ts'
import { indexedDbStorage } from '../../browser/storage/indexeddb.ts'
import { SxError } from '../../src/errors.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'
import { WAITING } from '../pace.ts'
import type { Order } from './tab.ts'

const one = Uint8Array.of(1)
const two = Uint8Array.of(2)

/** The Storage Buckets API (WICG), as far as it is used here; the standard types do not have it yet. */
interface Buckets {
  open(name: string, options: { quota: number }): Promise<{ indexedDB: IDBFactory }>
  delete(name: string): Promise<void>
}

let name: string
let storage: SyncStorage
let count = 0
beforeEach(async () => {
  name = `test-${Date.now()}-${count++}`
  storage = await indexedDbStorage(name)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

async function failure(work: () => unknown): Promise<SxError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof SxError) return error
    throw error
  }
  throw new Error('there was no error')
}

/** Another page: sends it an order, resolves with the answer. */
async function otherPage(): Promise<(order: Order) => Promise<unknown>> {
  const worker = new Worker(new URL('./tab.ts', import.meta.url), { type: 'module' })
  const answer = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })
  const send = (order: Order): Promise<unknown> => {
    const answered = answer()
    worker.postMessage(order)
    return answered
  }
  await send({ does: 'open', database: name })
  return send
}

describe('pages that share a storage', () => {
  test('see what another has written and deleted', async () => {
    await storage.put(['both', 'x'], one)
    const order = await otherPage()
    await order({ does: 'put', key: ['both', 'x'], byte: 2 })
    await order({ does: 'put', key: ['both', 'y'], byte: 3 })
    await expect.poll(() => storage.getSync(['both', 'x'])).toEqual(two)
    await expect.poll(() => [...storage.listSync([])]).toEqual(['x', 'y'].map((last) => ['both', last]))
    await order({ does: 'delete', key: ['both', 'x'] })
    await expect.poll(() => storage.getSync(['both', 'x'])).toBeUndefined()
    expect(await storage.put(['both', 'y'], one, { ifAbsent: true })).toBe(false)
  })

  test('each key that they claim has one winner', async () => {
    const keys = Array.from({ length: 200 }, (_, at) => ['race', `${at}`])
    const order = await otherPage()
    const [mine, theirs] = (await Promise.all([
      Promise.all(keys.map((key) => storage.put(key, one, { ifAbsent: true }))),
      order({ does: 'claim', keys, byte: 2 }),
    ])) as [boolean[], boolean[]]
    expect(theirs.map((won, at) => won !== mine[at])).toEqual(keys.map(() => true))
    await expect.poll(() => keys.map((key) => storage.getSync(key))).toEqual(mine.map((won) => (won ? one : two)))
    expect([...storage.listSync([])]).toHaveLength(200)
  })

  test('T28 are not misled by other messages on the channel', async () => {
    await storage.put(['a'], one)
    const channel = new BroadcastChannel(`sx-storage:${name}`)
    for (const message of [null, 'a', [], ['..'], [['a']], [1], { key: ['a'] }]) channel.postMessage(message)
    const heard = new Promise((resolve) => {
      new BroadcastChannel(`sx-storage:${name}`).onmessage = resolve
    })
    channel.postMessage('last')
    await heard
    expect(storage.getSync(['a'])).toEqual(one)
    await storage.flush()
  })
})

/** What somebody does who clears the data of this site. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(new Error('not deleted'))
    request.onblocked = () => reject(new Error('blocked'))
  })
}

const databases = async (): Promise<unknown[]> => (await indexedDB.databases()).map((found) => found.name)

/** The connection of `storage`, which it shows when it writes. */
async function connectionOf(storage: SyncStorage): Promise<IDBDatabase> {
  const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
  await storage.put(['a'], one)
  const [connection] = transactions.mock.contexts as IDBDatabase[]
  transactions.mockRestore()
  if (connection === undefined) throw new Error('there was no transaction')
  return connection
}

describe('a database that is deleted while it is open', () => {
  const key = ['a']
  const calls: Record<string, (storage: SyncStorage) => unknown> = {
    get: (storage) => storage.get(key),
    getSync: (storage) => storage.getSync(key),
    put: (storage) => storage.put(key, two),
    putSync: (storage) => storage.putSync(key, two),
    claim: (storage) => storage.put(['b'], two, { ifAbsent: true }),
    claimSync: (storage) => storage.putSync(['b'], two, { ifAbsent: true }),
    delete: (storage) => storage.delete(key),
    deleteSync: (storage) => storage.deleteSync(key),
    list: (storage) => storage.list([])[Symbol.asyncIterator]().next(),
    listSync: (storage) => [...storage.listSync([])],
    flush: (storage) => storage.flush(),
    close: (storage) => storage.close(),
  }

  async function expectDeleted(storage: SyncStorage): Promise<void> {
    for (const [call, work] of Object.entries(calls)) {
      const { code, message } = await failure(() => work(storage))
      expect([call, code, message]).toEqual([
        call,
        'StorageUnavailable',
        expect.stringMatching(/was deleted .*reload the page/),
      ])
    }
  }

  test('by another page is not made anew: every call says that the page has to be reloaded', async () => {
    await storage.put(key, one)
    await deleteDatabase(name)
    await expectDeleted(storage)
    expect(await databases()).not.toContain(name)
  })

  test('takes new entries after it was opened afresh, and only then', async () => {
    await storage.put(key, one)
    await deleteDatabase(name)
    const again = await indexedDbStorage(name)
    expect(await again.put(['b'], two)).toBe(true)
    await expectDeleted(storage)
    expect([...again.listSync([])]).toEqual([['b']])
    await again.close()
    expect([...(await indexedDbStorage(name)).listSync([])]).toEqual([['b']])
  })

  test('behind a connection that the browser has closed is missed by the next write', async () => {
    const connection = await connectionOf(storage)
    connection.close()
    await deleteDatabase(name)
    expect((await failure(() => storage.put(['b'], two))).message).toContain('reload the page')
    await expectDeleted(storage)
    expect(await databases()).not.toContain(name)
  })

  test('behind a connection that the browser says it has closed is missed at once', async () => {
    const connection = await connectionOf(storage)
    connection.close()
    await deleteDatabase(name)
    connection.dispatchEvent(new Event('close'))
    await vi.waitFor(() => expect(() => storage.getSync(key)).toThrow(SxError), WAITING)
    await expectDeleted(storage)
    expect(await databases()).not.toContain(name)
  })

  test('is not mistaken for the one that another page has made in its place', async () => {
    const connection = await connectionOf(storage)
    connection.close()
    await deleteDatabase(name)
    const other = await indexedDbStorage(name)
    await other.put(['theirs'], two)
    expect((await failure(() => storage.put(['mine'], one))).message).toContain('reload the page')
    await expectDeleted(storage)
    await other.close()
    expect([...(await indexedDbStorage(name)).listSync([])]).toEqual([['theirs']])
  })

  test('loses what was to be written behind, and says so', async () => {
    await storage.put(key, one)
    const connection = await connectionOf(storage)
    connection.close()
    await deleteDatabase(name)
    storage.putSync(['b'], two)
    expect((await failure(() => storage.flush())).message).toContain('reload the page')
    await expectDeleted(storage)
    expect(await databases()).not.toContain(name)
  })
})

describe('a connection that is lost', () => {
  test('is opened again when it was closed under our hands', async () => {
    const first = await connectionOf(storage)
    first.close() // without a `close` event, as when the browser has not sent it yet
    expect(await storage.put(['b'], two)).toBe(true)
    expect(await connectionOf(storage)).not.toBe(first)
  })

  test('is opened again when the browser has closed it, and the synchronous calls go on', async () => {
    const first = await connectionOf(storage)
    first.close()
    first.dispatchEvent(new Event('close'))
    expect(storage.getSync(['a'])).toEqual(one)
    storage.putSync(['b'], two)
    await storage.flush()
    expect(await connectionOf(storage)).not.toBe(first)
    expect([...(await indexedDbStorage(name)).listSync([])]).toEqual([['a'], ['b']])
  })
})

/** What a library of tomorrow does to the database. */
function upgrade(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 2)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(new Error('not upgraded'))
    request.onblocked = () => reject(new Error('blocked'))
  })
}

describe('a database of a newer version', () => {
  test('is given way to, and then left alone: the error says what to do', async () => {
    await storage.put(['a'], one)
    const upgraded = await upgrade(name)
    upgraded.close()
    for (const work of [() => storage.put(['b'], two), () => indexedDbStorage(name)]) {
      const { code, message } = await failure(work)
      expect([code, message]).toEqual(['StorageUnavailable', expect.stringMatching(/newer version .*reload the page/)])
    }
    const now = await upgrade(name)
    const keys = now.transaction('entries').objectStore('entries').getAllKeys()
    await new Promise((resolve) => keys.addEventListener('success', resolve))
    expect(keys.result).toEqual([['a']])
    now.close()
  })
})

describe('another page that does not let go', () => {
  const patience = 2_000 // what is not held takes a busy machine less

  test('of the entries is given up, nothing is written, and it works afterwards', async () => {
    const hurried = await indexedDbStorage(name, { patience })
    const holder = await connectionOf(storage)
    let isHolding = true
    const holding = holder.transaction('entries', 'readwrite').objectStore('entries')
    const hold = (): void => {
      if (isHolding) holding.get('nothing').onsuccess = hold
    }
    hold()
    const { code, message } = await failure(() => hurried.put(['b'], one, { ifAbsent: true }))
    expect([code, message]).toEqual(['Busy', expect.stringContaining('Close the other tabs')])
    hurried.putSync(['c'], one)
    expect((await failure(() => hurried.flush())).code).toBe('Busy')
    isHolding = false
    expect(await hurried.put(['b'], two, { ifAbsent: true })).toBe(true)
    expect(await hurried.get(['c'])).toBeUndefined()
    await hurried.close()
  })

  test('of a database that is being deleted is given up, and what opens later is closed', async () => {
    await storage.close()
    const stubborn = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('not opened'))
    })
    const deleting = indexedDB.deleteDatabase(name)
    await new Promise((resolve) => deleting.addEventListener('blocked', resolve))
    expect((await failure(() => indexedDbStorage(name, { patience }))).code).toBe('Busy')
    const deleted = new Promise((resolve) => deleting.addEventListener('success', resolve))
    stubborn.close()
    await deleted
    await expect.poll(databases).not.toContain(name)
    const again = await indexedDbStorage(name, { patience })
    expect(await again.put(['a'], one)).toBe(true)
    await again.close()
  })
})

describe('a write', () => {
  test('is strictly durable, and a non-extractable key can be kept', async () => {
    const keys = idbStore(`${name}-keys`)
    expect(await keys('readwrite', (entries) => entries.transaction.durability)).toBe('strict')
    const algorithm = { name: 'AES-GCM', length: 256 }
    const key = await crypto.subtle.generateKey(algorithm, false, ['encrypt', 'decrypt'])
    await set('wrapping', key, keys)
    keys.close()
    const kept = await get<CryptoKey>('wrapping', idbStore(`${name}-keys`))
    expect([kept?.extractable, kept?.algorithm]).toEqual([false, algorithm])
  })

  test('of which a later step fails leaves nothing behind', async () => {
    const entries = idbStore(`${name}-raw`)
    const broken = entries('readwrite', (store) => {
      store.put(1, 'first')
      throw new TypeError('broken')
    })
    await expect(broken).rejects.toThrow(TypeError)
    const refused = entries('readwrite', async (store) => {
      store.put(1, 'first')
      store.add(2, 'first')
    })
    await expect(refused).rejects.toMatchObject({ code: 'StorageUnavailable', cause: { name: 'ConstraintError' } })
    expect(await get('first', entries)).toBeUndefined()
  })

  test('beyond what the browser gives is StorageFull, and memory shows what is there', async () => {
    // A bucket of our own with little room, so that the rest of the origin is left alone.
    const buckets = (navigator as Navigator & { storageBuckets: Buckets }).storageBuckets
    const bucket = await buckets.open(name, { quota: 1_000_000 })
    vi.stubGlobal('indexedDB', bucket.indexedDB)
    const small = await indexedDbStorage(`${name}-small`)
    const large = new Uint8Array(5_000_000)
    for (let at = 0; at < large.length; at += 50_000) crypto.getRandomValues(large.subarray(at, at + 50_000))
    // Chromium may count bytes that it refused, also those of an earlier run, for some seconds more.
    const patience = { timeout: WAITING, interval: 500 }
    await vi.waitFor(() => small.put(['a'], one), patience)
    const awaited = await failure(() => small.put(['a'], large))
    expect(awaited.code).toBe('StorageFull')
    expect(awaited.message).toMatch(/uses \d+ of \d+ bytes/)
    expect(awaited.cause).toBeInstanceOf(DOMException)
    expect((await failure(() => small.put(['b'], large, { ifAbsent: true }))).code).toBe('StorageFull')
    small.putSync(['a'], large)
    small.putSync(['c'], one)
    expect(small.getSync(['a'])).toHaveLength(large.length)
    expect((await failure(() => small.flush())).code).toBe('StorageFull')
    expect(small.getSync(['a'])).toEqual(one)
    expect([...small.listSync([])]).toEqual([['a']])
    // Whether something small fits now is the browser's affair: Chromium may charge the refused bytes for minutes.
    const outcome = await small.put(['b'], two).catch((error: SxError) => error.code)
    expect([true, 'StorageFull']).toContain(outcome)
    expect(await small.get(['a'])).toEqual(one)
    await small.close()
    await buckets.delete(name)
  })
})

describe('without IndexedDB', () => {
  test('the error says so', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const error = await failure(() => indexedDbStorage('none'))
    expect([error.code, error.message.includes('IndexedDB is not available')]).toEqual(['StorageUnavailable', true])
  })

  test('or where it is forbidden, too, and it is tried anew the next time', async () => {
    const denied = new DOMException('denied', 'SecurityError')
    const open = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw denied
    })
    const store = idbStore(name)
    const error = await failure(() => get('a', store))
    expect([error.code, error.cause]).toEqual(['StorageUnavailable', denied])
    expect(error.message).toContain('a private window')
    open.mockRestore()
    expect(await get('a', store)).toBeUndefined()
  })
})

describe('without a BroadcastChannel', () => {
  const channels: [string, unknown][] = [
    ['none', undefined],
    [
      'a forbidden one',
      class {
        constructor() {
          throw new DOMException('denied', 'SecurityError')
        }
      },
    ],
  ]
  const listOf = async (storage: SyncStorage): Promise<unknown[]> => {
    const keys: unknown[] = []
    for await (const key of storage.list([])) keys.push(key)
    return keys
  }

  test.each(channels)('asynchronous calls see what other pages have changed: %s', async (_, channel) => {
    vi.stubGlobal('BroadcastChannel', channel)
    const deaf = await indexedDbStorage(name)
    await deaf.put(['config.json'], one)
    await deaf.put(['old.json'], one)
    await deaf.put(['chain.1.json'], one, { ifAbsent: true })
    vi.unstubAllGlobals()
    const order = await otherPage()
    await order({ does: 'put', key: ['config.json'], byte: 2 })
    await order({ does: 'delete', key: ['old.json'] })
    await order({ does: 'claim', keys: [['chain.2.json']], byte: 2 })
    expect(deaf.getSync(['config.json'])).toEqual(one) // there is no way to know
    expect(await deaf.get(['config.json'])).toEqual(two)
    expect(await deaf.get(['old.json'])).toBeUndefined()
    expect(await deaf.get(['chain.2.json'])).toEqual(two)
    expect(await listOf(deaf)).toEqual([['chain.1.json'], ['chain.2.json'], ['config.json']])
    expect([...deaf.listSync([])]).toEqual([['chain.1.json'], ['chain.2.json'], ['config.json']])
    expect(deaf.getSync(['config.json'])).toEqual(two)
    expect(await deaf.put(['chain.2.json'], one, { ifAbsent: true })).toBe(false)
    await deaf.close()
  })

  test('others hear of what this page writes as soon as they ask', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const silent = await indexedDbStorage(name)
    vi.unstubAllGlobals()
    await silent.put(['x.1.json'], one, { ifAbsent: true })
    expect(storage.getSync(['x.1.json'])).toBeUndefined()
    expect(await storage.get(['x.1.json'])).toEqual(one)
  })
})

describe('what never changes', () => {
  test.each([
    ['an entry of a chain', ['documents', 'ab', 'abc.1.json'], 0],
    ['one in a data directory', ['sx_data', 'documents', 'ab', 'abc.2.json'], 0],
    ['one with a high number', ['trust', 'a.9007199254740991.json'], 0],
    ['a name like that of an entry elsewhere', ['documents', 'a.1.json'], 1],
    ['an entry without a number', ['documents', 'ab', 'a.json'], 1],
    ['a number with a leading zero', ['documents', 'ab', 'a.01.json'], 1],
    ['a number alone', ['documents', 'ab', '.1.json'], 1],
    ['a hint', ['documents', 'ab', 'a.latest'], 1],
    ['a key file', ['keys', 'sx.private.pem.2'], 1],
    ['a chain that is a folder', ['a.1.json', 'config'], 1],
  ])('is read from memory once it is known: %s', async (_, key, transactions) => {
    await storage.put(key, one)
    const begun = vi.spyOn(IDBDatabase.prototype, 'transaction')
    expect(await storage.get(key)).toEqual(one)
    expect(begun).toHaveBeenCalledTimes(transactions)
  })

  test('is asked for while it is not there', async () => {
    const begun = vi.spyOn(IDBDatabase.prototype, 'transaction')
    expect(await storage.get(['documents', 'a.1.json'])).toBeUndefined()
    expect(begun).toHaveBeenCalledTimes(1)
  })
})

test('hints are written with relaxed durability, all else strictly', async () => {
  const begun = vi.spyOn(IDBDatabase.prototype, 'transaction')
  const durabilities = (): unknown[] => begun.mock.results.map(({ value }) => (value as IDBTransaction).durability)
  await storage.put(['hint'], one, { durability: 'relaxed' })
  await storage.put(['hint-too'], one, { durability: 'relaxed', ifAbsent: true })
  storage.putSync(['hint'], two, { durability: 'relaxed' })
  await storage.flush()
  expect(durabilities()).toEqual(['relaxed', 'relaxed', 'relaxed'])
  begun.mockClear()
  await storage.put(['entry'], one)
  await storage.put(['claim'], one, { ifAbsent: true })
  storage.putSync(['entry'], two)
  await storage.delete(['hint'])
  await storage.flush()
  expect(durabilities()).toEqual(['strict', 'strict', 'strict', 'strict'])
  expect([...(await indexedDbStorage(name)).listSync([])]).toEqual([['claim'], ['entry'], ['hint-too']])
})

test('what is on its way is pending until it is committed', async () => {
  storage.putSync(['a'], one)
  expect(storage.isPending?.(['a'])).toBe(true)
  const read = get<Uint8Array>(['a'], idbStore(name))
  await storage.flush()
  expect(storage.isPending?.(['a'])).toBe(false)
  await read
  expect(await get(['a'], idbStore(name))).toEqual(one)
})

describe('the beginning of a storage', () => {
  const writes: Record<string, (storage: SyncStorage) => Promise<unknown>> = {
    put: (storage) => storage.put(['a'], one),
    claim: (storage) => storage.put(['a'], one, { ifAbsent: true }),
    putSync: (storage) => {
      storage.putSync(['a'], one)
      return storage.flush()
    },
  }

  test.each(Object.entries(writes))('is told once, by the first %s and not by reading', async (_, write) => {
    const begun = vi.fn<() => void>()
    const fresh = await indexedDbStorage(`${name}-fresh`, { begun })
    await fresh.get(['a'])
    expect(begun).not.toHaveBeenCalled()
    await write(fresh)
    expect(begun).toHaveBeenCalledTimes(1)
    await fresh.put(['b'], one)
    await fresh.delete(['a'])
    expect(begun).toHaveBeenCalledTimes(1)
  })

  test('is over where something is kept, and before anything is written', async () => {
    await storage.put(['a'], one)
    const begun = vi.fn<() => void>()
    const again = await indexedDbStorage(name, { begun })
    await again.put(['b'], one)
    const empty = await indexedDbStorage(`${name}-empty`, { begun })
    const denied = new DOMException('denied', 'UnknownError')
    const add = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw denied
    })
    expect((await failure(() => empty.put(['a'], one))).cause).toBe(denied)
    add.mockRestore()
    expect(begun).not.toHaveBeenCalled()
  })
})

test('an entry that is not bytes is CorruptStore, and nothing else is affected', async () => {
  await set(['a'], 'text', idbStore(name))
  await storage.put(['b'], one)
  const opened = await indexedDbStorage(name)
  expect((await failure(() => opened.getSync(['a']))).message).toContain('a in IndexedDB is not bytes')
  expect((await failure(() => opened.get(['a']))).code).toBe('CorruptStore')
  expect([await opened.get(['b']), [...opened.listSync([])]]).toEqual([one, [['a'], ['b']]])
})
