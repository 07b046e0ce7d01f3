import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import { requireLoaded, type Session } from '../session.ts'
import { asynchronous, twin } from './form.ts'
import { refuseUnsupported } from './unsupported.ts'

/**
 * Signs and stores the next version of a stored document (protocol, sections 6 and 12). The current
 * version has to be valid, whoever signed it.
 *
 * @param documentKey `id:version` of its current version; an id alone means its latest one
 * @param newDocumentString JSON text: the new payload, or the whole document with its body changed
 * @param attachments not supported yet
 * @param embed not supported yet
 * @returns the new version, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`,
 *   `NotFound`; `VersionConflict` if the version has a successor, or someone else was faster;
 *   `Rollback`, `CorruptStore`; `InvalidOption` for an agent document; the code of a verdict on the
 *   current version; for the new one JSON codes, `InvalidDocument`, and `ReservedField` for a changed
 *   header; `Unsupported`; storage codes
 * @example
 * const { sxId, sxVersion } = JSON.parse(await agent.createDocument('{"amount":1}'))
 * const next = await agent.updateDocument(`${sxId}:${sxVersion}`, '{"amount":2}')
 * console.log(JSON.parse(next).amount) // 2
 */
export const updateDocument = asynchronous(function* updateDocument(
  session: Session,
  documentKey: string,
  newDocumentString: string,
  attachments?: readonly string[] | null,
  embed?: boolean | null,
): Operation<string> {
  requireLoaded(session)
  refuseUnsupported({ attachments, embed })
  return (yield* documents.updateDocumentText(session, documentKey, newDocumentString)).raw
})
/** The synchronous twin of {@link updateDocument}. */
export const updateDocumentSync = twin(updateDocument)
