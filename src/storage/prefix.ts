import {
  type Capabilities,
  checkKey,
  checkList,
  closedError,
  isSyncStorage,
  type Key,
  type ListOptions,
  type PutOptions,
  type Storage,
  type SyncStorage,
} from './contract.ts'

/** The entries of `inner` below `prefix`, under keys without it. */
class PrefixedStorage<S extends Storage> implements Storage {
  readonly capabilities: Capabilities
  protected readonly inner: S
  readonly #prefix: Key
  #closed = false

  constructor(inner: S, prefix: Key) {
    this.capabilities = inner.capabilities
    this.inner = inner
    this.#prefix = prefix
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    return this.inner.get(this.whole(key))
  }

  async put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean> {
    return this.inner.put(this.whole(key), bytes, options)
  }

  async delete(key: Key): Promise<void> {
    return this.inner.delete(this.whole(key))
  }

  async *list(prefix: Key, options?: ListOptions): AsyncIterable<Key> {
    for await (const key of this.inner.list(...this.wholeList(prefix, options))) yield this.part(key)
  }

  async flush(): Promise<void> {
    if (this.#closed) throw closedError()
    return this.inner.flush()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.inner.flush()
  }

  protected whole(key: Key): Key {
    if (this.#closed) throw closedError()
    checkKey(key)
    return [...this.#prefix, ...key]
  }

  protected wholeList(prefix: Key, options: ListOptions = {}): [Key, ListOptions] {
    if (this.#closed) throw closedError()
    checkList(prefix, options)
    const { after } = options
    return [[...this.#prefix, ...prefix], after ? { ...options, after: [...this.#prefix, ...after] } : options]
  }

  protected part(key: Key): Key {
    if (this.#closed) throw closedError()
    return key.slice(this.#prefix.length)
  }
}

class PrefixedSyncStorage extends PrefixedStorage<SyncStorage> implements SyncStorage {
  isPending(key: Key): boolean {
    return this.inner.isPending?.(this.whole(key)) ?? false
  }

  getSync(key: Key): Uint8Array | undefined {
    return this.inner.getSync(this.whole(key))
  }

  putSync(key: Key, bytes: Uint8Array, options?: PutOptions): boolean {
    return this.inner.putSync(this.whole(key), bytes, options)
  }

  deleteSync(key: Key): void {
    this.inner.deleteSync(this.whole(key))
  }

  *listSync(prefix: Key, options?: ListOptions): Iterable<Key> {
    for (const key of this.inner.listSync(...this.wholeList(prefix, options))) yield this.part(key)
  }
}

/**
 * A part of a storage as a storage of its own: the entries below `prefix`, under keys without it. It has a synchronous
 * form if `storage` has one. Closing it flushes `storage` and leaves it open.
 *
 * @param prefix at least one segment
 * @throws SxError `InvalidId` for a prefix that {@link checkKey} refuses
 * @example
 * const storage = memoryStorage()
 * prefixed(storage, ['billing']).putSync(['a'], new Uint8Array([1]))
 * console.log([...storage.listSync([])]) // [ [ 'billing', 'a' ] ]
 */
export function prefixed(storage: SyncStorage, prefix: Key): SyncStorage
export function prefixed(storage: Storage, prefix: Key): Storage
export function prefixed(storage: Storage, prefix: Key): Storage {
  checkKey(prefix)
  const kept = [...prefix]
  return isSyncStorage(storage) ? new PrefixedSyncStorage(storage, kept) : new PrefixedStorage(storage, kept)
}
