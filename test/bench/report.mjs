// What the groups share to tell their results: tables, numbers as people read them, and where they come from.
import { arch, cpus, loadavg, type } from 'node:os'
import { version } from 'node:process'

/** A table of Markdown; all columns but the first hold numbers. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}

/** Three significant digits, thousands apart. */
export function number(value) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
}

/** A quotient with two digits behind the point, from ten on with one. */
export function times(value) {
  return value.toFixed(value < 10 ? 2 : 1)
}

/** A middle and the span of the middle half around it. */
export function spread({ median, low, high }, write = number) {
  return `${write(median)} (${write(low)}–${write(high)})`
}

/** A middle and the span from the lowest to the highest around it. */
export function range({ median, least, most }, write = number) {
  return `${write(median)} (${write(least)}–${write(most)})`
}

/** When, where and how busily something is measured. */
export function circumstances() {
  const [{ model }] = cpus()
  const date = new Date().toISOString().slice(0, 10)
  const [load] = loadavg()
  const machine = `${type()} ${arch()}, ${cpus().length} × ${model.trim()}`
  return `<sub>${date}, Node ${version.slice(1)}, ${machine}; load at the start ${load.toFixed(1)}</sub>`
}
