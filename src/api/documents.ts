import type { Operation } from '../effects.ts'
import { SxError } from '../errors.ts'
import * as documents from '../operations/documents.ts'
import { DOCUMENT_OPTIONS, SIGN_OPTIONS } from '../option-names.ts'
import { plainOptions } from '../options.ts'
import { requireLoaded, type Session } from '../session.ts'
import type { CreateDocumentOptions, ListDocumentsOptions, SignedDocument } from '../types.ts'
import { asynchronous, twin } from './form.ts'
import { refuseUnsupported } from './unsupported.ts'

/**
 * Signs a value as a document whose `content` it is, and stores it (protocol, section 6).
 *
 * @param data what JSON can show: plain objects, arrays, strings, finite numbers, booleans and null, with
 *   nothing left out or converted (protocol, section 1)
 * @param options `noSave` signs without storing anything; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `NotJson`, `LossyNumber`,
 *   `LimitExceeded`; storage codes
 * @example
 * const signed = await signMessage({ amount: 1 })
 * const { data } = await verifyOrThrow(signed.raw)
 * console.log(data) // { amount: 1 }
 */
export const signMessage = asynchronous(function signMessage(
  session: Session,
  data: unknown,
  options?: { noSave?: boolean },
): Operation<SignedDocument> {
  requireLoaded(session)
  const { noSave } = plainOptions(options ?? {}, SIGN_OPTIONS)
  return documents.signMessage(session, data, flag('noSave', noSave))
})
/** The synchronous twin of {@link signMessage}. */
export const signMessageSync = twin(signMessage)

/**
 * Signs a JSON object as the first version of a document and stores it (protocol, section 6).
 *
 * @param data the object, or its JSON text, without header fields; `sxType` (default `document`) and `sxLevel`
 *   (default `raw`) may be set
 * @param customSchema not supported yet: pass null; or the options, which then are the last argument
 * @param outputFilename stores a copy under this plain file name, in `output` of the data directory
 * @param noSave true signs without storing anything; default false
 * @param attachments not supported yet: pass null
 * @param embed not supported yet
 * @returns the signed document, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; JSON codes;
 *   `InvalidDocument` for what is no object, or has a `sxType` or `sxLevel` that is not allowed;
 *   `ReservedField` for other names of the header; `InvalidId` for the file name; `InvalidOption`; `Unsupported`;
 *   storage codes
 * @example
 * const signed = await createDocument({ amount: 1 }, { type: 'invoice', outputFilename: 'invoice.json' })
 * console.log(JSON.parse(signed).sxType) // invoice
 */
export const createDocument = asynchronous(function* createDocument(
  session: Session,
  data: object | string,
  customSchema?: string | CreateDocumentOptions | null,
  outputFilename?: string | null,
  noSave?: boolean | null,
  attachments?: string | null,
  embed?: boolean | null,
): Operation<string> {
  requireLoaded(session)
  if (typeof customSchema === 'object' && customSchema !== null) {
    return yield* documents.createDocument(session, data, documentOptions(customSchema))
  }
  refuseUnsupported({ customSchema, attachments, embed })
  return yield* documents.createDocument(session, data, { outputFilename, noSave: flag('noSave', noSave) })
})
/** The synchronous twin of {@link createDocument}. */
export const createDocumentSync = twin(createDocument)

function documentOptions(options: CreateDocumentOptions): documents.NewDocumentOptions {
  const { schema, attachments, embed, outputFilename, noSave, type } = plainOptions(options, DOCUMENT_OPTIONS)
  refuseUnsupported({ schema, attachments, embed })
  return { outputFilename, noSave: flag('noSave', noSave), type }
}

/** An option that says yes or no. */
function flag(name: string, value: unknown): boolean {
  if (typeof (value ?? false) === 'boolean') return value === true
  throw new SxError('InvalidOption', `'${name}' is neither true nor false.`)
}

/**
 * The text of a stored document (protocol, section 12). Its signature is not verified by this;
 * `verifyById` does.
 *
 * @param key `id:version`, or an id, which means its latest version
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`; `Rollback` if a newer version is known that
 *   is not there; `CorruptStore`; `LimitExceeded` if it is larger than the agent's limits; storage codes
 * @example
 * const { raw, documentId } = await signMessage({ amount: 1 })
 * console.log((await getDocument(documentId)) === raw) // true
 */
export const getDocument = asynchronous(function getDocument(session: Session, key: string): Operation<string> {
  return documents.getDocument(session, key)
})
/** The synchronous twin of {@link getDocument}. */
export const getDocumentSync = twin(getDocument)

/**
 * Keys (`id:version`) of the stored documents' latest versions, ascending. The agent's own document is
 * among them. No signature is verified by this. A document whose latest version cannot be told is
 * listed by its id alone, whatever the type: `verifyById` says what is wrong with it.
 *
 * @throws SxError `NoAgentLoaded`; `InvalidId` for `after`, `InvalidOption` for `type` and `limit`;
 *   storage codes
 * @example
 * await signMessage({ amount: 1 })
 * console.log((await listDocuments({ type: 'message' })).length) // 1
 */
export const listDocuments = asynchronous(function listDocuments(
  session: Session,
  options?: ListDocumentsOptions,
): Operation<string[]> {
  return documents.listDocuments(session, options)
})
/** The synchronous twin of {@link listDocuments}. */
export const listDocumentsSync = twin(listDocuments)
