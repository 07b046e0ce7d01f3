import { decode, encode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { get, put, putIfAbsent, remove } from '../home.ts'
import type { Key, Storage } from '../storage/contract.ts'

/** A version of a document: its id and its text. */
export interface Version {
  readonly version: string
  readonly text: string
}

/** Where a signed document stands, as the core says when it makes one, and its text. */
export interface Made {
  readonly id: string
  readonly version: string
  readonly previous: string | null
  readonly date: string
  readonly raw: string
}

interface DocumentKeys {
  readonly first: Key
  readonly latest: Key
}

interface VersionKeys extends DocumentKeys {
  readonly version: Key
  readonly after: Key
}

/** Reads what the core answers when it makes a document: a line of JSON, then the text. */
export function readMade(answer: string): Made {
  const end = answer.indexOf('\n')
  return { ...(JSON.parse(answer.slice(0, end)) as Omit<Made, 'raw'>), raw: answer.slice(end + 1) }
}

function documentKeys(id: string): DocumentKeys {
  return JSON.parse(call((core) => core.documentPaths(id, ''))) as DocumentKeys
}

function versionKeys(id: string, version: string): VersionKeys {
  return JSON.parse(call((core) => core.documentPaths(id, version))) as VersionKeys
}

/** Stores a first version: the text, then the claim that makes it part of history. */
export function* storeFirst(data: Storage, made: Made): Operation<void> {
  const keys = versionKeys(made.id, made.version)
  if (!(yield* claim(data, keys, keys.first, made))) {
    throw new SxError('AlreadyExists', 'A document of this id exists already.')
  }
}

/**
 * Stores a version after its predecessor: the text, then the claim of the predecessor's place,
 * then the hint where to find it.
 *
 * @throws SxError `VersionConflict` if another version has the place
 */
export function* storeNext(data: Storage, made: Made): Operation<void> {
  const keys = versionKeys(made.id, made.version)
  const { after } = versionKeys(made.id, made.previous ?? '')
  if (!(yield* claim(data, keys, after, made))) throw new SxError('VersionConflict')
  try {
    yield* perform(put(data, keys.latest, encode(made.version)))
  } catch {
    // The version is stored and has its place. To report a failure would have the caller do it
    // again; without the hint the next search only begins further back.
  }
}

/** Stores a version and claims its place; says whether it got it. A version without one is removed. */
function* claim(data: Storage, { version }: VersionKeys, place: Key, made: Made): Operation<boolean> {
  const name = encode(made.version)
  try {
    yield* perform(putIfAbsent(data, version, encode(made.raw)))
  } catch (error) {
    yield* discard(data, version) // it may be there although writing it failed at the end
    throw error
  }
  try {
    if (yield* perform(putIfAbsent(data, place, name))) return true
  } catch (error) {
    // A claim may stand although writing it failed at the end; then the version must stay.
    const claimed = yield* perform(get(data, place))
    if (claimed === undefined || !equalBytes(claimed, name)) yield* discard(data, version)
    throw error
  }
  yield* perform(remove(data, version))
  return false
}

/** Removes a version that nothing refers to. */
function* discard(data: Storage, version: Key): Operation<void> {
  try {
    yield* perform(remove(data, version))
  } catch {
    // What failed before is the error to report; a version without a claim is no part of history.
  }
}

/** Takes a first version back. */
export function* removeFirst(data: Storage, made: Made): Operation<void> {
  const keys = versionKeys(made.id, made.version)
  yield* perform(remove(data, keys.first))
  yield* perform(remove(data, keys.version))
}

/** Whether a version is stored. */
export function* isStored(data: Storage, id: string, version: string): Operation<boolean> {
  return (yield* perform(get(data, versionKeys(id, version).version))) !== undefined
}

/** Whether a version has a successor. */
export function* hasSuccessor(data: Storage, id: string, version: string): Operation<boolean> {
  return (yield* perform(get(data, versionKeys(id, version).after))) !== undefined
}

/** A version's text, if it is stored. */
function* readVersion(data: Storage, id: string, version: string): Operation<Version | undefined> {
  const bytes = yield* perform(get(data, versionKeys(id, version).version))
  return bytes && { version, text: decode(bytes, 'The stored document') }
}

/**
 * A version by its id, if it is stored and part of history: one whose claim was lost or never made
 * is not.
 */
export function* readClaimed(
  data: Storage,
  id: string,
  version: string,
  limits: string,
): Operation<Version | undefined> {
  const found = yield* readVersion(data, id, version)
  if (found === undefined) return undefined
  const previous = predecessor(id, found, limits)
  const place = previous === null ? documentKeys(id).first : versionKeys(id, previous).after
  const claim = yield* perform(get(data, place))
  return claim !== undefined && decode(claim, 'A record of the storage') === version ? found : undefined
}

/** Why a stored text cannot be read: it is damaged, unless the agent's limits are smaller than it is. */
export function damage(cause: unknown, id: string): SxError {
  if (cause instanceof SxError && (cause.code === 'Internal' || cause.code === 'LimitExceeded')) return cause
  return new SxError('CorruptStore', `The stored document ${id} is damaged.`, { cause })
}

/** What a stored version says comes before it. */
function predecessor(id: string, { version, text }: Version, limits: string): string | null {
  let is: { id: string; version: string; previous: string | null }
  try {
    is = JSON.parse(call((core) => core.documentIdentity(text, limits))) as typeof is
  } catch (cause) {
    throw damage(cause, id)
  }
  if (is.id === id && is.version === version) return is.previous
  throw new SxError('CorruptStore', `The storage holds another document as ${id}.`)
}

/**
 * The latest version of a document; `undefined` if there is no such document.
 *
 * @param seen a version of it that is known to have existed
 * @throws SxError `Rollback` if versions are missing that a record or `seen` names; `CorruptStore`
 */
export function* readLatest(
  data: Storage,
  id: string,
  seen: string | undefined,
  limits: string,
): Operation<Version | undefined> {
  const keys = documentKeys(id)
  const hint = yield* perform(get(data, keys.latest))
  const start = hint ?? (yield* perform(get(data, keys.first)))
  if (start === undefined) return undefined
  const chain = yield* follow(data, id, decode(start, 'A record of the storage'))
  const last = [...chain].at(-1) ?? ''
  if (seen !== undefined && !chain.has(seen)) {
    // Read after the first chain, it may already go beyond it.
    const known = yield* follow(data, id, seen)
    if (!known.has(last) || (yield* readVersion(data, id, seen)) === undefined)
      throw new SxError('Rollback', `The storage has an older version of ${id} than was there before.`)
  }
  const isHinted = hint !== undefined && chain.size === 1 // then nothing has said yet that it is part of history
  const found = isHinted ? yield* readClaimed(data, id, last, limits) : yield* readVersion(data, id, last)
  if (found === undefined)
    throw new SxError('Rollback', `The storage misses the version of ${id} that its records name.`)
  return found
}

/** The versions from one on to the last. */
function* follow(data: Storage, id: string, from: string): Operation<Set<string>> {
  const chain = new Set<string>()
  let version = from
  for (;;) {
    if (chain.has(version)) throw new SxError('CorruptStore', `The versions of ${id} form a circle.`)
    chain.add(version)
    const next = yield* perform(get(data, successor(id, version)))
    if (next === undefined) return chain
    version = decode(next, 'A record of the storage')
  }
}

function successor(id: string, version: string): Key {
  try {
    if (version === '') throw new SxError('InvalidId')
    return versionKeys(id, version).after
  } catch (cause) {
    throw new SxError('CorruptStore', 'A record of the storage does not name a version.', { cause })
  }
}
