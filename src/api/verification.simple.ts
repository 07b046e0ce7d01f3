import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import * as standalone from '../operations/standalone.ts'
import * as verification from '../operations/verify.ts'
import type { Session } from '../session.ts'
import type { StandaloneOptions, VerificationResult } from '../types.ts'
import { asynchronous, synchronous, twin } from './form.ts'

/**
 * The verdict on a signed document (specification 4.1; protocol, section 9). Never throws because of
 * the document.
 *
 * @param signedDocument its JSON text, whatever its white space and the order of its members
 * @throws SxError `NoAgentLoaded`, storage codes
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * console.log((await verify(raw)).valid) // true
 * console.log((await verify(raw.replace('"amount":1', '"amount":2'))).code) // BadSignature
 */
export const verify = asynchronous(function verify(
  session: Session,
  signedDocument: string,
): Operation<VerificationResult> {
  return verification.verify(session, signedDocument)
})
/** The synchronous twin of {@link verify}. */
export const verifySync = twin(verify)

/**
 * The verdict on a stored document (specification 4.1; protocol, sections 9 and 12). `NotFound`,
 * `Rollback` and `CorruptStore` are verdicts here.
 *
 * @param id an id, which means the latest version, or `id:version`
 * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * console.log((await verifyById(documentId)).data.amount) // 1
 * console.log((await verifyById(crypto.randomUUID())).code) // NotFound
 */
export const verifyById = asynchronous(function verifyById(
  session: Session,
  id: string,
): Operation<VerificationResult> {
  return documents.verifyById(session, id)
})
/** The synchronous twin of {@link verifyById}. */
export const verifyByIdSync = twin(verifyById)

/**
 * The verdict on the agent's own document: on its signature and its hash (protocol, section 9).
 *
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log((await verifySelf()).valid) // true
 */
export const verifySelf = asynchronous(function verifySelf(session: Session): Operation<VerificationResult> {
  return verification.verifySelf(session)
})
/** The synchronous twin of {@link verifySelf}. */
export const verifySelfSync = twin(verifySelf)

/**
 * The verdict on a signed document without an agent: only with the keys that are named here
 * (specification 4.1 and 5; protocol, sections 8 and 9). An agent that is loaded plays no part.
 *
 * @param signedDocument its JSON text
 * @param options where the keys are; without any folder `./sx_keys` and `./sx_data` in Node, and no
 *   keys in a page
 * @throws SxError `InvalidOption`, also for any folder in a page; storage codes; nothing because of the
 *   document
 * @example
 * const { raw, agentId } = await signMessage({ amount: 1 })
 * const { valid, trusted } = verifyStandalone(raw, { keyDirectory: { [agentId]: getPublicKey() } })
 * console.log(valid, trusted) // true false
 */
export const verifyStandalone = synchronous(function verifyStandalone(
  _: Session,
  signedDocument: string,
  options?: StandaloneOptions,
): Operation<VerificationResult> {
  return standalone.verifyStandalone(signedDocument, options)
})
