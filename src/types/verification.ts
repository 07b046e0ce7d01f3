import type { SxErrorCode } from '../errors.ts'
import type { Bytes } from './bytes.ts'
import type { SchemaOptions, StandardSchema } from './schemas.ts'

/** What a document says of itself; nothing of it is verified. The object is frozen. */
export interface DocumentClaims {
  /** Its id (`sxId`). */
  readonly documentId: string
  /** Its version (`sxVersion`). */
  readonly version: string
  /** Its type (`sxType`). */
  readonly type: string
  /** The agent that it names as its signer. */
  readonly agentId: string
  /** The time that it gives for its signature (RFC 3339, UTC, milliseconds). */
  readonly timestamp: string
}

/** A file that is attached to a document. The object is frozen. */
export interface Attachment {
  /** Its name, harmless on every system: without folders, controls and characters that are not seen (protocol, section 6). */
  readonly filename: string
  /** Its MIME type, in lower case and without parameters. */
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** SHA-256 of its bytes: 64 hexadecimal digits. */
  readonly hash: string
  /** Whether the document holds its bytes. */
  readonly embedded: boolean
  /** Its bytes, where they are embedded. In Node, Deno and Bun it is a `Buffer`. */
  readonly content?: Bytes
}

/** Something that a valid document does not say as it is shown, or that may mislead. The object is frozen. */
export interface DocumentWarning {
  /** `UnsafeFilename`: the name that was signed is another one than the one shown. `SameFilename`: an earlier one is the same. */
  readonly code: 'UnsafeFilename' | 'SameFilename'
  /** Position of the attachment that it is about, from 0. */
  readonly attachment: number
  /** The same for people, as a sentence. */
  readonly message: string
}

interface Verdict {
  /** The document's `sxId`; '' in a result that is not valid, like the two below. */
  readonly documentId: string
  /** Its `sxVersion`. */
  readonly version: string
  /** Its `sxType`, such as `message`. */
  readonly type: string
  /** The agent that signed. In a result that is not valid only what the document claims, or ''. */
  readonly signerId: string
  /**
   * The name in the signer's agent document, if that is known. Unless `trusted` is true, it is only what the signer says
   * about itself. '' if none is known, and in a result that is not valid.
   */
  readonly signerName: string
  /** The key id of the signer's key (RFC 7638 thumbprint); like `signerId`. */
  readonly keyId: string
  /** Of the key: `pq2025` or `ed25519`; '' in a result that is not valid. */
  readonly algorithm: string
  /** When it was signed, as the signer says (RFC 3339, UTC, milliseconds); '' in a result that is not valid. */
  readonly timestamp: string
  /** Whether the signer is this agent or in its trust store (protocol, section 8). */
  readonly trusted: boolean
  /** The files that are attached to the document, in its order; none in a result that is not valid. */
  readonly attachments: readonly Attachment[]
  /** What to know of a valid document before it is shown or its files are saved; it changes no verdict. */
  readonly warnings: readonly DocumentWarning[]
  /** Why it is not valid: a sentence that begins with the code. Empty if it is valid. */
  readonly errors: readonly string[]
}

/** The verdict on a document whose signature verifies under a key that is known for its signer. */
export interface ValidResult<T = unknown> extends Verdict {
  /** The signature and the hash are good. */
  readonly valid: true
  /** The payload, as it was signed (protocol, section 6); with the option `as`, what that schema returns. */
  readonly data: T
  /** There, but undefined. */
  readonly code: undefined
}

/** The verdict on any other document. Nothing of its content comes with it. */
export interface InvalidResult extends Verdict {
  /** The document is not to be used. */
  readonly valid: false
  /** There, but undefined: what is not valid is not handed out. */
  readonly data?: undefined
  /** Why, for programs (protocol, section 16). */
  readonly code: SxErrorCode
}

/**
 * A verdict (protocol, section 9). `data` is undefined unless `valid` is true. The object is frozen.
 */
export type VerificationResult<T = unknown> = ValidResult<T> | InvalidResult

/** Options of `verify` and `verifyOrThrow`. */
export interface VerifyOptions<T = unknown> extends SchemaOptions {
  /**
   * A schema of zod, valibot, arktype or another library with the interface Standard Schema. It checks the data of a valid
   * document, and `data` is what it returns, with its type. What does not fit is `SchemaViolation`.
   */
  as?: StandardSchema<T>
}

/** Options of `verifyMany`. */
export interface VerifyManyOptions {
  /**
   * At most so many workers: a whole number from 1; default one for each processor, up to 8. More than one for each
   * processor are not started, but 8 are where it has fewer.
   */
  concurrency?: number
  /** Ends the call: it rejects with the reason of the signal, and no further verdict is made. */
  signal?: AbortSignal
  /**
   * Is told how many of the documents have their verdict, more each time; the last time all of them. What it throws
   * ends the call.
   */
  onProgress?: (done: number, total: number) => void
}
