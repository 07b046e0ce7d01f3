/** Whether the full counts of kill, load and simulation tests run (`npm run test:long`). */
export const isLong: boolean = process.env['SX_TEST_LONG'] === '1'

export const isCI: boolean = process.env['CI'] === 'true'

/** Whether tests run in every runtime there is, some of which are installed for it, or in one of each kind. */
export const inAllRuntimes: boolean = isLong || isCI
