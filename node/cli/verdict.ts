/** What the command line says of a verdict: its exit status, its report, its line among others. */

import type { SxAgent } from '../../src/index.ts'
import {
  type Attachment,
  type InvalidResult,
  readAgent,
  type SchemaViolation,
  SxError,
  type VerificationResult,
} from '../../src/simple.ts'
import { adviceOn, reworded } from './advice.ts'
import { infoOf, type Options } from './command.ts'
import { EXIT, exitOf, type Failure } from './exit.ts'
import { hasFile, isFolder, isOutput, type Target, writeTarget } from './files.ts'
import { type Data, type Outcome, type Report, type Row, shorten, type Tone } from './output.ts'
import { sizeOf } from './progress.ts'
import { trustedOf } from './trust.ts'

/** The trust store of a loaded agent. */
interface AgentStore {
  readonly agentId: string
  readonly name: string
  readonly configPath: string
  readonly keyDirectory: string
  readonly dataDirectory: string
}

/** Where the keys came from and what decided whom to trust: a loaded agent's store, or folders. */
type TrustStore = AgentStore | { readonly keyDirectory: string | null; readonly dataDirectory: string | null }

/** The one key that a document had to be signed with; nobody's trust counted. */
export interface PinnedKey {
  readonly keyFile: string
  readonly keyId: string
}

/** What was found out about a document. */
export interface Checked {
  readonly text: string
  readonly verdict: VerificationResult
  readonly by: TrustStore | PinnedKey
  /** What the signer calls itself, if it is trusted. */
  readonly name: string | undefined
  /** All that keeps it from fitting the schema that it has to fit. */
  readonly details?: readonly SchemaViolation[] | undefined
}

/** The trust store of an agent. */
export function basisOfAgent(agent: SxAgent): AgentStore {
  const { agentId, name, configPath, keyDirectory, dataDirectory } = infoOf(agent)
  return { agentId, name, configPath, keyDirectory, dataDirectory }
}

/** What an agent has found out about a document. */
export function checkedBy(agent: SxAgent, text: string, verdict: VerificationResult): Checked {
  const by = basisOfAgent(agent)
  const { agentId, name } = by
  const isTrusted = verdict.valid && verdict.trusted
  return {
    text,
    verdict,
    by,
    name: isTrusted ? (verdict.signerId === agentId ? name : trustedOf(agent, verdict.signerId).name) : undefined,
  }
}

export const isPinned = (by: Checked['by'] | undefined): by is PinnedKey => by !== undefined && 'keyFile' in by

const TRUST = 'Confirm the key id with the signer, then add its agent document with `sx trust add`.'

/** Why a verdict on a document is not a good one. */
function failureOf({ verdict, text, by, details }: Checked): Failure | undefined {
  if (verdict.valid) return untrusted(verdict.trusted, by)
  return { ...refused(verdict, by, () => isOfKeyFile(verdict, text)), details }
}

/** What is wrong with what is valid. */
export function untrusted(isTrusted: boolean, by: Checked['by']): Failure | undefined {
  if (isTrusted || isPinned(by)) return undefined
  return { exit: EXIT.untrusted, code: 'UntrustedSigner', message: `The signer is not trusted. ${TRUST}` }
}

/**
 * Why something that was signed is not valid.
 *
 * @param isOfKeyFile whether a key that cannot be used is one of the key directory
 */
export function refused(
  { code, errors, signerId }: Pick<InvalidResult, 'code' | 'errors' | 'signerId'>,
  by: Checked['by'],
  isOfKeyFile: () => boolean,
): Failure {
  const exit = exitOf(code)
  if (code === 'UnknownSigner') return { exit, code, message: `${new SxError(code).found} ${TRUST}` }
  if (code === 'KeyMismatch' && isPinned(by)) {
    return {
      exit,
      code,
      message: `It names a different key than the one in ${by.keyFile}. ${adviceOn('BadSignature')}`,
    }
  }
  const message = errors.map((error) => reworded(code, error).replace(`${code}: `, '')).join(' ')
  if (isPinned(by) || !isOfKeyFile()) return { exit, code, message }
  const what = `The file ${signerId}.public.pem in the key directory cannot be used.`
  return { exit: EXIT.unchecked, code, message: `${what} ${message}` }
}

/** What a key id looks like (protocol, section 4). */
export const KEY_ID = /^[\w-]{43}$/

/**
 * Whether the key that cannot be used is one of the key directory, which says nothing of the document. Agent
 * documents bring keys with them, and are checked with these alone to know.
 */
function isOfKeyFile({ code }: InvalidResult, text: string): boolean {
  if (code !== 'InvalidKey' && code !== 'WeakPublicKey') return false
  try {
    readAgent(text)
    return true
  } catch (error) {
    return !(error instanceof SxError) || error.code !== code
  }
}

/** What it comes to, in a few words. */
export function titleOf(failure: Failure | undefined, by?: Checked['by']): readonly [Tone, string] {
  switch (failure?.exit) {
    case undefined:
      return ['good', isPinned(by) ? 'VALID, signed with the key that --key names' : 'VALID, signed by a trusted agent']
    case EXIT.untrusted:
      return ['doubtful', 'VALID, but the signer is NOT TRUSTED']
    case EXIT.unchecked:
      return ['bad', 'COULD NOT BE CHECKED']
    case EXIT.done:
    case EXIT.invalid:
    case EXIT.usage:
      return ['bad', 'NOT VALID']
  }
}

/** Whose trust counts, and where that stands. */
export function rowsOf(by: Checked['by']): Row[] {
  if (isPinned(by)) return [keyRow(by)]
  const { keyDirectory, dataDirectory } = by
  const place: Row = ['trust store', shown(dataDirectory, '--data-directory')]
  if (!('agentId' in by)) return [place, ['key directory', shown(keyDirectory, '--key-directory')]]
  const { agentId, name, configPath: path } = by
  return [place, ['agent', agentId], ['agent name', shorten(name)], ['configuration', path]]
}

const keyRow = ({ keyFile, keyId }: PinnedKey): Row => ['key of --key', `${keyId} in ${keyFile}`]

/** In short: the key, or the configuration, which can name any directories as its own. */
export function briefOf(by: Checked['by']): Row {
  if (isPinned(by)) return keyRow(by)
  return ['trust store', 'agentId' in by ? by.configPath : shown(by.dataDirectory, '--data-directory')]
}

function shown(folder: string | null, option: string): string {
  if (folder === null) return `none; pass one with ${option}`
  return isFolder(folder) ? folder : `none; there is no folder at ${folder}`
}

function reportOf(checked: Checked, failure: Failure | undefined, compared: Compared): Report {
  const { verdict, name, by } = checked
  const title = titleOf(failure, by)
  const { signerId, valid } = verdict
  // Of a document that is not valid nothing is known, not even who signed it.
  const signer: Row = valid ? ['signer', signerId] : ['claimed signer', signerId || 'none']
  const called: Row[] = name === undefined ? [] : [['signer name', shorten(name)]]
  // With a pinned key nobody is asked whom to trust.
  const trusted: Row[] = isPinned(by) ? [] : [['trusted', valid && verdict.trusted ? 'yes' : 'no']]
  const brief = [signer, ...trusted, briefOf(by), ...called].map(([label, value]) => `${label}: ${value}`)
  const rows: Row[] = [signer, ...called, ...trusted]
  if (!valid && KEY_ID.test(verdict.keyId)) rows.splice(1, 0, ['claimed key id', verdict.keyId])
  if (valid) {
    rows.unshift(['key id', verdict.keyId])
    rows.push(['signed at', verdict.timestamp], ['algorithm', verdict.algorithm], ...attachedRows(verdict, compared))
  }
  if (failure !== undefined) rows.push(['reason', `${failure.code}: ${failure.message}`])
  return {
    title,
    rows: [...rows, ...rowsOf(by)],
    brief: [title[1], ...brief, ...asideOf(verdict, compared)].join('; '),
  }
}

/** The files that attachments were compared with, by the positions of the attachments, and found to be these. */
export type Compared = ReadonlyMap<number, string>

const NOTHING: Compared = new Map()

/** An attachment as JSON shows it: what it holds stands in the document. */
export type ShownAttachment = Omit<Attachment, 'content'>

/** Attachments as JSON shows them. */
export function shownAttachments(attachments: readonly Attachment[]): ShownAttachment[] {
  return attachments.map((attachment) => {
    const { content: _, ...shown } = attachment
    return shown
  })
}

/** An attached file. Its name is the signer's word. */
export function attachedRow({ filename, size, mimeType, embedded }: Attachment): Row {
  return ['attached', shorten(filename), sizeOf(size), mimeType, embedded ? 'embedded' : 'by its hash']
}

/** What is said of a file that could not be, or was not, compared. */
export const NOT_COMPARED = 'NOT COMPARED'

/** Whether an attachment may be another file than whoever verifies has: its bytes were not seen. */
const isUnseen = ({ embedded }: Attachment, at: number, compared: Compared): boolean => !embedded && !compared.has(at)

/** So many names stand on a line. */
const MOST_NAMED = 3

/** In short, which attachments were not compared with any file. */
function asideOf({ attachments }: VerificationResult, compared: Compared): string[] {
  const unseen = attachments.filter((attachment, at) => isUnseen(attachment, at, compared))
  if (unseen.length === 0) return []
  const named = unseen.slice(0, MOST_NAMED).map(({ filename }) => shorten(filename))
  const more = unseen.length > MOST_NAMED ? [`${unseen.length - MOST_NAMED} more`] : []
  return [`not compared: ${[...named, ...more].join(', ')}`]
}

/** So many attached files are named. */
const MOST_ATTACHED = 20

function attachedRows({ attachments, warnings }: VerificationResult, compared: Compared): Row[] {
  const isUncompared = (attachment: Attachment, at: number): boolean => isUnseen(attachment, at, compared)
  const rows = attachments.slice(0, MOST_ATTACHED).map((attachment, at): Row => {
    return [...attachedRow(attachment), ...(isUncompared(attachment, at) ? ['not compared'] : [])]
  })
  const others = attachments.slice(rows.length)
  if (others.length > 0) {
    const unseen = others.filter((attachment, at) => isUncompared(attachment, at + rows.length)).length
    rows.push(['attached', `${others.length} more`, `${unseen} not compared`])
  }
  const warned = warnings.slice(0, MOST_ATTACHED).map(({ message, attachment }) => {
    return ['warning', `${shorten(attachments[attachment]?.filename ?? '')}: ${message}`] as const
  })
  return [...rows, ...warned]
}

/** What counted, for programs. */
export const basisOf = (by: Checked['by']): object =>
  isPinned(by) ? { trustStore: null, pinnedKey: by } : { trustStore: by }

/** What there is to say of a document, with all that is known of it. */
export function outcomeOf(checked: Checked, compared: Compared = NOTHING): Outcome & { readonly result: Report } {
  const { verdict, by, name } = checked
  const failure = failureOf(checked)
  const attachments = shownAttachments(verdict.attachments).map((attachment, at) => {
    return { ...attachment, comparedWith: compared.get(at) ?? null }
  })
  const spoken = verdict.valid
    ? { ...verdict, attachments }
    : { ...verdict, errors: verdict.errors.map((e) => reworded(verdict.code, e)) }
  return {
    json: { ...spoken, ...(name !== undefined && { signerName: name }), ...basisOf(by) },
    result: reportOf(checked, failure, compared),
    ...(failure && { failure }),
  }
}

/**
 * Who signed something that is valid, in the line of a file: as everywhere, what cannot be chosen comes first.
 *
 * @param name what a trusted signer calls itself; '' if that is not known
 */
export const knownOf = (keyId: string, signerId: string, name: string): string[] => [
  `key id: ${keyId}`,
  `signer: ${signerId}`,
  ...(name === '' ? [] : [`signer name: ${shorten(name)}`]),
]

/** What there is to say of a file among others: one line, and the verdict first, because names can be any. */
export function lineOf(file: string, checked: Checked, compared: Compared = NOTHING): Outcome {
  const { verdict, by, name } = checked
  const outcome = outcomeOf(checked, compared)
  const { failure } = outcome
  const [, title] = titleOf(failure, by)
  const known = verdict.valid ? knownOf(verdict.keyId, verdict.signerId, name ?? '') : []
  const why = verdict.valid || failure === undefined ? [] : [`${failure.code}: ${failure.message}`]
  return {
    ...outcome,
    json: { file, ...outcome.json },
    line: [title, file, ...known, ...asideOf(verdict, compared), ...why],
  }
}

/** The content of a document, as it is handed out. */
export function contentOf({ verdict }: Checked): Data | undefined {
  return verdict.valid ? `${JSON.stringify(verdict.data, null, 2)}\n` : undefined
}

/** Hands out the content of what is valid and its signer trusted, if a place for it was named. */
export async function deliver(
  outcome: Outcome,
  contentOf: () => Data | undefined,
  options: Options & Target,
): Promise<Outcome> {
  const aside = { ...outcome, isAside: isOutput(options) }
  if (options.output === undefined || outcome.failure !== undefined) return aside
  const data = contentOf()
  if (data === undefined) return aside
  if (hasFile(options)) await writeTarget(options.output, data, options)
  return isOutput(options) ? { ...aside, data } : aside
}
