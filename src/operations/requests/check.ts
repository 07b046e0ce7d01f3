import * as core from '#core'
import { equalBytes } from '../../bytes.ts'
import { call } from '../../core.ts'
import { type Operation, perform } from '../../effects.ts'
import { now } from '../../entropy.ts'
import { isVerdict, SxError } from '../../errors.ts'
import {
  type ExchangeModule,
  exchangeModule,
  isRefusal,
  type OpenedRequest,
  type RequestPolicy,
  type RequestRefusal,
} from '../../requests/module.ts'
import { REQUEST_CONTEXT } from '../../requests/statements.ts'
import { type Loaded, requireLoaded, type Session } from '../../session.ts'
import { type KnownKeys, setKeys } from '../../verification/decide.ts'
import { sourcesOf } from '../verify.ts'

/** A request as its head says it is: what is known before its body is read. */
export interface RequestHead extends Omit<RequestPolicy, 'now'> {
  readonly method: string
  /** The target of the request line. */
  readonly target: string
  /** Of the server, as its configuration has it. */
  readonly origin: string
}

/** A request with a right head: its signature is one of an agent that is trusted. */
export interface SignedHead extends OpenedRequest, Signer {
  /** Absolute, in normal form. */
  readonly url: string
}

/** What the core knows of a signer. */
interface Judged {
  readonly name: string
  readonly trusted: boolean
}

/** Makes all checks that do not need the body, so that the body of a refused request is not read. */
export function* checkHead(session: Session, head: RequestHead): Operation<SignedHead | RequestRefusal> {
  const loaded = requireLoaded(session)
  const module = yield* perform(exchangeModule)
  const opened = yield* open(module, head)
  if (isRefusal(opened)) return opened
  const judged = yield* judge(loaded, opened)
  if (isRefusal(judged)) return judged
  const { method, target, origin } = head
  const received = module.received(target, origin)
  if (isRefusal(received)) return received
  const { url } = received
  return module.matched(opened.claims, { method, url }) ?? { ...opened, ...judged, url }
}

/**
 * Makes the others. The signature may have expired, and its key may have been revoked, while the body was read.
 *
 * @param body its SHA-256, hexadecimal
 */
export function* checkBody(
  session: Session,
  head: RequestHead,
  signed: SignedHead,
  body: string,
): Operation<RequestRefusal | undefined> {
  const loaded = requireLoaded(session)
  const module = yield* perform(exchangeModule)
  const opened = yield* open(module, head)
  if (isRefusal(opened)) return opened
  const judged = yield* judge(loaded, opened, signed)
  if (isRefusal(judged)) return judged
  return module.matched(signed.claims, { method: head.method, url: signed.url, body })
}

function* open(module: ExchangeModule, head: RequestHead): Operation<OpenedRequest | RequestRefusal> {
  const { audiences, maxAge, skew, values } = head
  const seconds = Math.floor((yield* perform(now)) / 1000)
  return module.open({ audiences, maxAge, skew, values, now: seconds })
}

/** What is known of the signer, and from what. */
interface Signer {
  readonly signerName: string
  readonly keys: KnownKeys
  /** What the agent holds of itself. */
  readonly held: string
}

/**
 * The verdict of the core on the signature.
 *
 * @param before the earlier verdict, returned if the known keys have not changed
 */
function* judge(loaded: Loaded, opened: OpenedRequest, before?: Signer): Operation<Signer | RequestRefusal> {
  const { agentId, keyId, algorithm, date, signature, claims } = opened
  try {
    const keys = (yield* sourcesOf(loaded)(agentId)) ?? {}
    const { held } = loaded.own
    if (before?.held === held && isSame(before.keys, keys)) return before
    setKeys(loaded.ring, agentId, keys)
    const claimed = [REQUEST_CONTEXT, agentId, keyId, algorithm, date, signature].join('\n')
    const answer = call(() => core.messageJudged(loaded.ring.handle, claimed, claims))
    const { name, trusted } = JSON.parse(answer) as Judged
    if (!trusted) return { error: 'UnknownSigner', message: 'The signer is not trusted.' }
    return { signerName: name, keys, held }
  } catch (error) {
    if (!(error instanceof SxError && isVerdict(error.code))) throw error
    return { error: error.code, message: error.found }
  }
}

function isSame(some: KnownKeys, others: KnownKeys): boolean {
  const names = [...Object.keys(some), ...Object.keys(others)] as (keyof KnownKeys)[]
  return names.every((name) => equalBytes(some[name], others[name]))
}
