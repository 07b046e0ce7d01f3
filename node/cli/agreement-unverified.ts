/** What there is to say of events that cannot be verified. */
import type { AgreementCopy } from '../../src/simple.ts'
import { MOST } from './agreement-state.ts'
import { ignoredBecause } from './agreement-words.ts'
import type { Report, Row } from './output.ts'

/** Events as the library lists them. */
export type Unverified = AgreementCopy['unverified']

/** Those of one agent. */
interface Group {
  /** As they say themselves; null if they do not. */
  readonly agentId: string | null
  readonly count: number
  readonly codes: readonly string[]
}

/** Events by agent. */
export function groupsOf(unverified: Unverified): readonly Group[] {
  const groups = new Map<string | null, Unverified[number][]>()
  for (const event of unverified) {
    const group = groups.get(event.agentId)
    if (group === undefined) groups.set(event.agentId, [event])
    else group.push(event)
  }
  return [...groups].map(([agentId, events]) => ({
    agentId,
    count: events.length,
    codes: [...new Set(events.map(({ code }) => code))],
  }))
}

/** No key of the agent is known, or not the one that it has signed with, which a newer agent document has. */
const UNKNOWN = ['UnknownSigner', 'KeyMismatch'] as const

/** The agents whose events count as soon as their keys are known. */
export function unknownIn(
  groups: readonly Group[],
): { readonly code: (typeof UNKNOWN)[number]; readonly agents: string } | undefined {
  const some = groups.filter(({ codes }) => UNKNOWN.some((code) => codes.includes(code)))
  const code = UNKNOWN.find((one) => some.some(({ codes }) => codes.includes(one)))
  return code && { code, agents: some.map(({ agentId }) => agentId).join(', ') }
}

/** Rows that name the agents and the reasons. */
export function rowsOf(label: string, groups: readonly Group[]): readonly Row[] {
  const rows = groups.slice(0, MOST).flatMap(({ agentId, count, codes }): Row[] => {
    const what = `${count === 1 ? '1 event' : `${count} events`} of ${agentId ?? 'no agent'}`
    return codes.map((code): Row => [label, `${what}: ${code}: ${ignoredBecause(code)}`])
  })
  return groups.length > MOST ? [...rows, [label, `events of ${groups.length - MOST} more agents`]] : rows
}

/** What a new event does not refer to, because nobody knows whether it is genuine. */
export function unseenNote(groups: readonly Group[]): Report | undefined {
  if (groups.length === 0) return undefined
  const isUnknown = unknownIn(groups) !== undefined
  const how = isUnknown
    ? 'Keep the file. Trust the agent with `sx trust add` and its latest agent document, then import the file.'
    : 'Ask the sender for a copy with valid signatures.'
  const rows: readonly Row[] = [...rowsOf('not verified', groups), ['to do', how]]
  return { title: ['doubtful', 'The new event leaves out what cannot be verified'], rows }
}
