// Cold start in a page.
import { chromium } from 'playwright'
import { preview } from 'vite'
import { chromiumArgs, findBrowser } from '../../../scripts/browsers.mjs'
import { invoice } from '../documents.mjs'
import { summary } from '../measure.mjs'
import { number, spread, table } from '../report.mjs'
import { sample } from '../sample.mjs'
import { settings, withSite } from '../site.mjs'

/** Milliseconds from the import to the verdict on 1 KB, each in a fresh profile: nothing is in its cache. */
export async function page({ quick }) {
  const executablePath = findBrowser('chromium')
  if (executablePath === undefined) throw new Error('Chromium is missing: run `node scripts/setup.mjs --browsers`.')
  const samples = { ed25519: undefined, pq2025: undefined }
  for (const algorithm of Object.keys(samples)) samples[algorithm] = await sample(algorithm, [invoice(1024)])
  const taken = { ed25519: [], pq2025: [] }
  let browserVersion
  await withSite(async (folder) => {
    const server = await preview({ ...settings(folder), preview: { port: 0, host: '127.0.0.1' } })
    const browser = await chromium.launch({ executablePath, args: chromiumArgs })
    browserVersion = browser.version()
    try {
      for (let round = quick ? 2 : 15; round > 0; round--) {
        for (const [algorithm, given] of Object.entries(samples)) {
          taken[algorithm].push(await visit(browser, server.resolvedUrls.local[0], given))
        }
      }
    } finally {
      await browser.close()
      await server.close()
    }
  })
  const row = (name, all) => [name, spread(summary(all)), number(Math.min(...all))]
  return {
    tables: table(
      [`Chromium ${browserVersion}, milliseconds`, 'median (middle half)', 'least'],
      [row('Ed25519', taken.ed25519), row('ML-DSA-87', taken.pq2025)],
    ),
    targets: { page: summary(taken.pq2025) },
  }
}

async function visit(browser, address, given) {
  const profile = await browser.newContext()
  try {
    const tab = await profile.newPage()
    await tab.goto(address)
    return await tab.evaluate((given) => window.firstVerify(given), given)
  } finally {
    await profile.close()
  }
}
