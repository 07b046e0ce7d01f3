// Whether the simulation finds faults that are put into the library. It takes long, so only the full counts do it, and
// otherwise each fault only has to run: one that names what the sources do not have any more would throw.
//
//   SX_SIM_MUTANTS=1 npx vitest run --project slow test/simulation/mutants [-t 'K05']
import { afterEach, expect, test } from 'vitest'
import { isLong } from '../pace.ts'
import { heal, infect, type Mutant, mutants } from './mutants.ts'

const isAsked = isLong || process.env['SX_SIM_MUTANTS'] === '1'
let last: Mutant | undefined

afterEach(() => {
  if (last !== undefined) heal(last)
  last = undefined
})

test.skipIf(isAsked).each(mutants)('$name: runs', async (mutant) => {
  last = mutant
  const { runSeed } = await infect(mutant)
  for (let seed = 1; seed <= 3; seed++) {
    const { scenario } = mutant
    await expect(runSeed(seed, { scenario })).resolves.toMatchObject({ seed, scenario })
  }
})

test.runIf(isAsked).each(mutants)('$name: is found', { timeout: 3_600_000 }, async (mutant) => {
  last = mutant
  const { runSeed } = await infect(mutant)
  let found: string | undefined
  let seed = 0
  while (found === undefined && seed < mutant.within) {
    const { violation } = await runSeed(++seed, { scenario: mutant.scenario })
    const isOther = mutant.rule !== undefined && violation?.rule !== mutant.rule
    found = violation && !isOther ? `${violation.rule}: ${violation.found}` : undefined
  }
  console.log(`| ${mutant.name} | ${mutant.scenario} | ${found ?? 'NOT FOUND'} | ${seed} |`)
  expect(found).toBeDefined()
})
