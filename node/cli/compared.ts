/**
 * Of the files that `sx verify` is given, those that may be attached to one of the documents among them.
 *
 * A file without a signature of its own is judged by the comparison alone. For one that carries a signature its own
 * verdict stands, unless it has the name of an attachment and is another file.
 *
 * Standard input and pipes have no name. If the documents have one attachment in all, an input without a signature is
 * compared with that one; else with all of them, by its hash.
 *
 * @module
 */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import {
  type FileSource,
  type InvalidFileResult,
  SxError,
  type SxErrorCode,
  type ValidFileResult,
  type VerifyFileOptions,
  type VerifyFileResult,
} from '../../src/simple.ts'
import { reworded } from './advice.ts'
import { EXIT, exitOf, type Failure, failureOf } from './exit.ts'
import { composed, isStream, kindOf } from './files.ts'
import type { Outcome, OutputOptions, Row } from './output.ts'
import { progressOf } from './progress.ts'
import { type Compared, NOT_COMPARED, type ShownAttachment } from './verdict.ts'

/** What a document says is attached to it. Of one that is not valid that is a claim. */
export interface Attached {
  readonly attachments: readonly ShownAttachment[]
  /** Whether the document is valid. */
  readonly isValid: boolean
  /** Why the verdict on the document is not a good one. */
  readonly failure: Failure | undefined
  /** Compares a file with it. */
  readonly compare: (
    file: FileSource | Uint8Array,
    options: Pick<VerifyFileOptions, 'onProgress'>,
  ) => Promise<VerifyFileResult>
}

/** A file that was looked at alone. */
export interface Looked {
  readonly file: string
  /** What was read from standard input or a pipe, which cannot be read again. */
  readonly bytes?: Uint8Array | undefined
  /** What there is to say of it, with the files that its attachments were compared with. */
  readonly say: (compared: Compared) => Outcome
  /** Of a document with attachments. */
  readonly attached?: Attached | undefined
}

/** Codes of what carries no signature of ours, as far as can be told. */
const UNSIGNED: readonly string[] = [
  'DuplicateKey',
  'LimitExceeded',
  'LossyNumber',
  'MissingSignature',
  'NotJson',
  'NotText',
  'Unsupported',
  'UnsupportedFormat',
] satisfies SxErrorCode[]

/** A document with attachments, and what was found of these so far. */
interface Candidate extends Attached {
  readonly file: string
  readonly compared: Map<number, string>
}

/** A file to compare. */
interface Given {
  readonly source: FileSource | Uint8Array
  /** Of the attachment that it has to be; none for an input without a name. */
  readonly name: string | undefined
  readonly size: number | undefined
}

/** What a file is to one of the documents. */
interface Found {
  readonly document: Candidate
  readonly result: VerifyFileResult
  /** Whether the document has an attachment of its name. */
  readonly isNamed: boolean
}

/** Says of each file what it is, after those that may be attached to a document were compared. */
export async function sayCompared(looked: readonly Looked[], options: OutputOptions): Promise<readonly Outcome[]> {
  const candidates = new Map<Looked, Candidate>()
  for (const one of looked) {
    if (one.attached) candidates.set(one, { ...one.attached, file: one.file, compared: new Map() })
  }
  const said = new Map<Looked, Outcome>()
  for (const one of looked) {
    if (!candidates.has(one)) said.set(one, await sayOfFile(one, [...candidates.values()], options))
  }
  return looked.map((one) => said.get(one) ?? one.say(candidates.get(one)?.compared ?? new Map()))
}

async function sayOfFile(one: Looked, documents: readonly Candidate[], options: OutputOptions): Promise<Outcome> {
  const { file } = one
  const own = one.say(new Map())
  const isNameless = isStream(file)
  if (documents.length === 0 || !(isNameless || kindOf(file) === 'file')) return own
  const isUnsigned = UNSIGNED.includes(own.failure?.code ?? '')
  const valid = documents.filter(({ isValid }) => isValid)
  if (valid.length === 0) {
    const [unsure] = documents
    return isUnsigned && unsure ? sayNotCompared(file, unsure) : own
  }
  const attachments = valid.flatMap((document) => document.attachments)
  const given = isNameless ? ofStream(one, isUnsigned ? attachments : []) : ofFile(file)
  if (given === undefined) return isUnsigned ? sayUnread(file, own) : own
  let found: Found
  try {
    found = await findIn(valid, file, given, options)
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    const failure = failureOf(error)
    return { json: { file }, failure, line: [NOT_COMPARED, file, `${failure.code}: ${failure.message}`] }
  }
  if (found.result.valid) return sayAttached(file, found.document, found.result, isUnsigned ? undefined : own)
  if (!isUnsigned && !found.isNamed) return own
  const how = isNameless && attachments.length > 1 ? ` ${NAME_IT}` : ''
  return sayOther(file, found, found.result, isUnsigned ? undefined : own, how)
}

const NAME_IT = 'To compare it with one of the attachments, pass a file with the name of that attachment.'

function ofFile(file: string): Given {
  return { source: file, name: basename(file), size: statSync(file, { throwIfNoEntry: false })?.size }
}

/** @param attachments those that it may have to be */
function ofStream({ bytes }: Looked, attachments: readonly ShownAttachment[]): Given | undefined {
  if (bytes === undefined) return undefined
  const [only, ...others] = attachments
  const name = others.length === 0 ? only?.filename : undefined
  return { source: name === undefined ? bytes : { name, data: bytes }, name, size: bytes.length }
}

/** Of standard input or a pipe that could not be read whole. */
function sayUnread(file: string, own: Outcome): Outcome {
  const { failure } = own
  if (failure?.code !== 'LimitExceeded') return own
  const message = `The input is too large to be compared. Save it to a file, and pass the file.`
  return { json: { file }, failure: { ...failure, message }, line: [NOT_COMPARED, file, `${failure.code}: ${message}`] }
}

async function compared({ compare }: Candidate, { source }: Given, options: OutputOptions): Promise<VerifyFileResult> {
  const { onProgress, end } = progressOf(options)
  try {
    return await compare(source, onProgress ? { onProgress } : {})
  } finally {
    end()
  }
}

/**
 * The first document that a file is attached to, if there is one; else one that has an attachment of its name, if there is
 * such. Each document that it is attached to notes it. The file is read for one document that it is likely attached to, and
 * again only for others that name its hash.
 */
async function findIn(
  documents: readonly Candidate[],
  file: string,
  given: Given,
  options: OutputOptions,
): Promise<Found> {
  const { size } = given
  const name = given.name === undefined ? undefined : composed(given.name)
  const isNamed = (filename: string): boolean => composed(filename) === name
  const hasOne = (is: (one: ShownAttachment) => boolean): Candidate | undefined =>
    documents.find(({ attachments }) => attachments.some(is))
  const results = new Map<Candidate, VerifyFileResult>()
  const compare = async (document: Candidate): Promise<Found> => {
    const result = results.get(document) ?? (await compared(document, given, options))
    results.set(document, result)
    return {
      document,
      result,
      isNamed: document.attachments.some(({ filename }) => isNamed(filename)),
    }
  }
  const [first] = documents
  if (first === undefined) throw new SxError('Internal')
  const likely = hasOne((one) => one.size === size) ?? hasOne(({ filename }) => isNamed(filename)) ?? first
  const { hash } = (await compare(likely)).result
  let attached: Found | undefined
  for (const document of documents) {
    if (!document.attachments.some((one) => one.hash === hash)) continue
    const found = await compare(document)
    if (!found.result.valid) continue
    document.compared.set(placeOf(found.result), file)
    attached ??= found
  }
  return attached ?? (await compare(hasOne(({ filename }) => isNamed(filename)) ?? first))
}

/** The position in the document of the attachment that the file matches. */
const placeOf = ({ attachment, document }: ValidFileResult): number => document.attachments.indexOf(attachment)

/** What follows the title and the name in the line of a file that has a signature of its own. */
const restOf = (own: Outcome | undefined): readonly string[] => own?.line?.slice(2) ?? []

function sayAttached(file: string, document: Candidate, result: ValidFileResult, own: Outcome | undefined): Outcome {
  const { hash } = result
  const attachment = document.attachments[placeOf(result)]
  if (attachment === undefined) throw new SxError('Internal')
  const comparison = { document: document.file, valid: true, attachment, hash }
  const told = [`attached to: ${document.file}`, `as: ${attachment.filename}`]
  if (own !== undefined) {
    const [title = '', ...rest] = own.line ?? []
    return { ...own, json: { ...own.json, comparison }, line: [title, ...rest, ...told] }
  }
  const { failure } = document // at most that its signer is not trusted: it is valid
  const title = failure === undefined ? 'ATTACHED, unchanged' : 'ATTACHED, but the signer is NOT TRUSTED'
  return { json: { file, valid: true, comparison }, line: [title, file, ...told], ...(failure && { failure }) }
}

function sayOther(
  file: string,
  { document, isNamed }: Found,
  { code, errors, hash }: InvalidFileResult,
  own: Outcome | undefined,
  how: string,
): Outcome {
  const message = errors.map((error) => reworded(code, error).replace(`${code}: `, '')).join(' ') + how
  const failure = { exit: exitOf(code), code, message }
  const comparison = { document: document.file, valid: false, hash, code, errors: [`${code}: ${message}`] }
  const title = isNamed ? 'NOT THE SIGNED FILE' : 'NOT ATTACHED'
  const line: Row = [title, file, `not attached to: ${document.file}`, ...restOf(own), `${code}: ${message}`]
  return { json: { ...own?.json, file, valid: false, code, comparison }, line, failure }
}

/** Nothing is known of the file: the document that would say so is not valid, or could not be checked. */
function sayNotCompared(file: string, document: Candidate): Outcome {
  const { exit = EXIT.invalid, code = 'Internal' } = document.failure ?? {}
  const why = exit === EXIT.unchecked ? 'could not be checked' : 'is not valid'
  const message = `The document ${document.file} ${why}, so this file was not compared with its attachments.`
  const comparison = { document: document.file, valid: false, code, errors: [`${code}: ${message}`] }
  return {
    json: { file, valid: false, code, comparison },
    line: [NOT_COMPARED, file, `${code}: ${message}`],
    failure: { exit, code, message },
  }
}
