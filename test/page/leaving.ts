// A page that signs right before somebody leaves it.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function leaving(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open('apart')
  })
  beforeEach(async () => {
    context = await site.emptied()
  })
  afterEach(() => site?.leave(context))
  afterAll(() => site?.close())
}

export const COUNT = 50

/** A page with an agent, which has nothing left to write. */
export async function started(): Promise<Page> {
  const page = await site.probe(context)
  await page.evaluate(async () => {
    await window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
    await window.sx.flush()
  })
  return page
}

/** The documents that another page finds, each of which verifies. */
export async function found(): Promise<number> {
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
export const signsWhenLeft = (page: Page, already = 0): Promise<void> =>
  page.evaluate((count) => {
    addEventListener('pagehide', () => {
      for (let n = 0; n < count; n++) window.sx.signMessageSync({ n })
    })
  }, COUNT - already)

/** Clicks a link, because a script that sets `location` may end before it has answered. */
export async function followLink(page: Page): Promise<void> {
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/icon.svg', textContent: 'Away' })
    document.body.append(link)
  })
  const left = page.waitForURL('**/icon.svg')
  await page.getByRole('link', { name: 'Away' }).click()
  await left
}

/** How somebody leaves a page but for a link. */
export const otherWays: [string, (page: Page) => Promise<unknown>][] = [
  ['by a reload', (page) => page.reload()],
  [
    'by closing the tab',
    async (page) => {
      const closed = page.waitForEvent('close')
      await page.close({ runBeforeUnload: true })
      await closed
    },
  ],
]
