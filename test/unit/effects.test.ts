import { describe, expect, test } from 'vitest'
import { type Effect, type Operation, perform, runAsync, runSync } from '../../src/effects.ts'

/** An effect that tells its two forms apart. */
const form: Effect<string> = { kind: 'storage', async: () => Promise.resolve('async'), sync: () => 'sync' }
const failing: Effect<never> = {
  kind: 'clock',
  async: () => Promise.reject(new Error('async')),
  sync: () => {
    throw new Error('sync')
  },
}

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
    const direct: Effect<number> = { kind: 'entropy', async: () => 1, sync: () => 2 }
    function* asking(): Operation<number> {
      return yield* perform(direct)
    }
    expect([await runAsync(asking), runSync(asking)]).toEqual([1, 2])
  })

  test('may be driven by one who performs the effects in another way, and tells them apart', async () => {
    const kinds: string[] = []
    const start = (effect: Effect<unknown>): unknown => {
      kinds.push(effect.kind)
      return effect.sync()
    }
    const cleaned: string[] = []
    expect(await runAsync(() => caught(cleaned), start)).toBe('sync, then sync')
    expect(runSync(() => caught(cleaned), start)).toBe('sync, then sync')
    expect(kinds).toEqual(['clock', 'storage', 'clock', 'storage'])
  })
})
