// All runtimes, and the comparison of what they say.

import { isLong } from '../../test/conformance/runners/long.mjs'
import { browsers } from './browsers.mjs'
import { consumers } from './consumers.mjs'
import { programs } from './programs.mjs'
import { serverless } from './serverless.mjs'

/** The first is the one that all others are compared with. */
export const runtimes = [...programs, ...serverless, ...browsers, ...consumers]

const AT_ONCE = 2

/** What is wrong with a report: the first lines that are no success, or that differ from those of another. */
function problemOf(text, expected) {
  const failed = text.split('\n').filter((line) => line.startsWith('FAILED'))
  if (failed.length > 0) return failed.slice(0, 5).join('\n').slice(0, 4_000)
  if (text === expected) return undefined
  const [found, other] = [text.split('\n'), expected.split('\n')]
  const at = found.findIndex((line, index) => line !== other[index])
  return `line ${at + 1}: ${found[at] ?? 'the end'}\n     not: ${other[at] ?? 'the end'}`.slice(0, 4_000)
}

/** A report as it is without the cases that take long. */
const withoutLong = (text) =>
  text &&
  text
    .split('\n')
    .filter((line) => !isLong(line.replace('passed: ', '')))
    .join('\n')

/** Whether a report says what it has to, whoever gives it. */
function isComplete(text) {
  const lines = text.split('\n')
  const count = (word) => lines.filter((line) => line.startsWith(word)).length
  return (
    lines[0] === 'at import: {"randomness":0,"clock":0,"wasm":0}' &&
    lines.includes('kept: true') &&
    !text.includes('FAILED') &&
    count('passed: ') > 500 &&
    count('verdict: ') > 200
  )
}

/** Runs some at the same time; gives a row for each report, in the order of the runtimes. */
export async function compare(chosen, given) {
  const results = new Map()
  const waiting = [...chosen]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.set(next, await runOne(next, given))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const all = chosen.flatMap((runtime) => results.get(runtime))
  const expected = all.find(({ text, short }) => text !== undefined && !short && isComplete(text))?.text
  return all.map(({ name, version, text, short, seconds, error }) => {
    const cells = (state) => [name, version, state, text === undefined ? '' : `${seconds.toFixed(0)} s`]
    if (error !== undefined) return { name, state: 'failed', problem: error, cells: cells('FAILED') }
    if (text === undefined) return { name, state: 'not here', cells: cells('not here') }
    const problem = problemOf(text, (short ? withoutLong(expected) : expected) ?? 'a complete report')
    const state = problem === undefined ? 'same' : 'failed'
    return { name, state, problem, cells: cells(problem === undefined ? 'same verdicts' : 'FAILED') }
  })
}

async function runOne(runtime, given) {
  const start = performance.now()
  const seconds = () => (performance.now() - start) / 1000
  let version = ''
  try {
    version = await runtime.version()
    console.error(`matrix: ${runtime.name} ${version}`)
    const found = await runtime.reports(given)
    const reports = Array.isArray(found) ? found : [{ name: runtime.name, text: found }]
    return reports.map((report) => ({ ...report, version, seconds: seconds() }))
  } catch (error) {
    return [{ name: runtime.name, version, text: undefined, seconds: seconds(), error: error.stack }]
  }
}
