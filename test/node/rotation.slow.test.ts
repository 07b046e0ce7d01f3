// As rotation.test.ts, killed at many steps.
import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { times } from './fixtures.ts'
import { killedWhileRotating, stepsOfRotation } from './rotations.ts'

it('a rotation ends whole or not at all when its process is killed at any step', async () => {
  const steps = await stepsOfRotation()
  const outcomes = new Set<boolean>()
  const distance = times(100) === 100 ? 1 : 8 // the simulation goes through all
  const first = randomInt(distance)
  for (let step = 1; step <= steps; step++) {
    if (step % distance !== first && step > 1 && step < steps) continue
    outcomes.add(await killedWhileRotating(step))
  }
  expect(outcomes).toEqual(new Set([false, true]))
})
