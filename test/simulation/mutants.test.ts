// What the mutants change stands in the sources; whether they are found, mutants.slow.test.ts says.
import { expect, test } from 'vitest'
import { isThere, mutants } from './mutants.ts'

test.each(mutants)('what $name changes stands in the sources', (mutant) => {
  expect(isThere(mutant)).toBe(true)
})
