// Cold start in Node.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { child } from '../child.mjs'
import { invoice } from '../documents.mjs'
import { ofRuns, summary, usualRuns } from '../measure.mjs'
import { samples } from '../programs/samples.mjs'
import { number, range, table } from '../report.mjs'

/** Milliseconds from the import to the verdict on 1 KB, each in a fresh process; a run is a series of them. */
export async function start({ quick, runs = usualRuns(quick) }) {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    const entries = Object.entries(await samples(invoice(1024))).map(([name, { program, given }], at) => {
      const file = join(folder, String(at))
      writeFileSync(file, JSON.stringify(given))
      return { name, args: [program, file], series: [] }
    })
    for (let run = 0; run < runs; run++) {
      for (const { series } of entries) series.push([])
      for (let round = quick ? 2 : 9; round > 0; round--) {
        for (const { args, series } of entries) series.at(-1).push(await child('start.mjs', args))
      }
    }
    const of = (series, step) => ofRuns(series.map((all) => summary(all.map((one) => one[step])).median))
    const row = ({ name, series }) => [
      name,
      ...['imports', 'verify'].map((step) => number(of(series, step).median)),
      range(of(series, 'all')),
    ]
    const ours = entries.find(({ name }) => name === 'ML-DSA-87')
    return {
      tables: table(
        ['milliseconds', 'import', 'core and first verdict', 'all (lowest and highest run)'],
        entries.map(row),
      ),
      targets: { start: of(ours.series, 'all') },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
