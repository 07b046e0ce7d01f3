import { type Bulk, hasMany, isSyncBulk } from '../../src/storage/bulk.ts'
import type { Capabilities, Key, ListOptions, PutOptions, SyncStorage } from '../../src/storage/contract.ts'

class CheckedStorage implements SyncStorage {
  readonly capabilities: Capabilities
  readonly putAll?: Bulk['putAll']
  readonly putAllSync?: Bulk['putAllSync']
  readonly #inner: SyncStorage
  readonly #check: () => void

  constructor(inner: SyncStorage, check: () => void) {
    this.capabilities = inner.capabilities
    this.#inner = inner
    this.#check = check
    hasMany(this)
    if (!isSyncBulk(inner)) return
    this.putAll = async (entries) => {
      check()
      return inner.putAll(entries)
    }
    this.putAllSync = (entries) => {
      check()
      return inner.putAllSync(entries)
    }
  }

  isPending(key: Key): boolean {
    return this.#inner.isPending?.(key) ?? false
  }

  getSync(key: Key): Uint8Array | undefined {
    this.#check()
    return this.#inner.getSync(key)
  }

  putSync(key: Key, bytes: Uint8Array, options?: PutOptions): boolean {
    this.#check()
    return this.#inner.putSync(key, bytes, options)
  }

  deleteSync(key: Key): void {
    this.#check()
    this.#inner.deleteSync(key)
  }

  *listSync(prefix: Key, options?: ListOptions): Iterable<Key> {
    this.#check()
    for (const key of this.#inner.listSync(prefix, options)) {
      yield key
      this.#check()
    }
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    this.#check()
    return this.#inner.get(key)
  }

  async put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean> {
    this.#check()
    return this.#inner.put(key, bytes, options)
  }

  async delete(key: Key): Promise<void> {
    this.#check()
    return this.#inner.delete(key)
  }

  async *list(prefix: Key, options?: ListOptions): AsyncIterable<Key> {
    this.#check()
    for await (const key of this.#inner.list(prefix, options)) {
      yield key
      this.#check()
    }
  }

  async flush(): Promise<void> {
    this.#check()
    return this.#inner.flush()
  }

  /** Not checked: what is held open is let go of in any case. */
  async close(): Promise<void> {
    return this.#inner.close()
  }
}

/** The same storage, of which no call is answered once `check` throws, also those that need no more than memory. */
export function checked(storage: SyncStorage, check: () => void): SyncStorage {
  return new CheckedStorage(storage, check)
}
