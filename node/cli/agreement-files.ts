/** Files of agreements: attached to terms, and compared with what terms and later events have attached. */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type AgreementAttachment, type AgreementParty, type AgreementResult, describeFile } from '../../src/simple.ts'
import type { State } from './agreement-state.ts'
import { checkFile } from './attached.ts'
import { EXIT, type Failure } from './exit.ts'
import { composed, isStream, kindOf } from './files.ts'
import { isId } from './identifiers.ts'
import { type OutputOptions, type Report, type Row, shorten } from './output.ts'
import { progressOf, sizeOf } from './progress.ts'

/** A file that is attached: by the terms, or by an event after them. */
interface Attached extends AgreementAttachment {
  readonly later?: { readonly eventId: string; readonly agentId: string; readonly at: string }
}

/** What is attached to an agreement, and what came of comparing files with it. */
export interface FileState {
  readonly attachments: readonly Attached[]
  readonly parties: readonly AgreementParty[]
  /** By the attachment, the file that is the same. */
  readonly same: ReadonlyMap<Attached, string>
  /** Files that are another one than the attachment of their name, or no attachment at all. */
  readonly others: readonly { readonly file: string; readonly name: string | null }[]
}

/**
 * Describes files as terms have them.
 *
 * @throws Stop for what is no file; SxError of reading
 */
export async function describeFiles(files: readonly string[], options: OutputOptions): Promise<AgreementAttachment[]> {
  for (const file of files) checkFile(file)
  const { onProgress, end } = progressOf(options)
  try {
    const described: AgreementAttachment[] = []
    for (const file of files) described.push(await describeFile(file, onProgress ? { onProgress } : {}))
    return described
  } finally {
    end()
  }
}

/** What events have attached, of those that count: a stranger can add an event to a copy. */
const attachedLater = ({ history }: AgreementResult): Attached[] =>
  history.flatMap(({ eventId, agentId, at, data, code }) =>
    code === null && data.attachment !== undefined ? [{ ...data.attachment, later: { eventId, agentId, at } }] : [],
  )

/**
 * Compares files with what is attached: the files that are passed, and files in the folder of the copy that have the name
 * of an attachment. A file with the name of an attachment of the terms must match that one, whatever was attached later.
 *
 * @param named the agreement, as it was passed
 */
export async function compareFiles(
  state: State,
  named: string | undefined,
  passed: readonly string[],
  options: OutputOptions,
): Promise<FileState> {
  const { attachments: first = [], parties } = state.terms
  const attachments: readonly Attached[] = [...first, ...attachedLater(state.result)]
  const same = new Map<Attached, string>()
  const others: { file: string; name: string | null }[] = []
  const names = new Set(passed.map(nameOf))
  const files = [...passed, ...besides(attachments, named).filter((file) => !names.has(nameOf(file)))]
  const described = await describeFiles(files, options)
  for (const [at, file] of files.entries()) {
    const { size, sha256 } = described[at] ?? { size: -1, sha256: '' }
    const alike = attachments.filter((one) => one.size === size && one.sha256 === sha256)
    const namesakes = attachments.filter(({ name }) => composed(name) === nameOf(file))
    const ofTerms = namesakes.filter(({ later }) => later === undefined)
    const meant = ofTerms.length > 0 ? ofTerms : namesakes.length > 0 ? namesakes : attachments
    if (alike.some((one) => meant.includes(one))) for (const one of alike) same.set(one, file)
    else others.push({ file, name: namesakes[0]?.name ?? null })
  }
  return { attachments, parties, same, others }
}

const nameOf = (file: string): string => composed(basename(file))

/** Files with the name of an attachment in the folder of the copy. A name that is a path is the word of a stranger. */
function besides(attachments: readonly AgreementAttachment[], named: string | undefined): string[] {
  if (attachments.length === 0 || named === undefined || isId(named) || isStream(named)) return []
  const names = attachments.map(({ name }) => name).filter((name) => basename(name) === name && !/[/\\\0]/.test(name))
  const wanted = new Set(names.map(composed))
  const folder = dirname(named)
  return namesIn(folder, names)
    .filter((name) => wanted.has(composed(name)))
    .map((name) => join(folder, name))
    .filter((path) => kindOf(path) === 'file')
}

/** The names in a folder. Of one that cannot be listed, only these can be looked for. */
function namesIn(folder: string, otherwise: readonly string[]): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [...new Set(otherwise)]
  }
}

/** Why the files are not those of the agreement. */
export function mismatch({ others }: FileState): Failure | undefined {
  const [first] = others
  if (first === undefined) return undefined
  const { file, name } = first
  const found =
    name === null ? `The file ${file} is not attached to the agreement.` : `The file ${file} is not the attached one.`
  const message = `${found} Do not use the file. Ask the other parties for the original.`
  return { exit: EXIT.invalid, code: 'FileMismatch', message }
}

/** What there is to say of an agreement, and of its files. */
export function reportWithFiles(report: Report, state: FileState): Report {
  const { attachments, parties, same, others } = state
  if (attachments.length === 0 && others.length === 0) return report
  const names = new Set(others.flatMap(({ name }) => (name === null ? [] : [composed(name)])))
  const uncompared = attachments.filter((one) => !same.has(one) && !names.has(composed(one.name)))
  const rows = attachments.map((one): Row => {
    const file = same.get(one)
    const how =
      file === undefined ? (names.has(composed(one.name)) ? 'another file' : 'not compared') : `same as: ${file}`
    const row = [shorten(one.name), sizeOf(one.size), shorten(one.mediaType), how]
    if (one.later === undefined) return ['attached', ...row]
    const { agentId, at } = one.later
    const by = parties.find((party) => party.agentId === agentId)?.partyId ?? agentId
    return ['attached later', ...row, `by ${by}, ${at}`]
  })
  const wrong = others.map(({ file, name }): Row => [name === null ? 'NOT ATTACHED' : 'NOT THE ATTACHED FILE', file])
  const [tone = 'bad', title = ''] = report.title ?? []
  const aside =
    uncompared.length === 0 ? [] : [`not compared: ${uncompared.map(({ name }) => shorten(name)).join(', ')}`]
  return {
    ...report,
    title: others.length === 0 ? [tone, title] : ['bad', `${title}, but a file is not attached to it`],
    rows: [...report.rows, ...rows, ...wrong],
    brief: [report.brief ?? title, ...aside].join('; '),
  }
}

/** The same for programs. */
export function jsonOfFiles({ attachments, same, others }: FileState): object {
  const shown = (isLater: boolean): readonly object[] =>
    attachments.flatMap((one) => {
      const { later, ...file } = one
      return (later !== undefined) === isLater ? { ...file, ...later, comparedWith: same.get(one) ?? null } : []
    })
  return { attachments: shown(false), attachedLater: shown(true), otherFiles: others }
}
