/** Pages have none. */
const variables = (globalThis as { readonly process?: NodeJS.Process }).process?.env ?? {}

/** Whether tests run with their full counts (`npm run test:all -- --long`). */
export const isLong: boolean = variables['SX_TEST_LONG'] === '1'

export const isCI: boolean = variables['CI'] === 'true'

/**
 * A test, or a program that it starts, hangs if it takes longer; milliseconds. No test may fail because the machine is
 * busy: the slowest takes less than a tenth of this on an idle one.
 */
export const HANGING = 900_000

/** A wait of a test for one thing ends before the test does, and says what was there instead; milliseconds. */
export const WAITING: number = HANGING / 3
