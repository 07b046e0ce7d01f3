import type { SxAgent } from '../agent.ts'
import type { SxErrorCode } from '../errors.ts'
import type { Bytes } from './bytes.ts'

/**
 * Why a request is refused (protocol, section 25, The checks): one of these, or a code of a verdict on the signature, such as
 * `BadSignature`, `UnknownSigner` or `KeyRevoked`. It is for the logs of the server. The sender is not told why.
 */
export type RequestCode =
  | 'BodyAlreadyConsumed'
  | 'BodyMismatch'
  | 'Expired'
  | 'Malformed'
  | 'MethodMismatch'
  | 'Missing'
  | 'NotYetValid'
  | 'PublicOriginMissing'
  | 'Replay'
  | 'ReplayStoreUnavailable'
  | 'TooLarge'
  | 'UnboundRejected'
  | 'UrlMismatch'
  | 'WrongAudience'
  | SxErrorCode

/**
 * Remembers requests until their signatures expire, so that each is accepted once. All processes that serve one audience
 * share one store.
 */
export interface ReplayStore {
  /**
   * Records a request, atomically for all processes.
   *
   * @param key 43 characters of base64url
   * @param expiresAt Unix seconds: from then on the key may be forgotten, not before
   * @returns `true` if the key is new, `false` if it was recorded before. If it throws or returns anything else, the request
   *   is refused with 503
   */
  claim(key: string, expiresAt: number): boolean | Promise<boolean>
}

/** The headers of a request: those of `fetch`, or an object of them. Names in any case. */
export type RequestHeaders =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** A request, where there is no `Request` of `fetch`. */
export interface RequestParts {
  /** Upper or lower case. */
  method: string | undefined
  /** The request target as it was received (`/path?query`), or an absolute URL, whose origin is replaced by `publicOrigin`. */
  url: string | undefined
  headers: RequestHeaders
  /** The bytes as they came, all at once or piece by piece, as from `IncomingMessage`; or their text. Empty if left out. */
  body?: Uint8Array | string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null
}

/** Which requests are accepted. */
export interface VerifyRequestOptions {
  /** The agent whose trust store decides. Its own requests are accepted, too. It may be loaded with `verifyOnly`. */
  agent: SxAgent
  /** Where processes record which requests they have accepted. */
  replayStore: ReplayStore
  /** The origin that clients use, such as `https://api.example.com`. Only requests to the local machine (loopback) need none. */
  publicOrigin?: string
  /** Whom requests must be signed for: one of these, byte for byte; default `publicOrigin`. */
  audience?: string | readonly string[]
  /** How old a request may be, in seconds; default 300. */
  maxAge?: number
  /** How many seconds the clock of a client may be ahead; default 60. */
  clockSkew?: number
  /** How long a body may be, in bytes; default 1 MiB. */
  maxBody?: number
  /** Whether the request is recorded as received; default true. With `false`, replays are not detected. */
  consume?: boolean
}

/** A request of a trusted agent. */
export interface AcceptedRequest {
  readonly ok: true
  /** The agent that signed it. */
  readonly signerId: string
  /** What it calls itself in its agent document: shown, never compared. */
  readonly signerName: string
  readonly keyId: string
  readonly audience: string
  /** When it was signed, RFC 3339. */
  readonly issuedAt: string
  readonly nonce: string
  /** The body, which is the signed one. */
  readonly body: Bytes
}

/** A request that is not accepted. */
export interface RefusedRequest {
  readonly ok: false
  /** For the logs. */
  readonly code: RequestCode
  /** What to answer: 401, 413 for a body that is too large, 500 for a server that is set up wrong, 503 if the replay store fails or is full. */
  readonly status: 401 | 413 | 500 | 503
  /** What was found, for the logs. */
  readonly message: string
}
