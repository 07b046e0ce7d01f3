import type {
  AuditCheck,
  AuditHealthCheck,
  AuditResult,
  AuditRisk,
  AuditRiskCode,
  AuditSeverity,
} from '../../audit-types.ts'
import type { Operation } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { notInMemory } from '../../state/chain.ts'

/** From the worst on. */
const SEVERITIES: readonly AuditSeverity[] = ['high', 'medium', 'low']

/** In the order of the answer; what a check needs of another one may have been looked at before. */
const CHECKS: readonly AuditCheck[] = [
  'configuration',
  'permissions',
  'leftovers',
  'password',
  'agent',
  'private_key',
  'public_keys',
  'documents',
  'trust_store',
  'storage',
]

/** Numbers that an audit counts. */
type Counts = Pick<AuditResult['summary'], 'documents' | 'verified' | 'trustedAgents'>

/** What an audit has found so far. */
export class Report {
  readonly counts: { -readonly [Name in keyof Counts]: number } = { documents: 0, verified: 0, trustedAgents: 0 }
  agentId = ''
  /** Whether a copy in memory is read, which may have a part of the entries only. */
  isCopy = false
  readonly #risks: AuditRisk[] = []
  readonly #checks: AuditHealthCheck[] = []
  #check: AuditCheck = 'configuration'
  #skipped: string | undefined
  #passed = '';

  /**
   * Looks at something. What it throws is a risk, too, and keeps nothing else from being looked at.
   *
   * @param passed what is said if nothing is found
   */
  *look(check: AuditCheck, passed: string, work: () => Operation<void>): Operation<void> {
    this.#check = check
    this.#skipped = undefined
    this.#passed = passed
    try {
      yield* work()
    } catch (error) {
      this.failure(error, check)
    }
    const own = this.#risks.filter((risk) => risk.check === check)
    const isFailed = own.some(({ severity }) => severity === 'high')
    const [worst] = sorted(own)
    if (worst !== undefined) {
      const more = own.length > 1 ? ` (and ${own.length - 1} more)` : ''
      this.#checks.push({ name: check, status: isFailed ? 'failed' : 'warning', message: `${worst.message}${more}` })
    } else if (this.#skipped === undefined) this.#checks.push({ name: check, status: 'passed', message: this.#passed })
    else this.#checks.push({ name: check, status: 'skipped', message: this.#skipped })
  }

  /** Says why something was not looked at. */
  skip(why: string): void {
    this.#skipped = why
  }

  /** Says otherwise what is said if nothing is found. */
  pass(what: string): void {
    this.#passed = what
  }

  /** Notes what was found. */
  risk(severity: AuditSeverity, code: AuditRiskCode, subject: string, message: string): void {
    this.#risks.push(Object.freeze({ check: this.#check, code, severity, subject, message }))
  }

  /**
   * Notes what follows from an entry that is missing. A copy in memory may not have read the entry yet, so nothing is known
   * then.
   *
   * @param entry its name
   */
  absence(entry: string, severity: AuditSeverity, code: AuditRiskCode, subject: string, message: string): void {
    if (this.isCopy) this.failure(notInMemory(entry), subject)
    else this.risk(severity, code, subject, message)
  }

  /** Notes an error. An error that is not of the library is rethrown. */
  failure(error: unknown, subject: string, severity: AuditSeverity = 'high'): void {
    if (!(error instanceof SxError) || error.code === 'Internal') throw error
    this.risk(error.code === 'SyncStorageUnavailable' ? 'medium' : severity, error.code, subject, error.message)
  }

  result(): AuditResult {
    const risks = sorted(this.#risks)
    const count = (severity: AuditSeverity): number => risks.filter((risk) => risk.severity === severity).length
    const [high, medium, low] = [count('high'), count('medium'), count('low')]
    const checks = CHECKS.flatMap((name) => this.#checks.filter((check) => check.name === name))
    const isWhole = risks.length === 0 && checks.every(({ status }) => status === 'passed')
    return Object.freeze({
      risks: Object.freeze(risks),
      health_checks: Object.freeze(checks.map((check) => Object.freeze(check))),
      summary: Object.freeze({ agentId: this.agentId, ...this.counts, high, medium, low }),
      overall_status: high > 0 ? 'critical' : isWhole ? 'healthy' : 'warning',
    })
  }
}

function sorted(risks: readonly AuditRisk[]): AuditRisk[] {
  return SEVERITIES.flatMap((severity) => risks.filter((risk) => risk.severity === severity))
}
