// W06: what is stored of what a page has signed right before somebody leaves it.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
beforeEach(async () => {
  context = await site.profile()
})
afterEach(() => context?.close())
afterAll(() => site?.close())

const COUNT = 50

/** A page with an agent, which has nothing left to write. */
async function started(): Promise<Page> {
  const page = await site.probe(context)
  await page.evaluate(async () => {
    await window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
    await window.sx.flush()
  })
  return page
}

/** The documents that another page finds, each of which verifies. */
async function found(): Promise<number> {
  const page = await site.probe(context)
  const documents = await page.evaluate(async () => {
    await window.sx.load()
    const keys = await window.sx.listDocuments({ type: 'message' })
    const valid = await Promise.all(keys.map(async (key) => (await window.sx.verifyById(key)).valid))
    return valid.every(Boolean) ? keys.length : -1
  })
  await page.close()
  return documents
}

/** From now on the page signs in `pagehide` as many documents as are wanted, but for those it already has. */
const signsWhenLeft = (page: Page, already = 0): Promise<void> =>
  page.evaluate((count) => {
    addEventListener('pagehide', () => {
      for (let n = 0; n < count; n++) window.sx.signMessageSync({ n })
    })
  }, COUNT - already)

/** Clicks a link, because a script that sets `location` may end before it has answered. */
async function followLink(page: Page): Promise<void> {
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/icon.svg', textContent: 'Away' })
    document.body.append(link)
  })
  const left = page.waitForURL('**/icon.svg')
  await page.getByRole('link', { name: 'Away' }).click()
  await left
}

/** How somebody leaves a page. */
const ways: Record<string, (page: Page) => Promise<unknown>> = {
  'by a link': followLink,
  'by a reload': (page) => page.reload(),
  'by closing the tab': async (page) => {
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  },
}

describe.skipIf(hasNoBrowser)('W06 documents that a page signs synchronously in pagehide', () => {
  it.each(Object.entries(ways))('W06 are all stored: left %s', async (_, leave) => {
    const page = await started()
    await signsWhenLeft(page)
    await leave(page)
    expect(await found()).toBe(COUNT)
  })

  it('W06 are all stored also if one of them was signed before, and flushed', async () => {
    const page = await started()
    await page.evaluate(async () => {
      window.sx.signMessageSync({ first: true })
      await window.sx.flush()
    })
    await signsWhenLeft(page, 1)
    await followLink(page)
    expect(await found()).toBe(COUNT)
  })
})
