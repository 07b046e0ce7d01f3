// Creating many documents on files, one by one and at once, and listing them: node batches.mjs [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as simple from 'sx-agent/simple'
import { ratio, summary } from '../measure.mjs'

const isQuick = process.argv.includes('--quick')
const { rounds, single, batch, listed } = isQuick
  ? { rounds: 2, single: 4, batch: 40, listed: 100 }
  : { rounds: 7, single: 40, batch: 500, listed: 2000 }
const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
const place = { configPath: join(folder, 'sx.json'), password: randomUUID() }
await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'ed25519', ...place })

/** Documents of one line. */
const some = (count) => Array.from({ length: count }, (_, at) => ({ at }))

/** Milliseconds on the clock for each document: a disk is waited for, which takes no time of a processor. */
async function timed(count, work) {
  const since = performance.now()
  await work()
  return (performance.now() - since) / count
}

const ways = {
  single: () =>
    timed(single, async () => {
      for (const document of some(single)) await simple.createDocument(document)
    }),
  batch: () => timed(batch, () => simple.createDocuments(some(batch))),
  batchSync: () => timed(batch, async () => simple.createDocumentsSync(some(batch))),
}

const taken = { single: [], batch: [], batchSync: [] }
const lists = { later: [], now: [] }
try {
  // Listed first, while there are as many as the aim says, the agent's own document included.
  await simple.createDocuments(some(listed - 1))
  for (let round = 0; round < rounds; round++) {
    const count = async () => {
      if ((await simple.listDocuments()).length !== listed) throw new Error('Documents are missing.')
    }
    lists.later.push(await timed(1, count))
    lists.now.push(await timed(1, async () => simple.listDocumentsSync()))
  }
  for (let round = 0; round < rounds; round++) {
    const order = Object.keys(ways)
    for (const name of round % 2 === 0 ? order : order.toReversed()) taken[name].push(await ways[name]())
  }
} finally {
  await simple.close()
  rmSync(folder, { recursive: true })
}
const each = (numbers) => summary(numbers)
console.log(
  JSON.stringify({
    batch,
    listed,
    single: each(taken.single),
    ways: { batch: each(taken.batch), batchSync: each(taken.batchSync) },
    ratios: { batch: ratio(taken.single, taken.batch), batchSync: ratio(taken.single, taken.batchSync) },
    lists: { later: each(lists.later), now: each(lists.now) },
  }),
)
