// Signing and verifying whole documents: node signatures.mjs <ed25519|pq2025> [--quick]. Prints JSON.
import { deepStrictEqual } from 'node:assert'
import { parseArgs } from 'node:util'
import { invoice } from '../documents.mjs'
import { jose, native, noble, ours } from '../jobs.mjs'
import { race, ratio, summary } from '../measure.mjs'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } })
const [algorithm] = positionals
const sizes = values.quick ? [1024] : [256, 1024, 10 * 1024, 1024 * 1024]
const pace = values.quick ? { rounds: 3, milliseconds: 15 } : { rounds: 9, milliseconds: 60 }

/** The competitors that exist here: ML-DSA in the runtime itself is there from Node 24 on. */
async function competitors() {
  const { async, sync } = await ours(algorithm)
  const all = { async, sync, noble: noble(algorithm) }
  if (algorithm === 'ed25519' || Number(process.versions.node.split('.')[0]) >= 24) {
    Object.assign(all, { native: native(algorithm), jose: await jose(algorithm) })
    all['jose, as it comes'] = await jose(algorithm, JSON.stringify)
  }
  return all
}

async function measure(work, all, textOf) {
  const rows = []
  for (const size of sizes) {
    const jobs = {}
    for (const [name, peer] of Object.entries(all)) {
      const text = await textOf(peer, size)
      jobs[name] = () => peer[work](text)
    }
    const rates = await race(jobs, pace)
    const { async, sync, ...peers } = rates
    const ratios = (mine) =>
      Object.fromEntries(Object.entries(peers).map(([name, theirs]) => [name, ratio(mine, theirs)]))
    rows.push({
      size,
      rates: Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, summary(rate).median])),
      ratios: { async: ratios(async), sync: ratios(sync) },
    })
  }
  return rows
}

const all = await competitors()
for (const [name, peer] of Object.entries(all)) {
  // Whoever does not give back what was signed has not done the same work.
  deepStrictEqual(await peer.verify(await peer.sign(invoice(1024))), JSON.parse(invoice(1024)), name)
}
const sign = await measure('sign', all, (_, size) => invoice(size))
const verify = await measure('verify', all, (peer, size) => peer.sign(invoice(size)))
console.log(JSON.stringify({ node: process.version, sign, verify }))
