// Signing and verifying, compared with another build of this library.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { child } from '../child.mjs'
import { sizeName } from '../documents.mjs'
import { ofRuns, ratio, summary } from '../measure.mjs'
import { circumstances, number, range, table } from '../report.mjs'

const here = resolve(fileURLToPath(new URL('../../..', import.meta.url)))
const stamp = (folder) => join(folder, 'dist/build.json')
const algorithms = { Ed25519: 'ed25519', 'ML-DSA-87': 'pq2025' }
/** Now as a multiple of before. */
const AIM = 1.03
/** So many that nothing that is missed looks met. */
const digits = (quotient) => quotient.toFixed(3)

/** The absolute path of a checkout, if it is built. */
export function builtCheckout(folder) {
  const path = resolve(folder)
  if (existsSync(stamp(path))) return path
  const advice = 'Run `npm run build` in the checkout to compare with, and pass its folder.'
  throw new Error(`${path} is not a built checkout: dist/build.json is missing. ${advice}`)
}

/**
 * CPU time of both builds, and whether the aim is met, as Markdown.
 *
 * Each run has two processes for each algorithm: what is loaded first may be compiled better.
 */
export async function against(folder, { quick, runs = quick ? 1 : 2 }) {
  const under = circumstances()
  const found = {}
  for (const [name, algorithm] of Object.entries(algorithms)) {
    found[name] = []
    for (let run = 0; run < 2 * runs; run++) {
      const options = [...(run % 2 === 0 ? [] : ['--reversed']), ...(quick ? ['--quick'] : [])]
      found[name].push(await child('against.mjs', [algorithm, folder, here, ...options]))
    }
  }
  const rows = Object.entries(found).flatMap(([name, processes]) => rowsOf(name, processes))
  const builds = `before: ${buildIn(folder)}; now: ${buildIn(here)}`
  const tables = Object.keys(algorithms).map((name) => tableOf(name, rows))
  return [builds, ...tables, ...lacking(found), ...differing(rows), aim(rows), under].join('\n\n')
}

function buildIn(folder) {
  const { commit } = JSON.parse(readFileSync(stamp(folder), 'utf8'))
  return `${commit?.replace(/^([0-9a-f]{7})[0-9a-f]+/, '$1') ?? 'no commit'} in ${folder}`
}

/** One row of all processes. */
function rowsOf(algorithm, processes) {
  return processes[0].rows.map(({ operation, size, same }, at) => {
    const each = processes.map(({ rows }) => rows[at].rates)
    const microseconds = (build) => summary(each.flatMap((rates) => rates[build].map((rate) => 1e6 / rate))).median
    return {
      algorithm,
      operation,
      size,
      same,
      before: microseconds('before'),
      now: microseconds('now'),
      // Rates are the inverse of times.
      quotient: ofRuns(each.map(({ before, now }) => ratio(before, now).median)),
      rounds: summary(each.flatMap(({ before, now }) => before.map((rate, round) => rate / now[round]))),
    }
  })
}

function tableOf(algorithm, rows) {
  const cells = rows
    .filter((row) => row.algorithm === algorithm)
    .map(({ operation, size, before, now, quotient, rounds }) => {
      const middleHalf = `${digits(rounds.low)}–${digits(rounds.high)}`
      return [`\`${operation}\``, sizeName(size), number(before), number(now), range(quotient, digits), middleHalf]
    })
  const head = ['operation', 'document', 'before, CPU µs', 'now, CPU µs', 'now / before', 'middle half of the rounds']
  return `**${algorithm}**\n\n${table(head, cells)}`
}

/** What one of the builds cannot do. */
function lacking(found) {
  const sentences = Object.values(found).flatMap(([process]) =>
    process.lacking.map(
      ({ folder, operation }) => `The build in ${folder} has no \`${operation}\`. The tables omit it.`,
    ),
  )
  return [...new Set(sentences)]
}

/** Documents that differ take ML-DSA-87 different numbers of attempts. */
function differing(rows) {
  if (rows.every(({ same }) => same)) return []
  return ['The builds write different documents. Signing with ML-DSA-87 differs by chance, too: compare its ranges.']
}

function aim(rows) {
  const missing = rows.filter((row) => row.quotient.median > AIM)
  const which = missing.map(({ algorithm, operation, size }) => `\`${operation}\` ${sizeName(size)} (${algorithm})`)
  const verdict = missing.length === 0 ? 'met' : `**missed** by ${which.join(', ')}`
  return `Aim: now / before ≤ ${AIM} in every row: ${verdict}.`
}
