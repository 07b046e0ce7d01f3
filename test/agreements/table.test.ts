// Every row of the table of states is passed through by an example. What no row lists has no effect: wasm/agreement/tests.
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { type AgreementModule, agreementModule } from '../../src/agreements/module.ts'
import { perform, runAsync } from '../../src/effects.ts'
import { examples } from './examples.ts'
import { type Entry, type History, idOf, isEvent, type Terms, types } from './forms.ts'
import { statuses } from './report.ts'

/** From a state, by an event, to a state. */
type Step = `${string} ${string} ${string}`

/** The table as the module was built with it. */
function stepsOfTable(): Step[] {
  const source = readFileSync(new URL('../../wasm/agreement/src/table.rs', import.meta.url), 'utf8')
  const [, table = ''] = /pub const TABLE: &\[Row\] = &\[\n([^]*?)\n\];/.exec(source) ?? []
  return [...table.matchAll(/\(\s*(\w+),\s*&\[((?:\s*\(\w+, &\[[\w, ]+\]\),?)*)\s*\]\s*,?\s*\)/g)].flatMap(
    ([, from = '', kinds = '']) =>
      [...kinds.matchAll(/\((\w+), &\[([\w, ]+)\]\)/g)].flatMap(([, kind = '', nexts = '']) =>
        nexts.split(', ').map((to): Step => `${from} ${kind} ${to}`.toLowerCase() as Step),
      ),
  )
}

const table = stepsOfTable()

/** An event with all that it has seen. */
function withPast(
  entries: ReadonlyMap<string, Entry>,
  id: string,
  past = new Map<string, Entry>(),
): Map<string, Entry> {
  const entry = entries.get(id)
  if (entry === undefined || past.has(id)) return past
  past.set(id, entry)
  if (isEvent(entry.event)) for (const seen of entry.event.seen) withPast(entries, seen, past)
  return past
}

/** The steps of a history: what each event that counts has made of what its actor had in front of them. */
function stepsOf(module: AgreementModule, { terms, events }: History): Step[] {
  const byId = new Map(events.flatMap((entry) => (isEvent(entry.event) ? [[idOf(entry.event), entry] as const] : [])))
  const { policy = {} } = terms as Terms
  const hasDates = policy.effectiveFrom !== undefined || policy.expiresAt !== undefined
  // Without dates `complete` allows what `active` allows.
  const named = (status: string): string => (status === 'complete' && !hasDates ? 'active' : status)
  return [...byId].flatMap(([id, entry]): Step[] => {
    const { event } = entry
    if (!isEvent(event)) return []
    const whole = [...withPast(byId, id).values()]
    const judge = (some: readonly Entry[]) => module.judge(JSON.stringify({ terms, events: some, now: event.at }))
    const after = judge(whole)
    if (!after.events.counted.includes(id)) return []
    const before = judge(whole.filter((one) => one !== entry))
    return [`${named(before.status)} ${event.type} ${named(after.status)}`]
  })
}

const examplesOf = new Map<Step, string[]>()

beforeAll(async () => {
  const module = await runAsync(() => perform(agreementModule))
  for (const { name, history } of examples) {
    for (const step of stepsOf(module, history)) examplesOf.set(step, [...(examplesOf.get(step) ?? []), name])
  }
})

test('the table is read whole: it has a row for every state that allows anything, and every event in one of them', () => {
  const [froms, kinds] = [0, 1].map((at) => new Set(table.map((step) => step.split(' ')[at])))
  expect(froms).toEqual(new Set(statuses.filter((status) => status !== 'invalid')))
  expect(kinds).toEqual(new Set(types))
})

test.each(table)('an example passes through the row %s', (step) => {
  expect(examplesOf.get(step) ?? []).not.toEqual([])
})
