/**
 * What the command line says with its exit status.
 *
 * | status | meaning |
 * |---|---|
 * | 0 | done; of `verify`: valid, and signed by a trusted agent, or with the key that `--key` names |
 * | 1 | the document is not valid |
 * | 2 | the call, the configuration or the password is wrong: nothing was looked at |
 * | 3 | valid, but its signer is not trusted |
 * | 4 | could not be checked or done: no key for the signer; what was named is not there, cannot be read, is too large,
 *       or does not allow it |
 *
 * 1 accuses the document. What may as well lie with whoever looks at it is 4. Of several documents it is the worst
 * status: 1 before 4, 4 before 3.
 *
 * @module
 */
import { Command, CommanderError } from 'commander'
import { type SchemaViolation, SxError, type SxErrorCode } from '../../src/simple.ts'
import { adviceOn, sentencesOf } from './advice.ts'

/** The exit statuses. */
export const EXIT = { done: 0, invalid: 1, usage: 2, untrusted: 3, unchecked: 4 } as const

/** An exit status. */
export type Exit = (typeof EXIT)[keyof typeof EXIT]

/** The exit status of each code. A new code has to be added here to compile: none is a bad document by default. */
const EXITS: Readonly<Record<SxErrorCode, Exit>> = {
  // What was passed is no document that can be signed or trusted, or its signature does not hold.
  NotJson: EXIT.invalid,
  DuplicateKey: EXIT.invalid,
  LossyNumber: EXIT.invalid,
  ReservedField: EXIT.invalid,
  ReservedPrefix: EXIT.invalid,
  InvalidDocument: EXIT.invalid,
  InvalidAgent: EXIT.invalid,
  MissingSignature: EXIT.invalid,
  BadSignature: EXIT.invalid,
  HashMismatch: EXIT.invalid,
  SchemaViolation: EXIT.invalid,
  KeyMismatch: EXIT.invalid, // it names a key that its signer does not have
  KeyRevoked: EXIT.invalid,
  InvalidKey: EXIT.invalid, // in an agent document; `verify` tells a damaged key file apart
  WeakPublicKey: EXIT.invalid,
  NotText: EXIT.invalid,
  MarkerCollision: EXIT.invalid,
  MalformedText: EXIT.invalid,
  TruncatedBlock: EXIT.invalid,
  LineEndingsChanged: EXIT.invalid,
  TrailingWhitespace: EXIT.invalid,
  FileMismatch: EXIT.invalid,
  InvalidAgreement: EXIT.invalid,
  InvalidTerms: EXIT.invalid,
  NoParties: EXIT.invalid,
  DisplayMetadataChanged: EXIT.invalid,
  AgreementHash: EXIT.invalid,

  AgentLost: EXIT.unchecked,
  AgreementExists: EXIT.usage,
  AlreadyExists: EXIT.usage,
  AlreadySigned: EXIT.usage, // of an image that is not to be signed again; see `ofAgreement`
  C2paPresent: EXIT.usage,
  ClockBehind: EXIT.usage,
  InvalidConfig: EXIT.usage,
  InvalidId: EXIT.usage, // of an argument; see `ofDocument`
  InvalidOption: EXIT.usage,
  InvalidSchema: EXIT.usage,
  SchemaLimit: EXIT.usage,
  SchemaRequired: EXIT.usage,
  RefNotAllowed: EXIT.usage,
  UnsafePattern: EXIT.usage,
  KdfOutOfRange: EXIT.usage,
  NoAgentLoaded: EXIT.usage,
  PasskeyUnavailable: EXIT.usage,
  PasswordRequired: EXIT.usage,
  SignerFailed: EXIT.unchecked,
  SyncSignerUnavailable: EXIT.usage,
  WrongAgreement: EXIT.usage,
  WrongPassword: EXIT.usage,

  // What is known here is missing, damaged, or at odds with itself or with an agent document that is whole in itself.
  UnknownSigner: EXIT.unchecked,
  KeyConflict: EXIT.unchecked,
  VersionConflict: EXIT.unchecked,
  FileChanged: EXIT.unchecked,
  Rollback: EXIT.unchecked,
  CorruptStore: EXIT.unchecked,
  NotFound: EXIT.unchecked,
  NoAgreement: EXIT.unchecked,
  LinkRefused: EXIT.unchecked,
  StorageFull: EXIT.unchecked,
  StorageUnavailable: EXIT.unchecked,
  SyncStorageUnavailable: EXIT.unchecked,
  Busy: EXIT.unchecked,
  // The agreement does not allow it.
  EventRefused: EXIT.unchecked,
  NotAParty: EXIT.unchecked,
  TooLate: EXIT.unchecked,
  TooWeak: EXIT.unchecked,
  // It is too much or too new for this program, or the program does not work.
  LimitExceeded: EXIT.unchecked,
  Unsupported: EXIT.unchecked,
  Unverifiable: EXIT.unchecked,
  TimedOut: EXIT.unchecked,
  UnsupportedFormat: EXIT.unchecked,
  NotInitialized: EXIT.unchecked,
  WasmUnavailable: EXIT.unchecked,
  WorkerUnavailable: EXIT.unchecked,
  NoEntropy: EXIT.unchecked,
  Internal: EXIT.unchecked,
}

/** The exit status of a code, as an error or as the reason of a verdict. */
export function exitOf(code: SxErrorCode): Exit {
  return EXITS[code]
}

/** Whether a text is one of the codes. */
export function isErrorCode(text: string): text is SxErrorCode {
  return Object.hasOwn(EXITS, text)
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

/** From the best to the worst, where several documents were looked at. */
const ORDER: readonly Exit[] = [EXIT.done, EXIT.untrusted, EXIT.unchecked, EXIT.invalid, EXIT.usage]

/** The worst of some exit statuses. */
export function worst(statuses: readonly Exit[]): Exit {
  return ORDER.findLast((status) => statuses.includes(status)) ?? EXIT.done
}

/** A command that does not exist. */
export function unknownCommand(parent: Command, name: string): Stop {
  // Commander suggests one only where it finds out by itself that there is no such command.
  const asked = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  for (const command of parent.commands) asked.command(command.name())
  try {
    asked.parse(['--', name], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return noCommand(name, suggestionIn(error.message))
    throw error
  }
  return noCommand(name)
}

function noCommand(name: string, suggestion = ''): Stop {
  return usage(`There is no command '${name}'.${suggestion && ` ${suggestion}`} See \`sx --help\`.`)
}

/** What commander puts on a line of its own below what it says of an option or a command. */
const SUGGESTION = /\n\((Did you mean [^()\n]+\?)\)$/

const suggestionIn = (message: string): string => SUGGESTION.exec(message)?.[1] ?? ''

/**
 * An error met while the agent was opened: whatever it is about, it is the set-up that needs care,
 * unless the disk does.
 */
export function setUp(error: unknown): unknown {
  if (!(error instanceof SxError)) return error
  const isDisk = exitOf(error.code) === EXIT.unchecked && error.code !== 'NotFound'
  return isDisk ? error : new Stop(EXIT.usage, error.code, sentencesOf(error), { cause: error })
}

/** An error met while an agent document was taken: if it is an id that is none, it is the document's. */
export function ofDocument(error: unknown): unknown {
  if (!(error instanceof SxError)) return error
  if (error.code !== 'InvalidId') return error
  const found = "The 'sxId' of the document is not a valid identifier."
  return new Stop(EXIT.invalid, error.code, `${found} ${adviceOn(error.code)}`, { cause: error })
}

/** What the library says of an agreement that may be valid, but lacks something here. */
const LACKING = /^The (?:key of|agreement lacks) the event /

/**
 * An error met while a party acted or a copy was stored: what the agreement does not allow is no mistake in the call, and an
 * event or key that is missing here does not make a copy invalid.
 */
export function ofAgreement(error: unknown): unknown {
  if (!(error instanceof SxError)) return error
  const isLacking = error.code === 'InvalidAgreement' && LACKING.test(error.found)
  if (error.code !== 'AlreadySigned' && !isLacking) return error
  return new Stop(EXIT.unchecked, error.code, sentencesOf(error), { cause: error })
}

/** Whether nothing but a password is missing. */
export function isPasswordMissing(error: unknown): boolean {
  return (error instanceof SxError || error instanceof Stop) && error.code === 'PasswordRequired'
}

/** A failure as it is reported. */
export interface Failure {
  readonly exit: Exit
  readonly code: string
  readonly message: string
  /** Of `SchemaViolation` all that is wrong. */
  readonly details?: readonly SchemaViolation[] | undefined
}

/** What an error means to whoever called the program. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Stop) return { exit: error.exit, code: error.code, message: error.message }
  if (error instanceof SxError)
    return { exit: exitOf(error.code), code: error.code, message: sentencesOf(error), details: error.details }
  if (error instanceof CommanderError) {
    const suggestion = suggestionIn(error.message)
    const said = error.message.replace(SUGGESTION, '')
    const [, unknown] = /^error: unknown command '(.*)'$/s.exec(said) ?? []
    if (unknown !== undefined) return failureOf(noCommand(unknown, suggestion))
    const message = error.code === 'commander.help' ? 'Name a command.' : said.replace(/^error: /, '')
    return { exit: EXIT.usage, code: 'InvalidOption', message: suggestion ? `${message}. ${suggestion}` : message }
  }
  const internal = new SxError('Internal')
  const { code } = internal
  const message = sentencesOf(internal)
  const detail = error instanceof Error ? error.message : String(error)
  return { exit: EXIT.unchecked, code, message: `${message} (${detail})` }
}
