/** A text of the form `2026-01-31T12:00:00.000Z`. */
type Instant = string

/** What everybody agrees to. Terms never change: other terms are another agreement. */
export interface AgreementTerms {
  readonly title: string
  /** The text that is agreed on. */
  readonly terms: string
  readonly termsFormat: 'text/plain' | 'text/markdown' | 'application/json'
  readonly summary?: string
  /** Files that belong to it, bound by their hashes. */
  readonly attachments?: readonly AgreementAttachment[]
  readonly parties: readonly AgreementParty[]
  readonly policy?: AgreementPolicy
  readonly links?: readonly AgreementLink[]
}

/** A file that an agreement binds. The agreement does not hold its bytes. */
export interface AgreementAttachment {
  readonly name: string
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
  /** In lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Signers and approvers consent. Witnesses, notaries and observers do not count towards the quorum. */
export type AgreementRole = 'signer' | 'approver' | 'witness' | 'notary' | 'observer'

/** Who takes part. An agent is at most one party of an agreement. */
export interface AgreementParty {
  /** 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  readonly partyId: string
  readonly agentId: string
  /** The only keys that count for this party. Default: any key of the agent. */
  readonly keyIds?: readonly string[]
  readonly role: AgreementRole
  /** Default 1. */
  readonly weight?: number
  /** Counted from 0, which is the default. */
  readonly stage?: number
  readonly group?: string
  /** Whether nothing is complete without this party. Default false. */
  readonly required?: boolean
  readonly displayName?: string
}

/** When an agreement is complete, and who may do what. */
export interface AgreementPolicy {
  /** How many parties have to sign. Default `all`. */
  readonly quorum?:
    | 'all'
    | 'majority'
    | { readonly m: number }
    | { readonly weight: number }
    | { readonly groups: Readonly<Record<string, number>> }
  /** Whether a stage waits for the stages before it. Default `parallel`. */
  readonly order?: 'parallel' | 'staged'
  /** How many witnesses are needed. Default 0. */
  readonly witnesses?: number
  /** How many notaries are needed. Default 0. */
  readonly notaries?: number
  /** Whether any decline ends the agreement, or only one that makes the quorum impossible. Default: the latter. */
  readonly decline?: 'any-ends' | 'quorum-impossible-ends'
  /** Default: any. */
  readonly algorithms?: readonly ('ed25519' | 'pq2025')[]
  /** Default `classical`. */
  readonly minStrength?: 'classical' | 'pq'
  /** Signatures of a later date do not count. */
  readonly signBy?: Instant
  readonly effectiveFrom?: Instant
  readonly expiresAt?: Instant
  /** Who proves when something was signed. Default `none`: dates are what signers say. */
  readonly timeProof?: 'none' | 'notary'
  /** To whom a party may delegate. Default `none`. */
  readonly delegation?: 'none' | 'listed' | 'document'
  /** Until when a signature may be withdrawn. Default `until-complete`. */
  readonly withdraw?: 'until-complete' | 'never'
  /** How many parties end an agreement that is in effect. Default `all`. */
  readonly terminate?: 'any' | 'quorum' | 'all'
}

/** Another document that an agreement refers to. */
export interface AgreementLink {
  readonly rel: 'supersedes' | 'amends' | 'annex' | 'relates'
  readonly sxId: string
  readonly sxVersion?: string
  /** Of an agreement its `agreementHash`. */
  readonly sha256: string
}

/** Where an agreement stands: what its terms, its events and the time make of it. */
export type AgreementState =
  | 'draft'
  | 'proposed'
  | 'partial'
  | 'complete'
  | 'active'
  | 'declined'
  | 'voided'
  | 'expired'
  | 'disputed'
  | 'terminated'
  | 'superseded'
  | 'ended'
  | 'invalid'

/** An event that cannot be verified. */
export interface UnverifiedEvent {
  /** null for what is no event. */
  readonly eventId: string | null
  /** The agent that it names as its signer; null if it names none. */
  readonly agentId: string | null
  /** Why, such as `UnknownSigner` or `BadSignature`. */
  readonly code: string
}

/** A copy of an agreement, after something was done. */
export interface AgreementCopy {
  /** The agreement with all events that are known, one JSON text, to be handed to the other parties. */
  readonly raw: string
  readonly agreementId: string
  /** SHA-256 over the terms, which every event names. */
  readonly agreementHash: string
  readonly status: AgreementState
  /** The event that was made; `undefined` if none was. */
  readonly eventId: string | undefined
  /** Its date. */
  readonly timestamp: string | undefined
  /**
   * Events of the copy that cannot be verified here. They do not count, the new event does not name them as seen, and they
   * are not stored. If the key of a signer is unknown, trust the agent, then import the copy again.
   */
  readonly unverified: readonly UnverifiedEvent[]
}

/** An agreement that amends another one. */
export interface AmendedAgreement extends AgreementCopy {
  /** Members of the policy in which it asks for less, and `required <partyId>` for a party that is no longer required. */
  readonly loosened: readonly string[]
}

/** What a party has done. */
export interface AgreementStanding {
  readonly partyId: string
  readonly agentId: string
  readonly role: AgreementRole
  readonly state: 'pending' | 'signed' | 'declined' | 'withdrawn' | 'delegated'
  readonly eventId: string | null
  readonly at: Instant | null
  /** The agent that acted, if another one acted for the party, too. */
  readonly by: string | null
  /** The date before which a notary has seen it. */
  readonly timeProof: Instant | null
}

/** A line of the record of a complete agreement. */
export interface AgreementCertificateLine {
  readonly partyId: string
  readonly agentId: string
  readonly by: string
  readonly displayName: string | null
  readonly role: AgreementRole
  readonly keyId: string
  readonly algorithm: string
  readonly at: Instant
  readonly timeProof: Instant | null
  readonly eventId: string
}

/** Who agreed to what and when. Every line is an event of the agreement, which can be verified again. */
export interface AgreementCertificate {
  readonly title: string
  readonly sxId: string
  readonly agreementHash: string
  readonly completeAt: Instant
  readonly lines: readonly AgreementCertificateLine[]
}

/** An event of an agreement. */
export interface AgreementEvent {
  readonly eventId: string
  readonly type:
    | 'propose'
    | 'sign'
    | 'decline'
    | 'withdraw'
    | 'void'
    | 'comment'
    | 'attach'
    | 'delegate'
    | 'witness'
    | 'notarize'
    | 'dispute'
    | 'resolve'
    | 'terminate'
    | 'supersede'
  /** The agent that it names as its signer. */
  readonly agentId: string
  /** The role of the party for which the agent acts. */
  readonly role: AgreementRole
  /** Its date, as it says itself. */
  readonly at: Instant
  /** The ids of the events that its signer had in front of it, without those that these have seen. */
  readonly seen: readonly string[]
  readonly data: AgreementEventData
  /** Why it has no effect, as in `events.ignored`; null if it counts. If it has one, nobody may have signed it. */
  readonly code: string | null
}

/** What an event says, depending on its type (protocol, section 24). */
export interface AgreementEventData {
  /** The `partyId` of the party for which another agent acts. */
  readonly for?: string
  readonly note?: string
  readonly reason?: string
  /** Of a `comment`. */
  readonly text?: string
  /** Of an `attach`. */
  readonly attachment?: AgreementAttachment
  /** Of a `delegate`: the agent, what it may do, until when, and the document that authorises it. */
  readonly to?: string
  readonly scope?: readonly ('sign' | 'decline' | 'withdraw')[]
  readonly until?: Instant
  readonly document?: { readonly sxId: string; readonly sxVersion: string; readonly sha256: string }
  /** Of a `resolve`: the `eventId` of the dispute. */
  readonly dispute?: string
  /** Of a `supersede`. */
  readonly successor?: { readonly sxId: string; readonly sha256: string; readonly sxVersion?: string }
}

/** A signature of a party or a witness that counts as soon as a notary has proved when it was made. */
export interface UnprovedSignature {
  readonly partyId: string
  /** The agent that has signed. */
  readonly by: string
  /** Its date, as the signer states. */
  readonly at: Instant
  readonly eventId: string
}

/** The verdict on an agreement. */
export interface AgreementResult {
  /** Whether the terms are valid and no event is missing. It says nothing of who has signed: see `status`. */
  readonly valid: boolean
  readonly status: AgreementState
  /** Whether the policy is met, whatever came later. */
  readonly complete: boolean
  readonly sxId: string | null
  readonly agreementHash: string | null
  /** Of the quorum: parties, or weights. */
  readonly need: number
  readonly have: number
  readonly witnesses: { readonly need: number; readonly have: number }
  readonly notaries: { readonly need: number; readonly have: number }
  readonly byParty: readonly AgreementStanding[]
  /** Why it is not complete. */
  readonly blocked: readonly string[]
  /** Events that lost against completion. */
  readonly contested: readonly string[]
  readonly events: {
    readonly counted: readonly string[]
    /** Events without effect, and why. */
    readonly ignored: readonly { readonly eventId: string | null; readonly code: string }[]
  }
  /** Events that others have seen and that this copy lacks. */
  readonly missing: readonly string[]
  /** What the next event names as seen. */
  readonly heads: readonly string[]
  readonly completeAt: Instant | null
  readonly effectiveFrom: Instant | null
  readonly expiresAt: Instant | null
  readonly signBy: Instant | null
  readonly certificate: AgreementCertificate | null
  /** Why it is invalid. */
  readonly errors: readonly { readonly code: string; readonly message: string }[]
  /** All events that can be read, by date; those of one date behind what they have seen, then by id. */
  readonly history: readonly AgreementEvent[]
  /** What is known of the agents whose signatures are valid. */
  readonly signers: readonly { readonly agentId: string; readonly name: string; readonly trusted: boolean }[]
  /**
   * The agents that are not trusted although the status rests on their events, by the date of these: without their signatures,
   * or without their other events of one type, it would be another status.
   */
  readonly untrusted: readonly string[]
  /** With `timeProof: 'notary'`: who has signed while no notary has confirmed the date yet. By the order of the parties. */
  readonly unproved: readonly UnprovedSignature[]
}

/** Options of {@link createAgreementDoc} and of everything that makes an event. */
export interface AgreementActOptions {
  /** Stores nothing; default false. */
  noSave?: boolean
}

/** The same, with a note for the other parties. */
export interface AgreementNoteOptions extends AgreementActOptions {
  note?: string
}

/** The same, in the place of a party that has delegated it, and with a note. */
export interface AgreementSignOptions extends AgreementNoteOptions {
  /** The `partyId` of the party that has delegated its signature to this agent. */
  for?: string
}

/** The same with a reason. */
export interface AgreementReasonOptions extends AgreementActOptions {
  reason?: string
}

/** The same, in the place of a party that has delegated it. */
export interface AgreementDeclineOptions extends AgreementReasonOptions {
  /** The `partyId` of the party that has delegated it to this agent. */
  for?: string
}

/** Options of {@link delegateSigning}. */
export interface DelegateSigningOptions extends AgreementActOptions {
  /** What the other agent may do. Default: only `sign`. */
  scope?: readonly ('sign' | 'decline' | 'withdraw')[]
  /** Later signatures do not count. Default: no limit. */
  until?: string
  /** The document that authorises it; required if the policy is `document`. */
  document?: { readonly sxId: string; readonly sxVersion: string; readonly sha256: string }
}

/** Options of {@link verifyAgreement}. */
export interface VerifyAgreementOptions {
  /** The time of the status: Unix milliseconds, a `Date`, or a date as `toISOString` writes it. Default: now. */
  now?: number | Date | string
  /** More public keys, PEM by agent id. */
  keys?: Readonly<Record<string, string>>
}

/** Options of {@link agreementCertificate}. */
export interface AgreementCertificateOptions {
  /** JSON text, or a page of HTML to print. Default `json`. */
  format?: 'json' | 'html'
  /** More public keys, PEM by agent id. */
  keys?: Readonly<Record<string, string>>
}
