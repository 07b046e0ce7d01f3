import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import * as headers from '../operations/requests/build.ts'
import { verifyOrThrow } from '../operations/verify.ts'
import type { Session } from '../session.ts'
import { asynchronous, loadedAgent, privateKey, synchronous, twin } from './form.ts'

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

/**
 * Signs a request to another program: the value of its `Authorization` header (protocol, section 25). The signature is bound
 * to method, URL, body and audience. It is accepted once, and by default for five minutes. `verifyRequest` of
 * `sx-agent/http` verifies it.
 *
 * @param method such as `POST`, in any case
 * @param url absolute, with its query. The fragment is ignored
 * @param body exactly the bytes that are sent, or their text. `undefined` for a request without a body
 * @param audience whom the request is for: must equal the audience of the server, byte for byte. Usually its origin
 * @returns begins with `SX v2.`; about 560 characters with an `ed25519` key, 6,640 with `pq2025`
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `KeyRevoked`; `InvalidOption` for a
 *   URL that is not absolute, or another argument that cannot be used; `NotJson` for a lone surrogate; `SignerFailed`
 * @example
 * const body = JSON.stringify({ qty: 1 })
 * const url = 'https://api.example.com/orders'
 * const header = await buildRequestAuthHeader('POST', url, body, 'https://api.example.com')
 * console.log(header.slice(0, 6)) // SX v2.
 */
export const buildRequestAuthHeader = asynchronous(
  { needs: privateKey },
  function buildRequestAuthHeader(
    session: Session,
    method: string,
    url: string,
    body: string | Uint8Array | null | undefined,
    audience: string,
  ): Operation<string> {
    return headers.buildRequestAuthHeader(session, { method, url, body, audience })
  },
)
/** The synchronous twin of {@link buildRequestAuthHeader}. */
export const buildRequestAuthHeaderSync = twin(buildRequestAuthHeader)
