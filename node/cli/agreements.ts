/** `sx agreement` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import {
  type AgreementAttachment,
  type AgreementCopy,
  type AgreementTerms,
  type AmendedAgreement,
  mergeAgreements,
  SxError,
} from '../../src/simple.ts'
import { addActs } from './agreement-acts.ts'
import { compareFiles, describeFiles, jsonOfFiles, mismatch, reportWithFiles } from './agreement-files.ts'
import { addImport } from './agreement-import.ts'
import {
  AGREEMENT,
  type CopyOptions,
  checkCopyTarget,
  handOut,
  handOutStored,
  readAgreement,
  readPart,
  withOutput,
  writesCopy,
} from './agreement-input.ts'
import { nextOf, reportOf, type State, stateOf, termsReport, unmet, unusable } from './agreement-state.ts'
import { STATUSES } from './agreement-words.ts'
import { type Arguments, configPath, define, type Options, withVerifier } from './command.ts'
import { type Failure, Stop } from './exit.ts'
import { checkTarget, hasFile, isOutput, type Target, writeTarget } from './files.ts'
import type { Outcome, Report, Row } from './output.ts'

interface StateOptions extends Options {
  readonly now?: string
}

interface ShowOptions extends StateOptions, CopyOptions {
  readonly text?: boolean
}

interface CertificateOptions extends Options, CopyOptions {
  readonly html?: boolean
}

type WritingOptions = Options & CopyOptions

const NOW = [
  '--now <date>',
  'the status at this date, such as 2026-01-31T12:00:00.000Z, or at the end of a day, in UTC (default: now)',
] as const
const ATTACHMENTS = ['[file...]', 'files to attach; the terms store only name, size and SHA-256'] as const
const TERMS = ['<terms>', 'JSON file with the terms; - for standard input'] as const

/** Adds the commands to the program. */
export function addAgreementCommands(program: Command): void {
  const group = program
    .command('agreement')
    .summary('create, sign and check agreements of several parties')
    .description(
      'Creates, signs and checks agreements of several parties. The terms never change. Each party signs events and ' +
        'hands its copy to the others; copies are merged in any order. See docs/agreements.md for the terms.',
    )
  group.helpCommand('help [command]', 'show the help of a command')
  group.addHelpText(
    'after',
    '\nExamples:\n  $ sx agreement create terms.json -o rent.json\n  $ sx agreement sign rent.json -o signed.json\n',
  )
  addCreating(group)
  addShowing(group)
  addActs(group)
  addCopying(group)
  addCertificate(group)
}

function addCreating(group: Command): void {
  const create = group.command('create').argument(...TERMS)
  create.argument(...ATTACHMENTS)
  create
    .summary('create an agreement from its terms')
    .description(
      'Creates an agreement from its terms, stores it, and prints its id. It is a draft until a party proposes it. ' +
        'Files after the terms are attached: the terms then contain the name, size and SHA-256 of each file.',
    )
  writesCopy(create, 'the agreement')
  define<WritingOptions>(
    create,
    ['sx agreement create terms.json plan.pdf -o rent.json', 'id=$(sx agreement create - < terms.json)'],
    (given, [terms, ...files]) => creating(given, terms, files, (agent, json) => agent.createAgreementDoc(json)),
  )

  const amend = group.command('amend').argument(...AGREEMENT)
  amend.argument('<terms>', 'JSON file with all of the new terms').argument(...ATTACHMENTS)
  amend
    .summary('create an agreement that amends another one')
    .description(
      'Creates an agreement that amends another one, stores it, and prints its id. When both are complete, `sx ' +
        'agreement supersede` replaces the first one.',
    )
  writesCopy(amend, 'the new agreement')
  define<WritingOptions>(
    amend,
    ['sx agreement amend rent.json terms.json -o next.json', 'sx agreement amend "$id" terms.json --json'],
    async (given, [named, terms, ...files]) => {
      const agreement = await readAgreement(named, given)
      return await creating(given, terms, files, (agent, json) => agent.amendAgreement(agreement, json))
    },
  )
}

async function creating(
  given: WritingOptions,
  file: string | undefined,
  files: Arguments,
  create: (agent: SxAgent, terms: string) => Promise<AgreementCopy & Partial<AmendedAgreement>>,
): Promise<Outcome> {
  const options = withOutput(given)
  await checkCopyTarget(options)
  const text = await readPart(file, options)
  const attached = await describeFiles(files, options)
  return await withVerifier(configPath(options), async (agent) => {
    const terms = await withAttachments(agent, text, attached)
    const { raw, loosened, agreementId, agreementHash, status } = await create(agent, terms)
    const rows: Row[] = [
      ['id', agreementId],
      ['hash', agreementHash],
      ...(loosened ?? []).map((name): Row => ['asks for less', name]),
    ]
    const json = { agreementId, agreementHash, status, ...(loosened && { loosened }) }
    const report = { title: ['good', 'Created an agreement'], rows } as const
    const done = 'The agreement is stored.'
    const { result, ...outcome } = await handOutStored(done, agreementId, raw, json, report, options)
    return isOutput(options) ? { ...outcome, result } : { ...outcome, data: agreementId, note: result }
  })
}

/** Terms with more attachments. Terms that are not valid are refused as they were typed. */
async function withAttachments(agent: SxAgent, text: string, more: readonly AgreementAttachment[]): Promise<string> {
  if (more.length === 0) return text
  await agent.createAgreementDoc(text, { noSave: true })
  const terms = JSON.parse(text) as AgreementTerms
  return JSON.stringify({ ...terms, attachments: [...(terms.attachments ?? []), ...more] })
}

function addShowing(group: Command): void {
  const show = group.command('show').argument(...AGREEMENT)
  show
    .summary('show the status of an agreement')
    .description(
      'Shows the status of an agreement: who has signed, who is next, what blocks it, and which events have no effect ' +
        'and why. With --output, also writes a copy with all stored events, for the other parties.',
    )
    .option(...NOW)
    .option('--text', 'also print the terms')
  writesCopy(show)
  define<ShowOptions>(show, ['sx agreement show rent.json', 'sx agreement show "$id" -o copy.json'], showing)

  const check = group.command('check').argument(...AGREEMENT)
  check.argument('[file...]', 'files to compare with the attachments')
  check
    .summary('check whether an agreement is complete, for scripts')
    .description(
      'Checks whether an agreement is complete. Attachments of the terms, and of later events, are compared with the files that are passed, and with ' +
        'files of the same name next to the copy; others are "not compared". Exit status 0: complete, all events ' +
        'verified, and status 3 does not apply. 1: not a valid agreement, or a file is not the ' +
        'attached one. 3: complete, but ' +
        'only with the events of an agent that is not trusted. 4: not complete, no longer in effect, events are missing, or no signer is known.',
    )
    .option(...NOW)
  define<StateOptions>(check, ['sx agreement check signed.json plan.pdf', 'sx agreement check "$id" --quiet'], checking)
}

async function showing(given: ShowOptions, [named]: Arguments): Promise<Outcome> {
  const options = withOutput(given)
  checkTarget(options)
  const agreement = await readAgreement(named, options)
  return await withVerifier(configPath(options), async (agent) => {
    const state = await stateOf(agent, agreement, options.now)
    const { json, result, failure } = outcomeOf(state, unusable(state.result))
    const shown = options.text ? withTerms(result, state) : result
    if (options.output === undefined) return { json, result: shown, ...(failure && { failure }) }
    return { ...(await handOut(state.raw, json, shown, options)), ...(failure && { failure }) }
  })
}

/** The parties with the ids of their agents, and the text. One that is not valid has none to show. */
function withTerms(report: Report, { terms, result }: State): Report {
  if (result.status === 'invalid') return report
  const { tables = [], text = '' } = termsReport(terms)
  return { ...report, tables: [...(report.tables ?? []), ...tables], text }
}

async function checking(options: StateOptions, [named, ...files]: Arguments): Promise<Outcome> {
  const agreement = await readAgreement(named, options)
  return await withVerifier(configPath(options), async (agent) => {
    const state = await stateOf(agent, agreement, options.now)
    const { result } = state
    if (result.status === 'invalid') return outcomeOf(state, unmet(result))
    const compared = await compareFiles(state, named, files, options)
    const outcome = outcomeOf(state, mismatch(compared) ?? unmet(result))
    const json = { ...outcome.json, ...jsonOfFiles(compared) }
    return { ...outcome, json, result: reportWithFiles(outcome.result, compared) }
  })
}

function outcomeOf(state: State, failure: Failure | undefined): Outcome & { readonly result: Report } {
  const next = nextOf(state).map(({ partyId }) => partyId)
  const json = { ...state.result, title: state.terms.title, next }
  return { json, result: reportOf(state), ...(failure && { failure }) }
}

function addCopying(group: Command): void {
  const merge = group.command('merge').argument('<file...>', 'copies of one agreement')
  merge
    .summary('merge copies of an agreement')
    .description('Merges copies of an agreement, in any order, and prints the result. No signature is verified.')
  writesCopy(merge)
  define<WritingOptions>(
    merge,
    ['sx agreement merge alice.json bob.json -o rent.json', 'sx agreement merge *.json | sx agreement check -'],
    merging,
  )

  addImport(group)
}

async function merging(given: WritingOptions, files: Arguments): Promise<Outcome> {
  const options = withOutput(given)
  checkTarget(options)
  const copies: string[] = []
  for (const file of files) copies.push(await readPart(file, options))
  const raw = await mergeAgreements(copies)
  const { terms, events } = JSON.parse(raw) as { terms: { sxId: string }; events: readonly unknown[] }
  const rows: Row[] = [
    ['id', terms.sxId],
    ['events', String(events.length)],
  ]
  const json = { agreementId: terms.sxId, events: events.length }
  const report = {
    title: ['good', files.length === 1 ? 'Merged 1 copy' : `Merged ${files.length} copies`],
    rows,
  } as const
  const outcome = await handOut(raw, json, report, { output: '-', ...options })
  const { result, isAside: _, ...rest } = outcome
  return { ...rest, note: result }
}

function addCertificate(group: Command): void {
  const certificate = group.command('certificate').argument(...AGREEMENT)
  certificate
    .summary('print the certificate of a complete agreement')
    .description(
      'Prints who signed a complete agreement, when, and with which key: as JSON, or with --html as a page to print, ' +
        'which contains no script. Each line names its event, which `sx agreement check` verifies again.',
    )
    .option('--html', 'a page of HTML')
  writesCopy(certificate, 'the certificate')
  define<CertificateOptions>(
    certificate,
    ['sx agreement certificate signed.json', 'sx agreement certificate "$id" --html -o certificate.html'],
    certifying,
  )
}

async function certifying(given: CertificateOptions, [named]: Arguments): Promise<Outcome> {
  const { html = false, ...options } = withOutput(given)
  checkTarget(options)
  const agreement = await readAgreement(named, options)
  return await withVerifier(configPath(options), async (agent) => {
    const data = await certificateOf(agent, agreement, html)
    const { status, untrusted: notTrusted } = (await stateOf(agent, agreement)).result
    const isInEffect = status === 'complete' || status === 'active'
    const rows: Row[] = [
      ...(isInEffect ? [] : [['status', STATUSES[status][1]] as const]),
      ...notTrusted.map((agentId): Row => ['not trusted', agentId]),
    ]
    const json = { ...(!isInEffect && { status }), ...(notTrusted.length > 0 && { notTrusted }) }
    const doubt = rows.length === 0 ? undefined : isInEffect ? UNTRUSTED : NOT_IN_EFFECT
    if (hasFile(options)) return await written(data, json, { doubt, rows }, options)
    const made = html ? { html: data } : { certificate: JSON.parse(data) as unknown }
    return { json: { ...made, ...json }, data, ...(doubt && { note: { title: ['doubtful', doubt], rows } }) }
  })
}

const UNTRUSTED = 'A signer is not trusted'
const NOT_IN_EFFECT = 'The agreement is no longer in effect'

/** What there is to say of a certificate that not everything is well with. */
interface Doubts {
  readonly doubt: string | undefined
  readonly rows: readonly Row[]
}

async function written(
  data: string,
  json: Outcome['json'],
  { doubt, rows }: Doubts,
  options: Target & { readonly output: string },
): Promise<Outcome> {
  const { output } = options
  await writeTarget(output, data.endsWith('\n') ? data : `${data}\n`, options)
  const title: Report['title'] =
    doubt === undefined ? WROTE : ['doubtful', `Wrote the certificate, but ${doubt[0]?.toLowerCase()}${doubt.slice(1)}`]
  return { json: { ...json, output }, note: { title, rows: [...rows, ['written to', output]] } }
}

const WROTE = ['good', 'Wrote the certificate'] as const

async function certificateOf(agent: SxAgent, agreement: string, html: boolean): Promise<string> {
  try {
    return await agent.agreementCertificate(agreement, { format: html ? 'html' : 'json' })
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'InvalidAgreement')) throw error
    const failure = unmet((await stateOf(agent, agreement)).result)
    if (failure === undefined) throw error
    throw new Stop(failure.exit, error.code, failure.message, { cause: error })
  }
}
