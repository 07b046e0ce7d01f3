/**
 * The contract between the library and whatever keeps its bytes.
 *
 * A storage maps keys to bytes. It knows nothing about documents, and the library asks only one atomic thing of it:
 * put-if-absent. Everything else (versions that never change, claims, repair) is built on that (protocol, section 12).
 *
 * @module
 */
import { isBytes } from '../bytes.ts'
import { isSxError, SxError } from '../errors.ts'
import { isPlain } from '../plain.ts'
import type { Bytes } from '../types/bytes.ts'

/**
 * The name of an entry: one or more safe segments, from the general to the particular, as folders and a file.
 * What is safe is decided by {@link checkKey}. No key may be the beginning of another one (`['a']` beside
 * `['a', 'b']`), because a file system cannot hold both; callers keep to this, storages may refuse it.
 */
export type Key = readonly string[]

/** How {@link Storage.put} writes. Only own properties count, as in {@link ListOptions}. */
export interface PutOptions {
  /** Write only if there is no entry under the key; decided atomically, among all processes that share the store. */
  readonly ifAbsent?: boolean
  /**
   * This write need not survive a loss of power, as a hint need not: what it says can be found without it. After one
   * there may be the new entry, the old one, none, or a damaged one. A storage may write as it always does instead.
   */
  readonly durability?: 'relaxed'
}

/** Which part of the keys {@link Storage.list} gives. */
export interface ListOptions {
  /** Only keys that sort after this one, which need not exist. Pass the last key of a page to get the next page. */
  readonly after?: Key
  /** At most this many keys: an integer from 0. All, if left out. */
  readonly limit?: number
}

/** What a storage can do. */
export interface Capabilities {
  /** It has the synchronous form ({@link SyncStorage}). */
  readonly sync: boolean
  /**
   * What has become of an entry once a write has resolved that wrote it, or found it with `ifAbsent`; unless less was
   * asked for ({@link PutOptions.durability}). `strict`: it survives a loss of power. `relaxed`: it survives the end of
   * the process. `none`: it is in memory only.
   */
  readonly durability: 'strict' | 'relaxed' | 'none'
  /**
   * Other processes, pages or machines may be working on the same entries at the same time. The library reads what may
   * have changed again in any case, because a storage cannot know who else in its process uses the store below it.
   */
  readonly shared: boolean
}

/**
 * A place for bytes under keys.
 *
 * Every method rejects with an `SxError`: `InvalidId` for a key that breaks the rule of {@link checkKey},
 * `InvalidOption` for bytes that are none and for options that {@link PutOptions} and {@link ListOptions} do not allow,
 * `StorageFull`, `StorageUnavailable` (also after {@link Storage.close}), `LinkRefused` or `Busy`. Arguments that cannot
 * be read (a proxy or a getter threw) are refused so too. A list does so at its first step or a later one.
 *
 * A write that fails leaves the old entry or the new one, complete: it may have been done. To find out, read the entry
 * and compare its bytes.
 *
 * Writes to one key that are not awaited one after the other may take effect in any order.
 */
export interface Storage {
  /** What this storage can do; never changes. */
  readonly capabilities: Capabilities
  /** The bytes of an entry, `undefined` if there is none. The caller owns them: changing them changes no entry. */
  get(key: Key): Promise<Uint8Array | undefined>
  /**
   * Write an entry, whole or not at all. The bytes are taken as they are at the time of the call.
   *
   * @returns `false` if `ifAbsent` was asked for and there is an entry, which is left as it is; else `true`. The entry
   *   that was found is then as durable as an entry of this write would be, whoever wrote it. It may be the caller's own:
   *   a store that repeats a write automatically finds the result of the first try. So a caller that finds its own
   *   bytes there has won.
   */
  put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean>
  /** Remove an entry. It is no error if there is none. */
  delete(key: Key): Promise<void>
  /**
   * The keys below `prefix` (those that begin with its segments and have at least one more; `[]` means all),
   * in ascending order of {@link compareKeys}. An entry that is there from the first step to the last is given exactly
   * once; one that comes or goes meanwhile may or may not be given.
   */
  list(prefix: Key, options?: ListOptions): AsyncIterable<Key>
  /**
   * Resolves when everything written before is as durable as `capabilities.durability` says, or as was asked for, or
   * rejects if it failed; with an `SxError`, like every method.
   */
  flush(): Promise<void>
  /** Flush and release everything that is open. Later calls reject; closing again does nothing. */
  close(): Promise<void>
}

/** A storage that can also be used without waiting. The methods do what those without the suffix do. */
export interface SyncStorage extends Storage {
  /**
   * In storages that write behind: whether what the synchronous form shows of this entry is still on its way to where it
   * lasts. Left out by storages that write at once.
   */
  isPending?(key: Key): boolean
  /** See {@link Storage.get}. */
  getSync(key: Key): Uint8Array | undefined
  /** See {@link Storage.put}. In a storage that writes behind, durable only after {@link Storage.flush}. */
  putSync(key: Key, bytes: Uint8Array, options?: PutOptions): boolean
  /** See {@link Storage.delete}. In a storage that writes behind, durable only after {@link Storage.flush}. */
  deleteSync(key: Key): void
  /** See {@link Storage.list}. */
  listSync(prefix: Key, options?: ListOptions): Iterable<Key>
}

/**
 * Whether a storage has the synchronous form.
 *
 * @example
 * console.log(isSyncStorage(memoryStorage())) // true
 */
export function isSyncStorage(storage: Storage): storage is SyncStorage {
  try {
    return storage.capabilities.sync && 'getSync' in storage
  } catch {
    return false // a proxy or a getter threw: it has no form that could be used
  }
}

const METHODS = ['get', 'put', 'delete', 'list', 'flush'] as const

/** Refuses what does not have the methods of a storage, or cannot be looked at, with `InvalidOption`. */
export function checkStorage(storage: Storage): void {
  const given: unknown = storage
  const isComplete = readable('InvalidOption', 'storage', () => {
    if (typeof given !== 'object' || given === null) return false
    const { capabilities } = given as { capabilities?: unknown }
    if (typeof capabilities !== 'object' || capabilities === null) return false
    return METHODS.every((name) => typeof Reflect.get(given, name) === 'function')
  })
  if (isComplete) return
  throw new SxError('InvalidOption', `The storage must have ${METHODS.join(', ')} and capabilities.`)
}

/** The storage in its synchronous form, or `SyncStorageUnavailable`. */
export function requireSync(storage: Storage): SyncStorage {
  if (isSyncStorage(storage)) return storage
  throw new SxError('SyncStorageUnavailable')
}

/** Longest segment of a key, in characters. */
const MAX_SEGMENT = 128

const SAFE = /^[A-Za-z0-9._-]+$/
/** Names that Windows gives to devices in every folder, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
/** Where the file system adapter keeps unfinished writes. */
const RESERVED = /^\.tmp$/i

/**
 * Whether a name is safe as a segment of a key on every operating system and in every store: 1 to 128 of the
 * characters `A-Z a-z 0-9 . _ -`, not ending with a dot (so neither `.` nor `..`), no Windows device name
 * (`con`, `nul.txt`, `COM1`, …) and not `.tmp`. Identifiers, key files, `.sx_password` and ordinary file names fit.
 */
export function isSafeSegment(segment: unknown): segment is string {
  return (
    typeof segment === 'string' &&
    segment.length <= MAX_SEGMENT &&
    SAFE.test(segment) &&
    !segment.endsWith('.') &&
    !DEVICE.test(segment) &&
    !RESERVED.test(segment)
  )
}

/** A copy of an array of at least so many safe segments. Each is read once: a proxy may answer otherwise next time. */
function ownSegments(key: Key, least: number): string[] {
  const own: string[] = []
  const found = readable('InvalidId', 'storage key', () => {
    if (!Array.isArray(key)) return undefined
    for (let at = 0; at < key.length; at++) {
      const segment: unknown = key[at]
      if (!isSafeSegment(segment)) return { bad: segment }
      own.push(segment)
    }
    return {}
  })
  if (found === undefined) throw new SxError('InvalidId', 'A storage key must be an array of names.')
  if (!('bad' in found)) {
    if (own.length >= least) return own
    throw new SxError('InvalidId', 'A storage key must not be empty.')
  }
  // Only a text is shown: that of a nested array can be longer than any memory.
  const shown =
    typeof found.bad === 'string' ? JSON.stringify(found.bad.slice(0, MAX_SEGMENT)) : 'A value that is not a string'
  throw new SxError('InvalidId', `${shown} cannot be used as a name in the storage.`)
}

/** The result of reading something of a caller, whose getters and proxies may throw. */
function readable<T>(code: 'InvalidId' | 'InvalidOption', name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (isSxError(cause)) throw cause
    throw new SxError(code, `The ${name} cannot be read.`, { cause })
  }
}

/** A copy of a key, once {@link checkKey} would take it; what every call of a storage goes on with. */
export function ownKey(key: Key): Key {
  return lasting.has(key) ? key : ownSegments(key, 1)
}

/** Keys that were checked and never change. */
const lasting = /* @__PURE__ */ new WeakSet<Key>()

/** Whether a key was made by {@link lastingKey}. */
export function isLasting(key: Key): boolean {
  return lasting.has(key)
}

/** A copy of a key for many calls: it is checked once. */
export function lastingKey(key: Key): Key {
  const own = Object.freeze(ownSegments(key, 1))
  lasting.add(own)
  return own
}

/** Copies of keys that a caller lists. `InvalidOption` for what is no list; failures of a listing stay as they are. */
export function ownKeys(keys: Iterable<Key>): Key[] {
  const given: unknown = keys
  const found = readable('InvalidOption', 'list of keys', () => {
    const isList = typeof given === 'object' && given !== null && Symbol.iterator in given
    return isList ? Array.from(keys) : undefined
  })
  if (found === undefined) throw new SxError('InvalidOption', 'The keys are not an array or another iterable object.')
  return found.map(ownKey)
}

/** A copy of the bytes to write. Throws `InvalidOption` for anything but a `Uint8Array`. */
export function ownBytes(bytes: Uint8Array): Bytes {
  if (!isBytes(bytes)) throw new SxError('InvalidOption', 'The bytes are not a Uint8Array.')
  return readable('InvalidOption', 'array of bytes', () => new Uint8Array(bytes))
}

/** What a storage has answered to `get`. Throws `StorageUnavailable` for what is neither bytes nor `undefined`. */
export function foundBytes(found: Uint8Array | undefined): Uint8Array | undefined {
  if (found === undefined || isBytes(found)) return found
  throw new SxError('StorageUnavailable', 'The storage returned something other than bytes or undefined.')
}

/**
 * What a storage has listed. Throws `StorageUnavailable` for what is no key, and for one that does not come after the
 * one before it: such a list need not end.
 */
export function foundKey(found: Key, before?: Key): Key {
  if (!Array.isArray(found) || !found.every((segment) => typeof segment === 'string')) {
    throw new SxError('StorageUnavailable', 'The storage listed something that is not a key.')
  }
  if (before !== undefined && compareKeys(found, before) <= 0) {
    throw new SxError('StorageUnavailable', 'The storage did not list its keys in ascending order.')
  }
  return found
}

/** The keys that a storage lists, each looked at. */
export async function* foundKeys(listed: AsyncIterable<Key>): AsyncIterable<Key> {
  let before: Key | undefined
  for await (const key of listed) {
    before = foundKey(key, before)
    yield before
  }
}

/** The named own properties of options, each read once; of a polluted `Object.prototype` nothing shows. */
export function ownProperties(options: object | undefined, names: readonly string[]): readonly unknown[] {
  const given: unknown = options === undefined ? {} : options
  const values = readable('InvalidOption', 'options', () => {
    if (typeof given !== 'object' || given === null || !isPlain(given)) return undefined
    return names.map((name) => (Object.hasOwn(given, name) ? (Reflect.get(given, name) as unknown) : undefined))
  })
  // Of a class, accessors would not count, and a put-if-absent would quietly become another put.
  if (values === undefined) throw new SxError('InvalidOption', 'The options are not a plain object.')
  return values
}

/** A copy of the options of a mirror, or `InvalidOption`; `InvalidId` for a prefix that is no key. */
export function ownMirrorOptions(options?: object): {
  prefix: Key | undefined
  isImmutable: (key: Key) => boolean
} {
  const [prefix, isImmutable = () => false] = ownProperties(options, ['prefix', 'isImmutable'])
  if (typeof isImmutable !== 'function') throw new SxError('InvalidOption', '`isImmutable` must be a function.')
  const answer = isImmutable as (key: Key) => unknown
  return {
    prefix: prefix === undefined ? undefined : ownKey(prefix as Key),
    isImmutable: (key) => readable('InvalidOption', 'answer of `isImmutable`', () => answer(key) === true),
  }
}

/** A copy of the options of {@link Storage.put}, or `InvalidOption`. */
export function ownPutOptions(options?: PutOptions): { ifAbsent: boolean; durability?: 'relaxed' } {
  const [ifAbsent = false, durability] = ownProperties(options, ['ifAbsent', 'durability'])
  if (typeof ifAbsent !== 'boolean') throw new SxError('InvalidOption', '`ifAbsent` must be true or false.')
  if (durability === undefined) return { ifAbsent }
  if (durability !== 'relaxed') throw new SxError('InvalidOption', "`durability` must be 'relaxed' or omitted.")
  return { ifAbsent, durability }
}

/** The arguments of {@link Storage.list} as they were at the call. */
export interface Listing {
  readonly prefix: Key
  /** Without any segment, and so before all keys, if it was left out. */
  readonly after: Key
  /** `Infinity` if it was left out. */
  readonly limit: number
}

/** A copy of the arguments of {@link Storage.list}; throws `InvalidId` or `InvalidOption` unless it takes them. */
export function ownList(prefix: Key, options?: ListOptions): Listing {
  const below = ownSegments(prefix, 0)
  const [after, limit] = ownProperties(options, ['after', 'limit'])
  if (limit !== undefined && !(Number.isSafeInteger(limit) && (limit as number) >= 0))
    throw new SxError('InvalidOption', '`limit` must be a non-negative integer.')
  return {
    prefix: below,
    after: after === undefined ? [] : ownKey(after as Key),
    limit: (limit as number | undefined) ?? Number.POSITIVE_INFINITY,
  }
}

/**
 * Refuses a key that has no segment, or one that is not safe on every operating system and in every store. Safe are
 * 1 to 128 of the characters `A-Z a-z 0-9 . _ -`, not ending with a dot, that are no device name of Windows (`con`,
 * `nul.txt`, `COM1`, …) and not `.tmp` (protocol, section 12).
 *
 * @throws SxError `InvalidId`
 * @example
 * import { SxError } from 'sx-agent'
 * checkKey(['notes', '2026.json'])
 * try {
 *   checkKey(['notes', '..'])
 * } catch (error) {
 *   if (error instanceof SxError) console.log(error.code) // InvalidId
 * }
 */
export function checkKey(key: Key): void {
  ownKey(key)
}

/**
 * The order of keys: segment by segment, each by its UTF-16 code units (of safe segments that is ASCII order: `-`, `.`,
 * digits, capitals, `_`, small letters); where one key begins the other, the shorter one comes first.
 *
 * @returns negative, zero or positive as `a` comes before, is, or comes after `b`
 * @example
 * console.log([['b'], ['a', 'b'], ['a']].sort(compareKeys)) // [ [ 'a' ], [ 'a', 'b' ], [ 'b' ] ]
 */
export function compareKeys(a: Key, b: Key): number {
  return readable('InvalidId', 'storage key', () => {
    for (let at = 0; at < a.length && at < b.length; at++) {
      const [left, right] = [a[at] as string, b[at] as string]
      if (left !== right) return left < right ? -1 : 1
    }
    return a.length - b.length
  })
}

/** The error of every call after {@link Storage.close}. */
export function closedError(): SxError {
  return new SxError('StorageUnavailable', 'The storage was closed.')
}

/** What a storage threw, as an `SxError`: those stay as they are, any other error is the cause of one. */
export function storageError(error: unknown): SxError {
  return isSxError(error) ? error : new SxError('StorageUnavailable', undefined, { cause: error })
}
