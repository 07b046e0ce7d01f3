// What becomes of memory when very many signers are met.
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { cache } from '../../../scripts/setup/shared.mjs'
import { child } from '../child.mjs'
import { ofRuns } from '../measure.mjs'
import { plot } from '../plot.mjs'
import { number, table } from '../report.mjs'
import { documentsOfStrangers } from '../strangers.mjs'

const MIB = 1 << 20
/** Signers, verifications, and verifications between two looks at the memory. */
const usual = { signers: 100_000, verifications: 1_000_000, step: 50_000 }
const short = { signers: 1000, verifications: 10_000, step: 500 }
const shown =
  '![Memory of the process and of the core in it over the number of verifications, on logarithmic axes.](growth-signers.svg)'

/** Memory of one process that verifies documents of ever more signers, in Ed25519. A run is such a process. */
export async function signers({ quick, runs = 1 }) {
  const { signers: count, verifications, step } = quick ? short : usual
  const file = await samples(count)
  const series = []
  for (let run = 0; run < runs; run++) series.push(await child('signers.mjs', [file, `${verifications}`, `${step}`]))
  const [first] = series
  const half = first.looks.length >> 1
  const growth = (from) => ofRuns(series.map(({ looks }) => (looks.at(-1).core - looks[from].core) / MIB))
  const rate = ofRuns(series.map(({ rate }) => rate)).median
  return {
    tables: `${tableOf(first.looks, half)}\n\n${number(verifications)} verifications of documents of ${number(count)} signers: ${number(rate)} per CPU-second.\n\n${shown}`,
    targets: { signersMemory: growth(0), signersFlat: growth(half) },
    plots: { 'growth-signers.svg': plotOf(first.looks.slice(1)) },
  }
}

/** A file with a document of each signer; it is kept, since making it takes minutes. */
async function samples(count) {
  const folder = join(cache, 'bench')
  const file = join(folder, `signers-${count}.jsonl`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const draft = `${file}.${process.pid}`
  const out = createWriteStream(draft)
  const PART = 1000
  for (let written = 0; written < count; written += PART) {
    const part = documentsOfStrangers('ed25519', Math.min(PART, count - written), '{"order":4711,"total":99.5}')
    if (!out.write(part.map((one) => `${JSON.stringify(one)}\n`).join(''))) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  renameSync(draft, file)
  return file
}

function tableOf(looks, half) {
  const places = [0, 1, 2, 4, half, looks.length - 1]
  return table(
    ['verifications', 'MB of memory, core', 'MB of memory, process'],
    [...new Set(places)].map((at) => [
      looks[at].verified.toLocaleString('en-US'),
      number(looks[at].core / MIB),
      number(looks[at].process / MIB),
    ]),
  )
}

/** The axis names every doubling, for there is no room for more. */
function plotOf(looks) {
  const [{ verified: step }] = looks
  const isNamed = (verified) => Number.isInteger(Math.log2(verified / step))
  const points = (part) => looks.map((look) => [look.verified, look[part] / MIB])
  return plot('Memory by the number of verifications', [
    {
      title: 'MB of memory',
      nameX: (verified) => (isNamed(verified) ? verified.toLocaleString('en-US') : ''),
      series: [
        { name: 'core', points: points('core') },
        { name: 'process', points: points('process') },
      ],
    },
  ])
}
