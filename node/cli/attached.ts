/** `sx verify-file`, and what is said of attached files. */
import type { Command } from 'commander'
import { type InvalidResult, SxError, type SxErrorCode, type VerifyFileResult } from '../../src/simple.ts'
import { adviceOn, reworded } from './advice.ts'
import { type Basis, type BasisOptions, withBasis } from './basis.ts'
import { type Arguments, define } from './command.ts'
import { EXIT, exitOf, Stop, usage } from './exit.ts'
import { isInput, kindOf, readDocument } from './files.ts'
import type { Outcome, Report, Row } from './output.ts'
import { progressOf } from './progress.ts'
import { attachedRow, type Checked, type Compared, outcomeOf, shownAttachments } from './verdict.ts'

interface VerifyFileOptions extends BasisOptions {
  readonly name?: string
}

/** Adds the command to the program. */
export function addVerifyFileCommand(program: Command): void {
  const check = program
    .command('verify-file')
    .argument('<document>', 'signed document, such as video.signed.json; - for standard input')
    .argument('<file>', 'file, such as video.mp4')
  check
    .summary('check that a file is attached to a signed document')
    .description(
      'Verifies a document like `sx verify`, and checks that a file is one of its attachments. A file ' +
        'with the name of an attachment must match that attachment; any other file can match any ' +
        'attachment. --name selects one attachment.\n\nThe document comes first: the output of `sx ' +
        'sign --file`. The file comes second.\n\nExit status: 0 attached, and the document is valid and ' +
        'trusted, 1 not valid or another file, 2 usage, 3 valid but not trusted, 4 could not be checked, ' +
        'or no such attachment.',
    )
    .option('--name <name>', 'name of the attachment to compare with')
    .option('--key <file>', 'accept only signatures by the owner of this public key (PEM)')
    .option('--trust-from <folder>', 'use the trust store of the agent in this folder (sx.config.json)')
    .option('--key-directory <folder>', 'use the <agentId>.public.pem files in this folder (default: ./sx_keys)')
    .option(
      '--data-directory <folder>',
      'use the agent documents and the trust store in this folder (default: ./sx_data)',
    )
  define<VerifyFileOptions>(
    check,
    ['sx verify-file video.signed.json video.mp4', 'sx verify-file order.signed.json new.pdf --name order.pdf'],
    verifying,
  )
}

/**
 * Refuses what is no file to sign or compare.
 *
 * @throws Stop
 */
export function checkFile(file: string): void {
  const kind = kindOf(file)
  if (kind === 'file') return
  const what =
    kind === undefined ? `There is no file at ${file}. ${adviceOn('NotFound')}` : `${file} is a ${kind}. Pass a file.`
  throw new Stop(EXIT.unchecked, 'NotFound', what)
}

async function verifying(options: VerifyFileOptions, [document, file = '']: Arguments): Promise<Outcome> {
  if (options.name === '') throw usage('--name requires the name of an attached file.')
  if (isInput(file)) throw usage('Standard input is the document. Pass a file to compare.')
  checkFile(file)
  return await withBasis(options, async (basis) => {
    const checked = await documentOf(document, basis, options)
    const { verdict } = checked
    if (!verdict.valid) return withFile(outcomeOf(checked), file, unread(verdict))
    const { onProgress, end } = progressOf(options)
    const { name } = options
    const work = { ...(name !== undefined && { name }), ...(onProgress && { onProgress }) }
    try {
      const result = await basis.file(checked.text, file, work)
      return withFile(outcomeOf(checked, comparedIn(result, file)), file, result)
    } finally {
      end()
    }
  })
}

/** A file is not read where the document is not valid. */
function unread(document: InvalidResult): VerifyFileResult {
  const { errors, code } = document
  return { valid: false, attachment: undefined, hash: '', document, errors, code }
}

/** Which attachment the file is, for what is said of the document. */
function comparedIn({ valid, attachment, document }: VerifyFileResult, file: string): Compared {
  return new Map(valid ? [[document.attachments.indexOf(attachment), file]] : [])
}

const ORDER = 'The first argument is the signed document, the second the file.'

/** Codes of what is no document: likely the arguments are the wrong way round. */
const NO_DOCUMENT: readonly SxErrorCode[] = ['NotJson', 'LimitExceeded', 'MissingSignature', 'InvalidDocument']

/** The document, with its verdict; of what is none, which argument it should have been. */
async function documentOf(file: string | undefined, basis: Basis, options: VerifyFileOptions): Promise<Checked> {
  try {
    const checked = await basis.document(await readDocument(file, options))
    const { verdict } = checked
    if (verdict.valid || !NO_DOCUMENT.includes(verdict.code)) return checked
    return { ...checked, verdict: { ...verdict, errors: [...verdict.errors, ORDER] } }
  } catch (error) {
    if (!(error instanceof SxError && NO_DOCUMENT.includes(error.code))) throw error
    throw new SxError(error.code, `${error.found} ${ORDER}`, { cause: error })
  }
}

/** What there is to say of a document, and of a file that should be attached to it. */
function withFile(whole: ReturnType<typeof outcomeOf>, file: string, found: VerifyFileResult): Outcome {
  const { json: document, result, failure } = whole
  const { valid, attachment, hash, code, errors } = found
  const json = { file, valid, ...(attachment && { attachment: shownAttachments([attachment])[0] }), hash, document }
  if (!found.document.valid) return { json: { ...json, code, errors }, result, ...(failure && { failure }) }
  const rows: Row[] = [['file', file], ['SHA-256 of the file', hash], ...result.rows]
  if (valid) {
    const [tone, title] = result.title ?? (['good', ''] as const)
    const of: Row[] = [['is attached as', ...attachedRow(attachment).slice(1)]]
    const report = reportOf([tone, `UNCHANGED: this file is attached. The document is ${title}`], [...of, ...rows])
    return { json, result: report, ...(failure && { failure }) }
  }
  const message = errors.map((error) => reworded(code, error).replace(`${code}: `, '')).join(' ')
  const title = code === 'FileMismatch' ? 'NOT THE SIGNED FILE' : 'NOT ATTACHED to the document'
  const report = reportOf(['bad', title], [...rows, ['reason', `${code}: ${message || adviceOn(code)}`]])
  return { json: { ...json, code, errors }, result: report, failure: { exit: exitOf(code), code, message } }
}

/** What `--quiet` leaves of the rows. */
const BRIEF = ['file', 'SHA-256 of the file', 'signer', 'trusted', 'reason']

function reportOf(title: NonNullable<Report['title']>, rows: readonly Row[]): Report {
  return {
    title,
    rows,
    brief: [title[1], ...rows.filter(([label]) => BRIEF.includes(label)).map((row) => row.join(': '))].join('; '),
  }
}
