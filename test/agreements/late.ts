// What the page says of events that are added late, and what adding an event to a history makes of its status.

import { readPage } from '../docs/markdown.ts'
import type { Random } from '../simulation/random.ts'
import { type Entry, type EventType, type History, idOf, isEvent, type Terms, types } from './forms.ts'
import { statuses } from './report.ts'
import { dateOf } from './values.ts'

/** From a status, by an event, to a status. */
export type Step = readonly [from: string, type: EventType, to: string]

const page = readPage('docs/agreements.md')
const words = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)

/** The rows of a table, as all steps that they allow. */
function stepsIn(table: string): Step[] {
  const rows = table.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \| .+ \|$/gm)
  return [...rows].flatMap(([, from = '', events = '', to = '']) =>
    words(from).flatMap((one) =>
      words(events).flatMap((type) => words(to).map((other): Step => [one, type as EventType, other])),
    ),
  )
}

const [, section = ''] = page.text.split('\n### Late events\n')
const [always = '', notarised = ''] = (section.split('\n#')[0] ?? '').split("With `timeProof: 'notary'`")

/** What the page allows of late events. */
export const late: readonly Step[] = stepsIn(always)
/** What it allows besides, where a notary proves the time. */
export const proved: readonly Step[] = stepsIn(notarised)

/** The arrows of the picture: those of events, and those of time. */
const arrows = (page.blocks.find(({ language }) => language === 'mermaid')?.code ?? '').split('\n').flatMap((line) => {
  const [, from = '', to = '', label = ''] = /^ {2}(\w+) --> (\w+): (.+)$/.exec(line) ?? []
  return label.split(', ').map((what) => ({ from, to, what }))
})
const drawn = arrows.flatMap(({ from, to, what }): Step[] =>
  types.some((type) => type === what) ? [[from, what as EventType, to]] : [],
)

/** Where time alone leads, in one step or several. */
function inTime(status: string): string[] {
  const next = arrows.filter(({ from, what }) => from === status && what.startsWith('after ')).map(({ to }) => to)
  return [status, ...next.flatMap(inTime)]
}

/** Whether the page says that an event can do this, in a history with these terms. */
export function isOnPage({ terms, events }: Pick<History, 'terms' | 'events'>, [from, type, to]: Step): boolean {
  const { policy = {} } = terms as Terms
  const isProved = policy.timeProof === 'notary'
  const isCompromised = events.some(({ verdict }) => verdict.revoked?.reason === 'compromised')
  const isUnknown = events.some(({ verdict }) => verdict.code === 'UnknownSigner')
  if (type === 'notarize' && isCompromised) return true
  if ((from === 'invalid' || (from === 'draft' && to === 'invalid')) && isUnknown) return true
  return [...drawn, ...late, ...(isProved ? proved : [])].some(
    ([before, event, after]) => before === from && event === type && inTime(after).includes(to),
  )
}

/** A history to judge, before an event is added and afterwards. */
interface Addition {
  readonly type: EventType
  readonly before: History
  readonly after: History
}

/** The status as the table of states has it: without dates `complete` allows what `active` allows. */
export function named({ terms }: History, status: string): string {
  const { policy = {} } = terms as Terms
  const hasDates = policy.effectiveFrom !== undefined || policy.expiresAt !== undefined
  return status === 'complete' && !hasDates ? 'active' : status
}

/** Adds the events of a history one after the other, in an order in which each comes after what it has seen. */
export function additions(random: Random, { terms, events }: History): Addition[] {
  const byId = new Map(events.flatMap((entry) => (isEvent(entry.event) ? [[idOf(entry.event), entry] as const] : [])))
  const left = new Map(byId)
  const placed: Entry[] = []
  const made: Addition[] = []
  while (left.size > 0) {
    const ready = [...left].filter(([, { event }]) => isEvent(event) && !event.seen.some((id) => left.has(id)))
    const [id, entry] = random.pick(ready)
    left.delete(id)
    if (!isEvent(entry.event)) continue
    const at = [...placed, entry].flatMap(({ event }) => (isEvent(event) ? event.at : [])).toSorted()
    // Read at once, or long afterwards.
    const now = random.chance(0.5) ? (at.at(-1) ?? '') : dateOf(1000)
    const before = { terms, events: [...placed], now }
    placed.push(entry)
    made.push({ type: entry.event.type, before, after: { terms, events: [...placed], now } })
  }
  return made
}

/** Whether the page was read whole. */
export const isRead: boolean =
  late.length > 0 &&
  proved.length > 0 &&
  drawn.length > 0 &&
  [...late, ...proved].every(
    ([from, type, to]) => [from, to].every((one) => statuses.some((status) => status === one)) && types.includes(type),
  )
