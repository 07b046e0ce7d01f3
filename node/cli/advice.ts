/**
 * What to do about a failure, said to somebody who typed a command. The library's own advice speaks to programmers:
 * of functions, their options and pages. Each code whose advice does so has another one here.
 *
 * @module
 */

import { SxError, type SxErrorCode } from '../../src/simple.ts'

const REPORT = 'Please report this with the command that caused it.'

/** The advice that differs. All other codes have what is said everywhere. */
const ADVICE: Readonly<Partial<Record<SxErrorCode, string>>> = {
  NotJson: 'Pass one strict JSON text in UTF-8.',
  NotText: 'Save a text as UTF-8, without NUL characters. Supported images are PNG, JPEG and WebP.',
  LimitExceeded: 'Split it. `sx` cannot raise the limit.',
  PasswordRequired: 'Set SX_PRIVATE_KEY_PASSWORD, or SX_PASSWORD_FILE to a file that contains it.',
  InvalidDocument: 'Pass the whole document, as `sx sign` or another program wrote it.',
  UnsupportedFormat: 'Verify it with the software that made it, or with a later version of `sx`.',
  AlreadySigned: 'Keep it, or omit --refuse-overwrite to replace its signature.',
  C2paPresent: 'Sign the original first, then add C2PA. Or sign it anyway with --ignore-c2pa.',
  ReservedField: 'Remove the field.',
  Rollback:
    'Use the newer version. If it is missing, restore it from a backup. `sx show <id:version>` shows an older one.',
  NoAgentLoaded: 'Create an agent with `sx quickstart`, or pass its configuration with --config.',
  InvalidAgent: 'Pass the whole file that `sx agent export` wrote.',
  SchemaViolation: 'Correct the document. --json lists every violation with its location and keyword.',
  SchemaRequired: 'Pass its schema, or a later version of it, with --schema.',
  RefNotAllowed: 'Refer to schemas by $id, and put their files next to the schema. References are never fetched.',
  AgentLost: REPORT,
  NotFound: 'Check the name and the folder.',
  InvalidConfig: 'Correct the named field in the configuration file.',
  InvalidOption: 'See --help of the command for allowed values.',
  SyncStorageUnavailable: REPORT,
  SyncSignerUnavailable: REPORT,
  StorageFull: 'Free space on the disk or raise its quota, then try again. No partial data was written.',
  StorageUnavailable: 'Check that it exists and that its permissions allow access.',
  NotInitialized: REPORT,
  WorkerUnavailable: REPORT,
  WasmUnavailable: 'Reinstall the package, and run Node without flags that disable WebAssembly.',
  NoEntropy: 'Do not sign here. The random number generator of this system does not work.',
  MissingSignature: 'Ask the sender for the signed file.',
  TimedOut: 'Try again in a moment.',
  Unsupported: 'See `sx help` for the supported commands.',
  InvalidAgreement: 'Pass the whole file that `sx agreement` wrote, or the id of a stored agreement.',
  WrongAgreement: 'Pass only copies of one agreement.',
  NotAParty: '`sx agreement show --text` lists the agent ids of the parties.',
  EventRefused: '`sx agreement show` prints the status and what blocks it.',
}

const WITHOUT_ROBUST = 'Omit --robust. The signature is then stored only in the metadata.'

/** So many bits are too few for a signature with a post-quantum key, and enough for one of Ed25519. */
const SHORT = 10_000

/** What is found, and what to do about it. */
type Findings = readonly (readonly [RegExp, (...parts: readonly string[]) => string])[]

/** What `Unsupported` says of images. */
const ABOUT_IMAGES: Findings = [
  [
    /^The signature needs (\d+) bits/,
    (_, bits) => {
      const other = Number(bits) > SHORT ? ', or sign as an Ed25519 agent, whose signature needs about 3,200 bits' : ''
      return `Omit --robust, use a larger image${other}.`
    },
  ],
  [/robust channel|^The pixels of the image /, () => WITHOUT_ROBUST],
  [
    /^The input is not a PNG, JPEG or WebP/,
    () => 'Convert the image to one of these. For a text or JSON, omit --as image.',
  ],
  [/ ends early, or a length inside/, () => 'Then run the command again.'],
  [/^The XMP metadata /, () => 'Remove its XMP metadata or convert the image, then sign it.'],
]

/** What `KeyMismatch` says of documents: the newer key of a signer stands in its newer agent document. */
const ABOUT_KEYS: Findings = [
  [
    /a different key than expected\.$/,
    () =>
      'If the signer has a new key, add its newer agent document with `sx trust add`. Otherwise do not use ' +
      'the content.',
  ],
]

/** What `KeyRevoked` says of the key of the agent itself. Each command loads the agent. */
const ABOUT_OWN_KEY: Findings = [
  [/^The agent's key was rotated by another process\.$/, () => 'Run the command again.'],
  [/^The key (?:of the agent [^ ]+ )?was rotated (?:while|before) /, () => 'Run the command again, to sign it again.'],
  [/^A revocation statement has revoked /, () => 'Create a new agent.'],
]

const COMPARE = "If the agent's owner confirms the new key id, run `sx trust remove`, then `sx trust add`."
const COPY =
  'Pass the file that `sx agent export` writes. If you copied the agent, use only one of the copies. If you did ' +
  'not, someone else has the private key: run `sx agent rotate --reason compromised`.'

/** Advice on an agent document that conflicts with the trusted one, or with the one of the agent itself. */
const CONFLICTS: Findings = [
  [/ the trusted document\b/, () => COMPARE],
  [/ (?:the agent's own document|the stored documents of this agent)\b/, () => COPY],
]

/** Advice on an agent document that is older than the trusted one, or than the one of the agent itself. */
const OLDER: Findings = [
  [
    / the trusted document\b/,
    () => "The trust store keeps the newer document. Ask the agent's owner for the latest one.",
  ],
  [/ the agent's own document\b/, () => 'Pass the file that `sx agent export` writes.'],
  [
    / of the trust in /,
    () => 'Restore it from a backup. To continue without it, run `sx trust remove`, then `sx trust add`.',
  ],
]

/** What is said of agreements, with codes that are about other things, too. */
const ABOUT_AGREEMENTS: Findings = [
  [/^The party has already signed this agreement\.$/, () => 'To sign it again, run `sx agreement withdraw` first.'],
  [/^The party has already signed this agreement, /, () => 'One signature of each party is enough.'],
  [
    /^The key of the event /,
    () => 'Add the latest agent document of the agent that signed it with `sx trust add`, then try again.',
  ],
  [/^The key that signed the proposal was revoked,/, () => 'Ask a party to propose it again.'],
  [/^The agreement lacks the event /, () => 'Get a complete copy from another party, and run `sx agreement import`.'],
]

/** What `EventRefused` and `WrongAgreement` say of one act or copy. */
const ABOUT_ACTS: Findings = [
  [
    /^Only a party that proposed the agreement can void it\./,
    () =>
      'Run `sx agreement decline`, or `sx agreement withdraw` if you have signed. Otherwise ask a party that proposed it.',
  ],
  [
    /^Other terms are stored under the id /,
    () =>
      'Ask the other parties which agreementHash is right. If the hash of the copy is right, move this folder out of ' +
      'the data directory, then run the command again.',
  ],
]

/** What `NotFound` says of an agent's data. */
const ABOUT_PLACES: Findings = [
  [/^The agreement is not stored\.$/, () => 'Check the id, or pass a file with a copy of the agreement.'],
  [
    /^The data directory .* does not contain the agent /,
    () => 'Restore what was deleted or moved, or restore a backup to another folder.',
  ],
]

/** What `CorruptStore` says of a backup. */
const ABOUT_BACKUPS: Findings = [
  [/^The input is not a backup\.$/, () => 'Pass the file that `sx backup` wrote.'],
  [/\bbackup\b/, () => 'Get the whole file as `sx backup` wrote it, or restore another backup.'],
]

/** Advice on a file that is too large for terms, or for a copy of an agreement. */
export const LARGE_AGREEMENT =
  'Check that it is the right file. An agreement does not contain its attachments, only their names and SHA-256.'

/** Findings that have an advice of their own. */
const ABOUT: Readonly<Partial<Record<SxErrorCode, Findings>>> = {
  Unsupported: ABOUT_IMAGES,
  KeyMismatch: ABOUT_KEYS,
  KeyRevoked: [...ABOUT_OWN_KEY, ...CONFLICTS],
  KeyConflict: CONFLICTS,
  VersionConflict: CONFLICTS,
  Rollback: OLDER,
  NotFound: ABOUT_PLACES,
  CorruptStore: ABOUT_BACKUPS,
  AlreadySigned: ABOUT_AGREEMENTS,
  InvalidAgreement: ABOUT_AGREEMENTS,
  EventRefused: ABOUT_ACTS,
  WrongAgreement: ABOUT_ACTS,
}

/** What the library says of its own members, as the command line calls them. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(The|the) option 'configPath'/g, '$1 option --config'],
  [/\b(The|the) option '(\w+)'/g, '$1 option --$2'],
  [/ Open it with load\(\)\.$/, ''],
  [/`force: true`/g, '--force'],
  [/\bimportStore\b/, '`sx restore`'],
  [/\bcall untrustAgent, then trustAgent\b/, 'run `sx trust remove`, then `sx trust add`'],
]

/** What to do about a failure of this kind, as a sentence. */
export function adviceOn(code: SxErrorCode): string {
  return ADVICE[code] ?? new SxError(code).advice
}

/** What to do about what was found, as a sentence. */
export function adviceAbout(code: SxErrorCode, found: string): string {
  for (const [pattern, advice] of ABOUT[code] ?? []) {
    const parts = pattern.exec(found)
    if (parts !== null) return advice(...parts)
  }
  return adviceOn(code)
}

/** What was found, as a sentence. */
export function findingOf({ found }: SxError): string {
  return inWords(found)
}

function inWords(sentence: string): string {
  return WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), sentence)
}

/** What was found, in the reason of a verdict. */
export function foundIn(code: SxErrorCode, reason: string): string {
  const { advice } = new SxError(code)
  const found = reason.replace(`${code}: `, '')
  return found.endsWith(` ${advice}`) ? found.slice(0, -advice.length - 1) : found
}

/** What happened and what to do, in place of the `message` of an error. */
export function sentencesOf(error: SxError): string {
  return `${findingOf(error)} ${ownAdvice(error) ?? adviceAbout(error.code, error.found)}`
}

/** What there is to do about an agreement that is too large, which the error itself says. */
function ownAdvice({ code, advice }: SxError): string | undefined {
  return code === 'LimitExceeded' && advice !== new SxError(code).advice ? advice : undefined
}

/** The reason of a verdict, which the core wrote, with the advice for the command line. */
export function reworded(code: SxErrorCode, reason: string): string {
  const { advice } = new SxError(code) // no code of a verdict has another one on servers
  if (!reason.endsWith(advice)) return inWords(reason)
  const found = reason.slice(0, -advice.length)
  // What there is to say of images is for signing them.
  return found + (code === 'Unsupported' ? adviceOn(code) : adviceAbout(code, found.trimEnd()))
}
