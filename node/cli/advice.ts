/**
 * What to do about a failure, said to somebody who typed a command. The library's own advice speaks to programmers:
 * of functions, their options and pages. Each code whose advice does so has another one here.
 *
 * @module
 */
import { type Advice, adviceOn as adviceOf, type SxError, type SxErrorCode } from '../../src/errors.ts'

const REPORT = 'Please report this with the command that led to it.'

/** The advice that differs. All other codes have what is said everywhere. */
const ADVICE: Advice = {
  NotJson: 'Pass one strict JSON text in UTF-8.',
  LimitExceeded: 'Split it: `sx` has no way to raise the limit.',
  PasswordRequired: 'Set SX_PRIVATE_KEY_PASSWORD, or SX_PASSWORD_FILE to the name of a file that holds it.',
  InvalidDocument: 'Pass the whole document, as `sx sign` or another program wrote it.',
  UnsupportedFormat: 'Verify it with the software that made it, or with a later version of `sx`.',
  ReservedField: 'Remove the field.',
  Rollback: 'Use the newer version; `sx documents show <id:version>` shows an older one.',
  NoAgentLoaded: 'Create an agent with `sx quickstart`, or name its configuration with --config.',
  InvalidAgent: 'Pass the whole file that `sx agent export` wrote.',
  NotFound: 'Check the name and the folder.',
  InvalidConfig: 'Correct what is named in the configuration file.',
  InvalidOption: 'The --help of the command says what it takes.',
  SyncStorageUnavailable: REPORT,
  StorageFull: 'Free space on the disk, or have its quota raised, and try again; nothing was half-written.',
  StorageUnavailable: 'Check that it exists and that its permissions allow it.',
  NotInitialized: REPORT,
  WorkerUnavailable: REPORT,
  WasmUnavailable: 'Install the package again, and run Node without flags that switch WebAssembly off.',
  NoEntropy: 'Do not sign here: the random source of this system cannot be trusted.',
  Unsupported: '`sx help` says what there is.',
}

/** What the library says of its own members, as the command line calls them. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(The|the) option 'configPath'/g, '$1 option --config'],
  [/\b(The|the) option '(\w+)'/g, '$1 option --$2'],
  [/ already, which load opens\.$/, ' already.'],
]

/** What to do about a failure of this kind, as a sentence. */
export function adviceOn(code: SxErrorCode): string {
  return adviceOf(code, ADVICE)
}

/** What was found, as a sentence. */
export function findingOf({ found }: SxError): string {
  return WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), found)
}

/** What happened and what to do, in place of the `message` of an error. */
export function sentencesOf(error: SxError): string {
  return `${findingOf(error)} ${adviceOn(error.code)}`
}

/** The reason of a verdict, which the core wrote, with the advice for the command line. */
export function reworded(code: SxErrorCode, reason: string): string {
  const advice = adviceOf(code, {})
  return reason.endsWith(advice) ? reason.slice(0, -advice.length) + adviceOn(code) : reason
}
