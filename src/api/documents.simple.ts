import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import { requireLoaded, type Session } from '../session.ts'
import type { SignedDocument } from '../types.ts'
import { asynchronous, twin } from './form.ts'
import { refuseUnsupported } from './unsupported.ts'

/**
 * Signs and stores the next version of a stored document (protocol, sections 6 and 12). The current
 * version has to be valid, whoever signed it.
 *
 * @param documentId its `sxId`, or `id:version` of its current version
 * @param newDocumentData a new payload, or the whole document with its body changed; an object or JSON text
 * @param attachments not supported yet
 * @param embed not supported yet
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`,
 *   `NotFound`; `VersionConflict` if the version has a successor, or someone else was faster;
 *   `Rollback`, `CorruptStore`; `InvalidOption` for an agent document; the code of a verdict on the
 *   current version; for the new one JSON codes, `InvalidDocument`, and `ReservedField` for a changed
 *   header; `Unsupported`; storage codes
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * const { raw } = await updateDocument(documentId, { amount: 2 })
 * console.log((await verifyOrThrow(raw)).data) // { amount: 2 }
 */
export const updateDocument = asynchronous(function* updateDocument(
  session: Session,
  documentId: string,
  newDocumentData: object | string,
  attachments?: readonly string[] | null,
  embed?: boolean | null,
): Operation<SignedDocument> {
  requireLoaded(session)
  refuseUnsupported({ attachments, embed })
  return yield* documents.updateById(session, documentId, newDocumentData)
})
/** The synchronous twin of {@link updateDocument}. */
export const updateDocumentSync = twin(updateDocument)
