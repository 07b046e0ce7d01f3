import type { SxErrorCode } from '../errors.ts'

/**
 * A text to sign or verify, always UTF-8: the path of a file; its bytes; a `Blob` or `File`; a `Response`, which is read
 * once; an address to fetch it from, as `URL` (`http:`, `https:`, `blob:`, `data:`); or the text itself as `{ text }`.
 */
export type TextSource = string | Uint8Array | Blob | Response | URL | { readonly text: string }

/** What the reading of a `URL` or a `Response` takes beside it. Other sources ignore both, once the call has begun. */
export interface FetchOptions {
  /** Ends the reading: the call rejects with the reason of the signal, and nothing is signed. */
  signal?: AbortSignal
  /** Milliseconds that the server may send nothing; default 30,000. Then it is `TimedOut`. `Infinity` waits on. */
  timeout?: number
}

/** Options of `verifyText`. */
export interface VerifyTextOptions extends FetchOptions {
  /** Rejects with `MissingSignature` where the text carries none; default false: that is a status then. */
  strict?: boolean
  /** Public keys by agent id, each SPKI PEM, beside those that the agent knows; not beside `keyDir`. */
  keys?: Readonly<Record<string, string>>
  /** Folder of `<agentId>.public.pem` files, or the keys themselves, beside those that the agent knows. */
  keyDir?: string | Readonly<Record<string, string>>
  /**
   * Folder with agent documents and a trust store, as for `verifyStandalone`: it and the keys that are named are asked in
   * place of a loaded agent.
   */
  dataDirectory?: string
  /**
   * The only public key that counts, SPKI PEM. A signature by this key is valid, whichever signer it names. Any other
   * signature is not valid. No agent is used, and no signer is `trusted`. Cannot be combined with the options above.
   */
  key?: string
}

/** What is said of one signature of a text. The object is frozen. */
export interface TextSigner {
  /** The agent that signed: only what the signature claims, or '', unless `status` is `valid`. */
  readonly signerId: string
  /**
   * The name in the signer's agent document, if that is known. Unless `trusted` is true, it is only what the signer says
   * about itself. '' if none is known, and unless `status` is `valid`.
   */
  readonly signerName: string
  /** The key id of the signer's key (RFC 7638 thumbprint); like `signerId`. */
  readonly keyId: string
  /** Of the key: `pq2025` or `ed25519`; '' unless `status` is `valid`. */
  readonly algorithm: string
  /** When it was signed, as the signer says (RFC 3339, UTC, milliseconds); '' unless `status` is `valid`. */
  readonly signedAt: string
  /**
   * `valid`: the agent has signed exactly this text. `unknown_key`: there is no key to check that with, `key_conflict`:
   * there are several. `invalid`: anything else.
   */
  readonly status: 'valid' | 'invalid' | 'unknown_key' | 'key_conflict'
  /** Whether the signer is this agent or in its trust store (protocol, section 8), and the signature valid. */
  readonly trusted: boolean
  /** Why it is not valid, for programs; undefined if it is. */
  readonly code: SxErrorCode | undefined
  /** Why it is not valid, for people; undefined if it is. */
  readonly message: string | undefined
}

/** Something in a text that a reader does not see, or takes for something else. It changes no verdict. */
export interface TextWarning {
  /** What it is (protocol, section 20). */
  readonly code:
    | 'BidiControl'
    | 'ZeroWidth'
    | 'BlankCharacter'
    | 'ControlCharacter'
    | 'LineBreak'
    | 'TagCharacter'
    | 'ConfusableMarker'
    | 'MoreWarnings'
  /** From 1; lines end with a line feed. */
  readonly line: number
  /** From 1, in Unicode code points. */
  readonly column: number
  /** The character, as `U+202E`; undefined where it is not about one. */
  readonly character: string | undefined
}

/** The verdict on a text and all its signatures (protocol, section 20). The object is frozen. */
export interface VerifyTextResult {
  /**
   * `signed`: signatures and nothing else follow the text; whether they hold is said of each. `missing_signature`: it has
   * none. `malformed`: nothing in it can be relied on.
   */
  readonly status: 'signed' | 'missing_signature' | 'malformed'
  /** Whether there is a signature and all of them are valid. Who else should have signed is for you to ask. */
  readonly valid: boolean
  /** How many bytes, from the first one, all of them have signed; 0 if it is not valid. */
  readonly length: number
  /** One entry for each signature, in the order of the file. */
  readonly signers: readonly TextSigner[]
  /** In the order of the text: at most 100, and one that says there are more. */
  readonly warnings: readonly TextWarning[]
  /** Why it is not valid: sentences that begin with a code. Empty if it is valid. */
  readonly errors: readonly string[]
  /** Why it is not valid, for programs: of several reasons the first one; undefined if it is valid. */
  readonly code: SxErrorCode | undefined
}
