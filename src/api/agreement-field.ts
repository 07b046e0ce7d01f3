import type { Operation } from '../effects.ts'
import * as agreements from '../operations/agreement-field.ts'
import { flag, refuseAfterOptions } from '../options.ts'
import type { Session } from '../session.ts'
import type { CreateAgreementOptions, SignAgreementOptions } from '../types.ts'
import { asynchronous, privateKey, twin, unlessOther } from './form.ts'

/**
 * Asks agents to sign a document: makes its next version, in which a field holds the agreement (protocol, section 23).
 * What the document says, the question, the context, the parties and the policy are under every signature. This agent
 * signs the version, not the agreement. The version is stored where the one before it is stored.
 *
 * @param documentString a valid document, as JSON text
 * @param agentIds the parties: ids of agents, each once
 * @param question what they are asked; or the options, which then are the last argument
 * @param context what they should know for that
 * @param agreementFieldName the member of the document that holds the agreement; default `sxAgreement`
 * @returns the new version, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; the code of a verdict on the
 *   document; `NoParties`; `AgreementExists` if the agreement in the field was signed already; `ReservedField` for a field
 *   of the header, and for signed texts, images and backups; `InvalidId` for a party; `InvalidOption` for an agent document,
 *   a party that is named twice, a deadline in the past, and a member of the document that is not an agreement;
 *   `VersionConflict` if the version has a successor in the storage; `LimitExceeded`; `SchemaRequired`, `SchemaViolation`
 *   where another field is part of a document with a custom schema; storage codes
 * @example
 * const { raw, agentId } = await signMessage({ rent: 900 })
 * const asked = await createAgreement(raw, [agentId], 'Do you agree?')
 * const signed = await signAgreement(asked)
 * console.log(JSON.parse(signed).sxAgreement.signatures.length) // 1
 */
export const createAgreement = asynchronous(
  {
    needs: privateKey,
    options: {
      at: 2,
      names: {
        question: true,
        context: true,
        agreementFieldName: true,
        quorum: true,
        signBy: true,
        algorithms: true,
        minStrength: true,
      },
      copy: unlessOther,
    },
  },
  function createAgreement(
    session: Session,
    documentString: string,
    agentIds: readonly string[],
    question?: string | CreateAgreementOptions | null,
    context?: string | null,
    agreementFieldName?: string | null,
  ): Operation<string> {
    if (typeof question === 'object' && question !== null) {
      refuseAfterOptions({ context, agreementFieldName })
      return agreements.createAgreement(session, documentString, agentIds, question)
    }
    const options = {
      question: question ?? undefined,
      context: context ?? undefined,
      agreementFieldName: agreementFieldName ?? undefined,
    }
    return agreements.createAgreement(session, documentString, agentIds, options)
  },
)
/** The synchronous twin of {@link createAgreement}. */
export const createAgreementSync = twin(createAgreement)

/**
 * Signs the agreement in a document: makes the next version of the document, with this agent's signature (protocol, section
 * 23). The version is stored where the one before it is stored; an agent that holds only the document gets it back. Signing
 * twice returns the document as it is.
 *
 * @param documentString a valid document with an agreement, as JSON text
 * @param agreementFieldName the member of the document that holds the agreement, default `sxAgreement`; or the options
 * @returns the new version, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; the code of a verdict on the
 *   document; `NoAgreement`; `NotAParty` if the agreement does not list this agent; `TooLate` if its deadline has passed;
 *   `TooWeak` if it does not accept the algorithm of this agent's key; `AgreementHash`, `HashMismatch` if terms or document
 *   were changed after it was made; `AlreadySigned` with `refuseSigned`; `InvalidDocument`, `UnsupportedFormat` for an
 *   agreement that cannot be read; `ReservedField`, `InvalidOption` for the field; `VersionConflict` if the version has a
 *   successor in the storage; `LimitExceeded`; `SchemaRequired`, `SchemaViolation` as for `createAgreement`; storage codes
 * @example
 * const { raw, agentId } = await signMessage({ rent: 900 })
 * const asked = await createAgreement(raw, [agentId], { question: 'Do you agree?', signBy: '2030-01-01T00:00:00.000Z' })
 * const signed = await signAgreement(asked)
 * console.log((await signAgreement(signed)) === signed) // true
 */
export const signAgreement = asynchronous(
  {
    needs: privateKey,
    options: { at: 1, names: { agreementFieldName: true, refuseSigned: true }, copy: unlessOther },
  },
  function signAgreement(
    session: Session,
    documentString: string,
    agreementFieldName?: string | SignAgreementOptions | null,
  ): Operation<string> {
    if (typeof agreementFieldName !== 'object' || agreementFieldName === null) {
      return agreements.signAgreement(session, documentString, agreementFieldName, false)
    }
    const { agreementFieldName: field, refuseSigned } = agreementFieldName
    return agreements.signAgreement(session, documentString, field, flag('refuseSigned', refuseSigned))
  },
)
/** The synchronous twin of {@link signAgreement}. */
export const signAgreementSync = twin(signAgreement)
