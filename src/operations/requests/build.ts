import * as core from '#core'
import { encode, isBytes } from '../../bytes.ts'
import { type CoreObject, text } from '../../core.ts'
import { type Operation, perform } from '../../effects.ts'
import { blankMoment, entropy, momentAt } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { digest } from '../../hash.ts'
import { exchangeModule } from '../../requests/module.ts'
import { REQUEST_CONTEXT } from '../../requests/statements.ts'
import { requireLoaded, requireSigning, type Session } from '../../session.ts'
import type { AgentIdentity } from '../../state/agent-identity.ts'
import { signed } from '../current-key.ts'
import { sign } from '../signing.ts'

/** More than any method, URL or audience that is accepted; in characters. */
const LONGEST = 16 * 1024

/** What a request is bound to. */
export interface Bound {
  readonly method: unknown
  readonly url: unknown
  readonly body: unknown
  readonly audience: unknown
}

/** What signs, and for whom. */
export interface Sender {
  readonly signer: CoreObject
  readonly identity: Pick<AgentIdentity, 'algorithm' | 'id' | 'keyId' | 'version'>
}

/** Makes the header of a request, dated in Unix milliseconds. */
export type MakeHeader = (sender: Sender, at: number, moment: Uint8Array) => string

/** `buildRequestAuthHeader` */
export function* buildRequestAuthHeader(session: Session, bound: Bound): Operation<string> {
  const loaded = requireLoaded(session)
  const make = yield* preparedHeader(bound)
  return yield* signed(loaded, function* (at) {
    const signing = requireSigning(loaded)
    const moment = momentAt(at, yield* perform(blankMoment))
    // The agent is read each time: while an external signer takes its time, the key may be rotated.
    return yield* sign(signing, () => make({ signer: signing.signer, identity: loaded.own.current }, at, moment))
  })
}

/** @throws SxError `InvalidOption`; `NotJson` for a lone surrogate */
export function* preparedHeader(bound: Bound): Operation<MakeHeader> {
  const method = text(bound.method, 'method', LONGEST)
  const url = text(bound.url, 'url', LONGEST)
  const audience = text(bound.audience, 'audience', LONGEST)
  const bytes = bodyBytes(bound.body)
  const module = yield* perform(exchangeModule)
  const body = yield* perform(digest([bytes]))
  return ({ signer, identity }, at, moment) => {
    const { algorithm, id: agentId, keyId, version: agentVersion } = identity
    const request = { method, url, audience, body, iat: Math.floor(at / 1000) }
    const claims = module.request(
      { ...request, algorithm, agentId, agentVersion, keyId },
      moment.subarray(-entropy.length),
    )
    return module.value(claims, core.messageSign(signer.handle, REQUEST_CONTEXT, claims, moment))
  }
}

/** @throws SxError `InvalidOption`; `NotJson` for a text with a lone surrogate */
function bodyBytes(body: unknown): Uint8Array {
  if (isBytes(body)) return body
  if (typeof body === 'string') return encode(text(body, 'body'))
  if (body === undefined || body === null) return new Uint8Array()
  const advice = 'Make the text that is sent once, with JSON.stringify, and pass it here and to the request.'
  throw new SxError('InvalidOption', "The argument 'body' is neither a string nor bytes.", { advice })
}
