import { describe, expect, test } from 'vitest'
import { work } from '../../src/effects/entries.ts'
import {
  type Effect,
  type EffectOf,
  kind,
  type Operation,
  type Performers,
  perform,
  performers,
  runAsync,
  runSync,
} from '../../src/effects.ts'
import { entropy, now } from '../../src/entropy.ts'

/** An effect that tells its two forms apart. */
const form: Effect<string> = work(
  'form',
  () => Promise.resolve('async'),
  () => 'sync',
)
const failing: Effect<never> = work(
  'failing',
  () => Promise.reject(new Error('async')),
  () => {
    throw new Error('sync')
  },
)

function* twice(): Operation<string[]> {
  return [yield* perform(form), yield* perform(form)]
}

function* caught(cleaned: string[]): Operation<string> {
  try {
    yield* perform(failing)
    return 'not reached'
  } catch (error) {
    return `${(error as Error).message}, then ${yield* perform(form)}`
  } finally {
    cleaned.push('finally')
  }
}

describe('an operation', () => {
  test('gets the results of one form of its effects', async () => {
    expect(await runAsync(twice)).toEqual(['async', 'async'])
    expect(runSync(twice)).toEqual(['sync', 'sync'])
  })

  test('catches the error of an effect where it performed it, and goes on', async () => {
    const cleaned: string[] = []
    expect(await runAsync(() => caught(cleaned))).toBe('async, then async')
    expect(runSync(() => caught(cleaned))).toBe('sync, then sync')
    expect(cleaned).toEqual(['finally', 'finally'])
  })

  test('fails with the error that it does not catch', async () => {
    function* uncaught(): Operation<void> {
      yield* perform(failing)
    }
    await expect(runAsync(uncaught)).rejects.toThrow('async')
    expect(() => runSync(uncaught)).toThrow('sync')
  })

  test('may perform nothing', async () => {
    // oxlint-disable-next-line require-yield -- that is what is tested
    function* nothing(): Operation<number> {
      return 1
    }
    expect([await runAsync(nothing), runSync(nothing)]).toEqual([1, 1])
  })

  test('takes an effect whose asynchronous form answers at once', async () => {
    const direct: Effect<number> = work(
      'direct',
      () => 1,
      () => 2,
    )
    function* asking(): Operation<number> {
      return yield* perform(direct)
    }
    expect([await runAsync(asking), runSync(asking)]).toEqual([1, 2])
  })

  test('has performers for every kind, in both forms', () => {
    const { now: _, ...others } = performers
    // @ts-expect-error -- one form is missing
    const half = (): string => kind('now', { async: () => 1 })
    // @ts-expect-error -- one kind is missing
    const lacking = (): Performers => others
    // @ts-expect-error -- the answer is another one
    const wrong = (): string => kind('now', { async: () => 'late', sync: () => 'late' })
    expect([half, lacking, wrong]).toHaveLength(3)
  })

  test('is performed by the table that it is given', async () => {
    const seen: EffectOf<'now' | 'random'>[] = []
    const table: typeof performers = {
      ...performers,
      now: {
        async: async (effect) => seen.push(effect),
        sync: (effect) => -seen.push(effect),
      },
      random: {
        async: (effect) => new Uint8Array(effect.length).fill(seen.push(effect)),
        sync: (effect) => new Uint8Array(effect.length).fill(seen.push(effect)),
      },
    }
    function* moment(): Operation<(number | undefined)[]> {
      return [yield* perform(now), (yield* perform(entropy))[31], yield* perform(now)]
    }
    expect(await runAsync(moment, table)).toEqual([1, 2, 3])
    expect(runSync(moment, table)).toEqual([-4, 5, -6])
    expect(seen).toEqual(Array.from({ length: 2 }, () => [now, entropy, now]).flat())
  })
})
