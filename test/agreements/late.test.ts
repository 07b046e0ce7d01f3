// The page on agreements says what an event can do whose signer had not seen the last ones. Each of these steps happens.
import { beforeAll, describe, expect, test } from 'vitest'
import { type AgreementModule, agreementModule } from '../../src/agreements/module.ts'
import { perform, runAsync } from '../../src/effects.ts'
import { type History, idOf, isEvent } from './forms.ts'
import { exampleOf } from './late.examples.ts'
import { isOnPage, isRead, late, proved, type Step } from './late.ts'

let module: AgreementModule
beforeAll(async () => {
  module = await runAsync(() => perform(agreementModule))
})

test('the tables of the page are read whole', () => {
  expect(isRead).toBe(true)
  expect([late.length, proved.length]).toEqual([112, 27])
  expect(isOnPage({ terms: {}, events: [] }, ['complete', 'decline', 'declined'])).toBe(false)
  expect(isOnPage({ terms: {}, events: [] }, ['complete', 'notarize', 'declined'])).toBe(false)
})

/** Whether the last event of a history has not seen another one. */
function isLate({ events }: History): boolean {
  const ids = events.flatMap(({ event }) => (isEvent(event) ? idOf(event) : []))
  const last = events.at(-1)?.event
  return isEvent(last) && ids.slice(0, -1).some((id) => !last.seen.includes(id))
}

/** The ids of the events decide some races, so a few histories are tried. */
const SALTS = 12

describe.each([
  ['late', late, false],
  ['with a proof of time', proved, true],
] as const)('%s', (_, steps, isProved) => {
  test.each(steps)('%s, by %s, becomes %s', (...step: Step) => {
    const [from, , to] = step
    const happens = (salt: number): boolean => {
      const history = exampleOf(step, isProved, salt)
      expect(isLate(history)).toBe(true)
      const status = (events: History['events']): string =>
        module.judge(JSON.stringify({ terms: history.terms, events, now: history.now })).status
      return status(history.events.slice(0, -1)) === from && status(history.events) === to
    }
    expect(Array.from({ length: SALTS }, (_, salt) => salt).some(happens)).toBe(true)
  })
})
