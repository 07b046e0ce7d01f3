import { advice } from '#advice'
import { type codes, early, type Row } from '#early-codes'

/** A stable name for a kind of failure: one of the table of codes (protocol, section 16). */
export type SxErrorCode = keyof typeof codes

/** Advice that replaces the advice in the core's table, because this runtime has other means. */
export type Advice = Readonly<Partial<Record<SxErrorCode, string>>>

/** The known codes: in Node all of them, elsewhere only some until the core is loaded. */
let known: Readonly<Partial<Record<SxErrorCode, Row>>> = early

/** For a code that is not in the table, and for errors that other code creates before the core is loaded. */
const UNKNOWN: Row = {
  what: 'The operation failed.',
  then: 'See the table of error codes.',
  isVerdict: false,
}

const rowOf = (code: SxErrorCode): Row => known[code] ?? UNKNOWN

/** Reads the table of error codes that the core returned. */
export function learnCodes(table: string): void {
  const rows = JSON.parse(table) as readonly [SxErrorCode, string, string, boolean][]
  known = Object.fromEntries(rows.map(([code, what, then, isVerdict]) => [code, { what, then, isVerdict }]))
}

/** What to do about a failure of this kind, as a sentence: the advice for this runtime, otherwise the general one. */
export function adviceOn(code: SxErrorCode, here: Advice = advice): string {
  return here[code] ?? rowOf(code).then
}

/** A rule of a custom schema that a document breaks. */
export interface SchemaViolation {
  /** Where in the document: a JSON Pointer (RFC 6901). An empty string is the whole document. */
  readonly path: string
  /** The keyword of the schema, such as `required`. */
  readonly keyword: string
  /** What is wrong there, without a full stop. */
  readonly message: string
}

/** What an {@link SxError} can contain in addition to its code. */
export interface SxErrorOptions {
  /** For `SchemaViolation`. */
  details?: readonly SchemaViolation[] | undefined
  /** For a batch: the index of the refused document, from 0. */
  index?: number | undefined
  /** The error of the runtime that led to this one. */
  cause?: unknown
  /** What to do, if the general advice on the code does not fit. */
  advice?: string | undefined
}

/**
 * Every failure of the library (protocol, section 16).
 *
 * `message` is the code, then what happened (`found`) and what to do (`advice`). Programs use `code`. Both contain no
 * secrets and no unverified data.
 *
 * Each function documents its own codes. These groups of codes are shared by many functions:
 *
 * - The *JSON codes* `NotJson`, `DuplicateKey`, `LossyNumber` and `LimitExceeded`: a text or value
 *   breaks the rules of strict JSON (protocol, section 1).
 * - The *codes of a verdict*, for which a document is not valid (protocol, sections 8 and 9): the
 *   JSON codes, `InvalidDocument`, `UnsupportedFormat`, `MissingSignature`, `UnknownSigner`,
 *   `KeyMismatch`, `KeyConflict`, `KeyRevoked`, `BadSignature`, `HashMismatch`, `InvalidAgent`,
 *   `InvalidKey`, `WeakPublicKey`, of signed texts `NotText`, `MalformedText`, `TruncatedBlock`,
 *   `LineEndingsChanged` and `TrailingWhitespace`, of images `DisplayMetadataChanged`, of files
 *   `FileMismatch`, and of what is stored `Rollback`, `NotFound` and `CorruptStore`.
 * - The *storage codes*, from functions that read or write: `StorageUnavailable`, `StorageFull`,
 *   `LinkRefused`, `Busy`, `InvalidId` for a name that a storage cannot contain, and
 *   `SyncStorageUnavailable` from a function that returns directly, if the storage has to be awaited.
 *
 * In addition, any function may throw:
 *
 * - `InvalidOption` for an argument of the wrong type, or one that cannot be read. Options are plain
 *   objects, and only their own enumerable members count.
 * - `NotJson` for a text with a lone surrogate.
 * - `NoEntropy` if it signs or encrypts.
 * - `WasmUnavailable` and, in a page, `NotInitialized` from functions that return directly (see `init`).
 * - `Internal`.
 *
 * @example
 * try {
 *   new SxAgent().getPublicKey()
 * } catch (error) {
 *   if (error instanceof SxError) console.log(error.code) // NoAgentLoaded
 * }
 */
export class SxError extends Error {
  override readonly name: string = 'SxError'
  /** The kind of failure. */
  readonly code: SxErrorCode
  /** What happened, as a sentence. */
  readonly found: string
  /** What to do about it, as a sentence for the current runtime: a page, a server (Node, Deno, Bun) or an edge runtime. */
  readonly advice: string
  /** For `SchemaViolation`: what is wrong with the document, at most 100 entries. Otherwise undefined. */
  readonly details: readonly SchemaViolation[] | undefined
  /** For `createDocuments` and `signMessages`: the index of the refused document, from 0. Otherwise undefined. */
  readonly index: number | undefined

  /**
   * @param code the kind of failure
   * @param found what happened, as a sentence that replaces the general one
   * @param options `cause`: the error of the runtime that led to this one; `details` of `SchemaViolation`; `advice` in place
   *   of the general one; `index` of a document in a batch
   */
  constructor(code: SxErrorCode, found?: string, options: SxErrorOptions = {}) {
    const what = found || rowOf(code).what
    const then = options.advice ?? adviceOn(code)
    super(`${code}: ${what} ${then}`, options)
    this.code = code
    this.found = what
    this.advice = then
    this.details = options.details
    this.index = options.index
  }
}

/** The error with this advice, if an input exceeds a limit: what cannot be split needs another one. */
export function tooLarge(error: unknown, advice: string): unknown {
  if (!(isSxError(error) && error.code === 'LimitExceeded')) return error
  return new SxError(error.code, error.found, { advice, cause: error.cause })
}

/** Whether it is a failure of the library. `instanceof` can throw for a proxy. */
export function isSxError(error: unknown): error is SxError {
  try {
    return error instanceof SxError
  } catch {
    return false
  }
}

/** Whether a text is the name of a code. */
export function isErrorCode(text: string): text is SxErrorCode {
  return Object.hasOwn(known, text)
}

/** Whether the code is a verdict on a document: not valid, for this reason. */
export function isVerdict(code: SxErrorCode): boolean {
  return rowOf(code).isVerdict
}
