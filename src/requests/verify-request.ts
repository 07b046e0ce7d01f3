import { sessionOfPassed } from '../api/form.ts'
import { encode, isBytes } from '../bytes.ts'
import { text } from '../core.ts'
import { type Operation, perform, runAsync } from '../effects.ts'
import { SxError } from '../errors.ts'
import { digest } from '../hash.ts'
import { checkBody, checkHead, type RequestHead, type SignedHead } from '../operations/requests/check.ts'
import { plainOptions } from '../options.ts'
import { counted, type Session } from '../session.ts'
import type {
  AcceptedRequest,
  Bytes,
  RefusedRequest,
  RequestCode,
  RequestParts,
  VerifyRequestOptions,
} from '../types.ts'
import { isRefusal, type RequestRefusal, urlOf } from './module.ts'

const NAMES = {
  agent: true,
  audience: true,
  clockSkew: true,
  consume: true,
  maxAge: true,
  maxBody: true,
  publicOrigin: true,
  replayStore: true,
} as const satisfies Record<keyof VerifyRequestOptions, true>

/** In bytes. */
const MAX_BODY = 1 << 20

/**
 * Decides whether a request is accepted: it was signed by an agent that is trusted, for this server, not long ago, with
 * exactly this method, URL and body, and was not received before (protocol, section 25).
 *
 * The body of a `Request` is read, up to `maxBody`; the result has it.
 *
 * @param request a `Request` of `fetch`, or its parts
 * @param options which requests are accepted
 * @returns `ok: false` for every request that is not accepted. Tell its sender no more than the `status`
 * @throws SxError `InvalidOption` for options that are wrong or missing, or no request; `NoAgentLoaded`; storage codes. If the
 *   body cannot be read to its end, what its stream throws
 * @example
 * import { SxAgent } from 'sx-agent'
 * const agent = new SxAgent()
 * await agent.load()
 * const replayStore = memoryReplayStore()
 * const publicOrigin = 'https://api.example.com'
 * const body = JSON.stringify({ qty: 1 })
 * const url = `${publicOrigin}/orders`
 * const authorization = await agent.buildRequestAuthHeader('POST', url, body, publicOrigin)
 * const request = new Request(url, { method: 'POST', body, headers: { authorization } })
 * const result = await verifyRequest(request, { agent, publicOrigin, replayStore })
 * console.log(result.ok && result.signerId === agent.getAgentInfo()?.agentId) // true
 */
export async function verifyRequest(
  request: Request | RequestParts,
  options: VerifyRequestOptions,
): Promise<AcceptedRequest | RefusedRequest> {
  const policy = policyOf(options)
  const run = <T>(operation: () => Operation<T>): Promise<T> => runAsync(() => counted(policy.session, operation))
  const head = headOf(request, policy)
  if (isRefusal(head)) return refused(head.error, head.message)
  const signed = await run(() => checkHead(policy.session, head))
  if (isRefusal(signed)) return refused(signed.error, signed.message)
  const body = await readBody(request, policy.maxBody)
  if (isRefusal(body)) return refused(body.error, body.message, 413)
  const sum = await run(() => perform(digest([body])))
  const refusal = await run(() => checkBody(policy.session, head, signed, sum))
  if (refusal !== undefined) return refused(refusal.error, refusal.message)
  if (policy.consume) {
    const replay = await claim(policy.replayStore, signed)
    if (replay !== undefined) return refused(replay.error, replay.message)
    // The store may have taken so long that a copy of the request is accepted, too.
    const late = await run(() => checkBody(policy.session, head, signed, sum))
    if (late !== undefined) return refused(late.error, late.message)
  }
  return accepted(signed, body)
}

interface Policy
  extends Required<Pick<VerifyRequestOptions, 'replayStore' | 'maxAge' | 'clockSkew' | 'maxBody' | 'consume'>> {
  readonly session: Session
  readonly publicOrigin: string | undefined
  readonly audiences: readonly string[]
}

function policyOf(options: VerifyRequestOptions): Policy {
  const { agent, replayStore, publicOrigin, audience, ...rest } = plainOptions(options, NAMES)
  const { maxAge = 300, clockSkew = 60, maxBody = MAX_BODY, consume = true } = rest
  if (typeof replayStore?.claim !== 'function') {
    const advice = 'Pass memoryReplayStore() for a server that is one process, and a shared store otherwise.'
    throw new SxError('InvalidOption', "The option 'replayStore' is missing, or has no method 'claim'.", { advice })
  }
  for (const [name, value] of Object.entries({ maxAge, clockSkew, maxBody })) {
    if (Number.isSafeInteger(value) && value >= 0) continue
    throw new SxError('InvalidOption', `The option '${name}' is not a non-negative integer.`)
  }
  if (typeof consume !== 'boolean') throw new SxError('InvalidOption', "The option 'consume' must be true or false.")
  const origin = publicOrigin === undefined ? undefined : originOf(publicOrigin)
  const audiences = audiencesOf(audience ?? origin)
  return {
    session: sessionOfPassed(agent, "The option 'agent'"),
    replayStore,
    publicOrigin: origin,
    audiences,
    maxAge,
    clockSkew,
    maxBody,
    consume,
  }
}

function audiencesOf(audience: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience]
  if (list.length > 0 && list.every((one) => typeof one === 'string' && one !== '')) {
    return list.map((one) => text(one, 'audience'))
  }
  const advice = 'Pass the address at which clients reach the server, such as https://api.example.com.'
  throw new SxError(
    'InvalidOption',
    "The option 'audience' is empty, or both 'audience' and 'publicOrigin' are missing.",
    {
      advice,
    },
  )
}

/** @throws SxError `InvalidOption` for what is more than an origin */
function originOf(publicOrigin: unknown): string {
  const parsed = typeof publicOrigin === 'string' ? urlOf(publicOrigin) : undefined
  const isOrigin =
    /^https?:\/\/[^\s/?#\\@]+\/?$/i.test(String(publicOrigin)) && parsed?.hostname.endsWith('.') === false
  if (parsed !== undefined && isOrigin) return parsed.origin
  const advice = 'Pass scheme, host and, if it is not the usual one, port: https://api.example.com.'
  throw new SxError('InvalidOption', "The option 'publicOrigin' is not an origin.", { advice })
}

/** More than a URL has that is accepted; in characters. */
const LONGEST_URL = 16 * 1024

/** What is known of a request before its body is read. */
function headOf(request: Request | RequestParts, policy: Policy): RequestHead | RequestRefusal {
  if (!isObject(request)) throw new SxError('InvalidOption', 'The request is not an object.')
  const { method, url, headers }: RequestParts = request
  if (typeof method !== 'string' || typeof url !== 'string' || !isObject(headers)) {
    const advice = 'Pass a Request of fetch, or an object of method, url, headers and body.'
    throw new SxError('InvalidOption', 'The request has no method, URL or headers.', { advice })
  }
  if (url.length > LONGEST_URL) return { error: 'UrlMismatch', message: 'The URL is too long.' }
  if ((request as RequestParts).body === undefined && isStream(request)) {
    const advice = 'Pass its method, URL and headers, and itself as the body: { method, url, headers, body: request }.'
    throw new SxError('InvalidOption', 'The request is a stream and has no body.', { advice })
  }
  const origin = policy.publicOrigin ?? ownOrigin(url)
  if (origin === undefined) {
    return {
      error: 'PublicOriginMissing',
      message: "The option 'publicOrigin' is missing, and the request is not to the local machine (loopback).",
    }
  }
  return {
    method: method.slice(0, LONGEST_URL),
    target: targetOf(url),
    origin,
    audiences: policy.audiences,
    maxAge: policy.maxAge,
    skew: policy.clockSkew,
    values: authorizationOf(headers),
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The origin of a request to the local machine. */
function ownOrigin(url: string): string | undefined {
  const { origin, hostname = '' } = urlOf(url) ?? {}
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) ? origin : undefined
}

/** What follows the origin of an absolute URL, if every parser takes the same for its origin; all of another one. */
function targetOf(url: string): string {
  if (!/^https?:/i.test(url)) return url
  const { origin = '' } = urlOf(url) ?? {}
  const target = url.slice(origin.length)
  if (origin === '' || url.slice(0, origin.length).toLowerCase() !== origin || /^[^/?#]/.test(target)) return ''
  return target.startsWith('/') ? target : `/${target}`
}

/** One more than is accepted. The rest is not read. */
const [LONGEST_HEADER, MOST_HEADERS] = [8176, 2]

function authorizationOf(headers: object): string[] {
  const values: unknown[] = []
  try {
    for (const pair of Symbol.iterator in headers ? (headers as Iterable<unknown>) : Object.entries(headers)) {
      const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : []
      if (typeof name !== 'string') throw new TypeError('A header has no name.')
      if (name.toLowerCase() === 'authorization' && value !== undefined) values.push(value)
    }
  } catch (cause) {
    const advice = 'Pass the headers of a Request, a list of pairs, or an object of names and values.'
    throw new SxError('InvalidOption', 'The headers cannot be read.', { advice, cause })
  }
  const list = values.flat()
  if (!list.every((value) => typeof value === 'string')) {
    throw new SxError('InvalidOption', 'The header Authorization is not a string.')
  }
  return list.slice(0, MOST_HEADERS).map((value) => value.slice(0, LONGEST_HEADER))
}

/** What is known of a body that comes in pieces. */
interface Flow {
  /** Of `ReadableStream`. */
  getReader?(): Partial<ReadableStreamDefaultReader<Uint8Array>>
  readonly locked?: boolean
  /** Of Node's `Readable`. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
  readonly readableDidRead?: boolean
  [Symbol.asyncIterator]?(): AsyncIterator<Uint8Array>
}

const isStream = (value: unknown): boolean =>
  ['getReader', 'iterator', Symbol.asyncIterator].some(
    (name) => typeof Reflect.get(value as object, name) === 'function',
  )

/** The bytes of the body; why there are none. */
async function readBody(request: Request | RequestParts, most: number): Promise<Bytes | RequestRefusal> {
  const { body } = request
  if (body === undefined || body === null) return isUsed(request) ? CONSUMED : new Uint8Array()
  if (typeof body === 'string' || isBytes(body)) {
    const bytes = typeof body === 'string' ? encode(body) : body
    return bytes.length > most ? tooLarge(most) : new Uint8Array(bytes)
  }
  if (isUsed(request) || isRead(body as Flow)) return CONSUMED
  const pieces = piecesOf(body as Flow)
  let bytes = new Uint8Array(Math.min(most, FIRST))
  let size = 0
  for (;;) {
    const step: unknown = await pieces.next()
    if (!isObject(step)) throw wrongBody()
    const { done, value } = step as { readonly done?: unknown; readonly value?: unknown }
    if (done === true) return bytes.slice(0, size)
    if (!isBytes(value)) throw wrongBody()
    if (size + value.length > most) {
      pieces.stop()
      return tooLarge(most)
    }
    if (size + value.length > bytes.length) {
      const larger = new Uint8Array(Math.min(most, Math.max(2 * bytes.length, size + value.length)))
      larger.set(bytes.subarray(0, size))
      bytes = larger
    }
    bytes.set(value, size)
    size += value.length
  }
}

/** So many bytes there is room for before the first of them has come. */
const FIRST = 16 * 1024

const CONSUMED: RequestRefusal = {
  error: 'BodyAlreadyConsumed',
  message: 'The body was read before the request was verified. Verify it first, and use the body of the result.',
}

const tooLarge = (most: number): RequestRefusal => ({
  error: 'TooLarge',
  message: `The body has more than ${most} bytes.`,
})

const isUsed = (request: Partial<Request> | RequestParts): boolean => (request as Partial<Request>).bodyUsed === true

const isRead = ({ locked, readableDidRead }: Flow): boolean => locked === true || readableDidRead === true

interface Pieces {
  next(): unknown
  /** Nobody waits for it: a stream may never say that it has stopped. */
  stop(): void
}

/** The connection stays open where a reader stops, so that it can be answered. */
function piecesOf(body: Flow): Pieces {
  if (typeof body.getReader === 'function') {
    const reader = body.getReader()
    return piecesBy(
      () => reader.read?.(),
      () => reader.cancel?.(),
    )
  }
  const pieces = typeof body.iterator === 'function' ? body.iterator({ destroyOnReturn: false }) : body
  const iterator = pieces[Symbol.asyncIterator]?.()
  if (!isObject(iterator)) throw wrongBody()
  return piecesBy(
    () => iterator.next(),
    () => iterator.return?.(),
  )
}

function piecesBy(next: () => unknown, end: () => unknown): Pieces {
  return {
    next,
    stop: () => {
      new Promise((ended) => ended(end())).catch(() => {}) // the request is refused already
    },
  }
}

function wrongBody(): SxError {
  const advice = 'Pass a string, bytes, or a stream of bytes. Do not call setEncoding.'
  return new SxError('InvalidOption', 'The body is neither a string, bytes nor a stream of bytes.', { advice })
}

async function claim(
  store: VerifyRequestOptions['replayStore'],
  signed: SignedHead,
): Promise<RequestRefusal | undefined> {
  try {
    const isFirst: unknown = await store.claim(signed.replayKey, signed.expiresAt)
    if (isFirst === true) return undefined
    if (isFirst === false) return { error: 'Replay', message: 'The request was received before.' }
    return { error: 'ReplayStoreUnavailable', message: 'The replay store answered neither true nor false.' }
  } catch (error) {
    const why = error instanceof Error ? `: ${error.message}` : '.'
    return { error: 'ReplayStoreUnavailable', message: `The replay store failed${why}` }
  }
}

const STATUS: Partial<Record<RequestCode, RefusedRequest['status']>> = {
  BodyAlreadyConsumed: 500,
  PublicOriginMissing: 500,
  ReplayStoreUnavailable: 503,
}

function refused(code: RequestCode, message: string, status: RefusedRequest['status'] = 401): RefusedRequest {
  return Object.freeze({ ok: false, code, status: STATUS[code] ?? status, message })
}

function accepted(signed: SignedHead, body: Bytes): AcceptedRequest {
  const { agentId: signerId, signerName, keyId, audience, date: issuedAt, nonce } = signed
  return Object.freeze({ ok: true, signerId, signerName, keyId, audience, issuedAt, nonce, body })
}
