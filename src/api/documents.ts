import type { Operation } from '../effects.ts'
import { fileWork } from '../file-options.ts'
import type { FileSource } from '../file-types.ts'
import * as documents from '../operations/documents.ts'
import { attachmentsIn } from '../operations/files.ts'
import * as importing from '../operations/importing.ts'
import * as listing from '../operations/listing.ts'
import { flag, refuseAfterOptions } from '../options.ts'
import { schemaOf } from '../schemas/source.ts'
import type { Session } from '../session.ts'
import type { CreateDocumentOptions, ListDocumentsOptions, SignedDocument } from '../types.ts'
import { asynchronous, loadedAgent, nullable, privateKey, twin, unlessOther } from './form.ts'

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
export const signMessage = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true }, copy: nullable }, data: 'value' },
  function signMessage(session: Session, data: unknown, options?: { noSave?: boolean }): Operation<SignedDocument> {
    return documents.signMessage(session, data, flag('noSave', options?.noSave))
  },
)
/** The synchronous twin of {@link signMessage}. */
export const signMessageSync = twin(signMessage)

/**
 * Signs a JSON object as the first version of a document and stores it (protocol, section 6).
 *
 * @param data the object, or its JSON text, without header fields; `sxType` (default `document`) and `sxLevel`
 *   (default `raw`) may be set
 * @param customSchema the path of a schema that it has to fit (protocol, section 22), or null; or the options, which then
 *   are the last argument. Defaults of the schema are filled in
 * @param outputFilename writes a copy under this plain file name into `output` of the data directory, with `noSave` too
 * @param noSave true signs without storing the document; default false
 * @param attachments files to attach, as `signFile` takes them: one or several
 * @param embed whether the document holds what is attached; default false: only hashes
 * @returns the signed document, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; JSON codes;
 *   `InvalidDocument` for what is no object, or has a `sxType` or `sxLevel` that is not allowed;
 *   `ReservedField` for other names of the header; `SchemaViolation`, whose `details` say all that is wrong;
 *   `InvalidSchema`, `SchemaLimit`, `RefNotAllowed`, `UnsafePattern` for the schema; `InvalidId` for the file name;
 *   `InvalidOption`; storage codes; for attachments those of `signFile`
 * @example
 * const signed = await createDocument({ amount: 1 }, { type: 'invoice', outputFilename: 'invoice.json' })
 * console.log(JSON.parse(signed).sxType) // invoice
 */
export const createDocument = asynchronous(
  {
    needs: privateKey,
    options: {
      at: 1,
      names: {
        schema: true,
        schemas: true,
        attachments: true,
        embed: true,
        outputFilename: true,
        noSave: true,
        type: true,
        signal: true,
        onProgress: true,
      },
      copy: unlessOther,
    },
    data: 'document',
  },
  function createDocument(
    session: Session,
    data: object | string,
    customSchema?: string | CreateDocumentOptions | null,
    outputFilename?: string | null,
    noSave?: boolean | null,
    attachments?: FileSource | readonly FileSource[] | null,
    embed?: boolean | null,
  ): Operation<string> {
    if (typeof customSchema === 'object' && customSchema !== null) {
      refuseAfterOptions({ outputFilename, noSave, attachments, embed })
      return documents.createDocument(session, data, documentOptions(customSchema))
    }
    const attached = attachmentsIn(attachments, flag('embed', embed))
    const schema = schemaOf({ schema: customSchema })
    return documents.createDocument(session, data, { outputFilename, noSave: flag('noSave', noSave), attached, schema })
  },
)
/** The synchronous twin of {@link createDocument}. */
export const createDocumentSync = twin(createDocument)

function documentOptions(options: CreateDocumentOptions): documents.NewDocumentOptions {
  const { schema, schemas, attachments, embed, outputFilename, noSave, type, ...work } = options
  const attached = attachmentsIn(attachments, flag('embed', embed), fileWork(work))
  return { outputFilename, noSave: flag('noSave', noSave), type, attached, schema: schemaOf({ schema, schemas }) }
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
export const getDocument = asynchronous(
  { needs: loadedAgent },
  function getDocument(session: Session, key: string): Operation<string> {
    return documents.getDocument(session, key)
  },
)
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
export const listDocuments = asynchronous(
  { needs: loadedAgent, options: { at: 0, names: { type: true, after: true, limit: true } } },
  function listDocuments(session: Session, options?: ListDocumentsOptions): Operation<string[]> {
    return listing.listDocuments(session, options)
  },
)
/** The synchronous twin of {@link listDocuments}. */
export const listDocumentsSync = twin(listDocuments)

/**
 * Keys (`id:version`) of all versions of a stored document, oldest first. They come from the chain of its versions, which
 * has to hold together (protocol, section 12); no signature is verified by this. The cost grows with the versions of this
 * document alone.
 *
 * @param id the document's id, without a version
 * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`; `CorruptStore` if a version is damaged, missing or does not
 *   follow the one before it; `Rollback` if a newer version is known that is not there; storage codes
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * await updateDocument(documentId, { amount: 2 })
 * const [first] = await listVersions(documentId)
 * console.log(JSON.parse(await getDocument(first)).content) // { amount: 1 }
 */
export const listVersions = asynchronous(
  { needs: loadedAgent },
  function listVersions(session: Session, id: string): Operation<string[]> {
    return documents.listVersions(session, id)
  },
)
/** The synchronous twin of {@link listVersions}. */
export const listVersionsSync = twin(listVersions)

/**
 * Stores a document of others, with all its versions, so that what this agent signs of it is stored too. All versions have
 * to be valid, and are verified before the first one is stored. Versions that are stored already are left as they are.
 *
 * @param document a first version, as JSON text, or versions in order, oldest first. The first of them is a first version, or
 *   the version before it is stored
 * @returns the key (`id:version`) of the last one
 * @throws SxError `NoAgentLoaded`; the code of a verdict on a version; `NotFound` if versions before the first one are missing;
 *   `VersionConflict` if another version is stored in the place of one; `InvalidOption` for an agent document, and for versions
 *   that do not follow each other; storage codes
 * @example
 * const { raw } = await signMessage({ amount: 1 }, { noSave: true })
 * const key = await importDocument(raw)
 * console.log((await getDocument(key)) === raw) // true
 */
export const importDocument = asynchronous(
  { needs: loadedAgent },
  function importDocument(session: Session, document: string | readonly string[]): Operation<string> {
    return importing.importDocument(session, document)
  },
)
/** The synchronous twin of {@link importDocument}. */
export const importDocumentSync = twin(importDocument)
