import { describe, expect, test } from 'vitest'
import { type Example, examples } from './examples.ts'
import { type AgreementEvent, type Entry, type EventType, type History, idOf, types } from './forms.ts'
import { historyOf } from './histories.ts'
import { judge } from './model.ts'
import { type Judgement, statuses } from './report.ts'

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
    expect(state).toMatchObject({
      ...('have' in others && { have: others.have }),
      ...('blocked' in others && { blocked: others.blocked }),
      ...('completeAt' in others && { completeAt: others.completeAt }),
    })
    if (others.parties) expect(state.byParty.map(({ state: of }) => of)).toEqual(others.parties)
  })
})
