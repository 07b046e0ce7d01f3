import { SxError } from '../errors.ts'
import {
  type Capabilities,
  checkKey,
  closedError,
  type Key,
  type ListOptions,
  type PutOptions,
  type Storage,
  type SyncStorage,
} from './contract.ts'
import { memoryStorage } from './memory.ts'
import { prefixed } from './prefix.ts'

/** So many entries are read at a time when a mirror is opened. */
const LOADED_AT_ONCE = 64

/** Options of {@link mirrored}. */
export interface MirrorOptions {
  /**
   * Mirror only the entries below this prefix, under keys without it (as {@link prefixed} does). Closing the mirror
   * then leaves the storage below open.
   */
  readonly prefix?: Key
}

/** A storage in memory in front of another one. */
export interface MirroredStorage extends SyncStorage {
  /**
   * Read entries again that somebody else has changed in the storage below. Resolves when the mirror shows them; what
   * waits to be written wins over what is read.
   *
   * @param keys of the entries, under which the mirror has them
   * @throws SxError `InvalidId`; `StorageUnavailable` after closing; what the storage below rejects with
   */
  invalidate(keys: Iterable<Key>): Promise<void>
}

/** One write, or reading an entry again, waiting for its turn at the storage below. */
interface Job {
  readonly key: Key
  /** The write: `true` once it is in the storage below, `false` if the key was taken. Left out: only read again. */
  readonly write?: () => Promise<boolean>
  /** What to show in memory once written; left out if it shows already. */
  readonly show?: Uint8Array
  /** Whoever awaits it. Without one it is a write behind, whose failure is remembered. */
  readonly caller?: { resolve(done: boolean): void; reject(error: unknown): void }
}

/** Name of a key in a map; no segment holds the separator. */
const nameOf = (key: Key): string => key.join('/')

class Mirror implements MirroredStorage {
  readonly capabilities: Capabilities
  readonly #inner: Storage
  /** What the storage below holds, plus the writes on their way to it. */
  readonly #memory = memoryStorage()
  readonly #queue: Job[] = []
  #working: Promise<void> | undefined
  /** The failure of a write behind that no call has thrown yet. */
  #failure: { readonly error: unknown } | undefined
  #setbacks = 0
  /** Entries that memory may be wrong about, because reading them again failed; by name, with the error. */
  readonly #unknown = new Map<string, { readonly key: Key; readonly error: unknown }>()
  #closed = false

  constructor(inner: Storage) {
    this.capabilities = { ...inner.capabilities, sync: true }
    this.#inner = inner
  }

  async load(): Promise<void> {
    let loading: Promise<void>[] = []
    for await (const key of this.#inner.list([])) {
      loading.push(this.#read(key))
      if (loading.length < LOADED_AT_ONCE) continue
      await Promise.all(loading)
      loading = []
    }
    await Promise.all(loading)
  }

  get setbacks(): number {
    return this.#setbacks
  }

  getSync(key: Key): Uint8Array | undefined {
    this.#check(key)
    return this.#memory.getSync(key)
  }

  putSync(key: Key, bytes: Uint8Array, options: PutOptions = {}): boolean {
    const job = this.#putting(key, bytes, options)
    if (!this.#memory.putSync(key, bytes, options)) return false
    this.#enqueue(job)
    return true
  }

  deleteSync(key: Key): void {
    const job = this.#deleting(key)
    this.#memory.deleteSync(key)
    this.#enqueue(job)
  }

  *listSync(prefix: Key, options: ListOptions = {}): Iterable<Key> {
    this.#guard()
    for (const key of this.#memory.listSync(prefix, options)) {
      yield key
      this.#guard()
    }
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    if (this.#unknown.size > 0) await this.#recall()
    const known = this.getSync(key)
    if (known || !this.capabilities.shared || this.#isWaiting(key)) return known
    // Others may have written it without our having heard of it yet, while we have heard of what they built on it.
    await this.#awaited({ key })
    return this.getSync(key)
  }

  async put(key: Key, bytes: Uint8Array, options: PutOptions = {}): Promise<boolean> {
    if (this.#unknown.size > 0) await this.#recall()
    const job = this.#putting(key, bytes, options)
    // The storage below decides whether a key is free, so nothing shows before it has.
    if (options.ifAbsent) return this.#awaited({ ...job, show: new Uint8Array(bytes) })
    this.#memory.putSync(key, bytes)
    return this.#awaited(job)
  }

  async delete(key: Key): Promise<void> {
    if (this.#unknown.size > 0) await this.#recall()
    const job = this.#deleting(key)
    this.#memory.deleteSync(key)
    await this.#awaited(job)
  }

  async *list(prefix: Key, options?: ListOptions): AsyncIterable<Key> {
    if (this.#unknown.size > 0) await this.#recall()
    yield* this.listSync(prefix, options)
  }

  async flush(): Promise<void> {
    if (this.#closed) throw closedError()
    await this.#drain()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#drain()
    } finally {
      await this.#memory.close()
      await this.#inner.close()
    }
  }

  async invalidate(keys: Iterable<Key>): Promise<void> {
    if (this.#closed) throw closedError()
    const checked = Array.from(keys, (key) => {
      checkKey(key)
      return [...key]
    })
    await Promise.all(checked.map((key) => this.#awaited({ key })))
  }

  #check(key: Key): void {
    this.#guard()
    checkKey(key)
  }

  /** What every call begins with. */
  #guard(): void {
    if (this.#closed) throw closedError()
    this.#throwFailure()
    const [unknown] = this.#unknown.values()
    if (unknown === undefined) return
    const found = `${nameOf(unknown.key)} could not be read again after it was changed.`
    throw new SxError('StorageUnavailable', found, { cause: unknown.error })
  }

  #throwFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
  }

  #putting(key: Key, bytes: Uint8Array, options: PutOptions): Job {
    this.#check(key)
    const kept = [...key]
    const copy = new Uint8Array(bytes)
    return { key: kept, write: () => this.#inner.put(kept, copy, options) }
  }

  #deleting(key: Key): Job {
    this.#check(key)
    const kept = [...key]
    return { key: kept, write: () => this.#inner.delete(kept).then(() => true) }
  }

  #awaited(job: Job): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ ...job, caller: { resolve, reject } })
    })
  }

  #enqueue(job: Job): void {
    this.#queue.push(job)
    this.#working ??= this.#work()
  }

  /** Resolves when everything that waits has been written, and memory is right. */
  async #drain(): Promise<void> {
    while (this.#working) await this.#working
    await this.#recall()
    await this.#inner.flush()
  }

  /** Try once more to read what memory may be wrong about. */
  async #recall(): Promise<void> {
    this.#throwFailure()
    await Promise.all(Array.from(this.#unknown.values(), ({ key }) => this.#awaited({ key })))
  }

  async #work(): Promise<void> {
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) await this.#perform(job)
    this.#working = undefined
  }

  /** One job at the storage below; afterwards memory is right about its key. Never rejects. */
  async #perform({ key, write, show, caller }: Job): Promise<void> {
    try {
      const done = write === undefined || (await write())
      if (!done && caller === undefined) throw taken(key)
      if (!done || write === undefined) await this.#read(key)
      else this.#show(key, show)
      caller?.resolve(done)
    } catch (error) {
      await this.#recover(key)
      if (caller) caller.reject(error)
      else await this.#abandon(error)
    }
  }

  /**
   * A write behind has failed. What waits after it may build on it (a claim on the version it claims), so nothing of
   * that is written, and memory goes back to what the storage below holds.
   */
  async #abandon(error: unknown): Promise<void> {
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      await this.#recover(job.key)
      job.caller?.reject(error)
    }
    this.#failure = { error }
    this.#setbacks++
  }

  /** Read an entry again after a failure; if that fails too, remember that memory may be wrong about it. */
  async #recover(key: Key): Promise<void> {
    try {
      await this.#read(key)
    } catch (error) {
      this.#unknown.set(nameOf(key), { key, error })
    }
  }

  async #read(key: Key): Promise<void> {
    const bytes = await this.#inner.get(key)
    if (bytes) this.#show(key, bytes)
    else if (!this.#isWaiting(key)) this.#memory.deleteSync(key)
    this.#unknown.delete(nameOf(key))
  }

  /** The entry is in the storage below; in memory it shows unless a later write does. */
  #show(key: Key, bytes: Uint8Array | undefined): void {
    if (bytes && !this.#isWaiting(key)) this.#memory.putSync(key, bytes)
    this.#unknown.delete(nameOf(key))
  }

  #isWaiting(key: Key): boolean {
    const name = nameOf(key)
    return this.#queue.some((job) => job.write !== undefined && nameOf(job.key) === name)
  }
}

function taken(key: Key): SxError {
  return new SxError('VersionConflict', `Somebody else wrote ${nameOf(key)} in the meantime.`)
}

/**
 * A copy in memory of a storage, which gives it a synchronous form and fast reads. Everything has to fit in memory.
 *
 * - Asynchronous writes resolve when the storage below has them. Synchronous ones show at once and are written behind,
 *   in order; {@link Storage.flush} waits for them.
 * - If a write behind fails, those that wait after it are given up with it, memory goes back to what the storage below
 *   holds, and the next call of any kind, or `flush`, throws the error; once.
 * - Put-if-absent is decided by the storage below. The synchronous one can only answer from memory; if the key turns out
 *   to be taken, that is a failed write behind (`VersionConflict`).
 * - If an entry cannot be read again when it has to be, every call throws `StorageUnavailable`; the asynchronous ones
 *   try once more first.
 * - What others change in the storage below shows after {@link MirroredStorage.invalidate}.
 *
 * Closing the mirror closes `inner`, unless there is a `prefix`.
 *
 * @param inner the storage below; its entries are read before the Promise resolves
 * @throws SxError `InvalidId` for a prefix that {@link checkKey} refuses, and what `inner` rejects with
 * @example
 * const below = memoryStorage()
 * const storage = await mirrored(below)
 * storage.putSync(['notes', 'a'], new Uint8Array([1, 2]))
 * await storage.flush()
 * console.log(await below.get(['notes', 'a'])) // Uint8Array(2) [ 1, 2 ]
 */
export async function mirrored(inner: Storage, { prefix }: MirrorOptions = {}): Promise<MirroredStorage> {
  const mirror = new Mirror(prefix ? prefixed(inner, prefix) : inner)
  await mirror.load()
  return mirror
}
