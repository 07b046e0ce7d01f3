/** What an agreement's statuses, reasons and codes are called, each in one table. */
import { type AgreementParty, type AgreementState, SxError } from '../../src/simple.ts'
import { isErrorCode } from './exit.ts'
import { shorten, type Tone } from './output.ts'

/** What people read of a status. */
export const STATUSES: Readonly<Record<AgreementState, readonly [Tone, string]>> = {
  draft: ['doubtful', 'DRAFT, nobody has proposed it'],
  proposed: ['doubtful', 'PROPOSED, nobody has signed'],
  partial: ['doubtful', 'PARTLY SIGNED'],
  complete: ['good', 'COMPLETE'],
  active: ['good', 'COMPLETE and in effect'],
  declined: ['bad', 'DECLINED'],
  voided: ['bad', 'VOIDED by a party that had proposed it'],
  expired: ['bad', 'EXPIRED, not complete at the deadline'],
  disputed: ['doubtful', 'COMPLETE, but disputed'],
  terminated: ['bad', 'TERMINATED'],
  superseded: ['bad', 'SUPERSEDED by another agreement'],
  ended: ['bad', 'ENDED, the end date has passed'],
  invalid: ['bad', 'NOT VALID'],
}

/** What is said of a signature that does not count before a notary has seen it. */
export const UNPROVED = 'no notary has confirmed the date yet'
export const PROPOSED_AND_SIGNED = ['doubtful', `PROPOSED, signed, but ${UNPROVED}`] as const

/** Whether a party can do something about a reason. */
type Resolves = (party: AgreementParty, name: string) => boolean

/** Whether a party signs for itself, so that it counts towards the quorum. */
export const consents = ({ role }: AgreementParty): boolean => role === 'signer' || role === 'approver'

/** A reason why an agreement is not complete, or not in effect. */
interface Reason {
  readonly pattern: RegExp
  readonly sentence: (...parts: readonly string[]) => string
  /** Whom it waits for. */
  readonly waits?: { readonly kind: 'stage' | 'consent' | 'attest'; readonly resolves: Resolves }
}

const REASONS: readonly Reason[] = [
  { pattern: /^propose$/, sentence: () => 'A party has to propose it.' },
  {
    pattern: /^quorum (\d+)\/(\d+)$/,
    sentence: (have, need) => `${have} of ${need} signatures count so far.`,
    waits: { kind: 'consent', resolves: consents },
  },
  {
    pattern: /^weight (\d+)\/(\d+)$/,
    sentence: (have, need) => `The signatures have a weight of ${have}, and ${need} are needed.`,
    waits: { kind: 'consent', resolves: (party) => consents(party) && party.weight !== 0 },
  },
  {
    pattern: /^group (.*) (\d+)\/(\d+)$/s,
    sentence: (name = '', have, need) => `The group '${shorten(name)}' has ${have} of ${need} signatures.`,
    waits: { kind: 'consent', resolves: (party, name) => consents(party) && party.group === name },
  },
  {
    pattern: /^required (.+)$/,
    sentence: (party) => `The party ${party} has to sign.`,
    waits: { kind: 'consent', resolves: ({ partyId }, name) => partyId === name },
  },
  {
    pattern: /^stage (\d+) (\d+)\/(\d+)$/,
    sentence: (stage, have, all) =>
      `In stage ${stage}, ${have} of ${all} parties have signed. Later stages wait for it.`,
    waits: { kind: 'stage', resolves: (party, name) => consents(party) && (party.stage ?? 0) === Number(name) },
  },
  {
    pattern: /^witnesses (\d+)\/(\d+)$/,
    sentence: (have, need) => `${have} of ${need} witnesses have signed.`,
    waits: { kind: 'attest', resolves: ({ role }) => role === 'witness' },
  },
  {
    pattern: /^notaries (\d+)\/(\d+)$/,
    sentence: (have, need) => `${have} of ${need} notaries have signed.`,
    waits: { kind: 'attest', resolves: ({ role }) => role === 'notary' },
  },
  {
    pattern: /^withdrawals not seen together$/,
    sentence: () => 'No party has acted since all withdrawals are known. Merge all copies, then add a comment.',
  },
  { pattern: /^dispute ([0-9a-f]+)$/, sentence: (id) => `The dispute ${id} is not resolved.` },
]

/** A reason as a sentence. One that is not in the table stays as it is. */
export function sentenceOf(blocked: string): string {
  for (const { pattern, sentence } of REASONS) {
    const parts = pattern.exec(blocked)
    if (parts !== null) return sentence(...parts.slice(1))
  }
  return blocked
}

/** The parties that reasons wait for: those of a stage before all others, and those who only attest after all others. */
export function awaited(blocked: readonly string[], parties: readonly AgreementParty[]): readonly AgreementParty[] {
  const found = blocked.flatMap((reason) =>
    REASONS.flatMap(({ pattern, waits }) => {
      const parts = pattern.exec(reason)
      return parts === null || waits === undefined ? [] : [{ ...waits, name: parts[1] ?? '' }]
    }),
  )
  for (const kind of ['stage', 'consent', 'attest'] as const) {
    const some = found.filter((one) => one.kind === kind)
    if (some.length > 0) return parties.filter((party) => some.some(({ resolves, name }) => resolves(party, name)))
  }
  return []
}

/** Why an event has no effect. All other codes are those of errors. */
export const IGNORED: Readonly<Record<string, string>> = {
  BadEvent: 'It is not an event of this format.',
  WrongAgreement: 'It belongs to another agreement, or to other terms.',
  NotAParty: 'The signer is not a party, and no party delegated this action to the signer.',
  WrongRole: 'The role of the party does not allow it.',
  WrongKey: 'The terms list other keys for this party.',
  WrongAlgorithm: 'The terms do not allow this algorithm.',
  TooWeak: 'The terms ask for a stronger algorithm.',
  UnknownSeen: 'It refers to an event that is missing or cannot be verified.',
  KeyRevoked: 'The key was revoked.',
  NotAllowedNow: 'The status at that point does not allow it.',
  NotAllowedByPolicy: 'The policy of the agreement does not allow it.',
  BeforeTerms: 'It is dated before the agreement was proposed.',
  DelegationExpired: 'The delegation had ended.',
  TooEarly: 'It is dated before the agreement took effect.',
  TooLate: 'It is dated after the deadline, or was made after the agreement was complete.',
  Duplicate: 'The party has done this already.',
  OutOfOrder: 'The event does not refer to the signatures that complete an earlier stage.',
  NoTimeProof: 'No notary confirmed its date before the deadline.',
  Contested: 'The agreement was completed at the same time. Completion wins.',
  Withdrawn: 'The party has withdrawn it, or has declined.',
  BadSuccessor:
    'The successor is not known, not complete, does not name this agreement, or is not signed by enough of its parties.',
}

/** Why an event has no effect, as a sentence. */
export function ignoredBecause(code: string): string {
  if (Object.hasOwn(IGNORED, code)) return IGNORED[code] ?? code
  return isErrorCode(code) ? new SxError(code).found : code
}
