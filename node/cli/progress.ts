/** How far long work is, on one line of a terminal that is gone afterwards. */
import { stderr } from 'node:process'
import { type OutputOptions, shorten } from './output.ts'

/** What takes no longer needs no progress; in milliseconds. */
const SHORT = 500
/** Between two lines; in milliseconds. */
const PAUSE = 100

const CLEAR = '\r\u001b[K'

/** Tells how many bytes of a file were read. */
export interface Progress {
  readonly onProgress?: (done: number, total: number, name: string) => void
  /** Takes the line away. */
  readonly end: () => void
}

/** Shows progress on standard error, if that is a terminal and nobody asked for quiet. */
export function progressOf({ quiet = false, json = false }: OutputOptions): Progress {
  if (!stderr.isTTY || quiet || json) return { end: () => {} }
  let next = Date.now() + SHORT
  let isShown = false
  return {
    onProgress: (done, total, name) => {
      if (Date.now() < next) return
      next = Date.now() + PAUSE
      isShown = true
      const part = total === 0 ? 100 : Math.floor((100 * done) / total)
      stderr.write(`${CLEAR}Reading ${shorten(name)}: ${part} % of ${sizeOf(total)}`)
    },
    end: () => {
      if (isShown) stderr.write(CLEAR)
    },
  }
}

/** A number of bytes, for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB', 'PB']
  let [size, unit] = [bytes / 1000, 0]
  for (; size >= 999.95 && unit < units.length - 1; unit++) size /= 1000
  return `${size.toFixed(1)} ${units[unit]}`
}
