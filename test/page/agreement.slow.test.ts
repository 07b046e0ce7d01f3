// The example of agreements in the looks that agreement.test.ts leaves out, and its contrasts in all of them.
import type { BrowserContext } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { agreements, createSigner, walkThrough } from './agreeing.ts'
import { hasNoBrowser, Site } from './site.ts'
import { findingsIn, poorContrasts } from './visitor.ts'

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

describe.skipIf(hasNoBrowser)('the example of agreements', () => {
  it.each([
    ['light', 1280],
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const)('can be read, %s at %i pixels', async (colorScheme, width) => {
    const visit: Parameters<typeof walkThrough>[0] = async (name) => {
      const context = await site.emptied()
      contexts.push(context)
      const page = await agreements(site, context, { colorScheme, viewport: { width, height: 800 } })
      await createSigner(page, name)
      return page
    }
    await walkThrough(visit, async (page) => {
      expect(await findingsIn(page)).toEqual([])
      expect(await page.evaluate(poorContrasts)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    })
  })
})
