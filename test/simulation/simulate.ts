/** Runs seed after seed, and tells of the first one that breaks a rule so that it can be run again. */

import { isLong } from '../pace.ts'
import { type Outcome, runSeed } from './run.ts'

/** At least so many seeds and so many seconds, over all parts; the long run has no use for a clock. */
const [SEEDS, SECONDS] = isLong ? [200_000, 0] : [2_000, 60]

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

/** The seeds of one of several parts. Throws with the story of the first that breaks a rule. */
export async function simulate(part: number, parts: number): Promise<number> {
  const began = performance.now()
  let count = 0
  for (let seed = part; ; seed += parts) {
    const isEnough = count >= SEEDS / parts && performance.now() - began >= SECONDS * 1000
    if (isEnough) return count
    const outcome = await runSeed(seed, { scenario })
    if (outcome.violation !== undefined) throw new Error(await story(outcome))
    count++
  }
}

/** One seed with all that happens, for people. */
export async function show(seed: number): Promise<Outcome> {
  const log: string[] = []
  const outcome = await runSeed(seed, { scenario, log })
  console.log(log.join('\n'))
  return outcome
}
