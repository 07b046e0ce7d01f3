// Signing and verifying texts.
import { child } from '../child.mjs'
import { sizeName } from '../documents.mjs'
import { number, spread, table, times } from '../report.mjs'

const sizes = [1024, 100 * 1024, 10 * 1024 * 1024]

/** The text that takes longest compared with prose. */
function worst(unsigned) {
  return unsigned.map(({ timesProse }) => timesProse).reduce((a, b) => (a.median > b.median ? a : b))
}

/** CPU milliseconds of a call, by size and by what the text repeats. */
export async function texts({ quick }) {
  const { sizes: rows, unsigned } = await child('texts.mjs', [`${sizes}`, ...(quick ? ['--quick'] : [])])
  return {
    tables: [
      table(
        ['text', 'sign, CPU ms', 'verify, CPU ms'],
        rows.map(({ size, sign, verify }) => [sizeName(size), number(sign), number(verify)]),
      ),
      table(
        ['4 MiB without a signature', 'verify, CPU ms', '× prose'],
        unsigned.map(({ name, time, timesProse }) => [name, number(time), spread(timesProse, times)]),
      ),
    ].join('\n\n'),
    targets: { textLines: worst(unsigned) },
  }
}
