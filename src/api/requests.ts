import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import { verifyOrThrow } from '../operations/verify.ts'
import type { Session } from '../session.ts'
import { loadedAgent, privateKey, synchronous } from './form.ts'

/**
 * Signs a request: a document whose `content` the parameters are, as `signMessage` makes them (protocol, section 6).
 * Nothing is stored. It does not say whom it is for nor until when it counts; if that matters, put it in.
 *
 * @param params what JSON can show: plain objects, arrays, strings, finite numbers, booleans and null
 * @returns the signed document, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `NotJson`, `LossyNumber`,
 *   `LimitExceeded`; `SyncSignerUnavailable` with an external signer
 * @example
 * const request = signRequest({ method: 'balance', account: 7 })
 * console.log(JSON.parse(request).content.account) // 7
 */
export const signRequest = synchronous(
  { needs: privateKey, data: 'value' },
  function* signRequest(session: Session, params: unknown): Operation<string> {
    return (yield* documents.signMessage(session, params, true)).raw
  },
)

/**
 * What a signed document says, if it is valid, whatever its type: the payload of a verdict (protocol, section 6).
 *
 * @param documentString its JSON text
 * @throws SxError `NoAgentLoaded`; the code of the verdict on a document that is not valid; storage codes
 * @example
 * const { payload } = verifyResponse(signRequest({ balance: 12 }))
 * console.log(payload) // { balance: 12 }
 */
export const verifyResponse = synchronous(
  { needs: loadedAgent },
  function* verifyResponse(session: Session, documentString: string): Operation<{ payload: unknown }> {
    return { payload: (yield* verifyOrThrow(session, documentString)).data }
  },
)

/**
 * The same with the agent that has signed. That its key is known does not say that it is trusted: `isTrusted` does.
 *
 * @param documentString its JSON text
 * @throws SxError `NoAgentLoaded`; the code of the verdict on a document that is not valid; storage codes
 * @example
 * const { payload, agentId } = verifyResponseWithAgentId(signRequest({ balance: 12 }))
 * console.log(payload, agentId === getAgentInfo()?.agentId) // { balance: 12 } true
 */
export const verifyResponseWithAgentId = synchronous(
  { needs: loadedAgent },
  function* verifyResponseWithAgentId(
    session: Session,
    documentString: string,
  ): Operation<{ payload: unknown; agentId: string }> {
    const { data, signerId } = yield* verifyOrThrow(session, documentString)
    return { payload: data, agentId: signerId }
  },
)
