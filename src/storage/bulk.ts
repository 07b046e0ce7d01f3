/** What the storages of the library can do with many entries in one go; others are asked for one after the other. */
import { type Found, look } from './below.ts'
import {
  foundBytes,
  isSyncStorage,
  type Key,
  ownBytes,
  ownKey,
  requireSync,
  type Storage,
  type SyncStorage,
  storageError,
} from './contract.ts'

/** An entry that is to be written. */
export interface NewEntry {
  readonly key: Key
  readonly bytes: Uint8Array
}

/** Both are there, or none is. */
export interface Bulk {
  /**
   * Puts entries that are not there. Where it fails before the first of them has its name, which almost every failure
   * does, none is there.
   *
   * @returns whether all have their place; if not, another's stands in one, and some may be there or none
   */
  putAll(entries: readonly NewEntry[]): Promise<boolean>
  putAllSync(entries: readonly NewEntry[]): boolean
}

/** Reading likewise. */
export interface BulkReading {
  /** What is found of each entry, in order. */
  getAll(keys: readonly Key[]): Promise<Found[]>
  getAllSync(keys: readonly Key[]): Found[]
}

/** Giving all entries, some at a time. */
export interface Scan {
  /** All entries with what they hold, or why one cannot be read. */
  scan(): AsyncIterable<readonly (readonly [Key, Found])[]>
}

/** Shared by all copies of this module. */
const OWN = /* @__PURE__ */ Symbol.for('sx-agent storage of many entries')

/**
 * Marks a storage that has some of these methods. A proxy of it, a copy or what inherits from it carries the mark of
 * another object: it may have a `put` of its own, and is asked entry by entry, as every storage is that has methods of these
 * names by chance.
 */
export function hasMany(storage: Storage): void {
  Object.defineProperty(storage, OWN, { value: storage })
}

/** Whether it is a storage of the library itself, and not what takes its place. */
export const isOwn = (storage: Storage): boolean => (storage as { [OWN]?: unknown })[OWN] === storage

/** Whether a storage can give all entries. */
export function isScan(storage: Storage): storage is Storage & Scan {
  return isOwn(storage) && typeof (storage as Partial<Scan>).scan === 'function'
}

/** Whether a storage can put many entries in one go. */
export function isBulk(storage: Storage): storage is Storage & Pick<Bulk, 'putAll'> {
  return isOwn(storage) && typeof (storage as Partial<Bulk>).putAll === 'function'
}

/** The same of its synchronous form. */
export function isSyncBulk(storage: Storage): storage is SyncStorage & Bulk {
  return isOwn(storage) && isSyncStorage(storage) && typeof (storage as Partial<Bulk>).putAllSync === 'function'
}

/** Whether a storage can read many entries in one go. */
export function isBulkReading(storage: Storage): storage is SyncStorage & BulkReading {
  return isOwn(storage) && typeof (storage as Partial<BulkReading>).getAll === 'function'
}

/** Copies of entries, as a storage takes those of one call. */
export function ownEntries(entries: readonly NewEntry[]): NewEntry[] {
  return entries.map(({ key, bytes }) => ({ key: ownKey(key), bytes: ownBytes(bytes) }))
}

/** Reads entries, all at the same time where the storage knows no better. Never rejects. */
export async function readAll(storage: Storage, keys: readonly Key[]): Promise<Found[]> {
  if (isBulkReading(storage)) return storage.getAll(keys)
  return Promise.all(keys.map((key) => look(storage, key)))
}

/** Reads entries in the synchronous form. */
export function readAllSync(storage: Storage, keys: readonly Key[]): Found[] {
  const direct = requireSync(storage)
  if (isBulkReading(direct)) return direct.getAllSync(keys)
  return keys.map((key) => {
    try {
      return { bytes: foundBytes(direct.getSync(key)), error: undefined }
    } catch (error) {
      return { bytes: undefined, error: storageError(error) }
    }
  })
}
