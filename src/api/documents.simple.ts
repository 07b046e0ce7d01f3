import type { Operation } from '../effects.ts'
import type { FileSource } from '../file-types.ts'
import * as documents from '../operations/documents.ts'
import type { Session } from '../session.ts'
import type { SignedDocument, UpdateDocumentOptions } from '../types.ts'
import { asynchronous, privateKey, twin } from './form.ts'
import { unlessFiles, updateOptions } from './update-options.ts'

/**
 * Signs and stores the next version of a stored document (protocol, sections 6 and 12). The current
 * version has to be valid, whoever signed it.
 *
 * @param documentId its `sxId`, or `id:version` of its current version
 * @param newDocumentData a new payload, or the whole document with its body changed; an object or JSON text
 * @param attachments files in the place of those that are attached, as `signFile` takes them: one or several, or `[]`
 *   for none; left out, or null, what is attached stays. Or the options, which then are the last argument: `attachments`
 *   and `embed`; `schema`, with `schemas`, the custom schema that it has to fit from now on (a document that has one keeps
 *   it without, since it is stored beside the documents); `signal` and `onProgress` for
 *   the reading of files
 * @param embed whether the document holds the files that are passed; default false: only hashes
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`,
 *   `NotFound`; `VersionConflict` if the version has a successor, or someone else was faster;
 *   `Rollback`, `CorruptStore`; `InvalidOption` for an agent document; the code of a verdict on the
 *   current version; for the new one JSON codes, `InvalidDocument`, and `ReservedField` for a changed
 *   header; `SchemaRequired` where the schema of the document is not at hand; `SchemaViolation`, and the codes of a
 *   schema as for `createDocument`; storage codes; for attachments those of `signFile`
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * const { raw } = await updateDocument(documentId, { amount: 2 })
 * console.log((await verifyOrThrow(raw)).data) // { amount: 2 }
 */
export const updateDocument = asynchronous(
  {
    needs: privateKey,
    options: {
      at: 2,
      names: { schema: true, schemas: true, attachments: true, embed: true, signal: true, onProgress: true },
      copy: unlessFiles,
    },
  },
  function updateDocument(
    session: Session,
    documentId: string,
    newDocumentData: object | string,
    attachments?: FileSource | readonly FileSource[] | UpdateDocumentOptions | null,
    embed?: boolean | null,
  ): Operation<SignedDocument> {
    const how = updateOptions(attachments, embed)
    return documents.updateById(session, documentId, newDocumentData, how)
  },
)
/** The synchronous twin of {@link updateDocument}. */
export const updateDocumentSync = twin(updateDocument)
