// Signing and verifying whole documents, compared with other libraries.
import { tool } from '../../../scripts/matrix/tools.mjs'
import { child } from '../child.mjs'
import { sizeName } from '../documents.mjs'
import { ofRuns, usualRuns } from '../measure.mjs'
import { number, range, table, times } from '../report.mjs'

const KIB = 1024
const MIB = KIB * KIB

/**
 * Operations per CPU-second of both algorithms; ML-DSA where Node has it itself.
 *
 * A run is a series of processes; every quotient is one of a run, and a peer is named as `jobs.mjs` names it.
 */
export async function signatures({ quick, runs = usualRuns(quick) }) {
  const [ed, pq] = [[], []]
  for (let run = 0; run < runs; run++) {
    ed.push(await measured('ed25519', quick))
    pq.push(await measured('pq2025', quick, tool('node24')))
  }
  return {
    tables: `${tablesOf('Ed25519', ed)}\n\n${tablesOf('ML-DSA-87', pq)}`,
    targets: { ...targetsOfEd25519(ed), ...targetsOfMlDsa(pq) },
  }
}

async function measured(algorithm, quick, program) {
  const args = [algorithm, ...(quick ? ['--quick'] : [])]
  const known = await child('signatures.mjs', args, program)
  return { ...known, neverSeen: await child('never-seen.mjs', args, program) }
}

/** What all runs say about one number. */
const over = (runs, pick) => ofRuns(runs.map(pick))
const middle = (runs, pick) => number(over(runs, pick).median)
const rowOf = (run, work, size) => run[work].find((row) => row.size === size)

function tablesOf(name, runs) {
  const [{ node }] = runs
  const sign = tableOf(runs, 'sign')
  const verify = tableOf(runs, 'verify', '1 KB, unknown signer')
  return `**${name}: sign** (Node ${node.slice(1)})\n\n${sign}\n\n**${name}: verify**\n\n${verify}`
}

/** A row for each competitor and a column for each size, and one for unknown signers. */
function tableOf(runs, work, neverSeen) {
  const [first] = runs
  const sizes = first[work].map(({ size }) => size)
  const more = (cell) => (neverSeen === undefined ? [] : [cell])
  const mine = (form) => sizes.map((size) => middle(runs, (run) => rowOf(run, work, size).rates[form]))
  const theirs = (peer) =>
    sizes.map((size) => {
      const [async, sync] = ['async', 'sync'].map((form) =>
        range(
          over(runs, (run) => rowOf(run, work, size).ratios[form][peer]),
          times,
        ),
      )
      return `${middle(runs, (run) => rowOf(run, work, size).rates[peer])} → ${async} / ${sync}`
    })
  const stranger = (peer) => {
    if (first.neverSeen.rates[peer] === undefined) return ''
    const ratio = over(runs, (run) => run.neverSeen.ratios[peer])
    return `${middle(runs, (run) => run.neverSeen.rates[peer])} → ${range(ratio, times)}`
  }
  const peers = Object.keys(first[work][0].ratios.async)
  return table(
    ['per CPU-second', ...sizes.map(sizeName), ...more(neverSeen)],
    [
      ['ours', ...mine('async'), ...more('')],
      ['ours, sync', ...mine('sync'), ...more(middle(runs, (run) => run.neverSeen.rates.ours))],
      ...peers.map((peer) => [peer, ...theirs(peer), ...more(stranger(peer))]),
    ],
  )
}

/** Ours as a multiple of a peer's; undefined for a size that was left out. */
function ratioOf(runs, work, peer, { size = KIB, form = 'async' } = {}) {
  if (rowOf(runs[0], work, size) === undefined) return undefined
  return over(runs, (run) => rowOf(run, work, size).ratios[form][peer])
}

function targetsOfEd25519(runs) {
  const [bare, canonical] = ['jose, bare', 'node:crypto, canonical text']
  return {
    edVerify: ratioOf(runs, 'verify', bare),
    edVerifySync: ratioOf(runs, 'verify', bare, { form: 'sync' }),
    edVerifyNative: ratioOf(runs, 'verify', canonical),
    edVerifyNeverSeen: over(runs, (run) => run.neverSeen.ratios['jose, canonical text']),
    edVerify10KB: ratioOf(runs, 'verify', bare, { size: 10 * KIB }),
    edVerify1MB: ratioOf(runs, 'verify', bare, { size: MIB }),
    edSign: ratioOf(runs, 'sign', bare),
    edSignNative: ratioOf(runs, 'sign', canonical),
  }
}

function targetsOfMlDsa(runs) {
  const canonical = 'node:crypto, canonical text'
  return {
    pqVerifyNative: ratioOf(runs, 'verify', canonical),
    pqVerifyNoble: ratioOf(runs, 'verify', 'noble'),
    pqVerifyNeverSeen: over(runs, (run) => run.neverSeen.ratios[canonical]),
    pqSignNative: ratioOf(runs, 'sign', canonical),
  }
}
