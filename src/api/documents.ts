import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import type { Session } from '../session.ts'
import type { ListDocumentsOptions } from '../types.ts'
import { asynchronous, twin } from './form.ts'

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
