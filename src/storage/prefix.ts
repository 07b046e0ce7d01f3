import { type Bulk, type BulkReading, hasMany, isBulk, isBulkReading, isSyncBulk, type NewEntry } from './bulk.ts'
import { type Counting, changesOf } from './changes.ts'
import {
  type Capabilities,
  checkStorage,
  closedError,
  isLasting,
  isSyncStorage,
  type Key,
  type ListOptions,
  lastingKey,
  ownKey,
  ownList,
  ownPutOptions,
  type PutOptions,
  type Storage,
  type SyncStorage,
  storageError,
} from './contract.ts'
import { groundOf, standsOn } from './ground.ts'

/** The entries of `inner` below `prefix`, under keys without it. Shows no errors of `inner` but an `SxError`. */
class PrefixedStorage<S extends Storage> implements Storage, Counting {
  readonly capabilities: Capabilities
  /** Only where the storage below has them, as all that follow. */
  readonly putAll?: Bulk['putAll']
  readonly putAllSync?: Bulk['putAllSync']
  readonly getAll?: BulkReading['getAll']
  readonly getAllSync?: BulkReading['getAllSync']
  protected readonly inner: S
  readonly #prefix: Key
  /** The keys in the storage below of those that are asked for often. */
  readonly #wholes = new WeakMap<Key, Key>()
  #closed = false

  constructor(inner: S, prefix: Key) {
    this.capabilities = inner.capabilities
    this.inner = inner
    this.#prefix = prefix
    hasMany(this)
    if (isBulk(inner)) this.putAll = (entries) => this.later(() => inner.putAll(this.#entries(entries)))
    if (isSyncBulk(inner)) this.putAllSync = (entries) => now(() => inner.putAllSync(this.#entries(entries)))
    if (isBulkReading(inner)) {
      this.getAll = (keys) => this.later(() => inner.getAll(keys.map((key) => this.whole(key))))
      this.getAllSync = (keys) => now(() => inner.getAllSync(keys.map((key) => this.whole(key))))
    }
    standsOn(this, () => {
      const { store, path, reopen } = groundOf(inner)
      return { store, path: [...path, ...prefix], reopen: () => prefixed(reopen(), prefix) }
    })
  }

  get changes(): number | undefined {
    return this.#closed ? undefined : changesOf(this.inner)
  }

  get(key: Key): Promise<Uint8Array | undefined> {
    return this.later(() => this.inner.get(this.whole(key)))
  }

  put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean> {
    return this.later(() => this.inner.put(this.whole(key), bytes, ownPutOptions(options)))
  }

  delete(key: Key): Promise<void> {
    return this.later(() => this.inner.delete(this.whole(key)))
  }

  async *list(prefix: Key, options?: ListOptions): AsyncIterable<Key> {
    try {
      for await (const key of this.inner.list(...this.wholeList(prefix, options))) yield this.part(key)
    } catch (error) {
      throw storageError(error)
    }
  }

  flush(): Promise<void> {
    return this.later(async () => {
      this.#refuseClosed()
      await this.inner.flush()
    })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.later(() => this.inner.flush())
  }

  protected async later<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw storageError(error)
    }
  }

  protected whole(key: Key): Key {
    this.#refuseClosed()
    if (!isLasting(key)) return [...this.#prefix, ...ownKey(key)]
    const known = this.#wholes.get(key) ?? lastingKey([...this.#prefix, ...key])
    this.#wholes.set(key, known)
    return known
  }

  #entries(entries: readonly NewEntry[]): NewEntry[] {
    return entries.map(({ key, bytes }) => ({ key: this.whole(key), bytes }))
  }

  protected wholeList(below: Key, options?: ListOptions): [Key, ListOptions] {
    this.#refuseClosed()
    const { prefix, after, limit } = ownList(below, options)
    return [
      [...this.#prefix, ...prefix],
      {
        ...(after.length > 0 && { after: [...this.#prefix, ...after] }),
        ...(limit !== Number.POSITIVE_INFINITY && { limit }),
      },
    ]
  }

  protected part(key: Key): Key {
    this.#refuseClosed()
    return key.slice(this.#prefix.length)
  }

  #refuseClosed(): void {
    if (this.#closed) throw closedError()
  }
}

class PrefixedSyncStorage extends PrefixedStorage<SyncStorage> implements SyncStorage {
  /** Only where the storage writes behind: whoever writes with it asks whether there is such a thing. */
  readonly isPending?: (key: Key) => boolean

  constructor(inner: SyncStorage, prefix: Key) {
    super(inner, prefix)
    if (inner.isPending !== undefined) {
      this.isPending = (key) => now(() => this.inner.isPending?.(this.whole(key)) === true)
    }
  }

  getSync(key: Key): Uint8Array | undefined {
    return now(() => this.inner.getSync(this.whole(key)))
  }

  putSync(key: Key, bytes: Uint8Array, options?: PutOptions): boolean {
    return now(() => this.inner.putSync(this.whole(key), bytes, ownPutOptions(options)))
  }

  deleteSync(key: Key): void {
    now(() => this.inner.deleteSync(this.whole(key)))
  }

  *listSync(prefix: Key, options?: ListOptions): Iterable<Key> {
    try {
      for (const key of this.inner.listSync(...this.wholeList(prefix, options))) yield this.part(key)
    } catch (error) {
      throw storageError(error)
    }
  }
}

function now<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw storageError(error)
  }
}

/**
 * A part of a storage as a storage of its own: the entries below `prefix`, under keys without it. It has a synchronous
 * form if `storage` has one. Closing it flushes `storage` and leaves it open.
 *
 * @param prefix at least one segment
 * @throws SxError `InvalidId` for a prefix that {@link checkKey} refuses, `InvalidOption` for a storage that is none
 * @example
 * const storage = memoryStorage()
 * prefixed(storage, ['billing']).putSync(['a'], new Uint8Array([1]))
 * console.log([...storage.listSync([])]) // [ [ 'billing', 'a' ] ]
 */
export function prefixed(storage: SyncStorage, prefix: Key): SyncStorage
export function prefixed(storage: Storage, prefix: Key): Storage
export function prefixed(storage: Storage, prefix: Key): Storage {
  const own = ownKey(prefix)
  checkStorage(storage)
  return isSyncStorage(storage) ? new PrefixedSyncStorage(storage, own) : new PrefixedStorage(storage, own)
}
