/** Runs seed after seed, and tells of the first one that breaks a rule so that it can be run again. */

import { isLong } from '../pace.ts'
import { type Outcome, runSeed } from './run.ts'

/** Seeds, one after the other. */
interface Seeds {
  readonly first: number
  readonly last: number
  readonly step?: number
}

/** The seeds of every run. */
export const SOME: Seeds = { first: 1, last: 2_000 }

/** Those that only `npm run test:all` runs. */
export const MORE: Seeds = { first: SOME.last + 1, last: isLong ? 200_000 : 12_000 }

/** The scenario that is asked for; all of them if none is. */
const scenario: string | undefined = process.env['SX_SIM_SCENARIO'] || undefined

/** The one seed that is asked for. */
export const oneSeed: number | undefined = process.env['SX_SIM_SEED'] ? Number(process.env['SX_SIM_SEED']) : undefined

/** How long a part may take, in milliseconds. */
export const PATIENCE: number = isLong ? 24 * 3_600_000 : 30 * 60_000

/** What happened, readable, and how to see it again. */
export async function story({ seed, scenario, violation }: Outcome): Promise<string> {
  const log: string[] = []
  const again = await runSeed(seed, { scenario, log })
  const isSame = again.violation?.found === violation?.found
  return [
    `Seed ${seed} (${scenario}) breaks the rule '${violation?.rule}': ${violation?.found}`,
    ...(isSame ? [] : [`IT DOES NOT REPLAY: ${again.violation?.found ?? 'the second time no rule was broken'}`]),
    `Again: SX_SIM_SEED=${seed} SX_SIM_SCENARIO=${scenario} npx vitest run --project node test/simulation/simulation.test.ts`,
    ...log,
  ].join('\n')
}

/** Runs them; gives how many they are. Throws with the story of the first that breaks a rule. */
export async function simulate({ first, last, step = 1 }: Seeds): Promise<number> {
  let count = 0
  for (let seed = first; seed <= last; seed += step) {
    const outcome = await runSeed(seed, { scenario })
    if (outcome.violation !== undefined) throw new Error(await story(outcome))
    count++
  }
  return count
}

/** One seed with all that happens, for people. */
export async function show(seed: number): Promise<Outcome> {
  const log: string[] = []
  const outcome = await runSeed(seed, { scenario, log })
  console.log(log.join('\n'))
  return outcome
}
