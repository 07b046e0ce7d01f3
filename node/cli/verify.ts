/** `sx verify` */
import type { Command } from 'commander'
import { SxError } from '../../src/simple.ts'
import { type Basis, type BasisOptions, withBasis } from './basis.ts'
import { type Arguments, define, writes } from './command.ts'
import { type Attached, type Looked, sayCompared } from './compared.ts'
import { type KindOptions, readSource, type Source, takesAnyKind } from './content.ts'
import { EXIT, type Failure, failureOf, Stop, usage } from './exit.ts'
import { checkTarget, decodeJson, isInput, isStream, type Target } from './files.ts'
import { type Data, type Outcome, remark } from './output.ts'
import { type Fit, notJson, type SchemaOption, withSchema } from './schemas.ts'
import { type Said, sayOfImage, sayOfText } from './signatures.ts'
import {
  briefOf,
  type Checked as CheckedDocument,
  type Compared,
  contentOf,
  deliver,
  lineOf,
  outcomeOf,
  shownAttachments,
  titleOf,
} from './verdict.ts'

interface VerifyOptions extends BasisOptions, Target, KindOptions, SchemaOption {
  readonly strict?: boolean
}

/** Adds the command to the program. */
export function addVerifyCommand(program: Command): void {
  const check = program.command('verify').argument('[files...]', 'signed files; - or nothing for standard input')
  check
    .summary('verify documents, texts and images')
    .description(
      'Verifies documents, texts and images. Prints who signed each input, whether it is valid, and ' +
        'which trust store was used. Detects the file type from its content, like `sx sign`. With a ' +
        'configuration (the default, --config or --trust-from), uses the keys that its agent knows. ' +
        'Without one, or with --key-directory or --data-directory, uses the keys in these folders. With ' +
        '--key, only this key is accepted; trust is not required. Never asks for a password.\n\nWith several ' +
        'files, prints one line per file. The exit status is the worst: 1 before 4, 4 before 3. A text is ' +
        'valid if all its signatures are valid, and trusted if all its signers are.\n\nCompares an ' +
        'unsigned file with the attachments of the documents that are passed with it: `sx verify ' +
        'doc.json file.tar.gz`. Compares by hash, so the file can have another name; a file with the name ' +
        'of an attachment must match that attachment. Standard input must match the attachment if there is only ' +
        'one. Attachments without a file are "not compared".\n\nExit ' +
        'status: 0 valid and trusted, or signed with the key of --key, 1 not valid or not signed, 2 usage, ' +
        '3 valid but not trusted, 4 could not be checked.',
    )
    .option('--key <file>', 'accept only signatures by the owner of this public key (PEM)')
    .option('--trust-from <folder>', 'use the trust store of the agent in this folder (sx.config.json)')
    .option('--key-directory <folder>', 'use the <agentId>.public.pem files in this folder (default: ./sx_keys)')
    .option(
      '--data-directory <folder>',
      'use the agent documents and the trust store in this folder (default: ./sx_data)',
    )
    .option('--schema <file>', 'JSON Schema that a document must match; its own $schema is ignored')
    .option('--strict', 'report an unsigned file as an error, not as a verdict')
  takesAnyKind(writes(check, 'the content of a valid and trusted document or text'))
  define<VerifyOptions>(
    check,
    [
      'sx verify invoice.signed.json --trust-from ~/billing',
      'sx verify release.signed.json release.tar.gz --key billing.public.pem',
    ],
    verifying,
  )
}

/** What was found out about an input. */
interface Checked extends Pick<Said, 'whole'> {
  /** What there is to say of it among others, with the files that its attachments were compared with. */
  readonly among: (file: string, compared: Compared) => Outcome
  /** What was signed, as it is handed out where it is valid. */
  readonly content: () => Data | undefined
  /** Of a document with attachments. */
  readonly attached?: Attached | undefined
}

async function verifying(options: VerifyOptions, files: Arguments): Promise<Outcome | readonly Outcome[]> {
  checkTarget(options)
  if (files.length > 1 && options.output !== undefined) {
    throw usage('--output writes the content of one document or text, but several were named.')
  }
  if (files.filter(isInput).length > 1) throw usage('Standard input is one document. Pass - only once.')
  return await withSchema(options, async (fit) =>
    withBasis(options, async (basis) => {
      const against = { ...basis, fit }
      if (files.length > 1) return await checkEach(files, against, options)
      const source = await readSource(files[0], options, 'MissingSignature')
      const { whole, content } = await check(source, against, options, true)
      return await deliver(whole, content, options)
    }),
  )
}

/** What inputs are checked against, and the schema that documents have to fit. */
interface Against extends Basis {
  readonly fit: Fit
}

/** @param isAlone whether there is room to tell of a second signature, which takes time to look for */
async function check(
  { kind, bytes }: Source,
  against: Against,
  options: VerifyOptions,
  isAlone: boolean,
): Promise<Checked> {
  if (kind !== 'json' && options.schema !== undefined) throw notJson(kind)
  const { by, text, image, document, fit } = against
  const strict = options.strict ?? false
  switch (kind) {
    case 'json': {
      const checked = await fit(await document(decodeJson(bytes)))
      const { verdict } = checked
      if (strict && verdict.code === 'MissingSignature') throw new SxError(verdict.code)
      const kinded = (outcome: Outcome): Outcome => ({ ...outcome, json: { ...outcome.json, kind } })
      const whole = kinded(outcomeOf(checked))
      return {
        whole,
        among: (name, compared) => kinded(lineOf(name, checked, compared)),
        content: () => contentOf(checked),
        attached: attachedTo(checked, whole.failure, against),
      }
    }
    case 'text': {
      const result = await text(bytes, { strict })
      return { ...sayOfText(result, by), content: () => bytes.subarray(0, result.length) }
    }
    case 'image': {
      if (options.output !== undefined) {
        throw usage(
          '--output writes the content of a document or text. To remove the signature from an image, use `sx strip`.',
        )
      }
      const result = await image(bytes, { strict, pixels: isAlone })
      return { ...sayOfImage(result, by), content: () => undefined }
    }
  }
}

/** What is attached to a document, or is claimed to be; nothing where nothing is. */
function attachedTo(
  { verdict, text }: CheckedDocument,
  failure: Failure | undefined,
  against: Against,
): Attached | undefined {
  const { valid: isValid } = verdict
  if (isValid && verdict.attachments.length === 0) return undefined
  if (!isValid && !claimsFiles(text)) return undefined
  const { file } = against
  return {
    attachments: shownAttachments(verdict.attachments),
    isValid,
    failure,
    compare: (path, given) => file(text, path, given),
  }
}

/** Whether a text that is no valid document claims to be one with attachments. */
function claimsFiles(text: string): boolean {
  try {
    const claimed = JSON.parse(text) as { readonly sxFiles?: unknown } | null
    return Array.isArray(claimed?.sxFiles) && claimed.sxFiles.length > 0
  } catch {
    return false // the verdict says that it is no JSON
  }
}

async function checkEach(
  files: readonly string[],
  against: Against,
  options: VerifyOptions,
): Promise<readonly Outcome[]> {
  const looked: Looked[] = []
  let isAny = false
  for (const file of files) {
    let source: Source | undefined
    const say = (outcome: Outcome): void => {
      looked.push({ file, bytes: isStream(file) ? source?.bytes : undefined, say: () => outcome })
    }
    try {
      source = await readSource(file, options, 'MissingSignature')
      const { among, attached } = await check(source, against, options, false)
      isAny = true
      if (attached === undefined) say(kept(among(file, new Map()), options))
      else looked.push({ file, attached, say: (compared) => kept(among(file, compared), options) })
    } catch (error) {
      say(unread(file, error))
    }
  }
  const outcomes = await sayCompared(looked, options)
  if (isAny) remark(briefOf(against.by).join(': '), options)
  return outcomes
}

/** Without --json the content need not stay in memory until all are done. */
function kept(whole: Outcome, { json }: VerifyOptions): Outcome {
  const { result: _, ...outcome } = whole
  return json ? outcome : { ...outcome, json: {} }
}

/** A file that there is nothing to judge in. The others are looked at all the same. */
function unread(file: string, error: unknown): Outcome {
  if (!(error instanceof SxError || error instanceof Stop)) throw error
  const failure = failureOf(error)
  if (failure.exit === EXIT.usage) throw error
  const [, title] = titleOf(failure)
  return { json: { file }, failure, line: [title, file, `${failure.code}: ${failure.message}`] }
}
