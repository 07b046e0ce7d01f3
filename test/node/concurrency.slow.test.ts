// As concurrency.test.ts, often, and with a password that is made up.
import { describe, it } from 'vitest'
import { PASSWORD, times } from './fixtures.ts'
import { raceOf } from './races.ts'

describe('four processes that call quickstart in one empty folder end with one agent', () => {
  // oxlint-disable-next-line vitest/expect-expect -- a race does
  it.each([
    ['with the same password', { SX_PRIVATE_KEY_PASSWORD: PASSWORD }],
    ['with a password to be generated and saved', { SX_SAVE_PASSWORD_FILE: 'true' }],
  ])('%s', async (_, variables) => {
    for (let round = 0; round < times(30); round++) await raceOf(variables)
  })
})
