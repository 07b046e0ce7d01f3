import type { Judged, Opened } from '../../agreements/module.ts'
import type { AgreementEvent } from '../../types.ts'

type Listed = Omit<AgreementEvent, 'eventId' | 'agentId' | 'code'>

interface Stored extends Listed {
  readonly actor: { readonly agentId: string }
}

/**
 * The events of an agreement by date, those of one date behind what they have seen, and with what became of them. What is no
 * event has no id, and is not listed.
 */
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
  const depths = depthsOf(found)
  return found.sort((one, other) => {
    if (one.at !== other.at) return one.at < other.at ? -1 : 1
    const deeper = (depths.get(one.eventId) ?? 0) - (depths.get(other.eventId) ?? 0)
    return deeper === 0 ? (one.eventId < other.eventId ? -1 : 1) : deeper
  })
}

/** The length of the longest way from each event through what was seen. Ids are hashes, so no way leads back. */
export function depthsOf(history: readonly Pick<AgreementEvent, 'eventId' | 'seen'>[]): ReadonlyMap<string, number> {
  const ids = new Set(history.map(({ eventId }) => eventId))
  const all = new Map(history.map(({ eventId, seen }) => [eventId, seen.filter((one) => ids.has(one))]))
  const depths = new Map<string, number>()
  for (const first of all.keys()) {
    const stack = [first]
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const seen = all.get(id) ?? []
      const open = depths.has(id) ? [] : seen.filter((one) => !depths.has(one))
      for (const one of open) stack.push(one)
      if (open.length > 0) continue
      stack.pop()
      if (!depths.has(id)) depths.set(id, 1 + seen.reduce((most, one) => Math.max(most, depths.get(one) ?? 0), 0))
    }
  }
  return depths
}
