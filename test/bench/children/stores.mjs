// Working in stores of growing size: node stores.mjs <memory|files> <counts> [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { cpuOf, race, ratio, summary } from '../measure.mjs'

const [, , kind, list] = process.argv
const counts = list.split(',').map(Number)
const pace = process.argv.includes('--quick') ? { rounds: 3, milliseconds: 20 } : { rounds: 11, milliseconds: 60 }
const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))

/** The package again for each store: its simplified module holds one agent, and the stores are measured in turns. */
async function copyOfPackage(name) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const copy = join(folder, 'packages', name)
  const parts = ['package.json', 'dist/node', 'wasm/module.js', 'wasm/dist/core/core_bg.wasm']
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  const load = (path) => import(pathToFileURL(join(copy, 'dist', 'node', path)).href)
  return { simple: await load('simple.js'), ...(await load('storage/index.js')) }
}

/** A store with documents; what it took to sign and store one. */
async function filled(count, name = `${count}`) {
  const { simple, memoryStorage } = await copyOfPackage(name)
  const place = kind === 'memory' ? { storage: memoryStorage() } : { configPath: join(folder, name, 'sx.json') }
  const password = randomUUID()
  await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'ed25519', password, ...place })
  const ids = []
  const add = async () => ids.push((await simple.signMessage({ at: ids.length })).documentId)
  const milliseconds = ((await cpuOf(add, count)) * 1000) / count
  let next = 0
  const other = () => ids[next++ % count]
  const verifyById = async () => {
    const { errors } = await simple.verifyById(other())
    if (errors.length > 0) throw new Error(errors.join('\n'))
  }
  const updateDocument = () => simple.updateDocument(other(), { at: next })
  return { count, milliseconds, works: { verifyById, updateDocument } }
}

/** CPU milliseconds of a call by store, and those in the others as multiples of those in the first. */
async function measure(stores, work) {
  const rates = await race(Object.fromEntries(stores.map(({ count, works }) => [count, works[work]])), pace)
  return {
    milliseconds: counts.map((count) => summary(rates[count].map((rate) => 1000 / rate)).median),
    growth: counts.map((count) => ratio(rates[counts[0]], rates[count])),
  }
}

try {
  await filled(100, 'warm') // so that the first store is not filled by slower code than the others
  const stores = []
  for (const count of counts) stores.push(await filled(count))
  const verifyById = await measure(stores, 'verifyById')
  const updateDocument = await measure(stores, 'updateDocument')
  console.log(JSON.stringify({ fill: stores.map(({ milliseconds }) => milliseconds), verifyById, updateDocument }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
