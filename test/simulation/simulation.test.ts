// Worlds of two or three processes on one disk, one seed after the other: see README.md beside this file.
import { describe, expect, test } from 'vitest'
import { found } from './found.ts'
import { runSeed } from './run.ts'
import { scenarios } from './scenarios/index.ts'
import { oneSeed, PATIENCE, SOME, show, simulate, story } from './simulate.ts'

test.runIf(oneSeed !== undefined)(`seed ${oneSeed} breaks no rule`, { timeout: PATIENCE }, async () => {
  const { violation } = await show(oneSeed ?? 0)
  expect(violation).toBeUndefined()
})

describe.runIf(oneSeed === undefined)('the simulation', () => {
  test.each(scenarios.map(([{ name }]) => name))('gives the same world of %s for the same seed', async (scenario) => {
    const [first, second]: [string[], string[]] = [[], []]
    await runSeed(1, { scenario, log: first })
    await runSeed(1, { scenario, log: second })
    expect(second).toEqual(first)
    expect(first.length).toBeGreaterThan(3)
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
