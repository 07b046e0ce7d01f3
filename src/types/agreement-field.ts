import type { SxErrorCode } from '../errors.ts'
import type { KeyAlgorithm } from './algorithms.ts'

/** Options of `createAgreement`. All of them are under every signature. */
export interface CreateAgreementOptions {
  /** What the parties are asked; default ''. */
  question?: string
  /** What they should know for that; default ''. */
  context?: string
  /** The member of the document that holds the agreement; default `sxAgreement`. */
  agreementFieldName?: string
  /** How many of the parties have to sign: a whole number from 1; default all. */
  quorum?: number
  /** Until when they have to: RFC 3339, UTC, milliseconds, as `toISOString` writes it. Default: at any time. */
  signBy?: string
  /** Only signatures by keys of these algorithms count; default any. */
  algorithms?: readonly KeyAlgorithm[]
  /** `pq`: only signatures that a quantum computer cannot forge count. Default `classical`. */
  minStrength?: 'classical' | 'pq'
}

/** Options of `signAgreement`. */
export interface SignAgreementOptions {
  /** The member of the document that holds the agreement; default `sxAgreement`. */
  agreementFieldName?: string
  /** Throws `AlreadySigned` if this agent has signed; default false: the document is returned as it is. */
  refuseSigned?: boolean
}

/** A signature of a party that counts. The object is frozen. */
export interface AgreementSignature {
  /** The party. */
  readonly agentId: string
  /** The key id of its key (RFC 7638 thumbprint). */
  readonly keyId: string
  /** Of the key: `pq2025` or `ed25519`. */
  readonly algorithm: string
  /** When it signed, as it says (RFC 3339, UTC, milliseconds). */
  readonly signedAt: string
}

/** A signature that does not count. The object is frozen. */
export interface IgnoredSignature {
  /** Whom it names; '' if that cannot be read. */
  readonly agentId: string
  /** Why it does not count, for programs. */
  readonly code: SxErrorCode
  /** The same for people. */
  readonly message: string
}

/** What an agreement has come to (protocol, section 23). The object is frozen. */
export interface AgreementStatus {
  /** Whether document and terms are those that the agreement was made of. Which signatures count is said of each. */
  readonly valid: boolean
  /** `expired`: the deadline has passed before enough parties signed. `invalid`: as `valid` says. */
  readonly status: 'pending' | 'partial' | 'complete' | 'expired' | 'invalid'
  /** Whether enough parties have signed, in time. */
  readonly complete: boolean
  /** The member of the document that holds the agreement. */
  readonly field: string
  /** Whether the document says what it said when the agreement was made. */
  readonly documentHashValid: boolean
  /** What each party signs: the hash of document, question, context, parties and policy. */
  readonly agreementHash: string
  readonly question: string
  readonly context: string
  /** The parties, in the order in which they were named. */
  readonly required: readonly string[]
  /** How many of them have to sign, and how many have. */
  readonly quorum: { readonly need: number; readonly have: number }
  /** The parties that have signed, in that order. */
  readonly signed: readonly AgreementSignature[]
  /** Those that have not. */
  readonly missing: readonly string[]
  /** Signatures that do not count. */
  readonly invalid: readonly IgnoredSignature[]
  /** The deadline, if there is one. */
  readonly signBy: string | null
  /** Why it is not valid: a sentence that begins with the code. Empty if it is valid. */
  readonly errors: readonly string[]
}
