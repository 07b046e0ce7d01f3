/** `sx audit` */
import type { Command } from 'commander'
import {
  type AuditHealthCheck,
  type AuditResult,
  type AuditRisk,
  type AuditRiskCode,
  audit,
  SxError,
} from '../../src/simple.ts'
import { adviceOn, reworded } from './advice.ts'
import { configPath, define, type Options } from './command.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { EXIT, type Exit, type Failure, isErrorCode, Stop, usage, worst } from './exit.ts'
import { type Outcome, type Report, type Row, shorten, type Tone } from './output.ts'
import { givenPassword } from './password.ts'

interface AuditCommandOptions extends Options {
  readonly recent?: string
}

/** Adds the command to the program. */
export function addAuditCommand(program: Command): void {
  const command = program.command('audit').summary('check the agent and its stored data')
  command
    .description(
      'Checks the agent and its stored data: permissions, password, keys, documents, trust store, ' +
        'remains of interrupted writes. Lists the checks, then each risk with severity, code, location and ' +
        'what to do. Changes nothing and never asks for a password; if a password is available, checks the ' +
        'private key too.\n\nExit status: 0 no risks, 1 risks, 2 usage, or a configuration without an agent, ' +
        '4 only risks that could not be checked: an unknown signer, an unreadable file, a password that ' +
        'decrypts nothing.',
    )
    .option('--recent <n>', 'verify only the latest version of the <n> newest documents (default: all)')
  define<AuditCommandOptions>(
    command,
    ['sx audit --config shop/sx.config.json', "sx audit --recent 100 --json | jq -r '.risks[].subject'"],
    auditing,
    PASSWORD_VARIABLES,
  )
}

async function auditing({ recent, ...options }: AuditCommandOptions): Promise<Outcome> {
  if (recent !== undefined && !/^\d{1,15}$/.test(recent)) throw usage('--recent requires a non-negative integer.')
  const path = configPath(options)
  const password = await givenPassword()
  const result = await audit({
    configPath: path,
    ...(recent !== undefined && { recentN: Number(recent) }),
    ...(password !== undefined && { password }),
  })
  const { risks, health_checks } = result
  if (health_checks.length > 1) {
    const failure = failureOf(risks)
    return { json: { ...result }, result: reportOf(result), ...(failure && { failure }) }
  }
  // Nothing but the configuration was looked at: what is wrong with it is said as by every command.
  const [risk] = risks
  if (risk === undefined) throw new SxError('Internal')
  const { code } = risk
  if (code === 'NotFound') {
    throw new Stop(EXIT.usage, code, `There is no configuration at ${path}. ${adviceOn('NoAgentLoaded')}`)
  }
  const message = sentencesOf(risk)
  const failure = { exit: UNCHECKED.includes(code) ? EXIT.unchecked : EXIT.usage, code, message }
  return { json: { ...result }, note: { title: ['bad', `sx: ${code}: ${message}`], rows: [] }, failure }
}

/** Codes that accuse nothing that is stored: it could not be looked at, or not be judged. */
const UNCHECKED: readonly AuditRiskCode[] = [
  'Busy',
  'LimitExceeded',
  'LinkRefused',
  'PasswordRequired',
  'StorageUnavailable',
  'UnknownSigner',
  'Unsupported',
  'UnsupportedFormat',
  'Unverifiable',
  'WrongPassword',
]

const exitOf = ({ code }: AuditRisk): Exit => (UNCHECKED.includes(code) ? EXIT.unchecked : EXIT.invalid)

function failureOf(risks: readonly AuditRisk[]): Failure | undefined {
  const exit = worst(risks.map(exitOf))
  const accused = risks.find((risk) => exitOf(risk) === exit)
  return accused && { exit, code: accused.code, message: `The audit found ${countOf(risks.length, 'risk')}.` }
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const TONES: Readonly<Record<AuditResult['overall_status'], Tone>> = {
  healthy: 'good',
  warning: 'doubtful',
  critical: 'bad',
}

const STATUSES: Readonly<Record<AuditHealthCheck['status'], string>> = {
  passed: 'ok',
  warning: 'warning',
  failed: 'FAILED',
  skipped: 'skipped',
}

function reportOf({ risks, health_checks, summary, overall_status }: AuditResult): Report {
  const title = `${overall_status.toUpperCase()}: ${sayOf(risks, health_checks)}`
  const rows: Row[] = [
    ['id', summary.agentId || 'unknown'],
    ['stored', `${countOf(summary.documents, 'document')}; ${countOf(summary.verified, 'version')} verified`],
    ['trusted', countOf(summary.trustedAgents, 'agent')],
  ]
  for (const { name, status, message } of health_checks) {
    const reason = status === 'skipped' ? [message] : []
    rows.push([`check ${name}`, STATUSES[status], ...reason])
  }
  for (const risk of risks) {
    rows.push([`risk ${risk.severity}`, risk.code, placeOf(risk)], [sentencesOf(risk)])
  }
  return { title: [TONES[overall_status], title], rows, brief: title }
}

/** What there is to say in a few words. */
function sayOf(risks: readonly AuditRisk[], checks: readonly AuditHealthCheck[]): string {
  if (risks.length > 0) {
    const high = risks.filter(({ severity }) => severity === 'high').length
    return `${countOf(risks.length, 'risk')}${high > 0 ? `, ${high} of them high` : ''}`
  }
  const skipped = checks.flatMap(({ name, status }) => (status === 'skipped' ? [name] : []))
  return skipped.length > 0 ? `no risks, but not checked: ${skipped.join(', ')}` : 'no risks'
}

/** Where it was found; the name of a field is of any length. */
const placeOf = ({ code, subject }: AuditRisk): string => (code === 'UnknownConfigField' ? shorten(subject) : subject)

/** Functions that sentences of the library name, as the command line calls them. */
const COMMANDS: Readonly<Record<string, string>> = {
  reencryptKey: '`sx agent reencrypt-key`',
  trustAgent: '`sx trust add`',
}

/** What was found and what to do, for whoever typed the command. */
function sentencesOf(risk: AuditRisk): string {
  const { code, subject } = risk
  const message = risk.message.replace(`${code}: `, '')
  if (!isErrorCode(code)) {
    return message
      .replace(subject, () => placeOf(risk))
      .replace(/\b(?:reencryptKey|trustAgent)\b/, (name) => COMMANDS[name] ?? name)
  }
  const { advice } = new SxError(code) // as this runtime has it; in the reasons of a verdict it is the core's
  return message.endsWith(advice) ? message.slice(0, -advice.length) + adviceOn(code) : reworded(code, message)
}
