// Which events of a history the agreement takes notice of, and which of them hold where they were made: steps 1 to 12.
import {
  type AgreementEvent,
  canonical,
  type Entry,
  type EventType,
  hashOf,
  idOf,
  isEvent,
  type Party,
  type Terms,
  type Verdict,
} from './forms.ts'
import { Rules } from './rules.ts'

/** An event that can be read. */
export interface Known {
  readonly id: string
  readonly event: AgreementEvent
  readonly verdict: Verdict
}

export interface Ignored {
  readonly eventId: string | null
  readonly code: string
}

const WITHDRAWALS = 8
const DELEGATIONS = 16
const endable: readonly EventType[] = ['sign', 'decline', 'withdraw', 'void', 'delegate', 'witness']
const byAnyone: readonly EventType[] = ['propose', 'void', 'comment', 'attach', 'supersede']

export const isOf =
  (...types: readonly EventType[]) =>
  ({ event }: Known): boolean =>
    types.includes(event.type)
export const isNegative = isOf('decline', 'withdraw', 'void')
export const earliest = (dates: readonly string[]): string | null => dates.toSorted()[0] ?? null
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)
/** In the order of their dates, then of their ids. */
export const byDate = (a: Known, b: Known): number =>
  a.event.at === b.event.at ? byId(a, b) : a.event.at < b.event.at ? -1 : 1

/** The first one of several entries with one id: the valid ones, then the smallest text, then the gravest verdict. */
function byPreference(a: Entry, b: Entry): number {
  const places = [a, b].map(({ event, verdict: { valid, revoked, successor, code } }) => [
    valid ? '0' : '1',
    canonical(event),
    revoked ? '0' : '1',
    revoked?.reason === 'compromised' ? '0' : '1',
    revoked?.at ?? '',
    successor ? '0' : '1',
    code ?? '',
  ])
  const [first = [], second = []] = places
  const at = first.findIndex((place, n) => place !== second[n])
  return at < 0 ? 0 : (first[at] as string) < (second[at] as string) ? -1 : 1
}

function isAllowedFor({ role }: Party, type: EventType): boolean {
  if (type === 'witness') return role === 'witness'
  if (type === 'notarize') return role === 'notary'
  return byAnyone.includes(type) || role === 'signer' || role === 'approver'
}

export class Admission {
  readonly rules: Rules
  readonly agreementHash: string
  readonly known: Known[] = []
  /** What got past step 7. */
  readonly admitted: Known[]
  /** What got past step 12. */
  readonly held: Known[] = []
  /** The notarize events whose dates count as proof. */
  readonly #clocks: Known[]
  readonly missing: string[]
  readonly ignored: Ignored[] = []

  constructor(terms: Terms, entries: readonly Entry[]) {
    this.rules = new Rules(terms)
    this.agreementHash = hashOf(terms)
    this.#read(entries)
    const ofParties = this.#without(this.known, (known) => this.#strangeness(known))
    this.missing = [...new Set(ofParties.flatMap((known) => this.#holes(known)))].toSorted()
    const whole = this.#without(ofParties, (known) => (this.#holes(known).length > 0 ? 'UnknownSeen' : null))
    this.#clocks = whole.filter((known) => this.#provesTime(known, whole))
    this.admitted = this.#without(whole, (known) => (this.#isRevoked(known) ? 'KeyRevoked' : null))
    // What an event has seen has a smaller past than the event.
    const causal = this.admitted.toSorted((a, b) => this.past(a).size - this.past(b).size)
    for (const known of causal) this.held.push(...this.#without([known], () => this.#obstacle(known)))
  }

  #read(entries: readonly Entry[]): void {
    const unreadable = entries.filter(({ event }) => !isEvent(event)).map(({ event }) => canonical(event))
    for (const _ of new Set(unreadable)) this.ignored.push({ eventId: null, code: 'BadEvent' })
    const ids = new Map<string, Entry[]>()
    for (const entry of entries) {
      if (isEvent(entry.event)) ids.set(idOf(entry.event), [...(ids.get(idOf(entry.event)) ?? []), entry])
    }
    for (const [id, same] of ids) {
      const [{ event, verdict }] = same.toSorted(byPreference) as [Entry]
      this.known.push({ id, event: event as AgreementEvent, verdict })
    }
  }

  /** The events that have no code; the others are ignored with theirs. */
  #without(events: readonly Known[], codeOf: (known: Known) => string | null): Known[] {
    return events.filter((known) => {
      const code = codeOf(known)
      if (code !== null) this.ignored.push({ eventId: known.id, code })
      return code === null
    })
  }

  /** Whether an event that was seen shows what it has seen itself. */
  #isOpen(known: Known): boolean {
    return known.verdict.valid && this.#isOfThis(known)
  }

  #isOfThis({ event }: Known): boolean {
    return event.agreementHash === this.agreementHash
  }

  readonly #pasts = new Map<string, ReadonlySet<Known>>()

  /** Everything that was before this event, as its `seen` says, without itself. */
  past(known: Known): ReadonlySet<Known> {
    const past = this.#pasts.get(known.id) ?? this.#walk(known)
    this.#pasts.set(known.id, past)
    return past
  }

  #walk(known: Known): ReadonlySet<Known> {
    const past = new Set<Known>()
    const look = ({ event }: Known): void => {
      for (const seen of this.known.filter(({ id }) => event.seen.includes(id))) {
        if (past.has(seen)) continue
        past.add(seen)
        if (this.#isOpen(seen)) look(seen)
      }
    }
    look(known)
    return past
  }

  readonly #before = new Map<string, readonly Known[]>()

  /** What holds of the past of an event. It is settled when the event is looked at: its past was looked at before. */
  heldBefore(known: Known): readonly Known[] {
    const before = this.#before.get(known.id) ?? this.held.filter((earlier) => this.past(known).has(earlier))
    this.#before.set(known.id, before)
    return before
  }

  /** What an event says it has seen, itself or by others, and cannot be looked at. */
  #holes(known: Known): string[] {
    const lookedAt = [known, ...[...this.past(known)].filter((seen) => this.#isOpen(seen))]
    const isHole = (id: string): boolean => !this.known.some((other) => other.id === id && this.#isOpen(other))
    return lookedAt.flatMap(({ event }) => event.seen).filter(isHole)
  }

  /** The party that acts, or for which is acted. */
  actorOf({ event }: Known): Party | undefined {
    const { for: other } = event.data
    return this.rules.parties.find((party) =>
      other === undefined ? party.agentId === event.actor.agentId : party.partyId === other,
    )
  }

  of(party: Party | undefined, events: readonly Known[]): Known[] {
    return events.filter((known) => this.actorOf(known) === party)
  }

  /** The parties that acted in these events. */
  partiesOf(events: readonly Known[]): Party[] {
    return this.rules.parties.filter((party) => this.of(party, events).length > 0)
  }

  /** Steps 2 to 5: what is refused whatever else there is. */
  #strangeness(known: Known): string | null {
    const { event, verdict } = known
    const { algorithms, minStrength } = this.rules.policy
    if (event.agreementHash !== this.agreementHash) return 'WrongAgreement'
    if (!verdict.valid) return verdict.code ?? 'Invalid'
    const party = this.actorOf(known)
    if (!party) return 'NotAParty'
    if (event.role !== party.role || !isAllowedFor(party, event.type)) return 'WrongRole'
    if (event.data.for === undefined && party.keyIds && !party.keyIds.includes(event.actor.keyId)) return 'WrongKey'
    if (algorithms && !algorithms.includes(event.alg)) return 'WrongAlgorithm'
    if (minStrength === 'pq' && event.alg === 'ed25519') return 'TooWeak'
    return null
  }

  /** Whether the date of an event proves that all it has seen was there by then. */
  #provesTime(known: Known, whole: readonly Known[]): boolean {
    const { event, verdict } = known
    const { revoked } = verdict
    const proposals = whole.filter((earlier) => isOf('propose')(earlier) && this.past(known).has(earlier))
    const proposed = earliest(proposals.map((proposal) => proposal.event.at))
    return (
      event.type === 'notarize' &&
      (!revoked || (revoked.reason !== 'compromised' && event.at < revoked.at)) &&
      proposed !== null &&
      proposed <= event.at
    )
  }

  /** The date by which an event was there, as notaries among these events say. */
  timeProof(known: Known, among: readonly Known[] = this.known): string | null {
    const witnesses = this.#clocks.filter((clock) => clock === known || this.past(clock).has(known))
    return earliest(witnesses.filter((clock) => among.includes(clock)).map(({ event }) => event.at))
  }

  #isRevoked(known: Known): boolean {
    const { revoked } = known.verdict
    if (!revoked) return false
    if (revoked.reason !== 'compromised') return known.event.at >= revoked.at
    const proof = this.timeProof(known)
    return proof === null || proof >= revoked.at
  }

  /** Whether these negatives end the agreement. */
  end(events: readonly Known[]): boolean {
    const declined = events.filter(isOf('decline')).map((known) => this.actorOf(known) as Party)
    return events.some(isOf('void')) || this.rules.isEndedByDeclines(declined)
  }

  /** Whether a signature was withdrawn by one of these events. */
  isWithdrawn(sign: Known, events: readonly Known[]): boolean {
    return this.of(this.actorOf(sign), events.filter(isOf('withdraw'))).some((withdrawal) =>
      this.past(withdrawal).has(sign),
    )
  }

  /** Whether a party has signed, and not taken it back, as far as these events go. */
  #hasSigned(party: Party, before: readonly Known[]): boolean {
    return this.of(party, before.filter(isOf('sign'))).some((sign) => !this.isWithdrawn(sign, before))
  }

  /** Steps 8 to 12: what the past of an admitted event does not allow. */
  #obstacle(known: Known): string | null {
    const { type, at } = known.event
    const { signBy } = this.rules.policy
    const before = this.heldBefore(known)
    const proposed = earliest(before.filter(isOf('propose')).map(({ event }) => event.at))
    if (type === 'propose') return proposed === null ? null : 'NotAllowedNow'
    if (proposed === null) return 'NotAllowedNow'
    if (at < proposed) return 'BeforeTerms'
    const unauthorised = this.#wantOfDelegation(known, before)
    if (unauthorised) return unauthorised
    if (!endable.includes(type)) return null
    if (this.end(before)) return 'NotAllowedNow'
    if (signBy !== undefined && at > signBy) return 'TooLate'
    return this.#obstacleOfType(known, before)
  }

  #wantOfDelegation({ event }: Known, before: readonly Known[]): string | null {
    const { for: other } = event.data
    if (other === undefined) return null
    const delegations = before.filter(
      (earlier) =>
        earlier.event.type === 'delegate' &&
        this.actorOf(earlier)?.partyId === other &&
        earlier.event.data.to === event.actor.agentId &&
        earlier.event.data.scope?.includes(event.type),
    )
    if (delegations.length === 0) return 'NotAParty'
    const isInTime = ({ event: { data } }: Known): boolean => data.until === undefined || event.at <= data.until
    return delegations.some(isInTime) ? null : 'DelegationExpired'
  }

  #obstacleOfType(known: Known, before: readonly Known[]): string | null {
    const party = this.actorOf(known) as Party
    const { type } = known.event
    const has = (kind: EventType): boolean => this.of(party, before.filter(isOf(kind))).length > 0
    switch (type) {
      case 'sign':
        if (has('decline')) return 'NotAllowedNow'
        if (this.#hasSigned(party, before)) return 'Duplicate'
        return this.#isTurnOf(party, before) ? null : 'OutOfOrder'
      case 'decline':
        if (has('decline')) return 'Duplicate'
        return this.#hasSigned(party, before) ? 'NotAllowedNow' : null
      case 'withdraw':
        if (this.rules.policy.withdraw === 'never') return 'NotAllowedByPolicy'
        if (!this.#hasSigned(party, before)) return 'NotAllowedNow'
        return this.of(party, before.filter(isOf('withdraw'))).length >= WITHDRAWALS ? 'NotAllowedNow' : null
      case 'void':
        return has('propose') ? null : 'WrongRole'
      case 'delegate':
        if (this.of(party, before.filter(isOf('delegate'))).length >= DELEGATIONS) return 'NotAllowedNow'
        return this.#mayDelegate(party, known.event) ? null : 'NotAllowedByPolicy'
      case 'witness':
        return before.some(isOf('sign')) ? null : 'NotAllowedNow'
      case 'propose':
      case 'comment':
      case 'attach':
      case 'notarize':
      case 'dispute':
      case 'resolve':
      case 'terminate':
      case 'supersede':
        return null
    }
  }

  #isTurnOf(party: Party, before: readonly Known[]): boolean {
    const { rules } = this
    const declined = before.filter(isOf('decline')).map((known) => this.actorOf(known))
    const signed = rules.consenting.filter((other) => this.#hasSigned(other, before) && !declined.includes(other))
    const lower = rules.stages().filter((stage) => stage < (party.stage ?? 0))
    return lower.every((stage) => rules.isStageSatisfied(stage, signed))
  }

  #mayDelegate(party: Party, { data }: AgreementEvent): boolean {
    const { delegation = 'none' } = this.rules.policy
    if (delegation === 'none' || data.to === party.agentId) return false
    if (delegation === 'listed') return this.rules.parties.some(({ agentId }) => agentId === data.to)
    return data.document !== undefined
  }
}
