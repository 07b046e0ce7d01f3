import type { Operation } from '../effects.ts'
import * as verification from '../operations/verify.ts'
import type { Session } from '../session.ts'
import { asynchronous, twin } from './form.ts'

/**
 * Whether a document is valid: its signature and its hash are good, under a key that is known for
 * its signer (protocol, section 9). It says neither why not, nor whether the signer is trusted;
 * `verifyOrThrow` does.
 *
 * @param documentString its JSON text; anything else gives false
 * @throws SxError `NoAgentLoaded`, storage codes; nothing because of the document
 * @example
 * const signed = await agent.createDocument('{"amount":1}')
 * console.log(await agent.verifyDocument(signed)) // true
 * console.log(await agent.verifyDocument(signed.replace('"amount":1', '"amount":2'))) // false
 */
export const verifyDocument = asynchronous(function* verifyDocument(
  session: Session,
  documentString: string,
): Operation<boolean> {
  return (yield* verification.verify(session, documentString)).valid
})
/** The synchronous twin of {@link verifyDocument}. */
export const verifyDocumentSync = twin(verifyDocument)

/**
 * Whether one of a document's signatures is good, under a key that is known for who made it. The
 * hash is not looked at (protocol, section 6).
 *
 * @param documentString its JSON text; anything else gives false
 * @param signatureField `sxSignature` (default) or `sxRegistration`; false if the document has none
 * @throws SxError `NoAgentLoaded`; `InvalidOption` for another field; storage codes; nothing because
 *   of the document
 * @example
 * const signed = await agent.createDocument('{"amount":1}')
 * console.log(await agent.verifySignature(signed)) // true
 * console.log(await agent.verifySignature(signed, 'sxRegistration')) // false
 */
export const verifySignature = asynchronous(function verifySignature(
  session: Session,
  documentString: string,
  signatureField?: string,
): Operation<boolean> {
  return verification.verifySignature(session, documentString, signatureField)
})
/** The synchronous twin of {@link verifySignature}. */
export const verifySignatureSync = twin(verifySignature)
