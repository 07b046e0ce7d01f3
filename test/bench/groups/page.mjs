// Cold start in a page.
import { invoice } from '../documents.mjs'
import { ofRuns, summary, usualRuns } from '../measure.mjs'
import { samples } from '../programs/samples.mjs'
import { number, range, table } from '../report.mjs'
import { visit, withBrowser, withSite } from '../site.mjs'

/**
 * Milliseconds from the import to the verdict on 1 KB, each in a fresh profile: nothing is in its cache. A run is a
 * series of them in a browser of its own.
 */
export async function page({ quick, runs = usualRuns(quick) }) {
  const entries = Object.entries(await samples(invoice(1024))).map(([name, given]) => ({ name, given, series: [] }))
  let version
  await withSite('page', async (address) => {
    for (let run = 0; run < runs; run++) {
      for (const { series } of entries) series.push([])
      await withBrowser(async (browser) => {
        version = browser.version()
        for (let round = quick ? 2 : 5; round > 0; round--) {
          for (const { given, series } of entries) {
            series.at(-1).push(await visit(browser, address, (given) => window.firstVerify(given), given))
          }
        }
      })
    }
  })
  const of = (series) => ofRuns(series.map((all) => summary(all).median))
  const row = ({ name, series }) => [name, range(of(series)), number(Math.min(...series.flat()))]
  return {
    tables: table(
      [`Chromium ${version}, milliseconds`, 'median (lowest and highest run)', 'minimum'],
      entries.map(row),
    ),
    targets: { page: of(entries.find(({ name }) => name === 'ML-DSA-87').series) },
  }
}
