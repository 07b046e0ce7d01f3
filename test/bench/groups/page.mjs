// Cold start in a page.
import { chromium } from 'playwright'
import { preview } from 'vite'
import { chromiumArgs, findBrowser } from '../../../scripts/browsers.mjs'
import { invoice } from '../documents.mjs'
import { summary } from '../measure.mjs'
import { samples } from '../programs/samples.mjs'
import { number, spread, table } from '../report.mjs'
import { settings, withSite } from '../site.mjs'

/** Milliseconds from the import to the verdict on 1 KB, each in a fresh profile: nothing is in its cache. */
export async function page({ quick }) {
  const executablePath = findBrowser('chromium')
  if (executablePath === undefined) throw new Error('Chromium is missing: run `node scripts/setup.mjs --browsers`.')
  const entries = Object.entries(await samples(invoice(1024))).map(([name, given]) => ({ name, given, taken: [] }))
  let browserVersion
  await withSite(async (folder) => {
    const server = await preview({ ...settings(folder), preview: { port: 0, host: '127.0.0.1' } })
    const browser = await chromium.launch({ executablePath, args: chromiumArgs })
    browserVersion = browser.version()
    try {
      for (let round = quick ? 2 : 15; round > 0; round--) {
        for (const { given, taken } of entries) {
          taken.push(await visit(browser, server.resolvedUrls.local[0], given))
        }
      }
    } finally {
      await browser.close()
      await server.close()
    }
  })
  const row = ({ name, taken }) => [name, spread(summary(taken)), number(Math.min(...taken))]
  return {
    tables: table([`Chromium ${browserVersion}, milliseconds`, 'median (middle half)', 'least'], entries.map(row)),
    targets: { page: summary(entries.find(({ name }) => name === 'ML-DSA-87').taken) },
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
