// As creation.test.ts, at each call.
import { expect, it } from 'vitest'
import { failedCalls } from './failed-creation.ts'

it.each([true, false])(
  'a storage that fails at one call never costs an agent whose password nobody has seen (after the call: %s)',
  async (after) => {
    expect(await failedCalls(after)).toBeGreaterThan(10)
  },
)
