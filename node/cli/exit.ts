/**
 * What the command line says with its exit status.
 *
 * | status | meaning |
 * |---|---|
 * | 0 | done; of `verify`: valid, and signed by a trusted agent |
 * | 1 | the document is not valid |
 * | 2 | usage or configuration: nothing was looked at |
 * | 3 | valid, but its signer is not trusted |
 * | 4 | could not be checked or done: no key for the signer, unreadable, too large |
 *
 * @module
 */
import { CommanderError } from 'commander'
import { SxError, type SxErrorCode } from '../../src/errors.ts'

/** The exit statuses. */
export const EXIT = { done: 0, invalid: 1, usage: 2, untrusted: 3, unchecked: 4 } as const

/** An exit status. */
export type Exit = (typeof EXIT)[keyof typeof EXIT]

const USAGE: ReadonlySet<SxErrorCode> = new Set([
  'AlreadyExists',
  'InvalidConfig',
  'InvalidId',
  'InvalidOption',
  'KdfOutOfRange',
  'NoAgentLoaded',
  'PasswordRequired',
  'WrongPassword',
] satisfies SxErrorCode[])

const UNCHECKED: ReadonlySet<SxErrorCode> = new Set([
  'Busy',
  'CorruptStore',
  'Internal',
  'LimitExceeded',
  'LinkRefused',
  'NoEntropy',
  'NotFound',
  'StorageFull',
  'StorageUnavailable',
  'UnknownSigner',
  'Unsupported',
  'UnsupportedFormat',
  'WasmUnavailable',
] satisfies SxErrorCode[])

/** The exit status of a code, as an error or as the reason of a verdict. What it does not know is a bad document. */
export function exitOf(code: SxErrorCode): Exit {
  if (USAGE.has(code)) return EXIT.usage
  return UNCHECKED.has(code) ? EXIT.unchecked : EXIT.invalid
}

/** A failure with the exit status and the sentence that fit the command line. */
export class Stop extends Error {
  override readonly name: string = 'Stop'
  /** The exit status. */
  readonly exit: Exit
  /** The kind of failure: a code of the library. */
  readonly code: SxErrorCode

  constructor(exit: Exit, code: SxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exit = exit
    this.code = code
  }
}

/** A mistake in how the program was called. */
export function usage(message: string): Stop {
  return new Stop(EXIT.usage, 'InvalidOption', message)
}

/**
 * An error met while the agent was opened: whatever it is about, it is the set-up that needs care,
 * unless the disk does.
 */
export function setUp(error: unknown): unknown {
  if (!(error instanceof SxError)) return error
  const isDisk = exitOf(error.code) === EXIT.unchecked && error.code !== 'NotFound'
  return isDisk ? error : new Stop(EXIT.usage, error.code, error.message, { cause: error })
}

/** A failure as it is reported. */
export interface Failure {
  readonly exit: Exit
  readonly code: string
  readonly message: string
}

/** What an error means to whoever called the program. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Stop) return { exit: error.exit, code: error.code, message: error.message }
  if (error instanceof SxError) return { exit: exitOf(error.code), code: error.code, message: error.message }
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'Name a command.' : error.message.replace(/^error: /, '')
    return { exit: EXIT.usage, code: 'InvalidOption', message }
  }
  const { code, message } = new SxError('Internal')
  const detail = error instanceof Error ? error.message : String(error)
  return { exit: EXIT.unchecked, code, message: `${message} (${detail})` }
}
