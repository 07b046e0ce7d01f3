/** `sx sign`, `sx verify`, `sx inspect` */
import { existsSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import { type SxAgent, sessionOf } from '../../src/agent.ts'
import { call } from '../../src/core.ts'
import { runAsync } from '../../src/effects.ts'
import { SxError } from '../../src/errors.ts'
import { verify } from '../../src/operations/verify.ts'
import { verifyStandalone } from '../../src/simple.ts'
import type { InvalidResult, VerificationResult } from '../../src/types.ts'
import { type Arguments, configPath, define, type Options, openAndRead, writes } from './command.ts'
import { EXIT, exitOf, type Failure, usage } from './exit.ts'
import { checkTarget, hasFile, isOutput, readDocument, type Target, writeTarget } from './files.ts'
import type { Outcome, Report, Tone } from './output.ts'
import { parseStrictly } from './strict.ts'

interface SignOptions extends Options, Target {
  readonly save: boolean
}

interface VerifyOptions extends Options, Target {
  readonly keyDirectory?: string
  readonly dataDirectory?: string
}

/** Adds the commands to the program. */
export function addDocumentCommands(program: Command): void {
  const sign = program.command('sign').argument('[file]', 'JSON to sign; - or nothing for standard input')
  sign.summary('sign JSON as a document').description('Signs any JSON value as a document and stores it.')
  writes(sign, 'the signed document').option('--no-save', 'do not store the document')
  define<SignOptions>(sign, ['sx sign invoice.json -o invoice.signed.json', 'echo \'{"amount":1}\' | sx sign'], signing)

  const check = program.command('verify').argument('[file]', 'signed document; - or nothing for standard input')
  check
    .summary('check a document: whose it is, and whether it is unchanged')
    .description(
      'Says whether a document is valid, who signed it and whether that agent is trusted. ' +
        'With a configuration the keys are those that its agent knows; without one, or with ' +
        '--key-directory or --data-directory, those in these folders.\n\n' +
        'Exit status: 0 valid and trusted, 1 not valid, 2 usage, 3 valid but not trusted, 4 could not be checked.',
    )
    .option('--key-directory <folder>', 'take keys from <agentId>.public.pem files (default: ./sx_keys)')
    .option('--data-directory <folder>', 'take keys from agent documents and a trust store (default: ./sx_data)')
  writes(check, 'the content, if it is valid and its signer trusted,')
  define<VerifyOptions>(
    check,
    ['sx verify invoice.signed.json', 'curl -s https://example.com/doc.json | sx verify --key-directory keys'],
    verifying,
  )

  const inspect = program.command('inspect').argument('[file]', 'document; - or nothing for standard input')
  inspect
    .summary('show what a document says, WITHOUT verifying it')
    .description('Shows what a document says of itself. Nothing is verified: anybody can write such a document.')
  define<Options>(inspect, ['sx inspect invoice.signed.json', 'sx sign invoice.json | sx inspect --json'], inspecting)
}

async function signing(options: SignOptions, [file]: Arguments): Promise<Outcome> {
  checkTarget(options)
  // The text stands inside another one: it has to be one JSON value, or it could become something else there.
  const [agent, text] = await openAndRead(options, file, parseStrictly)
  const raw = await agent.createDocument(`{"sxType":"message","content":${text}}`, null, null, !options.save)
  const { sxId, sxVersion, sxVersionDate } = JSON.parse(raw) as Record<string, string>
  const info = agent.getAgentInfo()
  const rows = [
    ['document', `${sxId}:${sxVersion}`],
    ['signer', `${info?.agentId} (${info?.name})`],
  ] as [string, string][]
  const json = { documentId: sxId, version: sxVersion, agentId: info?.agentId, timestamp: sxVersionDate }
  if (!hasFile(options)) {
    return { json: { ...json, raw }, data: raw, note: { title: ['good', 'Signed'], rows } }
  }
  try {
    await writeTarget(options.output, raw, options)
  } catch (cause) {
    if (!options.save || !(cause instanceof SxError)) throw cause
    // What was signed is not lost with the file.
    throw new SxError(cause.code, `${cause.found} The signed document is stored as ${sxId}:${sxVersion}.`, { cause })
  }
  rows.push(['written to', options.output])
  return { json: { ...json, output: options.output }, note: { title: ['good', 'Signed'], rows } }
}

async function verifying(options: VerifyOptions, [file]: Arguments): Promise<Outcome> {
  checkTarget(options)
  const { keyDirectory, dataDirectory } = options
  const isStandalone = keyDirectory !== undefined || dataDirectory !== undefined
  if (isStandalone && options.config !== undefined) {
    throw usage('--config has the keys of its agent; it does not go with --key-directory or --data-directory.')
  }
  for (const folder of [keyDirectory, dataDirectory]) {
    if (folder !== undefined && !isFolder(folder)) throw usage(`There is no folder at ${folder} that can be read.`)
  }
  const useAgent = !isStandalone && (options.config !== undefined || existsSync(configPath(options)))
  const [agent, text] = useAgent ? await openAndRead(options, file) : [undefined, await readDocument(file, options)]
  const verdict = agent
    ? await runAsync(() => verify(sessionOf(agent), text))
    : verifyStandalone(text, {
        ...(keyDirectory !== undefined && { keyDirectory }),
        ...(dataDirectory !== undefined && { dataDirectory }),
      })
  const failure = failureOf(verdict, text)
  const name = agent && verdict.valid && verdict.trusted ? nameOf(agent, verdict.signerId) : undefined
  const json = { ...verdict, ...(name !== undefined && { signerName: name }) }
  const outcome = { json, result: reportOf(verdict, name, failure), isAside: isOutput(options) }
  if (!verdict.valid || failure !== undefined) return { ...outcome, ...(failure && { failure }) }
  const data = `${JSON.stringify(verdict.data, null, 2)}\n`
  if (hasFile(options)) await writeTarget(options.output, data, options)
  return isOutput(options) ? { ...outcome, data } : outcome
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** What an agent that is trusted is called. */
function nameOf(agent: SxAgent, id: string): string | undefined {
  const info = agent.getAgentInfo()
  if (info?.agentId === id) return info.name
  return (JSON.parse(agent.getTrustedAgent(id)) as { name: string }).name
}

function failureOf(verdict: VerificationResult, text: string): Failure | undefined {
  if (!verdict.valid) {
    const { code, errors, signerId } = verdict
    const message = errors.map((error) => error.replace(`${code}: `, '')).join(' ')
    if (!isOfKeyFile(verdict, text)) return { exit: exitOf(code), code, message }
    const what = `The file ${signerId}.public.pem in the key directory cannot be used.`
    return { exit: EXIT.unchecked, code, message: `${what} ${message}` }
  }
  if (verdict.trusted) return undefined
  const how = 'Compare the key with what the signer tells you, then add its agent document with `sx trust add`.'
  return { exit: EXIT.untrusted, code: 'UntrustedSigner', message: `The signer is not trusted. ${how}` }
}

/**
 * Whether the key that cannot be used is one of the key directory, which says nothing of the document. Agent
 * documents bring keys with them, and are checked with these alone to know.
 */
function isOfKeyFile({ code }: InvalidResult, text: string): boolean {
  if (code !== 'InvalidKey' && code !== 'WeakPublicKey') return false
  try {
    call((core) => core.agentVerify(text, ''))
    return true
  } catch (error) {
    return !(error instanceof SxError) || error.code !== code
  }
}

function titleOf(failure: Failure | undefined): readonly [Tone, string] {
  switch (failure?.exit) {
    case undefined:
      return ['good', 'VALID, signed by a trusted agent']
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

function reportOf(verdict: VerificationResult, name: string | undefined, failure: Failure | undefined): Report {
  const title = titleOf(failure)
  const { signerId, valid } = verdict
  const signer = name === undefined ? signerId : `${signerId} (${name})`
  // Of a document that is not valid nothing is known, not even who signed it.
  const isTrusted = valid && verdict.trusted
  const rows: (readonly [string, string])[] = [
    valid ? ['signer', signer] : ['claims to be from', signerId || 'nobody'],
    ['trusted', isTrusted ? 'yes' : 'no'],
  ]
  if (valid) rows.push(['signed at', verdict.timestamp], ['algorithm', verdict.algorithm], ['key', verdict.keyId])
  if (failure !== undefined) rows.push(['reason', `${failure.code}: ${failure.message}`])
  const brief = [title[1], ...rows.slice(0, 2).map(([name, value]) => `${name}: ${value}`)].join('; ')
  return { title, rows, brief }
}

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
  const rows: [string, string][] = []
  const show = (holder: unknown, member: string, name: string): void => {
    const value: unknown = isObject(holder) && Object.hasOwn(holder, member) ? holder[member] : undefined
    if (typeof value === 'string') rows.push([name, value])
  }
  for (const [member, name] of SHOWN) show(document, member, name)
  const signature = isObject(document) ? document['sxSignature'] : undefined
  show(signature, 'agentID', 'claims to be from')
  show(signature, 'signingAlgorithm', 'algorithm')
  show(signature, 'keyId', 'key')
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
