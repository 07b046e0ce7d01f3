// Verifying many documents on two cores.
import { child } from '../child.mjs'
import { number, spread, table, times } from '../report.mjs'

/** Time on the clock of `verifyMany` with two warm workers, beside `verify` of one document after the other. */
export async function many({ quick }) {
  const { count, clock, ratios } = await child('many.mjs', quick ? ['--quick'] : [])
  const milliseconds = ({ median, low, high }) =>
    spread({ median: median * 1000, low: low * 1000, high: high * 1000 }, number)
  return {
    tables: table(
      [
        `${number(count)} documents of 1 KB, ML-DSA-87`,
        'milliseconds on the clock',
        'beside one core',
        'CPU time beside it',
      ],
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
