import type { Judged } from '../../agreements/module.ts'
import type { AgreementEvent, AgreementState, UnprovedSignature } from '../../types.ts'

/** In these states a signature that a notary proves counts. */
const OPEN: readonly AgreementState[] = ['proposed', 'partial', 'complete', 'active', 'disputed', 'ended']

/** What parties and witnesses have signed, and a notary can still prove: of each the first. */
export function unprovedIn(
  { status, signBy, byParty, events }: Judged,
  history: readonly AgreementEvent[],
  at: number,
): UnprovedSignature[] {
  const isPending = events.ignored.some(({ code }) => code === 'NoTimeProof')
  if (!isPending || !OPEN.includes(status) || (signBy !== null && at > Date.parse(signBy))) return []
  const waiting = history.filter(({ code }) => code === 'NoTimeProof')
  return byParty.flatMap(({ partyId, agentId, state }) => {
    if (state === 'signed' || state === 'declined') return []
    const isOwn = (event: AgreementEvent): boolean =>
      event.data.for === undefined ? event.agentId === agentId : event.data.for === partyId
    const takenBack = pastOf(history, (event) => event.type === 'withdraw' && event.code === null && isOwn(event))
    const first = waiting.find((event) => isOwn(event) && !takenBack.has(event.eventId))
    return first === undefined ? [] : [{ partyId, by: first.agentId, at: first.at, eventId: first.eventId }]
  })
}

/** All that some events have seen. */
function pastOf(history: readonly AgreementEvent[], isMeant: (event: AgreementEvent) => boolean): ReadonlySet<string> {
  const seen = new Map(history.map((event) => [event.eventId, event.seen]))
  const next = history.filter(isMeant).flatMap((event) => event.seen)
  const past = new Set<string>()
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (past.has(id)) continue
    past.add(id)
    for (const before of seen.get(id) ?? []) next.push(before)
  }
  return past
}
