/** The storage of pages and workers. */
import { del, get, promisifyRequest, set } from 'idb-keyval'
import { SxError } from '../../src/errors.ts'
import type { Found } from '../../src/storage/below.ts'
import { type Bulk, hasMany, type NewEntry, ownEntries, type Scan } from '../../src/storage/bulk.ts'
import {
  type Capabilities,
  closedError,
  compareKeys,
  isSafeSegment,
  type Key,
  type ListOptions,
  ownBytes,
  ownKey,
  ownList,
  ownPutOptions,
  type PutOptions,
  type Storage,
  type SyncStorage,
} from '../../src/storage/contract.ts'
import { mirrored } from '../../src/storage/mirror.ts'
import type { Together } from '../../src/storage/write-queue.ts'
import { checked } from './checked.ts'
import { failedError, type IdbStore, idbStore } from './idb-store.ts'
import { readAgain, watchPage } from './returning.ts'

/** So many keys are fetched in one transaction. */
const PAGE = 500
/** Sorts after every string in the order of IndexedDB keys, and so after every segment. */
const AFTER_ALL: IDBValidKey = []

/**
 * Write an entry unless its key is taken; decided by IndexedDB, within the transaction.
 *
 * @returns `false` if the key is taken
 */
function add(entries: IDBObjectStore, key: string[], bytes: Uint8Array): Promise<boolean> {
  const request = entries.add(bytes, key)
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(true)
    request.onerror = (event) => {
      if (request.error?.name !== 'ConstraintError') {
        reject(request.error ?? failedError())
        return
      }
      event.preventDefault() // or the transaction would abort
      resolve(false)
    }
  })
}

/** What an entry holds. */
function foundIn(key: Key, value: unknown): Found {
  if (value === undefined || value instanceof Uint8Array) return { bytes: value, error: undefined }
  const found = `${key.join('/')} in IndexedDB is not bytes.`
  return { bytes: undefined, error: new SxError('CorruptStore', found) }
}

/** Whether a transaction has failed because a key is taken. */
function isTaken(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  return cause instanceof DOMException && cause.name === 'ConstraintError'
}

/** What stands around a storage. */
interface Around {
  readonly channel?: BroadcastChannel | undefined
  readonly written?: () => void
  readonly closed?: () => void
}

/** Entries in IndexedDB under their keys, which it sorts as `compareKeys` does. Only asynchronous. */
export class IndexedDbStorage implements Storage, Together, Scan, Pick<Bulk, 'putAll'> {
  readonly capabilities: Capabilities = { sync: false, durability: 'strict', shared: true }
  readonly #store: IdbStore
  readonly #channel: BroadcastChannel | undefined
  readonly #written: (() => void) | undefined
  readonly #ended: (() => void) | undefined
  #closed = false
  #isLeft = false

  /**
   * @param channel tells other pages which keys have changed; closed with the storage
   * @param written called after every change
   * @param closed called when it is closed
   */
  constructor(store: IdbStore, { channel, written, closed }: Around = {}) {
    this.#store = store
    this.#channel = channel
    this.#written = written
    this.#ended = closed
    hasMany(this)
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    const own = this.#own(key)
    const { bytes, error } = foundIn(own, await get<unknown>(own, this.#store))
    if (error !== undefined) throw error
    return bytes
  }

  async put(key: Key, bytes: Uint8Array, options: PutOptions = {}): Promise<boolean> {
    const own = this.#own(key)
    const copy = ownBytes(bytes) // of a shared buffer too, which IndexedDB does not take
    const { ifAbsent, durability } = ownPutOptions(options)
    const store = durability === 'relaxed' ? this.#store.relaxed : this.#store
    if (!ifAbsent) await set(own, copy, store)
    else if (!(await store('readwrite', (entries) => add(entries, own, copy)))) return false
    this.#tell(own)
    return true
  }

  async putAll(entries: readonly NewEntry[]): Promise<boolean> {
    const own = ownEntries(entries)
    this.#refuseClosed()
    try {
      await this.#store('readwrite', (store) => {
        for (const { key, bytes } of own) store.add(bytes, [...key]) // aborts all of it if the key is taken
        if (this.#isLeft) store.transaction.commit()
      })
    } catch (error) {
      if (isTaken(error)) return false
      throw error
    }
    for (const { key } of own) this.#tell([...key])
    return true
  }

  async delete(key: Key): Promise<void> {
    const own = this.#own(key)
    await del(own, this.#store)
    this.#tell(own)
  }

  /** Says whether somebody is leaving the page. */
  leave(isLeft: boolean): void {
    this.#isLeft = isLeft
  }

  async writeTogether(writes: Parameters<Together['writeTogether']>[0]): Promise<boolean> {
    if (this.#closed) return false
    const store = writes.every(({ options }) => options.durability === 'relaxed') ? this.#store.relaxed : this.#store
    try {
      await store('readwrite', (entries) => {
        for (const { key, bytes, options } of writes) {
          if (bytes === undefined) entries.delete([...key])
          else if (options.ifAbsent === true)
            entries.add(bytes, [...key]) // aborts all of it if the key is taken
          else entries.put(bytes, [...key])
        }
        // The browser has all that it needs then, and goes on without the page. But what is committed cannot be given up
        // where another page holds the entries, so as long as the page stays it is committed as usual.
        if (this.#isLeft) entries.transaction.commit()
      })
    } catch {
      return false
    }
    for (const { key } of writes) this.#tell([...key])
    return true
  }

  async *list(below: Key, options?: ListOptions): AsyncIterable<Key> {
    const { prefix, after, limit } = ownList(below, options)
    const end = [...prefix, AFTER_ALL]
    let from = compareKeys(after, prefix) > 0 ? [...after] : [...prefix]
    const isBelow = compareKeys(from.slice(0, prefix.length), prefix) === 0
    for (let left = isBelow ? limit : 0; left > 0; ) {
      this.#refuseClosed()
      const count = Math.min(left, PAGE)
      const page = await this.#store('readonly', (entries) =>
        promisifyRequest(entries.getAllKeys(IDBKeyRange.bound(from, end, true, true), count)),
      )
      for (const key of page as string[][]) {
        this.#refuseClosed()
        yield key
        from = key
      }
      if (page.length < count) return
      left -= page.length
    }
    this.#refuseClosed()
  }

  async *scan(): ReturnType<Scan['scan']> {
    for (let from: IDBValidKey = []; ; ) {
      this.#refuseClosed()
      // No key is an empty list, which sorts before all others.
      const range = IDBKeyRange.lowerBound(from, true)
      const [keys, values] = await this.#store('readonly', (entries) =>
        Promise.all([
          promisifyRequest(entries.getAllKeys(range, PAGE)),
          promisifyRequest<unknown[]>(entries.getAll(range, PAGE)),
        ]),
      )
      yield (keys as string[][]).map((key, at) => [key, foundIn(key, values[at])] as const)
      if (keys.length < PAGE) return
      from = keys.at(-1) as IDBValidKey
    }
  }

  async flush(): Promise<void> {
    this.#refuseClosed()
    this.#store.check()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#ended?.()
    this.#channel?.close()
    this.#store.close()
  }

  #tell(key: string[]): void {
    if (!this.#closed) this.#channel?.postMessage(key)
    this.#written?.()
  }

  #refuseClosed(): void {
    if (this.#closed) throw closedError()
  }

  #own(key: Key): string[] {
    this.#refuseClosed()
    return [...ownKey(key)]
  }
}

/** Whether a message is a key; any script of this origin can send on the channel. */
function isKey(message: unknown): message is Key {
  return Array.isArray(message) && message.length > 0 && message.every(isSafeSegment)
}

/** Entries of chains are put if absent and never changed after (protocol, section 12). */
function isImmutable(key: Key): boolean {
  const isInChain = key.at(-3) === 'documents' || key.at(-2) === 'trust'
  return isInChain && /.\.[1-9][0-9]*\.(?:json|witness)$/.test(key.at(-1) ?? '')
}

/**
 * On it pages tell each other which keys have changed. It only spares time: where there is none, synchronous calls show
 * what others have changed after the next asynchronous one has read it.
 */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(`sx-storage:${name}`)
  } catch {
    return undefined // there is none here, or it is not allowed
  }
}

/** Options of {@link indexedDbStorage}. */
export interface IndexedDbOptions {
  /** Called once, when something is written into a database that was empty when it was opened. */
  readonly begun?: () => void
  /** Called once, when the database is known to be deleted: then the storage is of no use any more. */
  readonly deleted?: () => void
  /** How long a page that holds the database is waited for, in milliseconds; default 30,000. */
  readonly patience?: number
}

/**
 * The storage of a page or worker: IndexedDB, with a copy of all entries in memory that gives it a synchronous form
 * (see `mirrored` for what that means). Pages and workers of the same origin share it: put-if-absent is atomic among
 * them, asynchronous calls see what others have written, and synchronous ones show it a moment after it is committed
 * (without BroadcastChannel: after an asynchronous call has read it). What a page has written that ended before it could
 * say so shows to synchronous calls when somebody comes back to the page, in workers after an asynchronous call.
 *
 * If the database is deleted while it is open, nothing is written into a new one: every call throws
 * `StorageUnavailable`. Who opens the storage once more gets another one, on another database.
 *
 * Rejects with `StorageUnavailable` where there is no IndexedDB or it is not allowed (some private windows, sandboxed
 * frames) or a newer library has made the database, with `StorageFull` when the browser gives no more room, and with
 * `Busy` when another page does not let go.
 *
 * @param name name of the database
 */
export async function indexedDbStorage(
  name = 'sx-agent',
  { begun, deleted, patience }: IndexedDbOptions = {},
): Promise<SyncStorage> {
  const channel = openChannel(name)
  const store = idbStore(name, patience, deleted)
  let isEmpty = false
  const written = (): void => {
    if (isEmpty) begun?.()
    isEmpty = false
  }
  const inner = new IndexedDbStorage(store, { channel, written, closed: () => ended() })
  let ended = (): void => {}
  let returned: Promise<void> = Promise.resolve()
  const early: Key[] = []
  let changed = (key: Key): unknown => early.push(key)
  if (channel) {
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isKey(data)) changed(data)
    }
  }
  try {
    const mirror = await mirrored(inner, { isImmutable })
    // If reading again fails, the mirror remembers that and does not answer for the entry before it has succeeded.
    changed = (key) => mirror.invalidate([key]).catch(() => {})
    await mirror.invalidate(early)
    const left = (): void => inner.leave(true)
    const back = (): void => {
      inner.leave(false)
      // One that fails leaves things as they were; asynchronous calls look for themselves.
      returned = returned.then(() => readAgain(inner, mirror, isImmutable)).catch(() => {})
    }
    ended = watchPage({ left, back })
    const [first] = mirror.listSync([], { limit: 1 })
    isEmpty = first === undefined
    return checked(mirror, () => store.check())
  } catch (error) {
    await inner.close()
    throw error
  }
}
