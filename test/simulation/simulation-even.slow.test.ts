// The seeds after those of every run, in two workers; see simulation-odd.slow.test.ts.
import { expect, test } from 'vitest'
import { MORE, oneSeed, PATIENCE, simulate } from './simulate.ts'

test.runIf(oneSeed === undefined)(
  'the simulation breaks no rule (more even seeds)',
  { timeout: PATIENCE },
  async () => {
    expect(await simulate({ ...MORE, step: 2 })).toBeGreaterThan(0)
  },
)
