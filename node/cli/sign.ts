/** `sx sign` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { checkImage, SxError } from '../../src/simple.ts'
import { checkFile } from './attached.ts'
import { type Arguments, define, infoOf, type Options, withSigner, writes } from './command.ts'
import { asFile, asText, checkText, type KindOptions, NAMES, readSource, type Source, takesAnyKind } from './content.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { usage } from './exit.ts'
import { checkTarget, decodeJson, hasFile, type Target, writeTarget } from './files.ts'
import { type Data, type Outcome, type Row, shorten } from './output.ts'
import { progressOf } from './progress.ts'
import { warnOfReaders } from './readers.ts'
import { replacedIn, rowsOfReplaced } from './replaced.ts'
import { checkSchemaOption, notJson, type SchemaOption, schemaOptions } from './schemas.ts'
import { parseStrictly } from './strict.ts'
import { checkImageTarget, isNamedFile, isSameFile } from './targets.ts'

interface SignOptions extends Options, Target, KindOptions, SchemaOption {
  readonly save: boolean
  readonly robust?: boolean
  readonly refuseOverwrite?: boolean
  readonly ignoreC2pa?: boolean
  readonly file?: string
  readonly detach?: string
  readonly embed?: boolean
}

/** Adds the command to the program. */
export function addSignCommand(program: Command): void {
  const sign = program.command('sign').argument('[file]', 'file to sign; - or nothing for standard input')
  sign
    .summary('sign JSON, a text or an image')
    .description(
      'Signs JSON, a text or an image. Detects the type from the content, not from the file name. A JSON ' +
        'value becomes a signed document, which is stored and printed. A text gets its signature as a ' +
        'block of lines at its end, in the same file or in the file of --output. An image (PNG, JPEG, ' +
        'WebP) is written to --output with its signature; its pixels do not change.\n\nPrograms that read ' +
        'CSV, YAML, XML, HTML or source code may fail on such a block. Sign a copy of these files ' +
        '(--output), or a document with their hash (--file). `sx verify <file> -o <other>` writes the text ' +
        'without its signatures.\n\nInput is JSON if it begins with {, [ or ", or is a number, true, false ' +
        'or null. Malformed JSON is refused; to sign it as a text, pass --as text. A signed text is always ' +
        'a text.\n\n--file signs a document about a file of any type and does not change the file. `sx verify ' +
        '<document> <file>` compares them.',
    )
  takesAnyKind(writes(sign, 'the result'))
    .option('--file <file>', 'sign a document with the name, size and SHA-256 of any file')
    .option('--detach <file>', 'same as --file')
    .option('--embed', 'with --file, include the file in the document')
    .option('--no-save', 'do not store the document')
    .option('--schema <file>', 'sign the JSON as a document that matches this JSON Schema')
    .option('--robust', 'also store a signature in the pixels of a PNG or JPEG; it survives the loss of metadata')
    .option('--refuse-overwrite', 'fail if the image is already signed (default: replace the signature)')
    .option('--ignore-c2pa', 'sign an image with a C2PA manifest, which becomes invalid')
  define<SignOptions>(
    sign,
    ['sx sign invoice.json -o invoice.signed.json', 'sx sign photo.jpg --robust -o photo.signed.jpg'],
    signing,
    PASSWORD_VARIABLES,
  )
}

/** The options that only images have. */
const OF_IMAGES = [
  ['--robust', 'robust'],
  ['--refuse-overwrite', 'refuseOverwrite'],
  ['--ignore-c2pa', 'ignoreC2pa'],
] as const

async function signing({ detach, ...given }: SignOptions, [file]: Arguments): Promise<Outcome> {
  if (detach !== undefined && given.file !== undefined)
    throw usage('--file and --detach are the same option. Pass only one.')
  const options: SignOptions = detach === undefined ? given : { ...given, file: detach }
  if (options.file !== undefined) return await signNamedFile(options.file, options, file)
  if (options.embed) throw usage('--embed requires --file.')
  if (!isSameFile(file, options) || !options.force) checkTarget(options)
  if (options.as !== undefined) checkOptions(options.as, file, options)
  const read = async (): Promise<Source> => {
    try {
      const source = await readSource(file, options)
      await check(source, file, options)
      return source
    } catch (error) {
      throw asFile(error)
    }
  }
  return await withSigner(options, file, read, async (agent, { kind, bytes }) => {
    if (kind === 'json') return await signJson(agent, decodeJson(bytes), options)
    return await (kind === 'text' ? signTextIn : signImageIn)(agent, bytes, file, options)
  })
}

function checkOptions(kind: Source['kind'], file: string | undefined, options: SignOptions): void {
  if (options.schema !== undefined && kind !== 'json') throw notJson(kind)
  if (kind === 'image') return checkImageTarget(file, options)
  const [option] = OF_IMAGES.find(([, name]) => options[name]) ?? []
  if (option !== undefined) throw usage(`${option} is for images, but the input is ${NAMES[kind]}.`)
}

/** Refuses what cannot be signed, before anybody types a password. */
async function check({ kind, bytes }: Source, file: string | undefined, options: SignOptions): Promise<void> {
  checkOptions(kind, file, options)
  switch (kind) {
    case 'json':
      try {
        parseStrictly(decodeJson(bytes))
      } catch (error) {
        throw asText(error, options)
      }
      break
    case 'text':
      await checkText(bytes)
      break
    case 'image':
      await checkImage(bytes, {
        refuseOverwrite: options.refuseOverwrite ?? false,
        ignoreC2pa: options.ignoreC2pa ?? false,
      })
  }
}

const SIGNED = ['good', 'Signed'] as const

async function signNamedFile(path: string, options: SignOptions, other: string | undefined): Promise<Outcome> {
  if (other !== undefined) throw usage(`--file and ${other} both name what to sign. Pass only one.`)
  const [option] = OF_IMAGES.find(([, name]) => options[name]) ?? (options.as === undefined ? [] : ['--as'])
  if (options.schema !== undefined) throw usage('--schema is for JSON and cannot be combined with --file.')
  if (option !== undefined) throw usage(`${option} cannot be combined with --file.`)
  checkTarget(options)
  const read = async (): Promise<void> => checkFile(path)
  return await withSigner(options, path, read, async (agent) => {
    const { onProgress, end } = progressOf(options)
    const work = onProgress ? { onProgress } : {}
    try {
      const signed = await agent.signFile(path, { embed: options.embed ?? false, noSave: !options.save, ...work })
      return await deliverDocument(agent, 'file', signed.raw, options, options.save)
    } finally {
      end()
    }
  })
}

async function signJson(agent: SxAgent, text: string, options: SignOptions): Promise<Outcome> {
  return await deliverDocument(agent, 'json', await signedJson(agent, text, options), options, options.save)
}

/** Signs JSON as a message, or as a document of a schema. */
async function signedJson(agent: SxAgent, text: string, options: SignOptions): Promise<string> {
  const noSave = !options.save
  checkSchemaOption(options)
  if (options.schema === undefined) return (await agent.signMessage(parseStrictly(text), { noSave })).raw
  return await agent.createDocument(text, { noSave, ...schemaOptions(options) })
}

/** What of a signed document is told. */
interface Signed {
  readonly sxId: string
  readonly sxVersion: string
  readonly sxVersionDate: string
  readonly sxSignature: { readonly agentID: string }
}

/** Prints a signed document, or writes it to the file that was named. */
export async function deliverDocument(
  agent: SxAgent,
  kind: 'json' | 'file',
  raw: string,
  options: Options & Target,
  isStored = true,
): Promise<Outcome> {
  const { sxId: documentId, sxVersion: version, sxVersionDate: timestamp, sxSignature } = JSON.parse(raw) as Signed
  const { agentID: agentId } = sxSignature
  const rows: Row[] = [['document', `${documentId}:${version}`], ...signerRows(agent)]
  const json = { kind, documentId, version, agentId, timestamp }
  if (!hasFile(options)) {
    return { json: { ...json, raw }, data: raw, note: { title: SIGNED, rows } }
  }
  try {
    await writeTarget(options.output, raw, options)
  } catch (cause) {
    if (!isStored || !(cause instanceof SxError)) throw cause
    // What was signed is not lost with the file.
    const found = `${cause.found} The signed document is stored as ${documentId}:${version}.`
    throw new SxError(cause.code, found, { cause })
  }
  rows.push(['written to', options.output])
  return { json: { ...json, output: options.output }, note: { title: SIGNED, rows } }
}

const signerRows = (agent: SxAgent): Row[] => {
  const { agentId, name } = infoOf(agent)
  return [
    ['signer', agentId],
    ['name', shorten(name)],
  ]
}

async function signTextIn(
  agent: SxAgent,
  bytes: Uint8Array,
  file: string | undefined,
  options: SignOptions,
): Promise<Outcome> {
  if (isNamedFile(file) && (options.output === undefined || isSameFile(file, options))) {
    await agent.signText(file)
    warnOfReaders(file, bytes, options)
    return written(agent, { kind: 'text' }, file)
  }
  const signed = await agent.signText(bytes)
  const json = {
    kind: 'text',
    ...(options.json && { raw: new TextDecoder('utf-8', { ignoreBOM: true }).decode(signed) }),
  }
  return await deliverSigned(agent, json, signed, options)
}

async function signImageIn(
  agent: SxAgent,
  bytes: Uint8Array,
  file: string | undefined,
  options: SignOptions,
): Promise<Outcome> {
  const { robust = false, refuseOverwrite = false, ignoreC2pa = false } = options
  const how = { robust, refuseOverwrite, ignoreC2pa }
  const replaced = await replacedIn(bytes, robust, infoOf(agent).agentId)
  const json = { kind: 'image', robust, ...(replaced && { replaced }) }
  const rows = rowsOfReplaced(replaced)
  if (file !== undefined && isSameFile(file, options)) {
    await agent.signImage(file, options.output, how)
    return written(agent, json, options.output, rows)
  }
  return await deliverSigned(agent, json, await agent.signImage(bytes, null, how), options, rows)
}

async function deliverSigned(
  agent: SxAgent,
  json: object,
  data: Data,
  options: SignOptions,
  rows: readonly Row[] = [],
): Promise<Outcome> {
  if (!hasFile(options)) {
    const { agentId } = infoOf(agent)
    return { json: { ...json, agentId }, data, note: { title: SIGNED, rows: [...signerRows(agent), ...rows] } }
  }
  await writeTarget(options.output, data, options)
  const { raw: _, ...rest } = { raw: undefined, ...json }
  return written(agent, rest, options.output, rows)
}

function written(agent: SxAgent, json: object, output: string, more: readonly Row[] = []): Outcome {
  const { agentId } = infoOf(agent)
  const rows: Row[] = [...signerRows(agent), ...more, ['written to', output]]
  return { json: { ...json, agentId, output }, note: { title: SIGNED, rows } }
}
