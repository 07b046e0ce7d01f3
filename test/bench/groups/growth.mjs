// What becomes of time and memory when documents and stores grow.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { child } from '../child.mjs'
import { invoice, sizeName } from '../documents.mjs'
import { summary } from '../measure.mjs'
import { plot } from '../plot.mjs'
import { number, table } from '../report.mjs'
import { sample } from '../sample.mjs'

const KIB = 1024
const sizes = [KIB, 10 * KIB, 100 * KIB, KIB * KIB, 10 * KIB * KIB]
const MIB = KIB * KIB
/** Index of the first size whose memory can be told. */
const LARGE = 2

/** Growing documents, and growing stores in memory and in files. */
export async function growth({ quick }) {
  const more = quick ? ['--quick'] : []
  const documents = { ...(await child('growth.mjs', [`${sizes}`, ...more])), memory: await memory() }
  const counts = quick ? [10, 100] : [10, 100, 1000, 100_000]
  const stores = {}
  for (const kind of ['memory', 'files']) stores[kind] = await child('stores.mjs', [kind, `${counts}`, ...more])
  return {
    tables: `${documentsTable(documents)}\n\n${storesTable(counts, stores)}`,
    targets: { ...targetsOf(documents), ...slowest(counts, stores) },
    plots: { 'growth-documents.svg': documentsPlot(documents), 'growth-stores.svg': storesPlot(counts, stores) },
  }
}

/** Bytes that verifying takes, by size; below 100 KB they are lost in what the heap does anyway. */
async function memory() {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    const { documents, keyDirectory } = await sample('ed25519', sizes.map(invoice))
    const file = join(folder, 'sample.json')
    const taken = []
    for (const document of documents.slice(LARGE)) {
      writeFileSync(file, JSON.stringify({ documents: [documents[0], document], keyDirectory }))
      const runs = []
      for (let run = 0; run < 5; run++) runs.push(await child('memory.mjs', [file]))
      taken.push(summary(runs).median)
    }
    return taken
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function documentsTable({ sign, verify, memory }) {
  return table(
    ['document', 'sign, CPU ms', 'verify, CPU ms', 'verify, MB of memory'],
    sizes.map((size, at) => {
      const taken = at < LARGE ? '' : number(memory[at - LARGE] / MIB)
      return [sizeName(size), number(sign[at]), number(verify[at]), taken]
    }),
  )
}

function storesTable(counts, { memory, files }) {
  const cells = ({ fill, verifyById, updateDocument, listDocuments }, at) =>
    [fill[at], ...[verifyById, updateDocument, listDocuments].map(({ milliseconds }) => milliseconds[at])].map(number)
  const works = ['sign and store', 'verifyById', 'updateDocument', 'listDocuments']
  return table(
    ['documents stored', ...works.map((work) => `memory: ${work}`), ...works.map((work) => `files: ${work}`)],
    counts.map((count, at) => [number(count), ...cells(memory, at), ...cells(files, at)]),
  )
}

/** In the last step, from 1 MB to 10 MB: below it what every call costs hides what a byte costs. */
function targetsOf({ sign, verify, memory }) {
  const exponent = (values) => Math.log(values.at(-1) / values.at(-2)) / Math.log(sizes.at(-1) / sizes.at(-2))
  return {
    time: { median: Math.max(exponent(sign), exponent(verify)) },
    memory: { median: exponent(memory) },
  }
}

/** Of memory and files the one that grows more, in the largest store. */
function slowest(counts, stores) {
  const worse = (work) =>
    Object.values(stores)
      .map((store) => store[work].growth[counts.length - 1])
      .toSorted((a, b) => b.median - a.median)[0]
  return Object.fromEntries(['verifyById', 'updateDocument', 'listDocuments'].map((work) => [work, worse(work)]))
}

function documentsPlot({ sign, verify, memory }) {
  const series = (name, values, from = 0) => ({ name, points: values.map((value, at) => [sizes[from + at], value]) })
  return plot('Time and memory by the size of the document', [
    { title: 'CPU milliseconds', nameX: sizeName, series: [series('sign', sign), series('verify', verify)] },
    {
      title: 'MB of memory',
      nameX: sizeName,
      series: [
        series(
          'verify',
          memory.map((bytes) => bytes / MIB),
          LARGE,
        ),
      ],
    },
  ])
}

function storesPlot(counts, stores) {
  const panel = (title, { verifyById, updateDocument, listDocuments }) => ({
    title: `${title}: CPU milliseconds`,
    nameX: number,
    series: Object.entries({ verifyById, updateDocument, listDocuments }).map(([name, { milliseconds }]) => ({
      name,
      points: counts.map((count, at) => [count, milliseconds[at]]),
    })),
  })
  const panels = [panel('in memory', stores.memory), panel('in files', stores.files)]
  return plot('Time of a call by the number of documents stored', panels)
}
