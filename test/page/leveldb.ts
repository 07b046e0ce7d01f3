// What LevelDB, in which Chromium keeps IndexedDB, has in the log of its latest writes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Records do not reach over the end of a block; a header is checksum, length and type. */
const BLOCK = 32_768
const HEADER = 7
const [FULL, FIRST, , LAST] = [1, 2, 3, 4]

/** Whether the log ends amid a record. */
function isTorn(log: Buffer): boolean {
  let isOpen = false
  for (let at = 0; at < log.length; ) {
    const room = BLOCK - (at % BLOCK)
    if (room < HEADER) {
      at += room
      continue
    }
    if (at + HEADER > log.length) return true
    const type = log[at + 6]
    if (type === FULL || type === LAST) isOpen = false
    if (type === FIRST) isOpen = true
    at += HEADER + log.readUInt16LE(at + 4)
    if (at > log.length) return true
  }
  return isOpen
}

/**
 * Whether Chromium is going to lose all databases of a profile that a killed browser has left. LevelDB passes over half
 * a record at the end of its log, and then writes on behind it; whoever reads that finds a wrong checksum, and Chromium
 * deletes what it cannot read. So all is there at the next start, and nothing at the one after it.
 */
export function isDoomed(profile: string): boolean {
  const folder = join(profile, 'Default', 'IndexedDB')
  if (!existsSync(folder)) return false
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.some((name) => name.endsWith('.log') && isTorn(readFileSync(join(folder, name))))
}
