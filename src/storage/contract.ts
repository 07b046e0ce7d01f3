/**
 * The contract between the library and whatever keeps its bytes.
 *
 * A storage maps keys to bytes. It knows nothing about documents, and the library asks only one atomic thing of it:
 * put-if-absent. Everything else (versions that never change, claims, repair) is built on that (protocol, section 12).
 *
 * @module
 */
import { SxError } from '../errors.ts'

/**
 * The name of an entry: one or more safe segments, from the general to the particular, as folders and a file.
 * What is safe is decided by {@link checkKey}. No key may be the beginning of another one (`['a']` beside
 * `['a', 'b']`), because a file system cannot hold both; callers keep to this, storages may refuse it.
 */
export type Key = readonly string[]

/** How {@link Storage.put} treats an entry that is there. */
export interface PutOptions {
  /** Write only if there is no entry under the key; decided atomically, among all processes that share the store. */
  readonly ifAbsent?: boolean
  /**
   * `relaxed`: the entry may be gone after a loss of power, whatever {@link Capabilities} say, and a storage that
   * writes behind need not report that writing it failed. For hints, which are found again without it.
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
   * What has become of an entry once its write has resolved.
   * `strict`: it survives a loss of power. `relaxed`: it survives the end of the process. `none`: it is in memory only.
   */
  readonly durability: 'strict' | 'relaxed' | 'none'
  /** Other processes, pages or machines may be working on the same entries at the same time. */
  readonly shared: boolean
}

/**
 * A place for bytes under keys.
 *
 * Every method rejects with an `SxError`: `InvalidId` for a key that breaks the rule of {@link checkKey},
 * `InvalidOption` for a limit that {@link ListOptions} does not allow, `StorageFull`, `StorageUnavailable` (also after
 * {@link Storage.close}), `LinkRefused` or `Busy`. A list does so at its first step or a later one. A failed write
 * leaves the old entry or the new one, whole.
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
   * @returns `false` if `ifAbsent` was asked for and there is an entry, which is left as it is; else `true`
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
  /** Resolves when everything written before is as durable as `capabilities.durability` says, or rejects if it failed. */
  flush(): Promise<void>
  /** Flush and let go of everything held open. Calls that follow reject; closing again does nothing. */
  close(): Promise<void>
}

/** A storage that can also be used without waiting. The methods do what those without the suffix do. */
export interface SyncStorage extends Storage {
  /**
   * In storages that write behind: whether what the synchronous form shows of this entry may still fail to be stored.
   *
   * @throws SxError `InvalidId`
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
  return storage.capabilities.sync && 'getSync' in storage
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

function checkSegments(key: Key, least: number): void {
  if (!Array.isArray(key) || key.length < least) throw new SxError('InvalidId', 'A storage key must have a segment.')
  const bad = key.findIndex((segment) => !isSafeSegment(segment))
  if (bad < 0) return
  const shown = JSON.stringify(String(key[bad]).slice(0, MAX_SEGMENT))
  throw new SxError('InvalidId', `${shown} cannot be used as a name in the storage.`)
}

/**
 * Refuses a key that has no segment, or one that is not safe on every operating system and in every store. Safe are
 * 1 to 128 of the characters `A-Z a-z 0-9 . _ -`, not ending with a dot, that are no device name of Windows (`con`,
 * `nul.txt`, `COM1`, …) and not `.tmp` (protocol, section 12).
 *
 * @throws SxError `InvalidId`
 * @example
 * checkKey(['notes', '2026.json'])
 * try {
 *   checkKey(['notes', '..'])
 * } catch (error) {
 *   console.log(error.code) // InvalidId
 * }
 */
export function checkKey(key: Key): void {
  checkSegments(key, 1)
}

/** Throws `InvalidId` or `InvalidOption` unless these are arguments that {@link Storage.list} takes. */
export function checkList(prefix: Key, options: ListOptions = {}): void {
  checkSegments(prefix, 0)
  const { after, limit } = options
  if (after !== undefined) checkKey(after)
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new SxError('InvalidOption', '`limit` must be an integer from 0.')
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
  for (const [at, left] of a.entries()) {
    const right = b[at]
    if (right === undefined) return 1
    if (left !== right) return left < right ? -1 : 1
  }
  return a.length - b.length
}

/** The error of every call after {@link Storage.close}. */
export function closedError(): SxError {
  return new SxError('StorageUnavailable', 'The storage was closed.')
}
