import { codes } from '#codes'

/** A stable name for a kind of failure; the list stands in the core's table of errors. */
export type SxErrorCode = keyof typeof codes

/** What an {@link SxError} can carry beside its code. */
export interface SxErrorOptions {
  /** The error of the runtime that led to this one. */
  cause?: unknown
}

/**
 * Every failure of the library.
 *
 * `message` is a sentence that says what happened and one that says what to do; `code` is for
 * programs. Neither holds secrets or unverified data.
 *
 * @example
 * try {
 *   agent.signStringSync('SXv2 …')
 * } catch (error) {
 *   if (error instanceof SxError && error.code === 'ReservedPrefix') console.error(error.message)
 * }
 */
export class SxError extends Error {
  override readonly name: string = 'SxError'
  /** The kind of failure. */
  readonly code: SxErrorCode
  /** What happened, as a sentence. */
  readonly found: string
  /** What to do about it, as a sentence. */
  readonly advice: string

  /**
   * @param code the kind of failure
   * @param found a whole sentence that says what exactly was found, instead of the general one
   */
  constructor(code: SxErrorCode, found?: string, options: SxErrorOptions = {}) {
    const { what, then } = codes[code]
    super(`${found || what} ${then}`, options)
    this.code = code
    this.found = found || what
    this.advice = then
  }
}

/** Whether a text is the name of a code. */
export function isErrorCode(text: string): text is SxErrorCode {
  return Object.hasOwn(codes, text)
}
