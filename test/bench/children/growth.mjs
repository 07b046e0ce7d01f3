// Signing and verifying documents of growing size: node growth.mjs <sizes> [--quick]. Prints JSON.
import { invoice } from '../documents.mjs'
import { ours } from '../jobs.mjs'
import { race, summary } from '../measure.mjs'

const sizes = process.argv[2].split(',').map(Number)
const pace = process.argv.includes('--quick') ? { rounds: 2, milliseconds: 10 } : { rounds: 7, milliseconds: 40 }
const { sync } = await ours('ed25519')

/** CPU milliseconds of a call, by size. */
async function measure(work, textOf) {
  const jobs = {}
  for (const size of sizes) {
    const text = textOf(size)
    jobs[size] = () => sync[work](text)
  }
  const rates = await race(jobs, pace)
  return sizes.map((size) => summary(rates[size].map((rate) => 1000 / rate)).median)
}

const sign = await measure('sign', invoice)
const verify = await measure('verify', (size) => sync.sign(invoice(size)))
console.log(JSON.stringify({ sign, verify }))
