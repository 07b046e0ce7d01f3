// Cold start in Node.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { child } from '../child.mjs'
import { invoice } from '../documents.mjs'
import { summary } from '../measure.mjs'
import { samples } from '../programs/samples.mjs'
import { number, spread, table } from '../report.mjs'

/** Milliseconds from the import to the verdict on 1 KB, each in a fresh process. */
export async function start({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    const entries = Object.entries(await samples(invoice(1024))).map(([name, { program, given }], at) => {
      const file = join(folder, String(at))
      writeFileSync(file, JSON.stringify(given))
      return { name, args: [program, file], runs: [] }
    })
    for (let round = quick ? 3 : 25; round > 0; round--) {
      for (const { args, runs } of entries) runs.push(await child('start.mjs', args))
    }
    const of = (runs, step) => summary(runs.map((run) => run[step]))
    const row = ({ name, runs }) => [
      name,
      ...['imports', 'verify'].map((step) => number(of(runs, step).median)),
      spread(of(runs, 'all')),
    ]
    const ours = entries.find(({ name }) => name === 'ML-DSA-87')
    return {
      tables: table(['milliseconds', 'import', 'core and first verdict', 'all (middle half)'], entries.map(row)),
      targets: { start: of(ours.runs, 'all') },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
