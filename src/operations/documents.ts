import * as core from '#core'
import { encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { isVerdict, SxError } from '../errors.ts'
import { cursor, get, put, remove } from '../home.ts'
import { toJsonText } from '../json.ts'
import { checkSize } from '../limits.ts'
import { documentChain, names, parseKey, readEntryName } from '../names.ts'
import { LIST_OPTIONS } from '../option-names.ts'
import { plainOptions } from '../options.ts'
import { alone } from '../plain.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { type Documents, type Identity, type Made, readMade, type StoredVersion } from '../state/documents.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type { ListDocumentsOptions, SignedDocument, VerificationResult } from '../types.ts'
import { orThrow, refusal, type Verdict, verdict } from './verify.ts'

function signed(loaded: Loaded, made: Made): SignedDocument {
  return Object.freeze({ raw: made.raw, documentId: made.id, agentId: loaded.id, timestamp: made.date })
}

function* make(loaded: Loaded, isMessage: boolean, json: string): Operation<Made> {
  const { signer } = requireSigning(loaded)
  checkSize(json, loaded.options.limits)
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  return readMade(call(() => core.documentCreate(signer.handle, isMessage, json, at, random)))
}

/** Stores the first version of a document. */
function* storeFirst({ documents }: Loaded, made: Made): Operation<void> {
  if (yield* documents.append(made, 1)) return
  throw new SxError('AlreadyExists', 'A document of this id exists already.')
}

/** `signMessage` */
export function* signMessage(session: Session, data: unknown, noSave = false): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  requireSigning(loaded)
  const made = yield* make(loaded, true, toJsonText(data, loaded.options.limits))
  if (!noSave) yield* storeFirst(loaded, made)
  return signed(loaded, made)
}

/** Signs a JSON text as a message, which may be stored or not. */
export function* signMessageText(session: Session, json: string, noSave: boolean): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  const made = yield* make(loaded, true, text(json, 'json'))
  if (!noSave) yield* storeFirst(loaded, made)
  return signed(loaded, made)
}

/** What `createDocument` does beside signing. */
export interface NewDocumentOptions {
  readonly outputFilename: string | null | undefined
  readonly noSave: boolean
  readonly type?: string | undefined
}

/** `createDocument` */
export function* createDocument(
  session: Session,
  data: unknown,
  { outputFilename, noSave, type }: NewDocumentOptions,
): Operation<string> {
  const loaded = requireLoaded(session)
  requireSigning(loaded)
  const output =
    outputFilename === null || outputFilename === undefined
      ? undefined
      : call(() => core.outputFile(text(outputFilename, 'outputFilename', LONGEST_NAME)))
  const { limits } = loaded.options
  const json = typeof data === 'string' ? text(data, 'data') : toJsonText(data, limits)
  const made = yield* make(loaded, false, type === undefined ? json : withType(json, type))
  if (noSave) return made.raw
  if (output === undefined) yield* storeFirst(loaded, made)
  else yield* storeWithCopy(loaded, made, [names().output, output])
  return made.raw
}

/** The object with its `sxType`. Members come as they stand in the text: the core reads them, strictly. */
function withType(json: string, type: unknown): string {
  const [, body] = /^[ \t\n\r]*\{([^]*)$/.exec(json) ?? []
  if (body === undefined) return json // no object, which the core refuses
  const member = `"sxType":${JSON.stringify(text(type, 'type', LONGEST_NAME))}`
  return `{${member}${/^[ \t\n\r]*\}/.test(body) ? '' : ','}${body}`
}

/** Longer than any name of a file. */
const LONGEST_NAME = 1024

/** Stores a document and a copy of it under a chosen name: both, or neither. */
function* storeWithCopy(loaded: Loaded, made: Made, key: Key): Operation<void> {
  const data: Storage = loaded.documents.storage
  const before = yield* perform(get(data, key))
  try {
    yield* perform(put(data, key, encode(made.raw)))
    yield* storeFirst(loaded, made)
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
  const { signer } = requireSigning(loaded)
  const { documents } = loaded
  const { id, version } = parseKey(key)
  if (id === loaded.id) throw new SxError('InvalidOption', 'An agent document is updated with updateAgent.')
  checkSize(change, loaded.options.limits)
  const current = yield* documents.latest(id)
  if (current === undefined) throw new SxError('NotFound', 'The document to update is not in the storage.')
  if (version !== null && documents.identifyText(id, current).version !== version) {
    const isOlder = (yield* documents.exact(id, version)) !== undefined
    if (!isOlder) throw new SxError('NotFound', 'The version to update is not in the storage.')
    throw new SxError('VersionConflict')
  }
  orThrow(yield* judge(loaded, id, current))
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const answer = call(() => core.documentUpdate(signer.handle, current.text, change, at, random))
  const made = readMade(answer)
  if (!(yield* documents.append(made, current.number + 1))) throw new SxError('VersionConflict')
  return made
}

/**
 * The verdict on a stored version, as the version of its place.
 *
 * @param version that it must be; any that fits the place if left out
 */
function* judge(loaded: Loaded, id: string, { number, text: stored }: StoredVersion, version = ''): Operation<Verdict> {
  const { documents } = loaded
  const found = yield* verdict(loaded, stored, { id, version })
  if (found.identity === undefined) return found
  documents.checkPlace(id, number, found.identity)
  documents.remember(id, number, found.identity.version)
  return found
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

/** A stored version by key, `undefined` if there is none. */
function* find({ documents }: Loaded, key: unknown): Operation<StoredVersion | undefined> {
  const { id, version } = parseKey(key)
  return version === null ? yield* documents.latest(id) : yield* documents.exact(id, version)
}

/** `verifyById`: an id means its latest version, `id:version` exactly that one. */
export function* verifyById(session: Session, key: unknown): Operation<VerificationResult> {
  const loaded = requireLoaded(session)
  const { id, version } = parseKey(key)
  try {
    const found = yield* find(loaded, key)
    if (found === undefined) throw new SxError('NotFound', 'The document is not in the storage.')
    return (yield* judge(loaded, id, found, version ?? '')).result
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error).result
    throw error
  }
}

/** `getDocument`: a stored text. Its signature has not been verified by this. */
export function* getDocument(session: Session, key: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const found = yield* find(loaded, key)
  if (found === undefined) throw new SxError('NotFound', 'The document is not in the storage.')
  loaded.documents.identifyText(parseKey(key).id, found)
  return found.text
}

/** `listDocuments`: keys of the latest versions, ascending. */
export function* listDocuments(session: Session, options: ListDocumentsOptions = {}): Operation<string[]> {
  const { documents } = requireLoaded(session)
  const { type, limit = Number.POSITIVE_INFINITY, after } = plainOptions(options, LIST_OPTIONS)
  if (type !== undefined && typeof type !== 'string')
    throw new SxError('InvalidOption', "The option 'type' is not a text.")
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new SxError('InvalidOption', "'limit' is not a whole number from 0.")
  }
  const from = after === undefined ? undefined : documentChain(parseKey(after).id).entry(1)
  const next = cursor(documents.storage, [names().documents], from)
  const found: string[] = []
  let last = after === undefined ? undefined : parseKey(after).id
  while (found.length < limit) {
    const key = yield* perform(next)
    if (key === undefined) break
    const entry = key.length === 3 ? readEntryName(key[2]) : undefined
    if (entry === undefined || entry.id === last) continue
    last = entry.id
    const listed = yield* identityOf(documents, entry.id)
    if (listed === undefined || (type !== undefined && (listed.type ?? type) !== type)) continue
    found.push(listed.version === undefined ? entry.id : `${entry.id}:${listed.version}`)
  }
  return found
}

/** What the latest version of a document says it is. Of one that cannot be told nothing: others are listed all the same. */
function* identityOf(documents: Documents, id: string): Operation<Partial<Identity> | undefined> {
  try {
    const latest = yield* documents.latest(id)
    return latest && documents.identifyText(id, latest)
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return alone({})
    throw error
  }
}
