/**
 * The module for signed requests, which is loaded at the first one. It computes SHA-256 and no signatures: the core signs
 * and verifies.
 *
 * @module
 */
import { build } from '#glue/exchange/build.js'
import * as glue from '#glue/exchange/exchange.js'
import { exchangeSource } from '#modules/exchange/source.js'
import { moduleCall } from '../core.ts'
import { type EffectOf, kind } from '../effects.ts'
import { SxError } from '../errors.ts'
import { late } from '../late-module.ts'
import { alone } from '../plain.ts'
import type { RequestCode } from '../types.ts'

/** What is signed of a request, and by whom. */
export interface RequestDraft {
  readonly algorithm: string
  readonly agentId: string
  readonly agentVersion: string
  readonly keyId: string
  readonly audience: string
  /** SHA-256 of the body, hexadecimal. */
  readonly body: string
  /** Unix seconds. */
  readonly iat: number
  readonly method: string
  readonly url: string
}

/** Whom requests must be for, how old they may be, in seconds, and their Authorization headers. */
export interface RequestPolicy {
  readonly audiences: readonly string[]
  readonly maxAge: number
  readonly now: number
  readonly skew: number
  readonly values: readonly string[]
}

/** What a header says, before its signature and its request are looked at. */
export interface OpenedRequest {
  readonly agentId: string
  readonly algorithm: string
  readonly audience: string
  /** The text that is signed. */
  readonly claims: string
  /** When it was signed, RFC 3339. */
  readonly date: string
  /** Unix seconds. */
  readonly expiresAt: number
  readonly keyId: string
  readonly nonce: string
  readonly replayKey: string
  /** Base64. */
  readonly signature: string
}

/** Why a request is refused: an answer, not an error. */
export interface RequestRefusal {
  readonly error: RequestCode
  readonly message: string
}

/** A request as it was received. */
interface Target {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** SHA-256 of the body, hexadecimal; not yet if it is left out. */
  readonly body?: string
}

/** What is thrown is an `SxError`; after a trap there is a new instance. */
export interface ExchangeModule {
  /** The claims of a request, canonical JSON. `InvalidOption` */
  request(draft: RequestDraft, entropy: Uint8Array): string
  /** The value of the header for claims and their signature, base64. */
  value(claims: string, signature: string): string
  open(policy: RequestPolicy): OpenedRequest | RequestRefusal
  /** Whether claims are about this request: why not, if they are not. */
  matched(claims: string, target: Target): RequestRefusal | undefined
  /** The URL of a request as it was received, in normal form; why it is refused, if it is. */
  received(target: string, origin: string): { readonly url: string } | RequestRefusal
}

const EXCHANGE_MODULE = /* @__PURE__ */ kind(
  'exchangeModule',
  /* @__PURE__ */ late({
    name: 'exchange',
    byDefault: exchangeSource,
    mark: 'openRequest',
    build,
    start: (module) => glue.initSync({ module }),
    calling,
  }),
)

/** The module. Without waiting it can be had where files can be read at once, and after `init({ exchange })`. */
export const exchangeModule: EffectOf<'exchangeModule'> = { kind: EXCHANGE_MODULE }

/** A URL as the parser of the runtime reads it (WHATWG), if it can. */
export function urlOf(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}

/** What the module takes of that: empty for a URL that cannot be read. */
const parsed = (url: string): string => urlOf(url)?.href ?? ''

/** The answer of the module: what was asked for, or why not. */
function asked<T>(work: () => string): T | RequestRefusal {
  return alone(JSON.parse(moduleCall(work, glue.__wbg_reset_state)) as T & object)
}

function request(draft: RequestDraft, entropy: Uint8Array): string {
  const { algorithm, agentId, agentVersion, keyId, audience, iat, method, url, body } = draft
  const from = [algorithm, agentId, agentVersion, keyId, audience, `${iat}`, method, url, parsed(url), body]
  const answer = asked<{ claims: string }>(() => glue.request(from, entropy))
  if (isRefusal(answer)) throw new SxError('InvalidOption', answer.message)
  return answer.claims
}

function open({ audiences, maxAge, now, skew, values }: RequestPolicy): OpenedRequest | RequestRefusal {
  return asked(() => glue.openRequest([`${now}`, `${maxAge}`, `${skew}`], [...audiences], [...values]))
}

function matched(claims: string, { method, url, body = '' }: Target): RequestRefusal | undefined {
  const answer = asked<object>(() => glue.matched(claims, [method, url, parsed(url), body]))
  return isRefusal(answer) ? answer : undefined
}

function received(target: string, origin: string): { readonly url: string } | RequestRefusal {
  const url = `${origin}${target}`
  return asked(() => glue.received(target, url, parsed(url)))
}

function calling(): ExchangeModule {
  return {
    request,
    value: (claims, signature) => moduleCall(() => glue.value(claims, signature), glue.__wbg_reset_state),
    open,
    matched,
    received,
  }
}

/** Whether an answer is a refusal. */
export function isRefusal(answer: unknown): answer is RequestRefusal {
  return (answer as Partial<RequestRefusal>).error !== undefined
}
