import type { Judged } from '../../agreements/module.ts'
import type { UnverifiedEvent } from '../../types.ts'
import type { AtHand, Question } from './open.ts'

interface Copied {
  readonly actor?: { readonly agentId?: unknown }
}

/** The events of an agreement that cannot be verified here. What is no event has no id. */
export function unverifiedIn(
  { module, raw, events: ids }: AtHand,
  { text }: Question,
  { events }: Judged,
): readonly UnverifiedEvent[] {
  if (events.ignored.length === 0) return []
  const known = new Set(module.genuine(text).filter((_, at) => at % 2 === 0))
  const codes = new Map(events.ignored.map(({ eventId, code }) => [eventId, code]))
  const { events: copied } = JSON.parse(raw) as { events: readonly Copied[] }
  return ids.flatMap((id, at) => {
    if (known.has(id)) return []
    known.add(id) // of several texts with one id only the signatures differ
    const code = codes.get(id)
    const agentId = copied[at]?.actor?.agentId
    const by = typeof agentId === 'string' ? agentId : null
    return [{ eventId: code === undefined ? null : id, agentId: by, code: code ?? 'BadEvent' }]
  })
}
