/**
 * Of the files that `sx verify` is given, those that may be attached to one of the documents among them.
 *
 * A file without a signature of its own is judged by the comparison alone. For one that carries a signature its own
 * verdict stands, unless it has the name of an attachment and is another file.
 *
 * @module
 */
import { basename } from 'node:path'
import { runAsync } from '../../src/effects.ts'
import { isVerdict } from '../../src/errors.ts'
import { givenFile, type ReadFile, readFile } from '../../src/operations/files.ts'
import { findAttachment } from '../../src/operations/verify-file.ts'
import { SxError, type SxErrorCode } from '../../src/simple.ts'
import { EXIT, type Failure, failureOf } from './exit.ts'
import { isInput, kindOf } from './files.ts'
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
}

/** A file that was looked at alone. */
export interface Looked {
  readonly file: string
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

type Found =
  | { readonly document: Candidate; readonly at: number; readonly error?: undefined }
  | { readonly document: Candidate; readonly isNamed: boolean; readonly error: SxError }

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
  if (documents.length === 0 || isInput(file) || kindOf(file) !== 'file') return own
  const isUnsigned = UNSIGNED.includes(own.failure?.code ?? '')
  const valid = documents.filter(({ isValid }) => isValid)
  if (valid.length === 0) {
    const [unsure] = documents
    return isUnsigned && unsure ? sayNotCompared(file, unsure) : own
  }
  let read: ReadFile
  try {
    read = await hashed(file, options)
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    const failure = failureOf(error)
    return { json: { file }, failure, line: [NOT_COMPARED, file, `${failure.code}: ${failure.message}`] }
  }
  const found = findIn(valid, basename(file), read)
  if (found.error === undefined) {
    found.document.compared.set(found.at, file)
    return sayAttached(file, found, read, isUnsigned ? undefined : own)
  }
  return isUnsigned || found.isNamed ? sayOther(file, found, read, isUnsigned ? undefined : own) : own
}

async function hashed(file: string, options: OutputOptions): Promise<ReadFile> {
  const { onProgress, end } = progressOf(options)
  try {
    return await runAsync(() => readFile(givenFile(file, 'file'), onProgress ? { onProgress } : {}))
  } finally {
    end()
  }
}

/** The attachment that a file is; else why it is none, by a document that has one of its name if there is such. */
function findIn(documents: readonly Candidate[], name: string, read: ReadFile): Found {
  const others: Extract<Found, { readonly error: SxError }>[] = []
  for (const document of documents) {
    try {
      return { document, at: findAttachment(document.attachments, name, false, read) }
    } catch (error) {
      if (!(error instanceof SxError && isVerdict(error.code))) throw error
      const isNamed = document.attachments.some(({ filename }) => filename === name)
      others.push({ document, isNamed, error })
    }
  }
  const other = others.find(({ isNamed }) => isNamed) ?? others[0]
  if (other === undefined) throw new SxError('Internal')
  return other
}

/** What follows the title and the name in the line of a file that has a signature of its own. */
const restOf = (own: Outcome | undefined): readonly string[] => own?.line?.slice(2) ?? []

function sayAttached(
  file: string,
  { document, at }: Extract<Found, { readonly at: number }>,
  { sha256: hash }: ReadFile,
  own: Outcome | undefined,
): Outcome {
  const attachment = document.attachments[at]
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
  { document, isNamed, error }: Extract<Found, { readonly error: SxError }>,
  { sha256: hash }: ReadFile,
  own: Outcome | undefined,
): Outcome {
  const failure = failureOf(error)
  const { code, message } = failure
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
