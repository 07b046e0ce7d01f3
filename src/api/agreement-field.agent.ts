import type { Operation } from '../effects.ts'
import * as agreements from '../operations/agreement-field.ts'
import type { Session } from '../session.ts'
import { asynchronous, loadedAgent, twin } from './form.ts'

/**
 * What the agreement in a document has come to, as JSON (protocol, section 23): who has signed, who is missing, which
 * signatures do not count, and why. Keys are found as for `verify`. The signature of the document itself is not looked at:
 * those of the parties cover what the document says.
 *
 * @param documentString a document with an agreement, as JSON text; or several copies of it, of which the signatures count
 *   together, whoever signed which one
 * @param agreementFieldName the member of the document that holds the agreement; default `sxAgreement`
 * @returns JSON of an `AgreementStatus`, also of an agreement that is malformed
 * @throws SxError `NoAgentLoaded`; JSON codes; `NoAgreement` if there is no such member; `ReservedField`, `InvalidOption` for
 *   the field; `InvalidOption` for copies of different agreements; storage codes
 * @example
 * const { sxId } = JSON.parse(agent.exportAgent())
 * const asked = await agent.createAgreement(await agent.createDocument('{"rent":900}'), [sxId], 'Do you agree?')
 * console.log(JSON.parse(await agent.checkAgreement(asked)).status) // pending
 * console.log(JSON.parse(await agent.checkAgreement(await agent.signAgreement(asked))).status) // complete
 */
export const checkAgreement = asynchronous(
  { needs: loadedAgent },
  function checkAgreement(
    session: Session,
    documentString: string | readonly string[],
    agreementFieldName?: string | null,
  ): Operation<string> {
    return agreements.checkAgreement(session, documentString, agreementFieldName)
  },
)
/** The synchronous twin of {@link checkAgreement}. */
export const checkAgreementSync = twin(checkAgreement)
