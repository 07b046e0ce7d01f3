// Signing a file that is larger than what anybody wants to keep in memory.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { child } from '../child.mjs'
import { ratio, summary } from '../measure.mjs'
import { number, spread, table, times } from '../report.mjs'

const MIB = 1 << 20

/** A file of a gigabyte, by `signFile` and by `node:crypto`. */
export async function files({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    const size = (quick ? 64 : 1024) * MIB
    const path = join(folder, 'large.bin')
    write(path, size)
    const { seconds, growth } = await child('files.mjs', [path, quick ? '2' : '10'])
    const speed = (list) => list.map((one) => size / one / 1e6)
    const ratios = ratio(speed(seconds.sign), speed(seconds.hash))
    const row = (name, list, more) => [name, spread(summary(speed(list))), more]
    return {
      tables: table(
        [`a file of ${size / MIB} MiB`, 'MB per second', '× node:crypto', 'memory, MB'],
        [
          [...row('`signFile`', seconds.sign, spread(ratios, times)), number(growth / 1e6)],
          [...row('`createReadStream`, `createHash`', seconds.hash, ''), ''],
        ],
      ),
      targets: { fileSpeed: ratios, fileMemory: { median: growth / MIB, low: growth / MIB, high: growth / MIB } },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Bytes that are no zeros, since a file system may keep these as nothing. */
function write(path, size) {
  const piece = Uint8Array.from({ length: MIB }, (_, at) => (at * 31 + (at >> 8)) % 256)
  const file = openSync(path, 'w')
  for (let at = 0; at < size; at += MIB) writeSync(file, piece)
  closeSync(file)
}
