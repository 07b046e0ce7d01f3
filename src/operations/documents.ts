import * as core from '#core'
import { encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { get, put, remove } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { blankMoment, momentAt } from '../entropy.ts'
import { isVerdict, SxError } from '../errors.ts'
import { toJsonText } from '../json.ts'
import { refuseMistaken } from '../json-text.ts'
import { checkSize } from '../limits.ts'
import { names, parseId, parseKey } from '../names.ts'
import { type CompiledSchema, schemasOf } from '../schemas/cache.ts'
import type { PendingSchema } from '../schemas/source.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { type Made, readMade, type StoredVersion } from '../state/documents.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type { SignedDocument, VerificationResult } from '../types.ts'
import { orThrow, refusal, type Verdict } from '../verification/decide.ts'
import { signedAndStored, signed as signedNow, versionPlace } from './current-key.ts'
import { type Attachments, describe } from './files.ts'
import { sign } from './signing.ts'
import { ownVerdict, verdict } from './verify.ts'

/** What is told of a document that was signed. */
export function shown(loaded: Loaded, made: Made): SignedDocument {
  return Object.freeze({ raw: made.raw, documentId: made.id, agentId: loaded.id, timestamp: made.date })
}

/** What else a document is to have: files, and a schema that it fits. */
interface MakeOptions {
  readonly attached?: Attachments | undefined
  readonly fitting?: CompiledSchema | undefined
}

/** What the core makes a first version of. */
export interface First {
  /** Whether the text is the content of a message. */
  readonly isMessage: boolean
  readonly json: string
  /** Entries of attached files, as {@link describe} gives them. */
  readonly files?: string | undefined
  readonly fitting?: CompiledSchema | undefined
}

/** Stores the first version of a document. */
type Store = (loaded: Loaded, made: Made) => Operation<void>

/** Signs the first version of a document, and stores it if it is told how. */
function* make(
  loaded: Loaded,
  isMessage: boolean,
  json: string,
  store: Store | undefined,
  options: MakeOptions = {},
): Operation<Made> {
  const { attached, fitting } = options
  const { limits } = loaded.options
  checkSize(json, limits)
  const files = attached && (yield* describe(attached, limits))
  const make = (at: number): Operation<Made> => makeFirst(loaded, { isMessage, json, files, fitting }, at)
  if (store === undefined) return yield* signedNow(loaded, make)
  return yield* signedAndStored(loaded, versionPlace(1), make, (made) => storeFitting(loaded, made, store, fitting))
}

/** Stores the schema that a document fits, then the document. */
function* storeFitting(loaded: Loaded, made: Made, store: Store, fitting?: CompiledSchema): Operation<void> {
  if (fitting !== undefined) yield* schemasOf(loaded).keep(loaded.documents.storage, fitting)
  yield* store(loaded, made)
}

/** What a document is to be, as the core takes it: JSON, or nothing for a plain document, as most are. */
export function making(isMessage: boolean, isDraft: boolean, fitting: CompiledSchema | undefined): string | undefined {
  if (!isMessage && !isDraft && fitting === undefined) return undefined
  const schema = fitting === undefined ? '' : `,"schema":${JSON.stringify(fitting.id)}`
  return `{"isMessage":${isMessage},"isDraft":${isDraft}${schema}}`
}

/** Signs the first version of a document, dated so. */
export function* makeFirst(loaded: Loaded, first: First, at: number): Operation<Made> {
  const { isMessage, json, files, fitting } = first
  const signing = requireSigning(loaded)
  const moment = momentAt(at, yield* perform(blankMoment))
  const create = (body: string, isDraft: boolean): string =>
    core.documentCreate(signing.signer.handle, body, making(isMessage, isDraft, fitting), files, moment)
  // What is checked is what will be signed, but for its hash and its signature.
  const draft = fitting && readMade(call(() => create(json, true))).raw
  const body = (draft && fitting?.complete(draft, loaded.options.limits, ['sxType', 'sxLevel'])) || json
  const make = (): string => create(body, false)
  // Most signatures are made here. One more generator takes half a percent of one.
  return readMade(signing.external === undefined ? call(make) : yield* sign(signing, make))
}

const storeFirst: Store = function* ({ documents }, made) {
  if (yield* documents.append(made, 1)) return
  throw new SxError('AlreadyExists', 'A document with this id already exists.')
}

/** `signMessage` */
export function* signMessage(session: Session, data: unknown, noSave = false): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  const json = toJsonText(data, loaded.options.limits)
  return shown(loaded, yield* make(loaded, true, json, noSave ? undefined : storeFirst))
}

/** `signFile`: a document of this type that has no content but the file. */
export function* signFile(session: Session, file: Attachments, noSave: boolean): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  const store = noSave ? undefined : storeFirst
  return shown(loaded, yield* make(loaded, false, '{"sxType":"file"}', store, { attached: file }))
}

/** What `createDocument` does beside signing. */
export interface NewDocumentOptions {
  readonly outputFilename: string | null | undefined
  readonly noSave: boolean
  readonly type?: string | undefined
  readonly attached?: Attachments | undefined
  readonly schema?: PendingSchema | undefined
}

/** `createDocument` */
export function* createDocument(
  session: Session,
  data: unknown,
  { outputFilename, noSave, type, attached, schema }: NewDocumentOptions,
): Operation<string> {
  const loaded = requireLoaded(session)
  const output =
    outputFilename === null || outputFilename === undefined
      ? undefined
      : call(() => core.outputFile(text(outputFilename, 'outputFilename', LONGEST_NAME)))
  const body = jsonOf(data, loaded, type)
  const fitting = schema && (yield* schemasOf(loaded).compileToSign(yield* schema()))
  const copy: Key | undefined = output === undefined ? undefined : [names().output, output]
  const store = copy === undefined ? storeFirst : storeWithCopy(copy)
  const made = yield* make(loaded, false, body, noSave ? undefined : store, { attached, fitting })
  if (noSave && copy !== undefined) yield* perform(put(loaded.documents.storage, copy, encode(made.raw)))
  return made.raw
}

/** The JSON text of a document that is passed as one, or as an object. */
export function jsonOf(data: unknown, { options }: Loaded, type: unknown): string {
  const json = typeof data === 'string' ? refuseMistaken(text(data, 'data')) : toJsonText(data, options.limits)
  return type === undefined ? json : withType(json, type)
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
function storeWithCopy(key: Key): Store {
  return function* (loaded, made) {
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
}

/** Options of an update. */
export interface UpdateOptions {
  readonly attached?: Attachments | undefined
  readonly schema?: PendingSchema | undefined
}

/**
 * Signs and stores the version after the current one.
 *
 * @param key `id:version` of the current version, or an id, which means the latest one
 * @param change the new payload, or the whole document with its body changed, as JSON text
 * @param options.attached in the place of what is attached; left out, that stays. It is read before the current version,
 *   so that a large file leaves no time for others to be faster
 * @param options.schema that it has to fit from now on
 */
function* updateDocument(loaded: Loaded, key: unknown, change: string, options: UpdateOptions): Operation<Made> {
  const { attached, schema } = options
  const { documents } = loaded
  const { id, version } = parseKey(key)
  if (id === loaded.id) throw new SxError('InvalidOption', 'This is an agent document. Update it with updateAgent.')
  refuseMistaken(checkSize(change, loaded.options.limits))
  const files = attached && (yield* describe(attached, loaded.options.limits))
  const current = yield* documents.latest(id)
  if (current === undefined) throw new SxError('NotFound', 'The document to update is not stored.')
  if (version !== null && documents.identifyText(id, current).version !== version) {
    const isOlder = (yield* documents.exact(id, version)) !== undefined
    if (!isOlder) throw new SxError('NotFound', 'The version to update is not stored.')
    throw new SxError('VersionConflict')
  }
  orThrow(yield* judge(loaded, id, current))
  const given = schema && (yield* schemasOf(loaded).compileToSign(yield* schema()))
  let used = given
  const signNext = function* (at: number): Operation<Made> {
    const signing = requireSigning(loaded)
    const moment = momentAt(at, yield* perform(blankMoment))
    const update = (offered: string, fitting?: CompiledSchema, isDraft = false): string =>
      core.documentUpdate(signing.signer.handle, current.text, offered, making(false, isDraft, fitting), files, moment)
    const make = function* (fitting?: CompiledSchema): Operation<Made> {
      const draft = fitting && readMade(call(() => update(change, fitting, true))).raw
      const offered = (draft && fitting?.complete(draft, loaded.options.limits, ['sxId'])) || change
      return readMade(yield* sign(signing, () => update(offered, fitting)))
    }
    try {
      return yield* make(given)
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'SchemaRequired')) throw error
      const { $schema } = JSON.parse(current.text) as { $schema: string }
      used = yield* schemasOf(loaded).kept(loaded.documents.storage, $schema)
      return yield* make(used)
    }
  }
  return yield* signedAndStored(loaded, versionPlace(current.number + 1), signNext, function* (made) {
    if (used !== undefined) yield* schemasOf(loaded).keep(documents.storage, used)
    if (!(yield* documents.append(made, current.number + 1))) throw new SxError('VersionConflict')
  })
}

/**
 * The verdict on a stored version, as the version of its place.
 *
 * @param version that it must be; any that fits the place if left out
 */
export function* judge(
  loaded: Loaded,
  id: string,
  { number, text: stored }: StoredVersion,
  version = '',
): Operation<Verdict> {
  const { documents } = loaded
  const judging = id === loaded.id ? ownVerdict : verdict
  const found = yield* judging(loaded, stored, { id, version })
  if (found.identity === undefined) return found
  documents.checkPlace(id, number, found.identity)
  documents.remember(id, number, found.identity.version)
  return found
}

/** `updateDocument` of the class: by key, with JSON text. */
export function* updateDocumentText(
  session: Session,
  key: unknown,
  change: unknown,
  options: UpdateOptions = {},
): Operation<Made> {
  return yield* updateDocument(requireLoaded(session), key, text(change, 'newDocumentString'), options)
}

/** `updateDocument` of the simplified API: by id, with a value or JSON text. */
export function* updateById(
  session: Session,
  id: unknown,
  change: unknown,
  options: UpdateOptions = {},
): Operation<SignedDocument> {
  const loaded = requireLoaded(session)
  const json = typeof change === 'string' ? text(change, 'newDocumentData') : toJsonText(change, loaded.options.limits)
  return shown(loaded, yield* updateDocument(loaded, id, json, options))
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
    if (found === undefined) throw new SxError('NotFound', 'The document is not stored.')
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
  if (found === undefined) throw new SxError('NotFound', 'The document is not stored.')
  loaded.documents.identifyText(parseKey(key).id, found)
  return found.text
}

/** `listVersions`: keys of all versions, oldest first. */
export function* listVersions(session: Session, documentId: unknown): Operation<string[]> {
  const { documents } = requireLoaded(session)
  const id = parseId(documentId)
  const versions = yield* documents.versions(id)
  if (versions.length === 0) throw new SxError('NotFound', 'The document is not stored.')
  return versions.map((version) => `${id}:${version}`)
}
