// Verifying documents of 1 KB, each of a signer that was never met before, whose public key comes as PEM with the
// document: node never-seen.mjs <ed25519|pq2025> [--quick]. Prints JSON.
import { deepStrictEqual } from 'node:assert'
import { verifyStandalone } from 'sx-agent/simple'
import { invoice } from '../documents.mjs'
import { payloadOf, peers, present } from '../jobs.mjs'
import { race, ratio, summary } from '../measure.mjs'
import { documentsOfStrangers } from '../strangers.mjs'

const [, , algorithm, quick] = process.argv
const usual = { rounds: 5, count: algorithm === 'ed25519' ? 200 : 60 }
const { rounds, count } = quick === undefined ? usual : { rounds: 2, count: 10 }
const text = invoice(1024)
/** Nobody is met twice, not while the code warms up either. */
const warming = { rounds: 2, count }
const needed = 1 + (warming.rounds + rounds) * count

/** A job that takes the next one at every call. */
function oneByOne(samples, verify) {
  let next = 0
  return () => verify(samples[next++])
}

async function theirs({ generate, write, read, job }) {
  const samples = []
  while (samples.length < needed) {
    const keys = await generate(algorithm)
    samples.push({ signed: await job(keys).sign(text), pem: await write(keys.publicKey) })
  }
  return oneByOne(samples, ({ signed, pem }) => {
    const key = read(pem, algorithm)
    if (key instanceof Promise) return key.then((publicKey) => job({ publicKey }).verify(signed))
    return job({ publicKey: key }).verify(signed)
  })
}

const jobs = {
  ours: oneByOne(documentsOfStrangers(algorithm, needed, text), ({ document, keys }) =>
    payloadOf(verifyStandalone(document, { keys })),
  ),
}
for (const name of present(algorithm)) {
  // Verification is the same as that of canonical text, and noble takes keys as they are.
  if (name !== 'jose, JSON.stringify' && name !== 'noble') jobs[name] = await theirs(peers[name])
}
for (const [name, verify] of Object.entries(jobs)) deepStrictEqual(await verify(), JSON.parse(text), name)
await race(jobs, warming)
const { ours, ...others } = await race(jobs, { rounds, count })
const median = (rate) => summary(rate).median
console.log(
  JSON.stringify({
    rates: Object.fromEntries(Object.entries({ ours, ...others }).map(([name, rate]) => [name, median(rate)])),
    ratios: Object.fromEntries(Object.entries(others).map(([name, rate]) => [name, ratio(ours, rate).median])),
  }),
)
