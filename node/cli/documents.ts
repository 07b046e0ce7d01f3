/** `sx sign`, `sx inspect` */
import type { Command } from 'commander'
import { sessionOf } from '../../src/api/form.ts'
import { runAsync } from '../../src/effects.ts'
import { SxError } from '../../src/errors.ts'
import { signMessageText } from '../../src/operations/documents.ts'
import { type Arguments, define, infoOf, type Options, withSigner, writes } from './command.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { checkTarget, hasFile, readDocument, type Target, writeTarget } from './files.ts'
import { type Outcome, type Row, shorten } from './output.ts'
import { parseStrictly } from './strict.ts'

interface SignOptions extends Options, Target {
  readonly save: boolean
}

/** Adds `sign` to the program. */
export function addSignCommand(program: Command): void {
  const sign = program.command('sign').argument('[file]', 'JSON to sign; - or nothing for standard input')
  sign.summary('sign JSON as a document').description('Signs any JSON value as a document and stores it.')
  writes(sign, 'the signed document').option('--no-save', 'do not store the document')
  define<SignOptions>(
    sign,
    ['sx sign invoice.json -o invoice.signed.json', 'echo \'{"amount":1}\' | sx sign'],
    signing,
    PASSWORD_VARIABLES,
  )
}

/** Adds `inspect` to the program. */
export function addInspectCommand(program: Command): void {
  const inspect = program.command('inspect').argument('[file]', 'document; - or nothing for standard input')
  inspect
    .summary('show what a document says, WITHOUT verifying it')
    .description('Shows what a document says of itself. Nothing is verified: anybody can write such a document.')
  define<Options>(inspect, ['sx inspect invoice.signed.json', 'sx sign invoice.json | sx inspect --json'], inspecting)
}

async function signing(options: SignOptions, [file]: Arguments): Promise<Outcome> {
  checkTarget(options)
  return await withSigner(options, file, parseStrictly, async (agent, text) => {
    const { raw, documentId, agentId, timestamp } = await runAsync(() =>
      signMessageText(sessionOf(agent), text, !options.save),
    )
    const { sxVersion: version } = JSON.parse(raw) as { sxVersion: string }
    const rows: Row[] = [
      ['document', `${documentId}:${version}`],
      ['signer', agentId],
      ['name', shorten(infoOf(agent).name)],
    ]
    const json = { documentId, version, agentId, timestamp }
    if (!hasFile(options)) {
      return { json: { ...json, raw }, data: raw, note: { title: ['good', 'Signed'], rows } }
    }
    try {
      await writeTarget(options.output, raw, options)
    } catch (cause) {
      if (!options.save || !(cause instanceof SxError)) throw cause
      // What was signed is not lost with the file.
      const found = `${cause.found} The signed document is stored as ${documentId}:${version}.`
      throw new SxError(cause.code, found, { cause })
    }
    rows.push(['written to', options.output])
    return { json: { ...json, output: options.output }, note: { title: ['good', 'Signed'], rows } }
  })
}

/** Columns for what a document says of itself: a terminal of 80 shows it beside what it is called, on one line. */
const CLAIM_COLUMNS = 58

/** Members of the header that are shown, with what they are called. */
const SHOWN = [
  ['sxId', 'id'],
  ['sxVersion', 'version'],
  ['sxPreviousVersion', 'previous version'],
  ['sxType', 'type'],
  ['sxVersionDate', 'date'],
] as const

async function inspecting(options: Options, [file]: Arguments): Promise<Outcome> {
  const text = await readDocument(file, options)
  const document = parseStrictly(text)
  const rows: Row[] = []
  const show = (holder: unknown, member: string, name: string): void => {
    const value: unknown = isObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined
    if (typeof value === 'string') rows.push([name, shorten(value, CLAIM_COLUMNS)])
  }
  for (const [member, name] of SHOWN) show(document, member, name)
  const signature = isObject(document) ? document['sxSignature'] : undefined
  show(signature, 'agentID', 'claims to be from')
  show(signature, 'signingAlgorithm', 'algorithm')
  show(signature, 'keyId', 'with the key id')
  if (!isObject(signature)) rows.push(['signature', 'none'])
  const title = ['doubtful', 'NOT VERIFIED: anybody can write what follows'] as const
  return {
    json: { verified: false, document },
    result: { title, rows, json: JSON.stringify(document, null, 2) },
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
