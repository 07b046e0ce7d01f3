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
  NotText: 'Save a text as UTF-8, without NUL characters; of images, PNG, JPEG and WebP are known.',
  LimitExceeded: 'Split it: `sx` has no way to raise the limit.',
  PasswordRequired: 'Set SX_PRIVATE_KEY_PASSWORD, or SX_PASSWORD_FILE to the name of a file that holds it.',
  InvalidDocument: 'Pass the whole document, as `sx sign` or another program wrote it.',
  UnsupportedFormat: 'Verify it with the software that made it, or with a later version of `sx`.',
  AlreadySigned: 'Keep it as it is, or leave out --refuse-overwrite: then its signature is replaced.',
  C2paPresent: 'Sign the original first, and add C2PA to that; --ignore-c2pa signs it as it is.',
  ReservedField: 'Remove the field.',
  Rollback: 'Use the newer version; `sx show <id:version>` shows an older one.',
  NoAgentLoaded: 'Create an agent with `sx quickstart`, or name its configuration with --config.',
  InvalidAgent: 'Pass the whole file that `sx agent export` wrote.',
  SchemaViolation: 'Correct the document; --json shows all that is wrong, with its place and keyword.',
  SchemaRequired: 'Name the schema that it has, or a later version of it, with --schema.',
  RefNotAllowed: 'Refer to schemas by their $id, and put their files beside the schema; nothing is ever fetched.',
  AgentLost: REPORT,
  NotFound: 'Check the name and the folder.',
  InvalidConfig: 'Correct what is named in the configuration file.',
  InvalidOption: 'The --help of the command says what it takes.',
  SyncStorageUnavailable: REPORT,
  SyncSignerUnavailable: REPORT,
  StorageFull: 'Free space on the disk, or have its quota raised, and try again; nothing was half-written.',
  StorageUnavailable: 'Check that it exists and that its permissions allow it.',
  NotInitialized: REPORT,
  WorkerUnavailable: REPORT,
  WasmUnavailable: 'Install the package again, and run Node without flags that switch WebAssembly off.',
  NoEntropy: 'Do not sign here: the random source of this system cannot be trusted.',
  MissingSignature: 'Ask the sender for the signed file.',
  TimedOut: 'Try again in a moment.',
  Unsupported: 'Look at what this version can do: `sx help` names its commands.',
}

const WITHOUT_ROBUST = 'Leave out --robust: the file is signed then, and the picture in it.'

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
      return `Leave out --robust, take a larger picture${other}.`
    },
  ],
  [
    /carry (?:no|a) signature in their |too plain to carry |too few bits |^The pixels of the image /,
    () => WITHOUT_ROBUST,
  ],
  [
    /^This is no PNG, JPEG or WebP/,
    () => 'Convert an image to one of these; a text or JSON is told without --as image.',
  ],
  [/ ends early, or a length inside/, () => 'Take the whole file from where it came from.'],
  [/^The XMP metadata /, () => 'Remove its XMP metadata, or convert it, and sign that.'],
]

/** What `KeyMismatch` says of documents: the newer key of a signer stands in its newer agent document. */
const ABOUT_KEYS: Findings = [
  [
    /this signer is not known to have\.$/,
    () =>
      'If the signer has a new key, get its newer agent document and add it with `sx trust add`; else do not use ' +
      'the content.',
  ],
]

/** What `KeyRevoked` says of the key of the agent itself. Each command loads the agent. */
const ABOUT_OWN_KEY: Findings = [
  [/^The agent's key was rotated by another process\.$/, () => 'Run the command again.'],
  [/^The key (?:of the agent [^ ]+ )?was rotated (?:while|before) /, () => 'Run the command again, to sign it again.'],
  [/^A revocation that was made in advance has revoked /, () => 'Create a new agent.'],
]

/** What `NotFound` says of an agent's data. */
const ABOUT_PLACES: Findings = [
  [
    /^The data directory .* does not hold the agent /,
    () => 'Put back what was deleted or moved, or restore a backup in another folder.',
  ],
]

/** What `CorruptStore` says of a backup. */
const ABOUT_BACKUPS: Findings = [
  [/^The backup is damaged: /, () => 'Take another copy of the backup, or an older one.'],
]

/** Findings that have an advice of their own. */
const ABOUT: Readonly<Partial<Record<SxErrorCode, Findings>>> = {
  Unsupported: ABOUT_IMAGES,
  KeyMismatch: ABOUT_KEYS,
  KeyRevoked: ABOUT_OWN_KEY,
  NotFound: ABOUT_PLACES,
  CorruptStore: ABOUT_BACKUPS,
}

/** What the library says of its own members, as the command line calls them. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(The|the) option 'configPath'/g, '$1 option --config'],
  [/\b(The|the) option '(\w+)'/g, '$1 option --$2'],
  [/ already, which load opens\.$/, ' already.'],
  [/`force: true`/g, '--force'],
]

/** What to do about a failure of this kind, as a sentence. */
export function adviceOn(code: SxErrorCode): string {
  return adviceOf(code, ADVICE)
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
  return WORDS.reduce((text, [theirs, ours]) => text.replace(theirs, ours), found)
}

/** What happened and what to do, in place of the `message` of an error. */
export function sentencesOf(error: SxError): string {
  return `${findingOf(error)} ${adviceAbout(error.code, error.found)}`
}

/** The reason of a verdict, which the core wrote, with the advice for the command line. */
export function reworded(code: SxErrorCode, reason: string): string {
  const advice = adviceOf(code, {})
  if (!reason.endsWith(advice)) return reason
  const found = reason.slice(0, -advice.length)
  // What there is to say of images is for signing them.
  return found + (code === 'Unsupported' ? adviceOn(code) : adviceAbout(code, found.trimEnd()))
}
