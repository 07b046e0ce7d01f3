import type { Judged, Opened } from '../../agreements/module.ts'
import type { AgreementEvent } from '../../types.ts'

type Listed = Omit<AgreementEvent, 'eventId' | 'agentId' | 'code'>

interface Stored extends Listed {
  readonly actor: { readonly agentId: string }
}

/** The events of an agreement by date and id, with what became of them. What is no event has no id, and is not listed. */
export function historyOf({ raw, events: ids }: Pick<Opened, 'raw' | 'events'>, { events }: Judged): AgreementEvent[] {
  const codes = new Map<string | null | undefined, string | null>([
    ...events.counted.map((id) => [id, null] as const),
    ...events.ignored.map(({ eventId, code }) => [eventId, code] as const),
  ])
  codes.delete(null)
  const found: AgreementEvent[] = []
  const { events: stored } = JSON.parse(raw) as { events: readonly Stored[] }
  for (const [index, { type, actor, role, at, seen, data }] of stored.entries()) {
    const eventId = ids[index] ?? ''
    const code = codes.get(eventId)
    if (code === undefined || !codes.delete(eventId)) continue // of several texts with one id the signatures differ
    found.push({ eventId, type, agentId: actor.agentId, role, at, seen, data, code })
  }
  const keyOf = ({ at, eventId }: AgreementEvent): string => at + eventId
  return found.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}
