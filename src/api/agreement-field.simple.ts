import type { Operation } from '../effects.ts'
import * as agreements from '../operations/agreement-field.ts'
import type { Session } from '../session.ts'
import type { AgreementStatus } from '../types.ts'
import { asynchronous, loadedAgent, twin } from './form.ts'

/**
 * What the agreement in a document has come to (protocol, section 23): who has signed, who is missing, which signatures do
 * not count, and why. Keys are found as for `verify`. The signature of the document itself is not looked at: those of the
 * parties cover what the document says.
 *
 * @param documentString a document with an agreement, as JSON text; or several copies of it, of which the signatures count
 *   together, whoever signed which one
 * @param agreementFieldName the member of the document that holds the agreement; default `sxAgreement`
 * @returns the status, also of an agreement that is malformed
 * @throws SxError `NoAgentLoaded`; JSON codes; `NoAgreement` if there is no such member; `ReservedField`, `InvalidOption` for
 *   the field; `InvalidOption` for copies of different agreements; storage codes
 * @example
 * const { raw, agentId } = await signMessage({ rent: 900 })
 * const asked = await createAgreement(raw, [agentId], 'Do you agree?')
 * const { status, missing } = await checkAgreement(asked)
 * console.log(status, missing.length) // pending 1
 * console.log((await checkAgreement(await signAgreement(asked))).complete) // true
 */
export const checkAgreement = asynchronous(
  { needs: loadedAgent },
  function checkAgreement(
    session: Session,
    documentString: string | readonly string[],
    agreementFieldName?: string | null,
  ): Operation<AgreementStatus> {
    return agreements.agreementStatus(session, documentString, agreementFieldName)
  },
)
/** The synchronous twin of {@link checkAgreement}. */
export const checkAgreementSync = twin(checkAgreement)
