/**
 * Chains: what changes over time is a row of numbered entries, each put if absent and never changed after
 * (protocol, section 12). To put the next entry is to win its place; whoever finds another's there has lost.
 *
 * @module
 */
import * as core from '#core'
import { isBelated, letPass } from '../belated.ts'
import { decode, encode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { cursor, get, getAll, getBoth, isCurrent, putAll, putHint, putIfAbsent, together } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { ChainNames } from '../names.ts'
import type { NewEntry } from '../storage/bulk.ts'
import { isSyncStorage, type Key, type Storage } from '../storage/contract.ts'
import { noteReached, reachedIn } from './reached.ts'

/** An entry of a chain. */
export interface Entry {
  /** From 1. */
  readonly number: number
  readonly bytes: Uint8Array
}

/** No entry has a greater number. */
const GREATEST = Number.MAX_SAFE_INTEGER

/** An entry of a number, if there is one. */
export function* readEntry(storage: Storage, names: ChainNames, number: number): Operation<Entry | undefined> {
  if (number > GREATEST) return undefined
  const bytes = yield* perform(get(storage, names.entry(number)))
  return bytes && { number, bytes }
}

/** The entry of a number and the one after it, read at the same time. */
function* readNeighbours(
  storage: Storage,
  names: ChainNames,
  number: number,
): Operation<[Entry | undefined, Entry | undefined]> {
  if (number >= GREATEST) return [yield* readEntry(storage, names, number), undefined]
  const [bytes, after] = yield* perform(getBoth(storage, names.entry(number), names.entry(number + 1)))
  return [bytes && { number, bytes }, after && { number: number + 1, bytes: after }]
}

/**
 * The latest entry; `undefined` if there is no such chain. Found by stepping up from what is known, each step twice as
 * long as the one before, so the cost grows with the logarithm of what is new.
 *
 * @param known a number that is known to have an entry; 0 if none is
 * @param recognise throws if the known entry is another one than it was
 * @throws SxError `Rollback` if an entry is missing that is known or that the hint names; `CorruptStore` for a hole;
 *   `SyncStorageUnavailable` if a copy in memory misses the known entry, so that only the storage below can tell
 */
export function* readLatest(
  storage: Storage,
  names: ChainNames,
  known = 0,
  recognise: (entry: Entry) => void = () => {},
): Operation<Entry | undefined> {
  const isWhole = yield* perform(isCurrent(storage))
  const hint = known === 0 ? yield* readHint(storage, names.latest()) : 0
  const first = Math.max(known, 1)
  // A copy in memory may have an entry without a hint of it.
  const reached = isWhole ? first : Math.max(first, reachedIn(storage, names.latest()))
  let start = Math.max(reached, hint)
  let [latest, next] = yield* readNeighbours(storage, names, start)
  // Or a hint without the entries that it speaks of.
  for (const earlier of isWhole ? [] : [reached, first]) {
    if (latest !== undefined || earlier === start) continue
    start = earlier
    ;[latest, next] = yield* readNeighbours(storage, names, start)
  }
  if (latest === undefined) {
    if (!isWhole && known > 0) throw notInMemory(`entry ${known} of ${names.label}, which was read before`)
    if (!isWhole) return undefined
    if (start > 1 || known > 0) throw missing(names, start)
    if (next === undefined) return undefined
    if ((yield* readEntry(storage, names, 1)) === undefined) throw hole(names, 1)
    return yield* readLatest(storage, names, 1) // they have come meanwhile
  }
  const there = known > 0 && latest.number !== known ? yield* readEntry(storage, names, known) : latest
  if (known > 0 && there !== undefined) recognise(there)
  let free = GREATEST + 1 // the least number that is known to have no entry
  if (next === undefined) free = start + 1
  else latest = next
  for (let step = 2; latest.number + 1 < free; step *= 2) {
    const number: number = Math.min(latest.number + step, latest.number + Math.floor((free - latest.number) / 2))
    const found: Entry | undefined = yield* readEntry(storage, names, number)
    if (found === undefined) free = number
    else latest = found
  }
  // A hint may be older than the chain, so at least a single missing entry is looked for.
  if (isWhole && known === 0 && (yield* readEntry(storage, names, free + 1)) !== undefined) {
    if ((yield* readEntry(storage, names, free)) === undefined) throw hole(names, free)
    return yield* readLatest(storage, names, free) // they have come meanwhile
  }
  if (isWhole) noteReached(storage, names.latest(), latest.number)
  return latest
}

/** An entry is gone that was there. */
export function missing({ label }: ChainNames, number: number, advice?: string): SxError {
  const found = `Entry ${number} of ${label} is missing from the storage, although it was there before.`
  return new SxError('Rollback', found, advice === undefined ? undefined : { advice })
}

/**
 * The error for an entry that is missing although others need it. A copy in memory may not have read it yet.
 *
 * @param absence the error if the storage itself lacks it
 */
export function* lacking(storage: Storage, name: string, absence: SxError): Operation<SxError> {
  if (yield* perform(isCurrent(storage))) return absence
  return notInMemory(name)
}

/** The error for an entry that a copy in memory has not read yet. */
export function notInMemory(name: string): SxError {
  return new SxError('SyncStorageUnavailable', `The in-memory copy lacks ${name}.`)
}

/** An entry is missing in the middle of a chain. */
export function hole({ label }: ChainNames, number: number): SxError {
  return new SxError('CorruptStore', `Entry ${number} of ${label} is missing, although later ones exist.`)
}

/** The number that a hint names; 0 if there is none. */
export function* readHint(storage: Storage, key: Key): Operation<number> {
  const bytes = yield* perform(get(storage, key))
  return bytes === undefined ? 0 : call(() => core.readNumber(bytes))
}

/**
 * Whether a version is missing from the chain: all entries but the first have a hint for their versions, and it has none.
 * One list tells it, however long the chain is. A hint that is there may be damaged, which says nothing. Somebody who changes hints can hide a version from a search, as somebody who
 * deletes entries can: `audit` compares them.
 *
 * @param latest the number of the latest entry
 */
export function* isUnhinted(storage: Storage, names: ChainNames, version: string, latest: number): Operation<boolean> {
  const place = names.latest()
  const folder = place.slice(0, -1)
  const [id = ''] = place.at(-1)?.split('.') ?? []
  const start = `${id}.`
  const next = cursor(storage, folder, [...folder, id])
  let count = 0
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const name = key[folder.length] ?? ''
    const end = name.slice(start.length)
    if (!name.startsWith(start)) {
      if (name > start) break
    } else if (end === version) return false
    else if (key.length === place.length && HINT.test(end)) count++
  }
  // A hint that came with another entry meanwhile would stand for one that is missing.
  return count === latest - 1 && (yield* readEntry(storage, names, latest + 1)) === undefined
}

/** The end of the name of a version's hint: a UUID. */
const HINT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Errors after which a write may have been done, or may succeed when it is tried again. */
const UNCERTAIN: readonly string[] = ['StorageUnavailable', 'StorageFull', 'Busy']

/**
 * Puts an entry into its place.
 *
 * A storage may fail after it has written, or try again on its own and then find its own write. So what stands in the
 * place decides, and only if that is certain to last: putting says "taken" of entries that do.
 *
 * @param mayGo whether entries are removed from there: what has the place and is gone when it is read was another's
 * @returns whether these bytes have the place; false if it is another's
 * @throws SxError the storage's error if it is not known to be written
 */
export function* claim(storage: Storage, key: Key, bytes: Uint8Array, mayGo = false): Operation<boolean> {
  for (let attempt = 1; ; attempt++) {
    let failure: SxError
    try {
      if (yield* perform(putIfAbsent(storage, key, bytes))) return true
      const there = yield* perform(get(storage, key))
      if (there !== undefined || mayGo) return equalBytes(there, bytes)
      failure = new SxError(
        'StorageUnavailable',
        'The storage reports that an entry exists, and then that it does not.',
      )
    } catch (error) {
      failure = uncertain(error)
    }
    if (attempt === 2) throw failure
  }
}

/** So many entries are put at the same time, where a storage cannot put all in one go. */
const AT_ONCE = 32

/**
 * Puts entries into their places: all, or none if that fails before the first has its place. What has its place keeps
 * it, since others may have built on it: then the error says how many do.
 *
 * @throws SxError `AlreadyExists` where another's entry stands; the storage's error
 */
export function* claimAll(storage: Storage, entries: readonly NewEntry[]): Operation<void> {
  let failure: SxError | undefined
  try {
    if ((yield* perform(putAll(storage, entries))) === true) return
  } catch (error) {
    failure = uncertain(error)
  }
  try {
    if (failure !== undefined && (yield* countStored(storage, entries)) === 0) throw failure
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      yield* claimEach(storage, entries.slice(at, at + AT_ONCE))
    }
  } catch (error) {
    if (error === failure || !(error instanceof SxError) || isBelated(error)) throw error
    const stored = yield* countStored(storage, entries)
    if (stored === 0) throw error
    throw new SxError(error.code, storedOf(error.found, stored, entries.length), { cause: error })
  }
}

/** What was found, and how many documents of a batch are stored nevertheless. */
export function storedOf(found: string, stored: number, count: number): string {
  return `${found} ${stored} of ${count} documents were stored.`
}

function* claimEach(storage: Storage, entries: readonly NewEntry[]): Operation<void> {
  try {
    const done = yield* perform(together(...entries.map(({ key, bytes }) => putIfAbsent(storage, key, bytes))))
    if (done.every((isDone) => isDone)) return
  } catch (error) {
    uncertain(error)
  }
  for (const { key, bytes } of entries) {
    if (!(yield* claim(storage, key, bytes)))
      throw new SxError('AlreadyExists', `Another process wrote ${key.join('/')} first.`)
  }
}

/** Throws unless it is the failure of a write that may have been done. */
function uncertain(error: unknown): SxError {
  if (error instanceof SxError && UNCERTAIN.includes(error.code) && !isBelated(error)) return error
  throw error
}

/** How many of the entries are there, or may be. */
function* countStored(storage: Storage, entries: readonly NewEntry[]): Operation<number> {
  const keys = entries.map(({ key }) => key)
  const found = yield* perform(getAll(storage, keys))
  return found.filter(({ error, bytes }, at) => error !== undefined || equalBytes(bytes, entries[at]?.bytes)).length
}

/**
 * Appends an entry, and the hints where to find it.
 *
 * @returns whether it is the entry of this number now; false if that is another's
 */
export function* append(
  storage: Storage,
  names: ChainNames,
  { number, bytes }: Entry,
  version?: string,
): Operation<boolean> {
  if (number > GREATEST) {
    throw new SxError('CorruptStore', `No entry can follow entry ${GREATEST} of ${names.label}.`)
  }
  if (!(yield* claim(storage, names.entry(number), bytes))) return false
  if (number === 1) return true
  const text = encode(String(number))
  for (const hint of [names.latest(), version === undefined ? undefined : names.index?.(version)]) {
    if (hint === undefined) continue
    try {
      yield* perform(putHint(storage, hint, text))
    } catch (error) {
      letPass(error)
      // The entry has its place. To report a failure would have the caller do it again; without the hint the next
      // search only takes longer.
    }
  }
  return true
}

/** The text of an entry. */
export function textOf({ number, bytes }: Entry, { label }: ChainNames): string {
  return decode(bytes, `Entry ${number} of ${label}`)
}

/** Whether an entry that the storage shows may still be lost. */
export function isPending(storage: Storage, names: ChainNames, number: number): boolean {
  return isPendingAt(storage, names.entry(number))
}

/** The same of what stands under a key. */
export function isPendingAt(storage: Storage, key: Key): boolean {
  return isSyncStorage(storage) && storage.isPending?.(key) === true
}
