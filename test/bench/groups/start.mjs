// Cold start in Node.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { child } from '../child.mjs'
import { invoice } from '../documents.mjs'
import { summary } from '../measure.mjs'
import { number, spread, table } from '../report.mjs'
import { sample } from '../sample.mjs'

/** Milliseconds from the import to the verdict on 1 KB, each in a fresh process. */
export async function start({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    const files = {}
    for (const algorithm of ['ed25519', 'pq2025']) {
      files[algorithm] = join(folder, algorithm)
      writeFileSync(files[algorithm], JSON.stringify(await sample(algorithm, [invoice(1024)])))
    }
    const taken = { ed25519: [], pq2025: [] }
    for (let round = quick ? 3 : 25; round > 0; round--) {
      for (const [algorithm, file] of Object.entries(files)) taken[algorithm].push(await child('start.mjs', [file]))
    }
    const row = (name, runs) => {
      const of = (step) => summary(runs.map((run) => run[step]))
      return [name, ...['imports', 'core', 'verify'].map((step) => number(of(step).median)), spread(of('all'))]
    }
    return {
      tables: table(
        ['milliseconds', 'import', 'core', 'first verdict', 'all (middle half)'],
        [row('Ed25519', taken.ed25519), row('ML-DSA-87', taken.pq2025)],
      ),
      targets: { start: summary(taken.pq2025.map(({ all }) => all)) },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
