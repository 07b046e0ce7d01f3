// Worlds of two or three processes on one disk, one seed after the other: see README.md beside this file.
import { describe, expect, test } from 'vitest'
import { found } from './found.ts'
import { runSeed } from './run.ts'
import { oneSeed, PATIENCE, SOME, show, simulate, story } from './simulate.ts'

test.runIf(oneSeed !== undefined)(`seed ${oneSeed} breaks no rule`, { timeout: PATIENCE }, async () => {
  const { violation } = await show(oneSeed ?? 0)
  expect(violation).toBeUndefined()
})

describe.runIf(oneSeed === undefined)('the simulation', () => {
  test('gives the same world for the same seed', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const [first, second]: [string[], string[]] = [[], []]
      await runSeed(seed, { log: first })
      await runSeed(seed, { log: second })
      expect(second).toEqual(first)
      expect(first.length).toBeGreaterThan(3)
    }
  })

  test.each(found)(
    'breaks no rule with seed $seed of $scenario, which once found: $what',
    async ({ seed, scenario }) => {
      const outcome = await runSeed(seed, { scenario })
      expect(outcome.violation && (await story(outcome))).toBeUndefined()
    },
  )

  test('breaks no rule', { timeout: PATIENCE }, async () => {
    expect(await simulate(SOME)).toBe(SOME.last)
  })
})
