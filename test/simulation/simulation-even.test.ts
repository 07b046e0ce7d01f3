// The other half of the seeds, in a worker of its own.
import { expect, test } from 'vitest'
import { oneSeed, PATIENCE, simulate } from './simulate.ts'

test.runIf(oneSeed === undefined)('the simulation breaks no rule (even seeds)', { timeout: PATIENCE }, async () => {
  expect(await simulate(2, 2)).toBeGreaterThan(0)
})
