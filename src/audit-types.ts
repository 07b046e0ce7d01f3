import type { SxErrorCode } from './errors.ts'
import type { Storage } from './storage/contract.ts'
import type { Environment, ExternalSigner } from './types.ts'

/** Options of `audit`. */
export interface AuditOptions {
  /** Where the configuration stands: a file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
  /** Only so many documents are verified, the latest ones by their date, each in its latest version; default: all. */
  recentN?: number
  /** Where the agent is kept, if not in the runtime's own storage. */
  storage?: Storage
  /** Opens the private key, to see whether it is the agent's; wins over every other source of a password. */
  password?: string
  /**
   * Has the private key, which then stands in no file: only its public key is looked at, and nothing is signed. Not
   * together with `password`.
   */
  signer?: ExternalSigner
  /** Variables to use instead of the process's. */
  env?: Environment
}

/** What `audit` looks at, in this order. */
export type AuditCheck =
  | 'configuration'
  | 'permissions'
  | 'leftovers'
  | 'password'
  | 'agent'
  | 'private_key'
  | 'public_keys'
  | 'documents'
  | 'trust_store'
  | 'storage'

/** What a risk is: an error code, or one of these. */
export type AuditRiskCode =
  | SxErrorCode
  | 'DamagedHint'
  | 'LooseFileMode'
  | 'NoPassword'
  | 'NotPersisted'
  | 'PasswordInConfig'
  | 'PasswordInRecord'
  | 'StalePassword'
  | 'StaleTrust'
  | 'UnclaimedVersion'
  | 'Unfinished'
  | 'UnknownConfigField'
  | 'UnwitnessedTrust'
  | 'WeakPassword'

/** How bad a risk is: `high` means that something is wrong or open to others, `low` that it should be tidied up. */
export type AuditSeverity = 'high' | 'medium' | 'low'

/** Something that `audit` has found. */
export interface AuditRisk {
  readonly check: AuditCheck
  readonly code: AuditRiskCode
  readonly severity: AuditSeverity
  /** What it is about: a file, a document's key, an agent's id, a field. */
  readonly subject: string
  /** What was found, and what to do, for people. */
  readonly message: string
}

/** One thing that `audit` has looked at. */
export interface AuditHealthCheck {
  readonly name: AuditCheck
  /** `failed` with a risk that is `high`, `warning` with others; `skipped` where it could not be looked at. */
  readonly status: 'passed' | 'warning' | 'failed' | 'skipped'
  readonly message: string
}

/** What `audit` answers (specification, section 2.3). */
export interface AuditResult {
  /** What was found, the worst first. */
  readonly risks: readonly AuditRisk[]
  readonly health_checks: readonly AuditHealthCheck[]
  readonly summary: {
    /** Empty where no agent could be found. */
    readonly agentId: string
    /** Documents that are stored, the agent's own included. */
    readonly documents: number
    /** Versions that were looked at and are valid. */
    readonly verified: number
    readonly trustedAgents: number
    readonly high: number
    readonly medium: number
    readonly low: number
  }
  /** `critical` with a check that has failed, `warning` with any other risk or a check that was skipped. */
  readonly overall_status: 'healthy' | 'warning' | 'critical'
}
