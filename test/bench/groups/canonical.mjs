// Reading strictly and writing canonically.
import { child } from '../child.mjs'
import { number, spread, table, times } from '../report.mjs'

/** 1 MB, text to text. */
export async function canonical({ quick }) {
  const { rates, ratios } = await child('canonical.mjs', quick ? ['--quick'] : [])
  const row = (name, rate, ratio) => [name, number(rate), ratio === undefined ? '' : spread(ratio, times)]
  return {
    tables: table(
      ['1 MB', 'per CPU-second', '× canonicalize'],
      [
        row('`createDocumentSync`, Ed25519, unsaved: reading, writing, hashing, signing', rates.sign, ratios.sign),
        row('`hashString` of the same text', rates.hash),
        row('`signStringSync` of the same text', rates.signString),
        row('reading and writing: the first less the other two', rates.ours, ratios.ours),
        row('`canonicalize(JSON.parse(text))`', rates.canonicalize, { median: 1, low: 1, high: 1 }),
        row('`JSON.stringify(JSON.parse(text))`: no checks, no order', rates.stringify),
      ],
    ),
    targets: { canonical: ratios.ours },
  }
}
