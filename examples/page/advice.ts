// What a visitor of this page can do about a failure. The library's own advice speaks to whoever writes or serves a page.
import { SxError, type SxErrorCode } from 'sx-agent/simple'

const RELOAD = 'Reload this page. If that does not help, tell whoever runs it.'

/** The advice that differs. All other codes have the library's. */
const advice: Readonly<Partial<Record<SxErrorCode, string>>> = {
  NotJson: 'Ask for the document again: it has to be passed on whole and unchanged.',
  LossyNumber: 'Write the number in quotation marks, as text.',
  LimitExceeded: 'Split it, or make it smaller.',
  InvalidKey: 'Paste a public key of Ed25519 or ML-DSA-87, from “BEGIN PUBLIC KEY” to “END PUBLIC KEY”.',
  WrongPassword: 'The key cannot be opened any more, unless you can restore the data of this browser.',
  SignerFailed: 'See that what holds your key is there and unlocked, then try again.',
  SyncSignerUnavailable: RELOAD,
  PasswordRequired: 'Open this page over https, in a browser that keeps its data.',
  ClockBehind: 'Set the clock of this device.',
  ReservedPrefix: 'Begin the text with something else.',
  ReservedField: 'Remove the field.',
  InvalidDocument: 'Paste the whole document, as it was copied when it was signed.',
  UnsupportedFormat: 'Check it with the software that made it.',
  NotText: 'Choose a file of plain text.',
  NoAgentLoaded: 'Create your agent first.',
  InvalidAgent: 'Paste the whole agent document, as the other side has copied it.',
  InvalidId: 'Ask for the document again: it has to be passed on whole and unchanged.',
  InvalidConfig: 'The data of this page in your browser was changed. Restore it, or clear it and create another agent.',
  InvalidOption: 'Change what you have typed in.',
  AgentLost: 'Restore a backup of it, or start anew with another agent.',
  AlreadyExists: 'Reload this page: another tab has made an agent meanwhile.',
  NotFound: RELOAD,
  CorruptStore: 'The data of this page in your browser was damaged. Restore it, or clear it and create another agent.',
  StorageFull: 'Free some space on this device and try again; nothing was half-written.',
  StorageUnavailable: 'Let this site keep data (no private window), then reload the page.',
  TimedOut: 'Try again in a moment.',
  Busy: 'Close the other tabs of this page and try again.',
  SyncStorageUnavailable: RELOAD,
  NotInitialized: RELOAD,
  WasmUnavailable: `${RELOAD} Some browsers and extensions forbid WebAssembly.`,
  WorkerUnavailable: RELOAD,
  NoEntropy: 'Use another browser or device: this one cannot make secure keys.',
  Unsupported: 'Use another browser, or tell whoever runs this page.',
  Internal: RELOAD,
}

/** What to do about a failure of this kind, as a sentence. */
export function adviceOn(code: SxErrorCode): string {
  return advice[code] ?? new SxError(code).advice
}

/** The reason of a verdict, which the library wrote, with the advice for visitors. */
export function reworded(code: SxErrorCode, reason: string): string {
  const found = withoutAdvice(code, reason)
  return found === reason ? reason : `${found} ${adviceOn(code)}`
}

/** The reason of a verdict without what the library advises. */
export function withoutAdvice(code: SxErrorCode, reason: string): string {
  const { advice: theirs } = new SxError(code)
  return reason.endsWith(` ${theirs}`) ? reason.slice(0, -theirs.length - 1) : reason
}
