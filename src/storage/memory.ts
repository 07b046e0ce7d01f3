import { type Bulk, hasMany, type NewEntry, ownEntries } from './bulk.ts'
import type { Counting } from './changes.ts'
import {
  type Capabilities,
  closedError,
  type Key,
  type ListOptions,
  ownBytes,
  ownKey,
  ownList,
  ownPutOptions,
  type PutOptions,
  type SyncStorage,
} from './contract.ts'

/** Below every character of a safe segment, so that joined keys sort as keys do. */
const SEPARATOR = '\0'

const join = (key: Key): string => key.join(SEPARATOR)

/** Entries in memory, in the order of their keys. */
class MemoryStorage implements SyncStorage, Bulk, Counting {
  readonly capabilities: Capabilities = { sync: true, durability: 'none', shared: false }
  readonly #entries = new Map<string, Uint8Array>()
  /** Names in ascending order: those of all entries but the fresh ones, and some of entries that are gone. */
  #names: string[] = []
  /** Names of entries since the last listing: putting one in order at once would cost as much as the store is large. */
  #fresh: string[] = []
  #changes = 0
  #closed = false

  constructor() {
    hasMany(this)
  }

  get changes(): number | undefined {
    return this.#closed ? undefined : this.#changes
  }

  getSync(key: Key): Uint8Array | undefined {
    this.#refuseClosed()
    const bytes = this.#entries.get(join(ownKey(key)))
    return bytes && new Uint8Array(bytes)
  }

  putSync(key: Key, bytes: Uint8Array, options?: PutOptions): boolean {
    this.#refuseClosed()
    const name = join(ownKey(key))
    const own = ownBytes(bytes)
    const { ifAbsent } = ownPutOptions(options)
    const known = this.#entries.has(name)
    if (known && ifAbsent) return false
    if (!known) this.#fresh.push(name)
    this.#entries.set(name, own)
    this.#changes++
    return true
  }

  putAllSync(entries: readonly NewEntry[]): boolean {
    const own = ownEntries(entries)
    this.#refuseClosed()
    if (own.some(({ key }) => this.#entries.has(join(key)))) return false
    for (const { key, bytes } of own) this.putSync(key, bytes)
    return true
  }

  async putAll(entries: readonly NewEntry[]): Promise<boolean> {
    return this.putAllSync(entries)
  }

  deleteSync(key: Key): void {
    this.#refuseClosed()
    if (this.#entries.delete(join(ownKey(key)))) this.#changes++
  }

  *listSync(below: Key, options?: ListOptions): Iterable<Key> {
    const { prefix, after, limit } = ownList(below, options)
    const start = prefix.length > 0 ? join(prefix) + SEPARATOR : ''
    // The least name that may be given; a name with a separator behind it is the least one after that name.
    let from = after.length > 0 ? join(after) + SEPARATOR : ''
    if (from < start) from = start
    for (let left = limit; left > 0; left--) {
      this.#refuseClosed()
      // Looked up anew for every step, because entries may have come and gone since the last one.
      const name = this.#next(from)
      if (name === undefined || !name.startsWith(start)) return
      yield name.split(SEPARATOR)
      from = name + SEPARATOR
    }
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    return this.getSync(key)
  }

  async put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean> {
    return this.putSync(key, bytes, options)
  }

  async delete(key: Key): Promise<void> {
    this.deleteSync(key)
  }

  async *list(prefix: Key, options?: ListOptions): AsyncIterable<Key> {
    yield* this.listSync(prefix, options)
  }

  async flush(): Promise<void> {
    this.#refuseClosed()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#entries.clear()
    this.#names = []
    this.#fresh = []
  }

  #refuseClosed(): void {
    if (this.#closed) throw closedError()
  }

  /** The first name of an entry that is not below `from`. */
  #next(from: string): string | undefined {
    if (this.#fresh.length > 0) {
      const names = [...this.#names, ...this.#fresh].sort()
      this.#names = names.filter((name, at) => name !== names[at - 1] && this.#entries.has(name))
      this.#fresh = []
    }
    const names = this.#names
    let low = 0
    let high = names.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((names[middle] as string) < from) low = middle + 1
      else high = middle
    }
    while (low < names.length && !this.#entries.has(names[low] as string)) low++
    return names[low]
  }
}

/**
 * A storage in memory, gone when the process or page ends. It works everywhere, and each call makes an empty one of its
 * own. Closing it forgets its entries.
 *
 * @example
 * const storage = memoryStorage()
 * await storage.put(['notes', 'a'], new Uint8Array([1, 2]))
 * console.log(storage.getSync(['notes', 'a'])) // Uint8Array(2) [ 1, 2 ]
 */
export function memoryStorage(): SyncStorage {
  return new MemoryStorage()
}
