import { advice } from '#advice'
import { type codes, early, type Row } from '#early-codes'

/** A stable name for a kind of failure: one of the table of codes (protocol, section 16). */
export type SxErrorCode = keyof typeof codes

/** Advice that replaces the advice in the core's table, because this runtime has other means. */
export type Advice = Readonly<Partial<Record<SxErrorCode, string>>>

/** What is known of the codes: in Node all of them, elsewhere more once the core is loaded. */
let known: Readonly<Partial<Record<SxErrorCode, Row>>> = early

/** For a code that is not in the table, and for errors that other code creates before the core is loaded. */
const UNKNOWN: Row = {
  what: 'The operation failed.',
  then: 'See the table of error codes.',
  isVerdict: false,
}

const rowOf = (code: SxErrorCode): Row => known[code] ?? UNKNOWN

/** Takes the table of error codes from the core, as it answers it. */
export function learnCodes(table: string): void {
  const rows = JSON.parse(table) as readonly [SxErrorCode, string, string, boolean][]
  known = Object.fromEntries(rows.map(([code, what, then, isVerdict]) => [code, { what, then, isVerdict }]))
}

/** What to do about a failure of this kind, as a sentence: the advice for this runtime, else the general one. */
export function adviceOn(code: SxErrorCode, here: Advice = advice): string {
  return here[code] ?? rowOf(code).then
}

/** A rule of a custom schema that a document breaks. */
export interface SchemaViolation {
  /** Where in the document: a JSON pointer (RFC 6901), the empty text for all of it. */
  readonly path: string
  /** The keyword of the schema, such as `required`. */
  readonly keyword: string
  /** What is wrong there, without a full stop. */
  readonly message: string
}

/** What an {@link SxError} can contain in addition to its code. */
export interface SxErrorOptions {
  /** Of `SchemaViolation`. */
  details?: readonly SchemaViolation[] | undefined
  /** Of a batch: which of its documents is refused, from 0. */
  index?: number | undefined
  /** The error of the runtime that led to this one. */
  cause?: unknown
  /** What to do, if the general advice on the code does not fit. */
  advice?: string | undefined
}

/**
 * Every failure of the library (protocol, section 16).
 *
 * `message` begins with the code, then says what happened (`found`) and what to do (`advice`); `code` is for
 * programs. Neither holds secrets or unverified data.
 *
 * Each function documents its own codes. These groups of codes are shared by many functions:
 *
 * - The *JSON codes* `NotJson`, `DuplicateKey`, `LossyNumber` and `LimitExceeded`: a text or value
 *   breaks the rules of strict JSON (protocol, section 1).
 * - The *codes of a verdict*, with which a document is not valid (protocol, sections 8 and 9): the
 *   JSON codes, `InvalidDocument`, `UnsupportedFormat`, `MissingSignature`, `UnknownSigner`,
 *   `KeyMismatch`, `KeyConflict`, `KeyRevoked`, `BadSignature`, `HashMismatch`, `InvalidAgent`,
 *   `InvalidKey`, `WeakPublicKey`, of signed texts `NotText`, `MalformedText`, `TruncatedBlock`,
 *   `LineEndingsChanged` and `TrailingWhitespace`, of images `DisplayMetadataChanged`, of files
 *   `FileMismatch`, and of what is stored `Rollback`, `NotFound` and `CorruptStore`.
 * - The *storage codes*, from whatever reads or writes: `StorageUnavailable`, `StorageFull`,
 *   `LinkRefused`, `Busy`, `InvalidId` for a name that nothing in a storage can have, and
 *   `SyncStorageUnavailable` from a function that returns directly where the storage has to be awaited.
 *
 * In addition, any function may throw `InvalidOption` for an argument of another type than it takes, or one that cannot be
 * read (of options, which are plain objects, the own enumerable members count),
 * `NotJson` for a text with half a surrogate pair, `NoEntropy` from what signs or encrypts,
 * `WasmUnavailable` and, from functions that return directly, `NotInitialized` in a page (see
 * `init`), and `Internal`.
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
  /** What to do about it, as a sentence for the present runtime: a page, a server (Node, Deno, Bun) or an edge runtime. */
  readonly advice: string
  /** Of `SchemaViolation` all that is wrong with the document, at most 100 entries; else undefined. */
  readonly details: readonly SchemaViolation[] | undefined
  /** Of `createDocuments` and `signMessages`: which document of the list is refused, from 0; else undefined. */
  readonly index: number | undefined

  /**
   * @param code the kind of failure
   * @param found a whole sentence that says what exactly was found, instead of the general one
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

/** Whether it is a failure of the library. Looking at what somebody else has thrown may throw too: a proxy can. */
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

/** Whether a failure of looking at a stored document is a verdict on it: not valid, for this reason. */
export function isVerdict(code: SxErrorCode): boolean {
  return rowOf(code).isVerdict
}
