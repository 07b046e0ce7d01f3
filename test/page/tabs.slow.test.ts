// Two tabs that contend for one document, and other ways to come back to a tab.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { hasNoBrowser } from './site.ts'
import { start, tabbed, tabs, testsOfReturns } from './tabs.ts'

tabbed()

describe.skipIf(hasNoBrowser)('two tabs', () => {
  it('that update one document a hundred times each lose nothing', async () => {
    await Promise.all(tabs.map(start))
    const [one, two] = tabs
    const id = await one.evaluate(async () => (await window.sx.signMessage({ n: 0 })).documentId)
    const hammer = (page: Page) =>
      page.evaluate(async (id) => {
        const codes: string[] = []
        for (let n = 0; n < 100; n++) {
          const outcome = await window.sx.outcome(() => window.sx.updateDocument(id, { n }))
          codes.push('value' in outcome ? 'done' : outcome.code)
        }
        return codes
      }, id)
    const codes = (await Promise.all([hammer(one), hammer(two)])).flat()
    expect(codes.filter((code) => code !== 'done' && code !== 'VersionConflict')).toEqual([])
    const done = codes.filter((code) => code === 'done').length
    expect(codes).toHaveLength(200)
    expect(done).toBeGreaterThanOrEqual(100)
    const chain = await two.evaluate(async (id) => {
      let versions = 0
      for (let key = id; ; versions++) {
        const { valid, code } = await window.sx.verifyById(key)
        if (!valid) throw new Error(`${key}: ${code}`)
        const { sxPreviousVersion } = JSON.parse(await window.sx.getDocument(key)) as { sxPreviousVersion?: string }
        if (sxPreviousVersion === undefined) return versions + 1
        key = `${id}:${sxPreviousVersion}`
      }
    }, id)
    expect(chain).toBe(1 + done)
  }, 240_000)
})

// Headless Chromium freezes no page, has no cache of pages, and shows all of them.
testsOfReturns(
  ['resume', (page) => page.evaluate(() => document.dispatchEvent(new Event('resume')))],
  ['pageshow', (page) => page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))],
)
