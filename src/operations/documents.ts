import { encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { cursor, get, put, remove } from '../home.ts'
import { toJsonText } from '../json.ts'
import { checkSize, limitsText } from '../limits.ts'
import { plainOptions } from '../options.ts'
import { type Loaded, remember, requireLoaded, type Session } from '../session.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type { ListDocumentsOptions, SignedDocument, VerificationResult } from '../types.ts'
import {
  damage,
  hasSuccessor,
  type Made,
  readClaimed,
  readLatest,
  readMade,
  storeFirst,
  storeNext,
  type Version,
} from './history.ts'
import { type DocumentKey, isId, parseKey } from './ids.ts'
import { names } from './names.ts'
import { type Identity, orThrow, refusal, verdict } from './verify.ts'

function signed(loaded: Loaded, made: Made): SignedDocument {
  return Object.freeze({ raw: made.raw, documentId: made.id, agentId: loaded.id, timestamp: made.date })
}

function* make(loaded: Loaded, isMessage: boolean, json: string): Operation<Made> {
  const { limits } = loaded.options
  checkSize(json, limits)
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const { version } = loaded.document
  const answer = call((core) =>
    core.documentCreate(loaded.secret.handle, loaded.id, version, isMessage, json, at, random, limitsText(limits)),
  )
  return readMade(answer)
}

/** `signMessage` */
export function* signMessage(session: Session, data: unknown): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  const made = yield* make(loaded, true, toJsonText(data, loaded.options.limits))
  yield* storeFirst(loaded.places.data, made)
  remember(loaded, made.id, made.version)
  return signed(loaded, made)
}

/** `createDocument` */
export function* createDocument(
  session: Session,
  document: unknown,
  outputFilename: string | null | undefined,
  noSave: boolean,
): Operation<string> {
  const loaded = requireLoaded(session)
  const output =
    outputFilename === null || outputFilename === undefined
      ? undefined
      : call((core) => core.outputFile(text(outputFilename, 'outputFilename')))
  const made = yield* make(loaded, false, text(document, 'documentString'))
  if (noSave) return made.raw
  const { data } = loaded.places
  if (output === undefined) yield* storeFirst(data, made)
  else yield* storeWithCopy(data, made, [names().output, output])
  remember(loaded, made.id, made.version)
  return made.raw
}

/** Stores a document and a copy of it under a chosen name: both, or neither. */
function* storeWithCopy(data: Storage, made: Made, key: Key): Operation<void> {
  const before = yield* perform(get(data, key))
  try {
    yield* perform(put(data, key, encode(made.raw)))
    yield* storeFirst(data, made)
  } catch (error) {
    try {
      if (before === undefined) yield* perform(remove(data, key))
      else yield* perform(put(data, key, before))
    } catch {
      // What failed first is the error to report, and likely what stands in the way here too.
    }
    throw error
  }
}

/**
 * Signs and stores the version after the current one.
 *
 * @param key `id:version` of the current version, or an id, which means the latest one
 * @param change the new payload, or the whole document with its body changed, as JSON text
 */
function* updateDocument(loaded: Loaded, key: unknown, change: string): Operation<Made> {
  const { data } = loaded.places
  const { id, version } = parseKey(key)
  if (id === loaded.id) throw new SxError('InvalidOption', 'An agent document is updated with updateAgent.')
  const current = yield* find(loaded, { id, version })
  if (current === undefined) throw new SxError('NotFound', 'The document to update is not in the storage.')
  if (yield* hasSuccessor(data, id, current.version)) throw new SxError('VersionConflict')
  const { result } = yield* verdict(loaded, current.text, { id, version: current.version })
  orThrow(result)
  const { limits } = loaded.options
  checkSize(change, limits)
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const answer = call((core) =>
    core.documentUpdate(
      loaded.secret.handle,
      loaded.id,
      loaded.document.version,
      current.text,
      change,
      at,
      random,
      limitsText(limits),
    ),
  )
  const made = readMade(answer)
  yield* storeNext(data, made)
  remember(loaded, made.id, made.version)
  return made
}

/** `updateDocument` of the class: by key, with JSON text. */
export function* updateDocumentText(session: Session, key: unknown, change: unknown): Operation<Made> {
  return yield* updateDocument(requireLoaded(session), key, text(change, 'newDocumentString'))
}

/** `updateDocument` of the simplified API: by id, with a value or JSON text. */
export function* updateById(session: Session, id: unknown, change: unknown): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  const json = typeof change === 'string' ? text(change, 'newDocumentData') : toJsonText(change, loaded.options.limits)
  return signed(loaded, yield* updateDocument(loaded, id, json))
}

/** A stored version by key, `undefined` if there is none. A malformed stored text counts as damage. */
function* find(loaded: Loaded, { id, version }: DocumentKey): Operation<Version | undefined> {
  const { data } = loaded.places
  const limits = limitsText(loaded.options.limits)
  if (version !== null) return yield* readClaimed(data, id, version, limits)
  const latest = yield* readLatest(data, id, loaded.seen.get(id), limits)
  if (latest !== undefined) remember(loaded, id, latest.version)
  else if (loaded.seen.has(id)) throw new SxError('Rollback', `The storage misses the document ${id}, which was there.`)
  return latest
}

/** `verifyById`: an id means its latest version, `id:version` exactly that one. */
export function* verifyById(session: Session, key: unknown): Operation<VerificationResult> {
  const loaded = requireLoaded(session)
  const parsed = parseKey(key)
  try {
    const found = yield* find(loaded, parsed)
    if (found === undefined) return refusal(new SxError('NotFound', 'The document is not in the storage.'))
    const { result } = yield* verdict(loaded, found.text, { id: parsed.id, version: found.version })
    return result
  } catch (error) {
    if (error instanceof SxError && (error.code === 'Rollback' || error.code === 'CorruptStore')) return refusal(error)
    throw error
  }
}

/** `getDocument`: a stored text. Its signature has not been verified by this. */
export function* getDocument(session: Session, key: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const parsed = parseKey(key)
  const found = yield* find(loaded, parsed)
  if (found === undefined) throw new SxError('NotFound', 'The document is not in the storage.')
  const is = identify(loaded, parsed.id, found.text)
  if (is.id !== parsed.id || is.version !== found.version) {
    throw new SxError('CorruptStore', `The storage holds another document as ${parsed.id}.`)
  }
  return found.text
}

/** What a stored text says it is. */
function identify(loaded: Loaded, id: string, document: string): Identity {
  try {
    return JSON.parse(call((core) => core.documentIdentity(document, limitsText(loaded.options.limits)))) as Identity
  } catch (cause) {
    throw damage(cause, id)
  }
}

/** `listDocuments`: keys of the latest versions, ascending. */
export function* listDocuments(session: Session, options: ListDocumentsOptions = {}): Operation<string[]> {
  const loaded = requireLoaded(session)
  const { data } = loaded.places
  const { type, limit = Number.POSITIVE_INFINITY } = plainOptions(options)
  if (type !== undefined && typeof type !== 'string')
    throw new SxError('InvalidOption', "The option 'type' is not a text.")
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new SxError('InvalidOption', "'limit' is not a whole number from 0.")
  }
  const from = options.after === undefined ? undefined : firstKey(parseKey(options.after).id)
  const next = cursor(data, [names().documents], from)
  const found: string[] = []
  while (found.length < limit) {
    const key = yield* perform(next)
    if (key === undefined) break
    const [, , id = '', record] = key
    if (record !== 'first' || key.length !== 4 || !isId(id)) continue
    const latest = yield* find(loaded, { id, version: null })
    if (latest === undefined) continue
    if (type === undefined || identify(loaded, id, latest.text).type === type) found.push(`${id}:${latest.version}`)
  }
  return found
}

function firstKey(id: string): string[] {
  return (JSON.parse(call((core) => core.documentPaths(id, ''))) as { first: string[] }).first
}
