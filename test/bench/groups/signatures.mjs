// Signing and verifying whole documents, beside other libraries.
import { tool } from '../../../scripts/matrix/tools.mjs'
import { child } from '../child.mjs'
import { sizeName } from '../documents.mjs'
import { number, table, times } from '../report.mjs'

const peers = {
  jose: 'jose, canonical text',
  'jose, as it comes': 'jose, JSON.stringify',
  native: 'node:crypto',
  noble: 'noble',
}
const KIB = 1024

function tableOf(rows) {
  const present = Object.keys(peers).filter((peer) => rows[0].rates[peer] !== undefined)
  const head = ['document', 'ours', 'ours, sync', ...present.map((peer) => peers[peer])]
  const cells = ({ size, rates, ratios }) => [
    sizeName(size),
    number(rates.async),
    number(rates.sync),
    ...present.map((peer) => {
      const [async, sync] = [ratios.async, ratios.sync].map((ratio) => times(ratio[peer].median))
      return `${number(rates[peer])} → ${async} / ${sync}`
    }),
  ]
  return table(head, rows.map(cells))
}

const tablesOf = (name, { node, sign, verify }) =>
  `**${name}: sign** (Node ${node.slice(1)})\n\n${tableOf(sign)}\n\n**${name}: verify**\n\n${tableOf(verify)}`

/** Operations per CPU-second of both algorithms; ML-DSA where Node has it itself. */
export async function signatures({ quick }) {
  const more = quick ? ['--quick'] : []
  const ed = await child('signatures.mjs', ['ed25519', ...more])
  const pq = await child('signatures.mjs', ['pq2025', ...more], tool('node24'))
  const [edSign, edVerify, pqSign, pqVerify] = [ed.sign, ed.verify, pq.sign, pq.verify].map(
    (rows) => rows.find(({ size }) => size === KIB).ratios,
  )
  return {
    tables: `${tablesOf('Ed25519', ed)}\n\n${tablesOf('ML-DSA-87', pq)}`,
    targets: {
      edSign: edSign.async.jose,
      edSignSync: edSign.sync.jose,
      edVerify: edVerify.async.jose,
      edVerifySync: edVerify.sync.jose,
      pqSign: pqSign.async.noble,
      pqSignNative: pqSign.async.native,
      pqVerify: pqVerify.async.noble,
      pqVerifyNative: pqVerify.async.native,
    },
  }
}
