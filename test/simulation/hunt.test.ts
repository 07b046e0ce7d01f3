// Not a test: looks for faults by the thousand and sorts them by rule, where the first one found would hide the others.
//
//   SX_SIM_HUNT=<count> [SX_SIM_FROM=<seed>] [SX_SIM_SCENARIO=<name>] [SX_SIM_IGNORE=<pattern of rules>] \
//     npx vitest run --project node test/simulation/hunt.test.ts
import { test } from 'vitest'
import { runSeed } from './run.ts'

const count = Number(process.env['SX_SIM_HUNT'] ?? 0)
const from = Number(process.env['SX_SIM_FROM'] ?? 1)
const scenario = process.env['SX_SIM_SCENARIO'] || undefined

/** A violation without what differs from seed to seed. */
const kindOf = (text: string): string =>
  text
    .replaceAll(/[0-9a-f-]{36}/g, 'ID')
    .replaceAll(/[\w-]{43}/g, 'KEY')
    .replaceAll(/\d+/g, 'N')

// oxlint-disable-next-line vitest/expect-expect -- for people
test.runIf(count > 0)('hunts', { timeout: 1e9 }, async () => {
  const seeds = new Map<string, number[]>()
  const before = process.cpuUsage()
  for (let seed = from; seed < from + count; seed++) {
    const { violation, scenario: name } = await runSeed(seed, { scenario }).catch((cause: unknown) => {
      throw new Error(`Seed ${seed} throws.`, { cause })
    })
    if (violation === undefined) continue
    const kind = `${name}: ${violation.rule}: ${kindOf(violation.found)}`
    seeds.set(kind, [...(seeds.get(kind) ?? []), seed])
  }
  const { user, system } = process.cpuUsage(before)
  console.log(`${count} seeds, ${((user + system) / 1000 / count).toFixed(1)} ms of CPU each`)
  for (const [kind, all] of [...seeds].sort(([, a], [, b]) => b.length - a.length)) {
    console.log(`${all.length}\t${kind}\t${all.slice(0, 5).join(' ')}`)
  }
})
