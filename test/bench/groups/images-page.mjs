// Verifying images in a page, compared with the reference implementation of C2PA for pages.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { manifests } from '../../media/manifests.mjs'
import { sizeName } from '../documents.mjs'
import { ofRuns, summary, usualRuns } from '../measure.mjs'
import { picture } from '../pictures.mjs'
import { number, range, table, times } from '../report.mjs'
import { visit, withBrowser, withSite } from '../site.mjs'

const KIB = 1024
const sizes = [130 * KIB, KIB * KIB]

/**
 * Milliseconds from the import to the first verdict, each in a fresh profile, and those of a warm one; what the page
 * loads for it. A run is a series of them in a browser of its own.
 */
export async function imagesPage({ quick, runs = usualRuns(quick) }) {
  const samples = await signed()
  const pace = quick ? { visits: 2, more: 3 } : { visits: 5, more: 15 }
  const series = []
  const loaded = { ours: new Set(), c2pa: new Set() }
  let version
  const downloads = await withSite('images-page', async (address, folder) => {
    for (let run = 0; run < runs; run++) {
      await withBrowser(async (browser) => {
        version = browser.version()
        series.push(await measure(browser, address, samples, pace, loaded))
      })
    }
    return Object.fromEntries(Object.entries(loaded).map(([name, addresses]) => [name, brotli(addresses, folder)]))
  })
  return { tables: tablesOf(version, series, downloads), targets: {} }
}

/** The same pictures, signed by us and by C2PA, as a page is given them. */
async function signed() {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  const c2pa = await manifests(folder)
  if (c2pa === undefined) throw new Error('C2PA is not here to sign: it comes from PyPI.')
  try {
    const place = { storage: memoryStorage(), password: randomUUID() }
    const { agent, agentId } = await SxAgent.create({ name: 'Sample', algorithm: 'ed25519', ...place })
    const keys = { [agentId]: agent.getPublicKey() }
    const samples = []
    for (const size of sizes) {
      const bytes = picture('jpg', size)
      const [source, theirs] = ['source.jpg', 'theirs.jpg'].map((name) => join(folder, name))
      writeFileSync(source, bytes)
      await c2pa.ask({ do: 'sign', in: source, out: theirs })
      const ours = await agent.signImage(bytes, null)
      samples.push({
        size,
        ours: { keys, image: Buffer.from(ours).toString('base64') },
        c2pa: { image: readFileSync(theirs).toString('base64') },
      })
    }
    return samples
  } finally {
    await c2pa.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** By size and program, the medians of a run. */
async function measure(browser, address, samples, { visits, more }, loaded) {
  const rows = samples.map(({ size }) => ({ size, ours: [], c2pa: [] }))
  for (let round = 0; round < visits; round++) {
    for (const [at, sample] of samples.entries()) {
      for (const program of round % 2 === 0 ? ['ours', 'c2pa'] : ['c2pa', 'ours']) {
        const given = { program, given: sample[program], more }
        const note = (url) => loaded[program].add(url)
        rows[at][program].push(await visit(browser, address, (given) => window.verdicts(given), given, note))
      }
    }
  }
  const medians = (seen) => ({
    first: summary(seen.map(({ first }) => first)).median,
    warm: summary(seen.flatMap(({ warm }) => warm)).median,
  })
  return rows.map(({ ours, c2pa }) => ({ ours: medians(ours), c2pa: medians(c2pa) }))
}

/** Bytes of what was loaded from the site, each file compressed by itself. */
function brotli(addresses, folder) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  return [...addresses]
    .filter((address) => address.startsWith('http'))
    .map((address) => brotliCompressSync(readFileSync(join(folder, new URL(address).pathname)), { params }).length)
    .reduce((sum, length) => sum + length, 0)
}

function tablesOf(version, series, downloads) {
  const milliseconds = (at, program, step) => number(ofRuns(series.map((run) => run[at][program][step])).median)
  const quotient = (at, step) => range(ofRuns(series.map((run) => run[at].c2pa[step] / run[at].ours[step])), times)
  const row = (name, at, step) => [
    `JPEG, ${sizeName(sizes[at])}, ${name}`,
    milliseconds(at, 'ours', step),
    milliseconds(at, 'c2pa', step),
    quotient(at, step),
  ]
  const verdicts = table(
    [`Chromium ${version}, milliseconds`, 'ours', 'c2pa-web', 'ours as a multiple of its speed'],
    sizes.flatMap((_, at) => [row('first verdict', at, 'first'), row('warm verdict', at, 'warm')]),
  )
  const bytes = (count) => count.toLocaleString('en-US')
  return `${verdicts}\n\n${table(
    ['bytes', 'ours', 'c2pa-web'],
    [['downloaded to the first verdict, brotli 11', bytes(downloads.ours), bytes(downloads.c2pa)]],
  )}`
}
