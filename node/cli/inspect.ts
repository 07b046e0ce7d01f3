/** `sx inspect` */
import type { Command } from 'commander'
import { type Arguments, define, type Options } from './command.ts'
import { type Kind, readSource } from './content.ts'
import { EXIT, Stop } from './exit.ts'
import { decodeJson } from './files.ts'
import { type Outcome, type Row, shorten } from './output.ts'
import { parseStrictly } from './strict.ts'

/** Adds `inspect` to the program. */
export function addInspectCommand(program: Command): void {
  const inspect = program.command('inspect').argument('[file]', 'document; - or nothing for standard input')
  inspect
    .summary('show the fields of a document, WITHOUT verifying it')
    .description('Shows the fields of a document. Does not verify it: anyone can write such a document.')
  define<Options>(inspect, ['sx inspect invoice.signed.json', 'sx sign invoice.json | sx inspect --json'], inspecting)
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

/** What to do with what is no document. */
const OTHERS: Readonly<Record<Exclude<Kind, 'json'>, string>> = {
  text: 'The input is not JSON. If it is a text, use `sx verify`.',
  image: 'The input is an image. `sx extract` shows its signed document, and `sx verify` verifies it.',
}

async function inspecting(options: Options, [file]: Arguments): Promise<Outcome> {
  const { kind, bytes } = await readSource(file, options)
  if (kind !== 'json') throw new Stop(EXIT.invalid, 'NotJson', OTHERS[kind])
  const document = parseStrictly(decodeJson(bytes))
  const rows: Row[] = []
  const show = (holder: unknown, member: string, name: string): void => {
    const value: unknown = isObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined
    if (typeof value === 'string') rows.push([name, shorten(value, CLAIM_COLUMNS)])
  }
  for (const [member, name] of SHOWN) show(document, member, name)
  const signature = isObject(document) ? document['sxSignature'] : undefined
  show(signature, 'agentID', 'claimed signer')
  show(signature, 'signingAlgorithm', 'algorithm')
  show(signature, 'keyId', 'claimed key id')
  if (!isObject(signature)) rows.push(['signature', 'none'])
  const title = ['doubtful', 'NOT VERIFIED: anyone can write what follows'] as const
  return {
    json: { verified: false, document },
    result: { title, rows, json: JSON.stringify(document, null, 2) },
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
