import { encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { cursor, put } from '../home.ts'
import { toJsonText } from '../json.ts'
import { checkSize, limitsText } from '../limits.ts'
import { plainOptions } from '../options.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { ListDocumentsOptions, SignedDocument, VerificationResult } from '../types.ts'
import {
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
import { type Identity, orThrow, refusal, verdict } from './verify.ts'

/** How many documents' latest versions are remembered. */
const SEEN_CAPACITY = 10_000

/** Remembers the latest version of a document. */
export function remember(loaded: Loaded, id: string, version: string): void {
  const { seen } = loaded
  if (id !== loaded.id) seen.delete(id)
  seen.set(id, version)
  for (const oldest of seen.keys()) {
    if (seen.size <= SEEN_CAPACITY) return
    if (oldest !== loaded.id) seen.delete(oldest)
  }
}

function signed(loaded: Loaded, made: Made): SignedDocument {
  return Object.freeze({ raw: made.raw, documentId: made.id, agentId: loaded.id, timestamp: made.date })
}

function* make(session: Session, isMessage: boolean, json: string): Operation<Made> {
  const loaded = requireLoaded(session)
  const { limits } = session.options
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
  const made = yield* make(session, true, toJsonText(data, session.options.limits))
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
  const made = yield* make(session, false, text(document, 'documentString'))
  if (noSave) return made.raw
  yield* storeFirst(loaded.places.data, made)
  remember(loaded, made.id, made.version)
  if (output !== undefined) {
    yield* perform(put(loaded.places.data, [names().output, output], encode(made.raw)))
  }
  return made.raw
}

/**
 * Signs and stores the version after the current one.
 *
 * @param key `id:version` of the current version, or an id, which means the latest one
 * @param change the new payload, or the whole document with its body changed, as JSON text
 */
function* updateDocument(session: Session, key: unknown, change: string): Operation<Made> {
  const loaded = requireLoaded(session)
  const { data } = loaded.places
  const { id, version } = parseKey(key)
  if (id === loaded.id) throw new SxError('InvalidOption', 'An agent document is updated with updateAgent.')
  const current = yield* find(session, { id, version })
  if (current === undefined) throw new SxError('NotFound', 'The document to update is not in the storage.')
  if (yield* hasSuccessor(data, id, current.version)) throw new SxError('VersionConflict')
  const { result } = yield* verdict(session, current.text, { id, version: current.version })
  orThrow(result)
  const { limits } = session.options
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
  return yield* updateDocument(session, key, text(change, 'newDocumentString'))
}

/** `updateDocument` of the simplified API: by id, with a value or JSON text. */
export function* updateById(session: Session, id: unknown, change: unknown): Operation<SignedDocument> {
  const json = typeof change === 'string' ? text(change, 'newDocumentData') : toJsonText(change, session.options.limits)
  return signed(requireLoaded(session), yield* updateDocument(session, id, json))
}

/** A stored version by key, `undefined` if there is none. A malformed stored text counts as damage. */
function* find(session: Session, { id, version }: DocumentKey): Operation<Version | undefined> {
  const loaded = requireLoaded(session)
  const { data } = loaded.places
  if (version !== null) return yield* readClaimed(data, id, version, limitsText(session.options.limits))
  const latest = yield* readLatest(data, id, loaded.seen.get(id), limitsText(session.options.limits))
  if (latest !== undefined) remember(loaded, id, latest.version)
  else if (loaded.seen.has(id)) throw new SxError('Rollback', 'The storage misses a document that was there.')
  return latest
}

/** `verifyById`: an id means its latest version, `id:version` exactly that one. */
export function* verifyById(session: Session, key: unknown): Operation<VerificationResult> {
  requireLoaded(session)
  const parsed = parseKey(key)
  try {
    const found = yield* find(session, parsed)
    if (found === undefined) return refusal(new SxError('NotFound', 'The document is not in the storage.'))
    const { result } = yield* verdict(session, found.text, { id: parsed.id, version: found.version })
    return result
  } catch (error) {
    if (error instanceof SxError && (error.code === 'Rollback' || error.code === 'CorruptStore')) return refusal(error)
    throw error
  }
}

/** `getDocument`: a stored text. Its signature has not been verified by this. */
export function* getDocument(session: Session, key: unknown): Operation<string> {
  requireLoaded(session)
  const parsed = parseKey(key)
  const found = yield* find(session, parsed)
  if (found === undefined) throw new SxError('NotFound', 'The document is not in the storage.')
  const is = identify(session, found.text)
  if (is.id !== parsed.id || is.version !== found.version) {
    throw new SxError('CorruptStore', 'The storage holds another document under this key.')
  }
  return found.text
}

function identify(session: Session, document: string): Identity {
  return JSON.parse(call((core) => core.documentIdentity(document, limitsText(session.options.limits)))) as Identity
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
    const latest = yield* find(session, { id, version: null })
    if (latest === undefined) continue
    if (type === undefined || typeOf(session, id, latest.text) === type) found.push(`${id}:${latest.version}`)
  }
  return found
}

function typeOf(session: Session, id: string, document: string): string {
  try {
    return identify(session, document).type
  } catch (cause) {
    throw new SxError('CorruptStore', `The stored document ${id} is damaged.`, { cause })
  }
}

function firstKey(id: string): string[] {
  return (JSON.parse(call((core) => core.documentPaths(id, ''))) as { first: string[] }).first
}

interface Names {
  readonly documents: string
  readonly trust: string
  readonly output: string
  readonly passwordFile: string
}

/** Names of the storage's top entries; the core has them. */
export function names(): Names {
  return JSON.parse(call((core) => core.storageNames())) as Names
}
