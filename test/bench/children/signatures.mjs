// Signing and verifying whole documents of one signer: node signatures.mjs <ed25519|pq2025> [--quick]. Prints JSON.
import { deepStrictEqual } from 'node:assert'
import { parseArgs } from 'node:util'
import { invoice } from '../documents.mjs'
import { ours, peers, present } from '../jobs.mjs'
import { race, ratio, summary } from '../measure.mjs'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } })
const [algorithm] = positionals
const sizes = values.quick ? [1024, 10 * 1024] : [256, 1024, 10 * 1024, 1024 * 1024]
const pace = values.quick ? { rounds: 2, milliseconds: 15 } : { rounds: 5, milliseconds: 40 }

async function competitors() {
  const all = await ours(algorithm)
  for (const name of present(algorithm)) all[name] = peers[name].job(await peers[name].generate(algorithm))
  return all
}

async function measure(work, all, textOf) {
  const rows = []
  for (const size of sizes) {
    const jobs = {}
    for (const [name, competitor] of Object.entries(all)) {
      const text = await textOf(competitor, size)
      jobs[name] = () => competitor[work](text)
    }
    const rates = await race(jobs, pace)
    const { async, sync, ...others } = rates
    const ratios = (mine) =>
      Object.fromEntries(Object.entries(others).map(([name, theirs]) => [name, ratio(mine, theirs).median]))
    rows.push({
      size,
      rates: Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, summary(rate).median])),
      ratios: { async: ratios(async), sync: ratios(sync) },
    })
  }
  return rows
}

const all = await competitors()
for (const [name, competitor] of Object.entries(all)) {
  // Whoever does not give back what was signed has not done the same work.
  deepStrictEqual(await competitor.verify(await competitor.sign(invoice(1024))), JSON.parse(invoice(1024)), name)
}
const sign = await measure('sign', all, (_, size) => invoice(size))
const verify = await measure('verify', all, (competitor, size) => competitor.sign(invoice(size)))
console.log(JSON.stringify({ node: process.version, sign, verify }))
