// Signing and verifying texts.
import { child } from '../child.mjs'
import { sizeName } from '../documents.mjs'
import { number, table } from '../report.mjs'

const sizes = [1024, 100 * 1024, 10 * 1024 * 1024]

/** CPU milliseconds of a call, by size. */
export async function texts({ quick }) {
  const rows = await child('texts.mjs', [`${sizes}`, ...(quick ? ['--quick'] : [])])
  return {
    tables: table(
      ['text', 'sign, CPU ms', 'verify, CPU ms'],
      rows.map(({ size, sign, verify }) => [sizeName(size), number(sign), number(verify)]),
    ),
    targets: {},
  }
}
