// Verifying 1,000 documents with warm workers and in one thread: node many.mjs [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { invoice } from '../documents.mjs'
import { ratio, summary } from '../measure.mjs'

const [count, rounds] = process.argv.includes('--quick') ? [64, 2] : [1000, 10]
const place = { storage: memoryStorage(), password: randomUUID() }
await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'pq2025', ...place })
const payload = JSON.parse(invoice(1024))
const documents = Array.from({ length: count }, (_, at) => simple.signMessageSync({ ...payload, at }).raw)

const ways = {
  one: async () => {
    const verdicts = []
    for (const document of documents) verdicts.push(await simple.verify(document))
    return verdicts
  },
  two: () => simple.verifyMany(documents, { concurrency: 2 }),
}

/** Seconds on the clock, and of the processors. */
async function measure(way) {
  globalThis.gc()
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const verdicts = await way()
  const taken = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  if (!verdicts.every(({ valid }) => valid)) throw new Error('A document is not valid.')
  return { clock: taken, cpu: (user + system) / 1e6 }
}

const taken = { one: [], two: [] }
for (const way of Object.values(ways)) await measure(way) // starts the workers and warms both up
for (let round = 0; round < rounds; round++) {
  const order = Object.keys(ways)
  for (const name of round % 2 === 0 ? order : order.toReversed()) taken[name].push(await measure(ways[name]))
}
const all = (name, what) => taken[name].map((one) => one[what])
console.log(
  JSON.stringify({
    count,
    clock: { one: summary(all('one', 'clock')), two: summary(all('two', 'clock')) },
    ratios: {
      clock: ratio(all('two', 'clock'), all('one', 'clock')),
      cpu: ratio(all('two', 'cpu'), all('one', 'cpu')),
    },
  }),
)
await simple.close()
