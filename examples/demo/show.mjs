/** What the demo prints: a table per step, and a mark for every expectation. */
import { stdout } from 'node:process'

let failures = 0

/** How many expectations were not met so far. */
export const failed = () => failures

/** Begins a step. */
export function step(title) {
  stdout.write(`\n${title}\n`)
}

/** `ok`, or `FAILED` with what was there instead; counts the latter. */
export function expect(actual, wanted) {
  if (actual === wanted) return 'ok'
  failures += 1
  return `FAILED: ${String(actual)} instead of ${String(wanted)}`
}

/** Prints rows below their column names; numbers to the right. */
export function table(columns, rows) {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : String(cell))))
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at].length)))
  const isNumber = columns.map((_, at) => rows.every((row) => typeof row[at] === 'number'))
  const line = (row) => row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at])))
  for (const row of [columns, ...cells]) stdout.write(`  ${line(row).join('  ').trimEnd()}\n`)
}

/** What a piece of work gives, and how many milliseconds it took. */
export async function timed(work) {
  const start = performance.now()
  const value = await work()
  return [value, performance.now() - start]
}

/** Bytes, as people read them. */
export const size = (text) => {
  const bytes = Buffer.byteLength(text)
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`
}
