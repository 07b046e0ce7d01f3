// Creating many documents at once on files, and listing what is there.
import { child } from '../child.mjs'
import { number, spread, table, times } from '../report.mjs'

/** Time on the clock, of each document that is stored, and of a list. */
export async function batches({ quick }) {
  const { batch, listed, single, ways, ratios, lists } = await child('batches.mjs', quick ? ['--quick'] : [])
  const storing = [
    ['`createDocument`, one after the other', spread(single, number), '1'],
    [`\`createDocuments\` of ${number(batch)}`, spread(ways.batch, number), spread(ratios.batch, times)],
    [`\`createDocumentsSync\` of ${number(batch)}`, spread(ways.batchSync, number), spread(ratios.batchSync, times)],
  ]
  const listing = [
    ['`listDocuments`', spread(lists.later, number)],
    ['`listDocumentsSync`', spread(lists.now, number)],
  ]
  return {
    tables: [
      table(
        ['stored on files, Ed25519', 'milliseconds per document', 'documents per second, × the first row'],
        storing,
      ),
      table([`${number(listed)} documents on files`, 'milliseconds for the list'], listing),
    ].join('\n\n'),
    // Rounds differ as much as runs do, since a disk is waited for: the worse quarter of them decides.
    targets: { batch: { ...ratios.batch, runs: 1 }, list: lists.later },
  }
}
