// Signing and verifying by two builds in turns:
// node against.mjs <ed25519|pq2025> <folder before> <folder now> [--reversed] [--quick]. Prints JSON.
//
// --reversed loads the build of now first.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { invoice } from '../documents.mjs'
import { calibrate, race } from '../measure.mjs'

const flag = { type: 'boolean', default: false }
const { positionals, values } = parseArgs({ allowPositionals: true, options: { reversed: flag, quick: flag } })
const [algorithm, before, now] = positionals
const order = values.reversed ? { now, before } : { before, now }
const pace = values.quick ? { warm: 1, rounds: 2, milliseconds: 2 } : { warm: 20, rounds: 50, milliseconds: 12 }

const small = [1024, 10 * 1024]
const operations = {
  createDocument: { sizes: small, run: (agent, { text }) => agent.createDocument(text, null, null, true) },
  createDocumentSync: { sizes: small, run: (agent, { text }) => agent.createDocumentSync(text, null, null, true) },
  signString: { sizes: small, run: (agent, { text }) => agent.signString(text) },
  verify: { sizes: [...small, 1024 * 1024], run: (agent, { signed }) => agent.verify(signed) },
  verifySync: { sizes: small, run: (agent, { signed }) => agent.verifySync(signed) },
}

// A signature of ML-DSA-87 takes one attempt or twenty, as chance has it. With equal keys, random bytes and dates, both
// builds make the same attempts.
const words = new Uint32Array(8)
const chance = new Uint8Array(words.buffer)
const getRandomValues = crypto.getRandomValues.bind(crypto)
const date = Date.now()
Date.now = () => date
Object.defineProperty(crypto, 'getRandomValues', {
  value(array) {
    getRandomValues(array) // so that its time counts
    // From the end: a build may leave room for a date in front.
    array.set(chance.subarray(0, array.length), Math.max(0, array.length - chance.length))
    return array
  },
})

/** The same number gives the same random bytes. */
function seed(number) {
  for (let at = 0; at < words.length; at++)
    words[at] = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b)
}

// What a build leaves to the garbage collector costs its users time, too.
globalThis.gc = undefined

async function agentOf(folder) {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (entry) => import(pathToFileURL(resolve(entry)).href)
  const { SxAgent } = await load('sx-agent')
  const { memoryStorage } = await load('sx-agent/storage')
  seed(0)
  const options = { name: 'Benchmark', password: 'correct horse battery staple', storage: memoryStorage(), algorithm }
  return (await SxAgent.create(options)).agent
}

function jobOf(run, agent, given) {
  let call = 0
  return () => {
    seed(call++)
    return run(agent, given)
  }
}

async function measured(agents, { run, size, rounds }) {
  const text = invoice(size)
  const given = {}
  for (const [name, agent] of Object.entries(agents)) {
    const signed = await jobOf(operations.createDocument.run, agent, { text })()
    const { valid, errors } = await agent.verify(signed)
    if (!valid) throw new Error(`The build in ${order[name]} rejects its own document: ${errors.join('\n')}`)
    given[name] = { text, signed }
  }
  const jobs = () =>
    Object.fromEntries(Object.keys(agents).map((name) => [name, jobOf(run, agents[name], given[name])]))
  const counts = {}
  for (const [name, job] of Object.entries(jobs())) counts[name] = await calibrate(job, pace.milliseconds)
  const count = counts.before // the same for both, so that both do the same
  const rates = await race(jobs(), { rounds: pace.warm + rounds, count })
  for (const name of Object.keys(rates)) rates[name] = rates[name].slice(pace.warm)
  return { size, rates, same: given.before.signed === given.now.signed }
}

const agents = {}
for (const [name, folder] of Object.entries(order)) agents[name] = await agentOf(folder)
const lacking = Object.keys(operations).flatMap((operation) =>
  Object.keys(agents)
    .filter((name) => agents[name][operation] === undefined)
    .map((name) => ({ folder: order[name], operation })),
)
const common = Object.entries(operations).filter(([name]) => lacking.every(({ operation }) => operation !== name))
// What comes first would be measured before it is compiled.
for (const [, { run, sizes }] of common) await measured(agents, { run, size: sizes[0], rounds: 0 })
const rows = []
for (const [operation, { run, sizes }] of common) {
  for (const size of sizes) rows.push({ operation, ...(await measured(agents, { run, size, rounds: pace.rounds })) })
}
console.log(JSON.stringify({ rows, lacking }))
