// What a visitor of this page can do about a failure. The library's own advice speaks to whoever writes or serves a page.
import { SxError, type SxErrorCode } from 'sx-agent/simple'

const RELOAD = 'Reload this page. If that does not help, contact its operator.'

/** The advice that differs. All other codes have the library's. */
const advice: Readonly<Partial<Record<SxErrorCode, string>>> = {
  NotJson: 'Ask the sender for the complete, unchanged document.',
  LossyNumber: 'Write the number in quotation marks, as text.',
  LimitExceeded: 'Split it, or make it smaller.',
  InvalidKey: 'Paste a public key of Ed25519 or ML-DSA-87, from “BEGIN PUBLIC KEY” to “END PUBLIC KEY”.',
  WrongPassword: 'The key can no longer be decrypted. Restore the data of this browser.',
  SignerFailed: 'Check that the device with your key is connected and unlocked, then try again.',
  SyncSignerUnavailable: RELOAD,
  PasswordRequired: 'Open this page over https, in a browser that keeps its data.',
  ClockBehind: 'Correct the clock of this device.',
  ReservedPrefix: 'Start the text with something else.',
  ReservedField: 'Remove the field.',
  InvalidDocument: 'Paste the whole document, exactly as it was signed.',
  AlreadySigned: 'Keep it, or choose to replace its signature.',
  UnsupportedFormat: 'Verify it with the software that made it.',
  SchemaViolation: 'Correct the named members.',
  NotText: 'Choose a plain text file.',
  InvalidAgreement: 'Ask the sender for the complete, unchanged file.',
  WrongAgreement: 'Do not sign it. Ask the sender for the original.',
  EventRefused: 'Look at where the agreement stands.',
  UnknownSigner: 'Ask the sender for their agent document, confirm its key id with them, and add it here.',
  NoAgentLoaded: 'Create your agent first.',
  InvalidAgent: 'Paste the whole agent document, exactly as its owner sent it.',
  InvalidId: 'Ask the sender for the complete, unchanged document.',
  InvalidConfig: 'The data of this page in your browser was changed. Restore it, or clear it and create another agent.',
  InvalidOption: 'Correct your input.',
  AgentLost: 'Restore a backup, or create a new agent.',
  AlreadyExists: 'Reload this page. Another tab created an agent.',
  NotFound: RELOAD,
  CorruptStore: 'The data of this page in your browser was damaged. Restore it, or clear it and create another agent.',
  StorageFull: 'Free space on this device and try again. No partial data was written.',
  StorageUnavailable: 'Allow this site to store data (no private window), then reload the page.',
  TimedOut: 'Try again in a moment.',
  Busy: 'Close the other tabs of this page and try again.',
  SyncStorageUnavailable: RELOAD,
  NotInitialized: RELOAD,
  WasmUnavailable: `${RELOAD} Some browsers and extensions block WebAssembly.`,
  WorkerUnavailable: RELOAD,
  NoEntropy: 'Use another browser or device. This one cannot generate secure keys.',
  Unsupported: 'Use another browser, or contact the operator of this page.',
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
