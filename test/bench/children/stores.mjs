// Working in stores of growing size: node stores.mjs <memory|files> <counts> [--quick]. Prints JSON.
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  const parts = [
    'package.json',
    'dist/node',
    ...['module', 'images', 'schemas'].map((name) => `wasm/${name}.js`),
    'wasm/dist/core/core_bg.wasm',
  ]
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  const load = (path) => import(pathToFileURL(join(copy, 'dist', 'node', path)).href)
  return { simple: await load('simple.js'), ...(await load('storage/index.js')) }
}

/** As many documents are stored by the library; of larger stores the rest is written straight into the stored layout. */
const MOST_STORED = 1000
/** Documents in a page of `listDocuments`. */
const PAGE = 20

/** Signs a document and writes it where the library would (protocol, section 12). */
async function write(simple, storage, data, at) {
  const { raw, documentId } = await simple.signMessage({ at }, { noSave: true })
  const key = ['documents', documentId.slice(0, 2), `${documentId}.1.json`]
  if (storage !== undefined) {
    await storage.put(['sx_data', ...key], new TextEncoder().encode(raw))
    return documentId
  }
  mkdirSync(join(data, key[0], key[1]), { recursive: true })
  writeFileSync(join(data, ...key), raw)
  return documentId
}

/** A store with documents; what it took to sign and store one. */
async function filled(count, name = `${count}`) {
  const { simple, memoryStorage } = await copyOfPackage(name)
  const place = kind === 'memory' ? { storage: memoryStorage() } : { configPath: join(folder, name, 'sx.json') }
  const password = randomUUID()
  await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm: 'ed25519', password, ...place })
  const ids = []
  const add = async () => ids.push((await simple.signMessage({ at: ids.length })).documentId)
  const stored = Math.min(count, MOST_STORED)
  const milliseconds = ((await cpuOf(add, stored)) * 1000) / stored
  const data = join(folder, name, 'sx_data')
  while (ids.length < count) ids.push(await write(simple, place.storage, data, ids.length))
  let next = 0
  const other = () => ids[next++ % count]
  const verifyById = async () => {
    const { errors } = await simple.verifyById(other())
    if (errors.length > 0) throw new Error(errors.join('\n'))
  }
  const updateDocument = () => simple.updateDocument(other(), { at: next })
  const listDocuments = async () => {
    const page = await simple.listDocuments({ limit: PAGE })
    if (page.length !== Math.min(count + 1, PAGE)) throw new Error(`${page.length} documents`)
  }
  return { count, milliseconds, works: { verifyById, updateDocument, listDocuments } }
}

/** CPU milliseconds of a call by store, or of each thing that it gives, and those as multiples of those in the first. */
async function measure(stores, work, given = () => 1) {
  const calls = await race(Object.fromEntries(stores.map(({ count, works }) => [count, works[work]])), pace)
  const rates = Object.fromEntries(counts.map((count) => [count, calls[count].map((rate) => rate * given(count))]))
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
  const listDocuments = await measure(stores, 'listDocuments', (count) => Math.min(count + 1, PAGE))
  const fill = stores.map(({ milliseconds }) => milliseconds)
  console.log(JSON.stringify({ fill, verifyById, updateDocument, listDocuments }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
