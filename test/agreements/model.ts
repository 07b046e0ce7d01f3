// The state of an agreement once more, written from the rules alone. It is slow, and has no trick: wherever a rule speaks
// of a set of events, that set is made anew.
import { Admission, byDate, byId, earliest, type Ignored, isNegative, isOf, type Known } from './admission.ts'
import { areTerms, type Entry, type History, hashOf, type Terms } from './forms.ts'
import { invalid, type Judgement, report, type Status } from './report.ts'

/** A set of negatives that somebody had in front of them. */
export type View = readonly Known[]

/** What the state is made of, once it is known whether the agreement is complete. */
export interface Outcome {
  readonly status: Status
  readonly view: View | null
  readonly counted: readonly Known[]
  readonly ignored: readonly Ignored[]
  readonly contested: readonly Known[]
  readonly openDisputes: readonly Known[]
}

const DISPUTES = 16
const consentOf = isOf('sign', 'witness', 'notarize')
const afterwards = isOf('dispute', 'resolve', 'terminate', 'supersede')

export class Agreement extends Admission {
  readonly now: string

  constructor(terms: Terms, entries: readonly Entry[], now: string) {
    super(terms, entries)
    this.now = now
  }

  get isNotarised(): boolean {
    return this.rules.policy.timeProof === 'notary'
  }

  isInTime(date: string | null): boolean {
    const { signBy } = this.rules.policy
    return date !== null && (signBy === undefined || date <= signBy)
  }

  /** Whether a notarize event counts for the number of notaries. */
  isOfNotaries(known: Known): boolean {
    return this.isInTime(known.event.at) && (!this.isNotarised || this.isInTime(this.timeProof(known)))
  }

  viewOf(known: Known): View {
    return this.heldBefore(known).filter(isNegative)
  }

  belongs(known: Known, view: View): boolean {
    return this.viewOf(known).every((negative) => view.includes(negative))
  }

  /** Whether a signature stands in a view: its party has neither taken it back nor declined. */
  isActive(sign: Known, view: View): boolean {
    const party = this.actorOf(sign)
    return !this.isWithdrawn(sign, view) && this.of(party, view.filter(isOf('decline'))).length === 0
  }

  /** Whether these signatures, witness and notarize events are all that the terms ask for. */
  suffice(events: readonly Known[]): boolean {
    const { witnesses = 0, notaries = 0 } = this.rules.policy
    const notarised = events.filter(isOf('notarize')).filter((known) => this.isOfNotaries(known))
    return (
      this.rules.areEnough(this.partiesOf(events.filter(isOf('sign')))) &&
      this.partiesOf(events.filter(isOf('witness'))).length >= witnesses &&
      this.partiesOf(notarised).length >= notaries
    )
  }

  isMet(view: View, events: readonly Known[]): boolean {
    const belonging = events.filter((known) => consentOf(known) && this.belongs(known, view))
    return (
      !this.end(view) && this.suffice(belonging.filter((known) => !isOf('sign')(known) || this.isActive(known, view)))
    )
  }

  /** The view in which the policy is met, if these events were all there is. */
  completion(scope: readonly Known[]): View | null {
    return this.isNotarised ? this.#provedCompletion(scope) : this.#seenCompletion(scope)
  }

  #seenCompletion(scope: readonly Known[]): View | null {
    const held = this.held.filter((known) => scope.includes(known))
    const onlookers = this.admitted.filter((known) => scope.includes(known) && !isNegative(known))
    const views = onlookers.toSorted(byId).map((known) => this.viewOf(known))
    const bySize = [[], ...views.toSorted((a, b) => a.length - b.length)]
    return bySize.find((view) => this.isMet(view, held)) ?? null
  }

  #provedCompletion(scope: readonly Known[]): View | null {
    const proofOf = (known: Known): string => this.timeProof(known, scope) ?? ''
    const proved = this.held.filter(
      (known) =>
        scope.includes(known) &&
        ((consentOf(known) && this.isInTime(this.timeProof(known, scope))) ||
          (isNegative(known) && this.timeProof(known, scope) !== null)),
    )
    const ordered = proved.toSorted((a, b) =>
      proofOf(a) === proofOf(b) ? this.#depth(a) - this.#depth(b) || byId(a, b) : proofOf(a) < proofOf(b) ? -1 : 1,
    )
    for (let taken = 1; taken <= ordered.length; taken++) {
      const events = ordered.slice(0, taken)
      const view = events.filter(isNegative)
      if (this.end(view)) return null
      if (this.isMet(view, events)) return view
    }
    return null
  }

  readonly #depths = new Map<string, number>()

  /** The length of the longest way down through what was seen. */
  #depth(known: Known): number {
    const found = this.#depths.get(known.id)
    if (found !== undefined) return found
    const seen = [...this.past(known)].filter(({ id }) => known.event.seen.includes(id))
    const depth = seen.length === 0 ? 0 : 1 + Math.max(...seen.map((earlier) => this.#depth(earlier)))
    this.#depths.set(known.id, depth)
    return depth
  }

  isAfterCompletion(known: Known): boolean {
    return this.completion([...this.past(known)]) !== null
  }

  /** The disputes, resolutions, terminations and supersessions that count: in causal order, each by its past. */
  afterlife(): { accepted: Known[]; codes: Map<Known, string> } {
    const accepted: Known[] = []
    const codes = new Map<Known, string>()
    for (const known of this.held.filter(afterwards)) {
      const before = accepted.filter((earlier) => this.past(known).has(earlier))
      const code = this.#afterCode(known, before)
      if (code === null) accepted.push(known)
      else codes.set(known, code)
    }
    return { accepted, codes }
  }

  #afterCode(known: Known, before: readonly Known[]): string | null {
    const { type, at, data } = known.event
    const { effectiveFrom, expiresAt } = this.rules.policy
    const own = (some: readonly Known[]): readonly Known[] => this.of(this.actorOf(known), some)
    if (!this.isAfterCompletion(known) || this.isOver(before)) return 'NotAllowedNow'
    if (type === 'resolve') {
      const isMeant = ({ id, event }: Known): boolean => event.type === 'dispute' && id === data.dispute
      if (!before.some(isMeant)) return 'NotAllowedNow'
      const resolved = own(before.filter(isOf('resolve'))).map(({ event }) => event.data.dispute)
      return resolved.includes(data.dispute) ? 'Duplicate' : null
    }
    if (type === 'supersede' && this.openDisputes(before).length > 0) return 'NotAllowedNow'
    if (effectiveFrom !== undefined && at < effectiveFrom) return 'TooEarly'
    if (expiresAt !== undefined && at >= expiresAt) return 'TooLate'
    if (type === 'dispute' && own(before.filter(isOf('dispute'))).length >= DISPUTES) return 'Duplicate'
    if (type === 'terminate' && own(before.filter(isOf('terminate'))).length > 0) return 'Duplicate'
    return type === 'supersede' && !known.verdict.successor ? 'BadSuccessor' : null
  }

  isTerminated(accepted: readonly Known[]): boolean {
    const parties = this.partiesOf(accepted.filter(isOf('terminate')))
    const { terminate = 'all' } = this.rules.policy
    if (terminate === 'any') return parties.length > 0
    if (terminate === 'all') return parties.length === this.rules.consenting.length
    return this.rules.reachesQuorum(parties)
  }

  /** Whether nothing but comments is left to these events' successors. */
  isOver(accepted: readonly Known[]): boolean {
    return accepted.some(isOf('supersede')) || this.isTerminated(accepted)
  }

  openDisputes(accepted: readonly Known[]): Known[] {
    return accepted.filter(isOf('dispute')).filter((dispute) => {
      const resolutions = accepted.filter(({ event }) => event.type === 'resolve' && event.data.dispute === dispute.id)
      return !this.rules.reachesQuorum(this.partiesOf(resolutions))
    })
  }

  /** The one signature of each party that counts: those of the view first. */
  #chosen(signs: readonly Known[], view: View): Known[] {
    return this.rules.consenting.flatMap((party) => {
      const [first] = this.of(party, signs).toSorted(
        (a, b) => Number(this.belongs(b, view)) - Number(this.belongs(a, view)) || byDate(a, b),
      )
      return first ?? []
    })
  }

  #lacksProof(known: Known): boolean {
    return this.isNotarised && isOf('sign', 'witness')(known) && !this.isInTime(this.timeProof(known))
  }

  /** Step 13. */
  whenComplete(view: View): Outcome {
    const { accepted, codes } = this.afterlife()
    const isOverBefore = (known: Known): boolean =>
      this.isOver(accepted.filter((earlier) => this.past(known).has(earlier)))
    const codeOf = (known: Known): string | null => {
      if (this.#lacksProof(known)) return 'NoTimeProof'
      if (afterwards(known)) return codes.get(known) ?? null
      if (isNegative(known)) {
        if (view.includes(known)) return null
        return this.isNotarised || this.isAfterCompletion(known) ? 'TooLate' : 'Contested'
      }
      if (isOf('sign', 'witness')(known) && isOverBefore(known)) return 'NotAllowedNow'
      if (isOf('sign')(known)) return this.isActive(known, view) ? null : 'Withdrawn'
      return isOf('delegate')(known) && this.isAfterCompletion(known) ? 'NotAllowedNow' : null
    }
    const openDisputes = this.openDisputes(accepted)
    return {
      ...this.#sorted(codeOf, view),
      status: this.#statusOf(accepted, openDisputes),
      view,
      contested: this.held.filter((known) => codeOf(known) === 'Contested').toSorted(byId),
      openDisputes: openDisputes.toSorted(byId),
    }
  }

  #statusOf(accepted: readonly Known[], openDisputes: readonly Known[]): Status {
    const { effectiveFrom, expiresAt } = this.rules.policy
    if (this.isTerminated(accepted)) return 'terminated'
    if (accepted.some(isOf('supersede'))) return 'superseded'
    if (openDisputes.length > 0) return 'disputed'
    if (expiresAt !== undefined && this.now >= expiresAt) return 'ended'
    if (effectiveFrom === undefined && expiresAt === undefined) return 'complete'
    return effectiveFrom !== undefined && this.now < effectiveFrom ? 'complete' : 'active'
  }

  /** Step 14. */
  whenIncomplete(): Outcome {
    const view = this.held.filter(isNegative)
    const codeOf = (known: Known): string | null => {
      if (afterwards(known)) return 'NotAllowedNow'
      if (this.#lacksProof(known)) return 'NoTimeProof'
      if (isOf('sign')(known) && !this.isActive(known, view)) return 'Withdrawn'
      if (!isOf('comment', 'attach')(known)) return null
      if (this.end(this.viewOf(known))) return 'NotAllowedNow'
      return this.isInTime(known.event.at) ? null : 'TooLate'
    }
    const sorted = this.#sorted(codeOf, view)
    return { ...sorted, status: this.#openStatus(view, sorted.counted), view: null, contested: [], openDisputes: [] }
  }

  #openStatus(view: View, counted: readonly Known[]): Status {
    const { signBy } = this.rules.policy
    if (!this.held.some(isOf('propose'))) return 'draft'
    if (this.end(view)) {
      const voids = view.filter(isOf('void'))
      const declines = view.filter(isOf('decline'))
      if (!this.end(declines)) return 'voided'
      if (voids.length === 0) return 'declined'
      return [...voids, ...declines].toSorted(byId)[0]?.event.type === 'void' ? 'voided' : 'declined'
    }
    if (signBy !== undefined && this.now > signBy) return 'expired'
    return counted.some(isOf('sign')) ? 'partial' : 'proposed'
  }

  /** What holds, as counted and ignored. */
  #sorted(codeOf: (known: Known) => string | null, view: View): { counted: Known[]; ignored: Ignored[] } {
    const allowed = this.held.filter((known) => codeOf(known) === null)
    const chosen = this.#chosen(allowed.filter(isOf('sign')), view)
    const duplicates = allowed.filter((known) => isOf('sign')(known) && !chosen.includes(known))
    const refused = this.held.flatMap((known) => {
      const code = duplicates.includes(known) ? 'Duplicate' : codeOf(known)
      return code === null ? [] : { eventId: known.id, code }
    })
    return {
      counted: allowed.filter((known) => !duplicates.includes(known)).toSorted(byId),
      ignored: [...this.ignored, ...refused],
    }
  }

  /** What a new event names as seen. */
  heads(): string[] {
    const seen = this.admitted.flatMap((known) => [...this.past(known)])
    return this.admitted.flatMap((known) => (seen.includes(known) ? [] : known.id)).toSorted()
  }

  /** The date at which the counted events of a view were enough. */
  completeAt(view: View, counted: readonly Known[]): string | null {
    const events = counted.filter((known) => consentOf(known) && this.belongs(known, view))
    const dateOf = (known: Known): string =>
      (this.isNotarised ? this.timeProof(known) : known.event.at) ?? known.event.at
    const dates = events.map(dateOf)
    return earliest(dates.filter((date) => this.suffice(events.filter((known) => dateOf(known) <= date))))
  }
}

function isUnresolved({ rules, known, agreementHash }: Agreement): boolean {
  const agents = rules.parties.map(({ agentId }) => agentId)
  const own = known.filter(({ event }) => event.agreementHash === agreementHash && agents.includes(event.actor.agentId))
  return own.length > 0 && own.every(({ verdict }) => verdict.code === 'UnknownSigner')
}

/** The state of an agreement: a function of its terms, its events with their verdicts, and the time. */
export function judge({ terms, agreementHash, events, now }: History): Judgement {
  if (!areTerms(terms)) return invalid((terms as Partial<Terms>).parties?.length === 0 ? 'NoParties' : 'InvalidTerms')
  if (agreementHash !== undefined && agreementHash !== hashOf(terms)) return invalid('AgreementHash')
  const agreement = new Agreement(terms, events, now)
  if (isUnresolved(agreement)) return invalid('UnknownSigner')
  const view = agreement.completion(agreement.admitted)
  const outcome = view === null ? agreement.whenIncomplete() : agreement.whenComplete(view)
  return report(agreement, terms, outcome)
}
