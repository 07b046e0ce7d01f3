import { isBytes, toBase64 } from '../bytes.ts'
import { SxError } from '../errors.ts'
import { type NamesOf, refuseUnknown } from '../option-names.ts'
import type { Bytes } from '../types/bytes.ts'
import { below } from './below.ts'
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
  ownProperties,
  ownPutOptions,
  type PutOptions,
  type Storage,
} from './contract.ts'
import { standsOn } from './ground.ts'

/** What is used of the `Storage` of unstorage 1. */
export interface UnstorageLike {
  /** Whether there is an entry. */
  hasItem(key: string): Promise<boolean>
  /** The bytes of an entry; null if there is none. */
  getItemRaw(key: string): Promise<unknown>
  /** Writes an entry. */
  setItemRaw(key: string, value: unknown): Promise<void>
  /** Removes an entry, if there is one. */
  removeItem(key: string): Promise<void>
  /** The names of all entries below a name, or of all. */
  getKeys(base?: string): Promise<string[]>
}

/** What {@link PutIfAbsent} has to write, in the form that the driver reads. */
export interface AbsentValue {
  /** For stores of bytes, such as R2, S3 and files: those whose driver has `setItemRaw`. */
  readonly bytes: Bytes
  /** For stores of texts, such as Redis: the same as unstorage writes it there, `base64:` and the bytes in Base64. */
  readonly text: string
}

/**
 * Writes an entry unless there is one, in one step of the store.
 *
 * @param name what unstorage hands to the driver, with colons between its parts; a `base` of the driver comes before it
 * @returns whether it has written
 */
export type PutIfAbsent = (name: string, value: AbsentValue) => Promise<boolean>

/** Options of {@link unstorageAdapter}: one of `putIfAbsent` and `singleWriter` is needed. */
export interface UnstorageOptions {
  /** How the store puts if absent, which unstorage has no word for. With it any number of processes may write. */
  readonly putIfAbsent?: PutIfAbsent
  /**
   * This process alone writes to the store, through this very unstorage object: then to look and to write are one step
   * here. Where it is not so, two writers both win, and one loses what it was told is stored.
   */
  readonly singleWriter?: true
  /** What becomes of an entry once it is written ({@link Capabilities.durability}); default `none`, as nobody knows. */
  readonly durability?: Capabilities['durability']
}

const OPTIONS = { putIfAbsent: true, singleWriter: true, durability: true } as const satisfies NamesOf<UnstorageOptions>
const METHODS = ['hasItem', 'getItemRaw', 'setItemRaw', 'removeItem', 'getKeys'] as const
const DURABILITIES: readonly unknown[] = ['strict', 'relaxed', 'none']

/** No safe segment has it, and unstorage changes nothing of safe segments that are joined by it. */
const SEPARATOR = ':'

const nameOf = (key: Key): string => key.join(SEPARATOR)

/** The last write of each name, of stores that one process alone writes to. */
const writing = new WeakMap<UnstorageLike, Map<string, Promise<unknown>>>()

class UnstorageAdapter implements Storage {
  readonly capabilities: Capabilities
  readonly #inner: UnstorageLike
  readonly #putIfAbsent: PutIfAbsent | undefined
  readonly #pending = new Set<Promise<unknown>>()
  #closed = false

  constructor(inner: UnstorageLike, putIfAbsent: PutIfAbsent | undefined, durability: Capabilities['durability']) {
    this.capabilities = { sync: false, durability, shared: putIfAbsent !== undefined }
    this.#inner = inner
    this.#putIfAbsent = putIfAbsent
    const reopen = (): Storage => new UnstorageAdapter(inner, putIfAbsent, this.capabilities.durability)
    standsOn(this, () => ({ store: inner, path: [], reopen }))
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    this.#refuseClosed()
    const name = nameOf(ownKey(key))
    return below(() => this.#read(name))
  }

  async put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean> {
    this.#refuseClosed()
    const name = nameOf(ownKey(key))
    const own = ownBytes(bytes)
    const { ifAbsent } = ownPutOptions(options)
    return this.#write(name, async () => {
      if (ifAbsent && this.#putIfAbsent !== undefined) {
        return foundAnswer(await this.#putIfAbsent(name, valueOf(own)))
      }
      if (ifAbsent && (await this.#read(name)) !== undefined) return false
      await this.#inner.setItemRaw(name, own)
      return true
    })
  }

  async delete(key: Key): Promise<void> {
    this.#refuseClosed()
    const name = nameOf(ownKey(key))
    await this.#write(name, () => this.#inner.removeItem(name))
  }

  async *list(below: Key, options?: ListOptions): AsyncIterable<Key> {
    this.#refuseClosed()
    const { prefix, after, limit } = ownList(below, options)
    let left = limit
    for (const key of left === 0 ? [] : await this.#keys(prefix)) {
      this.#refuseClosed()
      if (compareKeys(key, after) <= 0) continue
      yield key
      if (--left === 0) return
    }
  }

  async flush(): Promise<void> {
    this.#refuseClosed()
    await Promise.allSettled(this.#pending)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#pending)
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    let found: unknown
    try {
      found = await this.#inner.getItemRaw(name)
    } catch (error) {
      if (!(await this.#inner.hasItem(name))) return undefined // the driver `http` throws where there is no entry
      throw error
    }
    return foundValue(found)
  }

  /** The keys below a prefix, each once, in their order. */
  async #keys(prefix: Key): Promise<Key[]> {
    const names: unknown = await below(() => this.#inner.getKeys(nameOf(prefix)))
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
      throw new SxError('StorageUnavailable', 'unstorage listed something that is not a name.')
    }
    // Others may keep something there too, and unstorage what it knows of an entry, under the name with a `$`.
    const keys = names.map((name) => name.split(SEPARATOR)).filter((key) => key.every(isSafeSegment))
    const under = keys.filter((key) => key.length > prefix.length && prefix.every((segment, at) => segment === key[at]))
    // Redis may give a name twice.
    return under.sort(compareKeys).filter((key, at, all) => at === 0 || compareKeys(key, all[at - 1] as Key) !== 0)
  }

  /** Where one process writes, the writes of a name come one after the other. */
  async #write<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = this.#putIfAbsent === undefined ? inTurn(this.#inner, name, work) : work()
    const settled = done.then(
      () => undefined,
      () => undefined, // whoever called is told
    )
    this.#pending.add(settled)
    void settled.then(() => this.#pending.delete(settled))
    return below(() => done)
  }

  #refuseClosed(): void {
    if (this.#closed) throw closedError()
  }
}

/** Begins when all earlier writes of the name have ended. */
function inTurn<T>(store: UnstorageLike, name: string, work: () => Promise<T>): Promise<T> {
  const last = writing.get(store) ?? new Map<string, Promise<unknown>>()
  writing.set(store, last)
  const done = (last.get(name) ?? Promise.resolve()).then(work, work)
  last.set(name, done)
  const forget = (): void => {
    if (last.get(name) === done) last.delete(name)
  }
  done.then(forget, forget)
  return done
}

/** What a driver has answered, as bytes of our own; drivers give buffers, and some give an error that they met. */
function foundValue(found: unknown): Uint8Array | undefined {
  if (found === undefined || found === null) return undefined
  if (isBytes(found)) return new Uint8Array(found)
  if (Object.prototype.toString.call(found) === '[object ArrayBuffer]') {
    return new Uint8Array(found as ArrayBuffer).slice()
  }
  throw new SxError('StorageUnavailable', 'unstorage returned something other than bytes or null.', { cause: found })
}

function foundAnswer(wrote: unknown): boolean {
  if (typeof wrote === 'boolean') return wrote
  throw new SxError(
    'StorageUnavailable',
    '`putIfAbsent` returned neither true nor false, so the result of the write is unknown.',
  )
}

function valueOf(bytes: Bytes): AbsentValue {
  return {
    bytes,
    get text() {
      return `base64:${toBase64(bytes)}`
    },
  }
}

/**
 * A storage over one of unstorage 1 (Redis, S3, Cloudflare R2 and many more), whose drivers know no put-if-absent: the
 * caller says how the store does it, or that nobody else writes to it. `docs/storage.md` has a table of drivers, which
 * of them can, and by what call. Entries stand under their keys, joined by colons; what else is there is left alone.
 * Closing it leaves unstorage open.
 *
 * @param storage what `createStorage` of unstorage makes, or anything with these five methods
 * @param options one of `putIfAbsent` and `singleWriter`
 * @throws SxError `InvalidOption` for a storage that is none, and unless exactly one of the two options is given
 * @example
 * const entries = new Map()
 * const storage = unstorageAdapter(
 *   {
 *     hasItem: async (name) => entries.has(name), // all of it is in what `createStorage` of unstorage makes
 *     getItemRaw: async (name) => entries.get(name),
 *     setItemRaw: async (name, value) => void entries.set(name, value),
 *     removeItem: async (name) => void entries.delete(name),
 *     getKeys: async () => [...entries.keys()],
 *   },
 *   { singleWriter: true },
 * )
 * console.log(await storage.put(['notes', 'a'], new Uint8Array([1]), { ifAbsent: true })) // true
 * console.log(await storage.put(['notes', 'a'], new Uint8Array([2]), { ifAbsent: true })) // false
 */
export function unstorageAdapter(storage: UnstorageLike, options: UnstorageOptions): Storage {
  const given: UnstorageOptions | undefined = options
  const [putIfAbsent, singleWriter, durability = 'none'] = ownProperties(given, Object.keys(OPTIONS))
  refuseUnknown({ ...given }, OPTIONS)
  checkUnstorage(storage)
  if (putIfAbsent !== undefined && typeof putIfAbsent !== 'function') {
    throw new SxError('InvalidOption', '`putIfAbsent` must be a function.')
  }
  if (singleWriter !== undefined && singleWriter !== true) {
    throw new SxError('InvalidOption', '`singleWriter` must be true or omitted.')
  }
  if ((putIfAbsent === undefined) === (singleWriter === undefined)) {
    const found = 'Pass either `putIfAbsent` of this store, or `singleWriter: true` if nobody else writes to it.'
    throw new SxError('InvalidOption', found)
  }
  if (!DURABILITIES.includes(durability)) {
    throw new SxError('InvalidOption', "`durability` must be 'strict', 'relaxed' or 'none'.")
  }
  return new UnstorageAdapter(storage, putIfAbsent as PutIfAbsent, durability as Capabilities['durability'])
}

function checkUnstorage(storage: UnstorageLike): void {
  const given: unknown = storage
  let isOne: boolean
  try {
    isOne =
      typeof given === 'object' &&
      given !== null &&
      METHODS.every((name) => typeof Reflect.get(given, name) === 'function')
  } catch (cause) {
    throw new SxError('InvalidOption', 'The storage cannot be read.', { cause })
  }
  if (!isOne) throw new SxError('InvalidOption', 'The storage does not have the methods of unstorage.')
}
