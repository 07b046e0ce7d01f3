// Verifying many documents on two cores.
import { child } from '../child.mjs'
import { number, spread, table, times } from '../report.mjs'

/** Elapsed time of `verifyMany` with two warm workers, compared with `verify` of one document after the other. */
export async function many({ quick }) {
  const { count, clock, ratios } = await child('many.mjs', quick ? ['--quick'] : [])
  const milliseconds = ({ median, low, high }) =>
    spread({ median: median * 1000, low: low * 1000, high: high * 1000 }, number)
  return {
    tables: table(
      [`${number(count)} documents of 1 KB, ML-DSA-87`, 'elapsed milliseconds', '× one core', 'CPU time, × one core'],
      [
        ['`verify`, one after the other', milliseconds(clock.one), '1', '1'],
        [
          '`verifyMany`, two warm workers',
          milliseconds(clock.two),
          spread(ratios.clock, times),
          spread(ratios.cpu, times),
        ],
      ],
    ),
    targets: { many: ratios.clock },
  }
}
