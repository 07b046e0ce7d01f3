// Where an agreement stands, in plain words. What others wrote is never part of a title.
import type {
  AgreementParty,
  AgreementResult,
  AgreementStanding,
  AgreementState,
  AgreementTerms,
  UnprovedSignature,
} from 'sx-agent/simple'
import type { Step, Wording } from '../page/verdicts.ts'

/** What is known of an agreement. */
export interface Known {
  readonly terms: AgreementTerms
  readonly result: AgreementResult
  /** The name of each party's agent: from the trust list, or what the terms say. */
  readonly nameOf: (agentId: string) => string
  readonly isOwn: (agentId: string) => boolean
  /** Whether an agent is the own one, or in the trust list. */
  readonly isTrusted: (agentId: string) => boolean
}

/** What each status is called. */
const STATUSES: Readonly<Record<AgreementState, readonly [Step, string]>> = {
  draft: ['unsigned', 'Not proposed yet'],
  proposed: ['unsigned', 'Nobody has signed yet'],
  partial: ['unchecked', 'Partly signed'],
  complete: ['trusted', 'Complete'],
  active: ['trusted', 'Complete and in effect'],
  declined: ['invalid', 'Declined'],
  voided: ['invalid', 'Taken back'],
  expired: ['invalid', 'Expired'],
  disputed: ['untrusted', 'Complete, but disputed'],
  terminated: ['invalid', 'Terminated'],
  superseded: ['invalid', 'Replaced by another agreement'],
  ended: ['invalid', 'Ended'],
  invalid: ['invalid', 'Not valid'],
}

/** What a status means, where nobody has to do anything. */
const MEANINGS: Readonly<Partial<Record<AgreementState, string>>> = {
  draft: 'A party has to propose it before anybody can sign.',
  complete: 'Everyone who has to sign has signed.',
  active: 'Everyone who has to sign has signed.',
  declined: 'It cannot be completed any more, because a party has declined. To go on, write another contract.',
  voided: 'A party that proposed it has taken it back.',
  expired: 'The deadline passed before it was complete. To go on, write another contract.',
  disputed: 'A party disputes it.',
  terminated: 'The parties have ended it.',
  ended: 'Its end date has passed.',
}

/** Whether the copy has what seems to be missing, but nobody knows whether it is genuine. */
function isUnknownMissing({ missing, events }: AgreementResult): boolean {
  const unknown = events.ignored.flatMap(({ eventId, code }) => (code === 'UnknownSigner' ? [eventId] : []))
  return missing.length > 0 && missing.every((id) => unknown.includes(id))
}

/** The status in a few words. */
export function titleOf(result: AgreementResult): string {
  const { status, missing, errors } = result
  if (errors[0]?.code === 'UnknownSigner') return 'Nobody who signed it is in your trust list'
  if (isUnknownMissing(result)) return 'A signer is not in your trust list'
  if (missing.length > 0) return 'This copy is not whole'
  return status === 'proposed' && isUnproved(result) ? `Signed, but ${UNPROVED}` : STATUSES[status][1]
}

/** The status, why it is so, and what it waits for. */
export function wordingOf(known: Known): Wording {
  const { result } = known
  const { status, missing, blocked } = result
  const [step] = STATUSES[status]
  const said = { step, title: titleOf(result), reason: MEANINGS[status] ?? '', advice: '', detail: '' }
  if (isUnknownMissing(result)) {
    const reason = 'Others have signed after an entry whose signer is not in your trust list.'
    const advice = 'Confirm the key id with that signer, and open the agent document.'
    return { ...said, step: 'untrusted', reason, advice }
  }
  if (missing.length > 0) {
    const reason = `Others have seen ${counted(missing.length, 'entry', 'entries')} that this copy lacks.`
    return { ...said, step: 'untrusted', reason, advice: 'Ask the other parties for their copies, and open them here.' }
  }
  if (status === 'proposed' || status === 'partial') {
    const waiting = waitingFor(known).map(({ agentId }) => (known.isOwn(agentId) ? 'you' : known.nameOf(agentId)))
    const reason = waiting.length === 0 ? '' : `Waiting for ${listed(waiting)}.`
    return { ...said, reason, advice: blocked.map((why) => sentenceOf(why, known)).join(' ') }
  }
  if (step !== 'trusted' || result.untrusted.length === 0) return said
  const title = `${said.title}, but a signer is not in your trust list`
  return {
    ...said,
    step: 'untrusted',
    title,
    advice: 'Confirm the key id with the signer, and open the agent document.',
  }
}

export const consents = ({ role }: { role: string }): boolean => role === 'signer' || role === 'approver'

/** Whether a signature waits for a notary. */
export const isUnproved = ({ unproved }: AgreementResult): boolean => unproved.length > 0

/** What is said of such a signature. */
const UNPROVED = 'no notary has confirmed the date yet'

/** What somebody can do who does not sign. */
export function roleOf(own: AgreementStanding | undefined): string {
  if (own === undefined) {
    return 'You are no party of this agreement. You can read it, but not sign it, and it is not stored here.'
  }
  const sentences: Readonly<Record<string, string>> = {
    witness: 'You are a witness. When parties have signed before your eyes, confirm their signatures.',
    notary: 'You are a notary. When you confirm the time, you prove that everything in this agreement is there by now.',
    observer: 'You are an observer. You read along, and do not sign.',
  }
  return sentences[own.role] ?? ''
}

/** The parties that have to do something next. */
function waitingFor(known: Known): AgreementParty[] {
  const notaries = isUnproved(known.result) ? known.terms.parties.filter(({ role }) => role === 'notary') : []
  return [...new Set([...blocking(known), ...notaries])]
}

function blocking({ terms, result }: Known): AgreementParty[] {
  const { byParty, blocked, unproved } = result
  const done = new Set([
    ...byParty.flatMap(({ partyId, state }) => (/^(signed|declined)$/.test(state) ? [partyId] : [])),
    ...unproved.map(({ partyId }) => partyId),
  ])
  const open = terms.parties.filter(({ partyId }) => !done.has(partyId))
  const [, stage] = blocked.map((why) => /^stage (\d+) /.exec(why)).find((found) => found !== null) ?? []
  if (stage !== undefined) return open.filter((party) => consents(party) && (party.stage ?? 0) === Number(stage))
  if (blocked.some((why) => /^(quorum|weight|group|required) /.test(why))) return open.filter(consents)
  const lacking = blocked.flatMap(
    (why) => ({ witnesses: ['witness'], notaries: ['notary'] })[why.split(' ')[0] ?? ''] ?? [],
  )
  return open.filter(({ role }) => lacking.includes(role))
}

/** Why an agreement is not complete, as a sentence. */
function sentenceOf(why: string, { terms, nameOf }: Known): string {
  const [, kind = '', what = '', have = '', need = ''] = /^(\w+)(?: (.*?))?(?: ?(\d+)\/(\d+))?$/s.exec(why) ?? []
  const party = terms.parties.find(({ partyId }) => partyId === what)
  const sentences: Readonly<Record<string, string>> = {
    quorum: `${have} of ${need} signatures count so far.`,
    weight: `The signatures weigh ${have} of ${need}.`,
    group: `The group “${what}” has ${have} of ${need} signatures.`,
    required: `The signature of ${party === undefined ? what : nameOf(party.agentId)} is required.`,
    stage: `Stage ${Number(what) + 1} comes first: ${have} of ${need} have signed there.`,
    witnesses: `${have} of ${need} witnesses have confirmed it.`,
    notaries: `${have} of ${need} notaries have confirmed it.`,
    withdrawals: 'Some copies are not merged yet. Open the copies of all parties here.',
  }
  return sentences[kind] ?? why
}

/** A party: how it stands, and the sentence about it. `words` are what it gave as a reason. */
export function standingOf(
  { role, state, at, by, agentId }: AgreementStanding,
  words: string | undefined,
  { isOwn, isTrusted, proof }: { isOwn: boolean; isTrusted: boolean; proof: UnprovedSignature | undefined },
): readonly [Step, string] {
  const when = at === null ? '' : ` on ${timeOf(at)}`
  const agent = by === null || by === agentId ? '' : `, by another agent (${by})`
  const because = words === undefined ? '.' : `: “${words}”`
  const who = isOwn ? 'This is you.' : isTrusted ? '' : 'Not in your trust list: the name is what the contract says.'
  const as = role === 'signer' ? '' : `${role.charAt(0).toUpperCase()}${role.slice(1)}.`
  const done: Readonly<Record<typeof state, readonly [Step, string]>> = {
    pending: [
      'unsigned',
      role === 'observer' ? 'Reads along.' : consents({ role }) ? 'Has not signed.' : 'Has not confirmed it.',
    ],
    signed: [
      isTrusted ? 'trusted' : 'untrusted',
      `${consents({ role }) ? 'Signed' : 'Confirmed it'}${when}${agent}${because}`,
    ],
    declined: ['invalid', `Declined${when}${agent}${because}`],
    withdrawn: ['unsigned', `Withdrew the signature${when}${agent}${because}`],
    delegated: ['unsigned', `Let another agent sign${when}.`],
  }
  const [step, sentence] = proof === undefined ? done[state] : ['unchecked' as const, unprovedSentence(proof, agentId)]
  return [step, [who, as, sentence].filter((part) => part !== '').join(' ')]
}

function unprovedSentence({ at, by }: UnprovedSignature, agentId: string): string {
  const agent = by === agentId ? '' : `, by another agent (${by})`
  return `Signed on ${timeOf(at)}${agent}, but ${UNPROVED}.`
}

const IGNORED: Readonly<Record<string, string>> = {
  BadEvent: 'An entry cannot be read.',
  BadSignature: 'An entry was changed after it was signed, or is forged.',
  UnknownSigner: 'The signer of an entry is not in your trust list, so nobody knows whether it is genuine.',
  WrongAgreement: 'An entry belongs to another contract, or to another text of this one.',
  NotAParty: 'Somebody who is not a party made an entry.',
  WrongRole: 'A party made an entry that its role does not allow.',
  WrongKey: 'A party signed with a key that the contract does not allow.',
  WrongAlgorithm: 'A party signed with an algorithm that the contract does not allow.',
  TooWeak: 'A party signed with an algorithm that the contract does not allow.',
  UnknownSeen: 'An entry refers to another one that is not here, or is not genuine.',
  KeyRevoked: 'The key of a signature was revoked.',
  NotAllowedNow: 'An entry was made when it was not possible.',
  TooLate: 'An entry was made too late.',
  Duplicate: 'A party did the same twice.',
  OutOfOrder: 'A party signed before it was its turn.',
  NoTimeProof: 'No notary has confirmed the time of a signature yet, or not before the deadline.',
  Contested: 'A party declined or withdrew while another one completed the agreement. The completion counts.',
  Withdrawn: 'A signature was withdrawn.',
}

/** Why an event has no effect. */
export const ignoredBecause = (code: string): string =>
  IGNORED[code] ?? 'The rules of this contract do not allow an entry.'

/** A date for people. */
export const timeOf = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' })

export const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

/** Names in a sentence. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(names)
}
