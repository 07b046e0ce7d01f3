// Agreements of many parties: what becomes of time when the parties grow, and compared with as many documents.
import { child } from '../child.mjs'
import { plot } from '../plot.mjs'
import { number, spread, table, times } from '../report.mjs'

const works = {
  verify: 'verify',
  inTurn: 'verify, signed in turn',
  sign: 'sign as the last',
  merge: 'merge two copies',
}
const shown =
  '![CPU time of verifying, signing and merging an agreement over the number of its parties, on logarithmic axes.](growth-agreements.svg)'

/** CPU milliseconds of a call, by the number of parties. */
export async function agreements({ quick }) {
  const counts = quick ? [2, 10] : [2, 10, 100, 1000]
  const rows = await child('agreements.mjs', [`${counts}`, ...(quick ? ['--quick'] : [])])
  return {
    tables: `${tableOf(rows)}\n\n${shown}`,
    targets: { agreement: rows.at(-1).timesDocuments, agreementTime: { median: steepest(rows) } },
    plots: { 'growth-agreements.svg': plotOf(rows) },
  }
}

function tableOf(rows) {
  return table(
    ['parties, Ed25519', ...Object.values(works), 'verify as many documents → verify as a multiple of it'],
    rows.map((row) => [
      number(row.count),
      ...Object.keys(works).map((work) => number(row[work])),
      `${number(row.documents)} → ${spread(row.timesDocuments, times)}`,
    ]),
  )
}

/** The exponent of the work that grows most in the last step: before it what every call costs hides what a party costs. */
function steepest(rows) {
  const [before, last] = rows.slice(-2)
  const exponent = (work) => Math.log(last[work] / before[work]) / Math.log(last.count / before.count)
  return Math.max(...Object.keys(works).map(exponent))
}

function plotOf(rows) {
  const panel = (title, chosen) => ({
    title: `${title}: CPU milliseconds`,
    nameX: number,
    series: chosen.map((work) => ({ name: works[work], points: rows.map((row) => [row.count, row[work]]) })),
  })
  return plot('Time of a call by the number of parties of an agreement', [
    panel('verify', ['verify', 'inTurn']),
    panel('sign and merge', ['sign', 'merge']),
  ])
}
