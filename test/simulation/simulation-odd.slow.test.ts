// The seeds after those of every run, in two workers; see simulation-even.slow.test.ts.
import { expect, test } from 'vitest'
import { MORE, oneSeed, PATIENCE, simulate } from './simulate.ts'

test.runIf(oneSeed === undefined)('the simulation breaks no rule (more odd seeds)', { timeout: PATIENCE }, async () => {
  expect(await simulate({ first: MORE.first + 1, last: MORE.last, step: 2 })).toBeGreaterThan(0)
})
