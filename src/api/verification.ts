import type { Operation } from '../effects.ts'
import * as verification from '../operations/verify.ts'
import type { Session } from '../session.ts'
import type { ValidResult } from '../types.ts'
import { asynchronous, twin } from './form.ts'

/**
 * The verdict on a document, if it is valid (protocol, section 9).
 *
 * @param signedDocument its JSON text
 * @throws SxError with its code of a verdict for any other document; `NoAgentLoaded`, storage codes
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * const { data, trusted } = await verifyOrThrow(raw)
 * console.log(data.amount, trusted) // 1 true
 */
export const verifyOrThrow = asynchronous(function verifyOrThrow(
  session: Session,
  signedDocument: string,
): Operation<ValidResult> {
  return verification.verifyOrThrow(session, signedDocument)
})
/** The synchronous twin of {@link verifyOrThrow}. */
export const verifyOrThrowSync = twin(verifyOrThrow)
