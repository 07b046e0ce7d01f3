import { describe, expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import type { Example } from './example.ts'
import { examples } from './examples.ts'
import { type AgreementEvent, type Entry, type History, idOf, isEvent, type Policy, types } from './forms.ts'
import { historyOf } from './histories.ts'
import { judge } from './model.ts'
import { hasValue, policyValues } from './policy-values.ts'
import { type Judgement, partyStates, type State, statuses } from './report.ts'
import { shuffled } from './values.ts'

describe('the model judges examples by hand', () => {
  test.each(examples)('$name', ({ history, expected }: Example) => {
    const { status, error, state } = judge(history)
    const { ignored = {}, contested = [], missing = [], ...others } = expected
    expect({ status, error }).toEqual({ status: others.status, error: others.error ?? null })
    if (!state) return
    const codes = state.events.ignored.map(({ eventId, code }) => [eventId, code])
    expect(Object.fromEntries(codes)).toEqual(ignored)
    expect(codes.length + state.events.counted.length).toBe(history.events.length)
    expect([state.contested, state.missing]).toEqual([contested, missing])
    const parties = state.byParty.map((party) => party.state)
    expect({ ...state, status, parties }).toMatchObject(others)
  })
})

test.each(policyValues)('an example by hand is named after the policy value %s %s, and has it', (name, value) => {
  const title = new RegExp(`^policy ${name}${value && ` ${value}`}(?![\\w-])`)
  const found = examples.filter((example) => title.test(example.name) && hasValue(example.history.terms, name, value))
  expect(found).not.toEqual([])
})

/** As many histories as reach everything there is. */
const COUNT = 1600

describe('histories from seeds', () => {
  const told = Array.from({ length: COUNT }, (_, seed) => historyOf(seed))
  const judged = told.map((history): [History, Judgement] => [history, judge(history)])
  const states = judged.flatMap(([, { state }]) => state ?? [])
  const ignored = states.flatMap(({ events }) => events.ignored)

  test('follow from their seed', () => {
    expect(historyOf(7)).toEqual(told[7])
    expect(historyOf(8)).not.toEqual(told[7])
  })

  test.each(statuses)('reach the status %s', (status) => {
    expect(judged.filter(([, judgement]) => judgement.status === status)).not.toEqual([])
  })

  test.each(codes())('reach the code %s', (code) => {
    expect(ignored.some((event) => event.code === code)).toBe(true)
  })

  test.each(['AgreementHash', 'InvalidTerms', 'NoParties', 'UnknownSigner'])('reach the error %s', (error) => {
    expect(judged.some(([, judgement]) => judgement.error === error)).toBe(true)
  })

  test.each(types)('have events of the type %s, counted and ignored', (type) => {
    const ids = told.flatMap(({ events }) =>
      events.flatMap(({ event }) => (isEvent(event) && event.type === type ? idOf(event) : [])),
    )
    expect(states.some(({ events }) => events.counted.some((id) => ids.includes(id)))).toBe(true)
    expect(ignored.some(({ eventId }) => eventId !== null && ids.includes(eventId))).toBe(true)
  })

  test.each(reasons)('are blocked for %s', (reason) => {
    expect(states.flatMap(({ blocked }) => blocked).some((text) => text.startsWith(reason))).toBe(true)
  })

  test.each(partyStates)('have parties that are %s', (name) => {
    expect(states.some(({ byParty }) => byParty.some(({ state }) => state === name))).toBe(true)
  })

  test.each(policyValues)('have the policy value %s %s, complete and not', (name, value) => {
    const having = judged.filter(([{ terms }, { state }]) => state && hasValue(terms, name, value))
    expect(having.some(([, { state }]) => state?.complete)).toBe(true)
    expect(having.some(([, { state }]) => !state?.complete)).toBe(true)
  })

  test('are told as they are in any order of their events', () => {
    for (const [history, judgement] of judged.slice(0, 200)) {
      const events = shuffled(new Random(1), history.events)
      expect(judge({ ...history, events: [...events, ...events.slice(0, 3)] })).toEqual(judgement)
    }
  })

  test('never lose completion, its end or a signer by what is added (A02)', () => {
    let complete = 0
    for (const [seed, [history, whole]] of judged.entries()) {
      if (!isMonotonous(history) || !whole.state) continue
      const events = partOf(history, new Random(seed))
      const part = judge({ ...history, events })
      const added = history.events
        .filter((entry) => !events.includes(entry))
        .map(({ event }) => event as AgreementEvent)
      if (!part.state) continue
      if (part.state.complete) complete++
      expect(whole.state.complete || !part.state.complete, `seed ${seed}`).toBe(true)
      expect(ends(whole) >= ends(part), `seed ${seed}`).toBe(true)
      if (added.some(({ type }) => type === 'withdraw' || type === 'decline')) continue
      expect(signersOf(whole.state), `seed ${seed}`).toEqual(expect.arrayContaining(signersOf(part.state)))
    }
    expect(complete).toBeGreaterThan(COUNT / 20)
  })
})

/** Every code that the rules know; those of verdicts stand for all. */
function codes(): string[] {
  const before = ['BadEvent', 'WrongAgreement', 'BadSignature', 'UnknownSigner', 'NotAParty', 'WrongRole', 'WrongKey']
  const byKeys = ['WrongAlgorithm', 'TooWeak', 'UnknownSeen', 'KeyRevoked', 'BeforeTerms', 'DelegationExpired']
  const byState = ['NotAllowedNow', 'TooLate', 'TooEarly', 'Duplicate', 'OutOfOrder', 'NotAllowedByPolicy']
  return [...before, ...byKeys, ...byState, 'NoTimeProof', 'Withdrawn', 'Contested', 'BadSuccessor']
}

const reasons = ['propose', 'quorum', 'weight', 'group', 'required', 'stage', 'witnesses', 'notaries', 'dispute']

/** Some events of a history, with all that they have seen. */
function partOf({ events }: History, random: Random): Entry[] {
  const part = new Set<Entry>()
  const take = (entry: Entry): void => {
    if (part.has(entry)) return
    part.add(entry)
    if (!isEvent(entry.event)) return
    const { seen } = entry.event
    for (const other of events) if (isEvent(other.event) && seen.includes(idOf(other.event))) take(other)
  }
  for (let tips = random.below(3); events.length > 0 && tips >= 0; tips--) take(random.pick(events))
  return events.filter((entry) => part.has(entry))
}

/** Whether nobody can prove, later on, that something else came first. */
function isMonotonous({ terms, events }: History): boolean {
  const isCompromised = events.some(({ verdict }) => verdict.revoked?.reason === 'compromised')
  return (terms as { policy?: Policy }).policy?.timeProof !== 'notary' && !isCompromised
}

const ends = ({ status }: Judgement): number => ['superseded', 'terminated'].indexOf(status)

const signersOf = ({ byParty }: State): string[] =>
  byParty.flatMap(({ state, partyId }) => (state === 'signed' ? partyId : []))
