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

/** How somebody leaves a page that signs in `pagehide`. */
const ways: Record<string, (page: Page) => Promise<unknown>> = {
  'by a link': async (page) => {
    const left = page.waitForURL('**/icon.svg')
    await page.evaluate((count) => {
      addEventListener('pagehide', () => {
        for (let n = 0; n < count; n++) window.sx.signMessageSync({ n })
      })
      location.href = '/icon.svg'
    }, COUNT)
    await left
  },
  'by a reload': async (page) => {
    await page.evaluate((count) => {
      addEventListener('pagehide', () => {
        for (let n = 0; n < count; n++) window.sx.signMessageSync({ n })
      })
    }, COUNT)
    await page.reload()
  },
  'by closing the tab': async (page) => {
    await page.evaluate((count) => {
      addEventListener('pagehide', () => {
        for (let n = 0; n < count; n++) window.sx.signMessageSync({ n })
      })
    }, COUNT)
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  },
}

describe.skipIf(hasNoBrowser)('W06 documents that a page signs synchronously in pagehide', () => {
  it.each(Object.entries(ways))('W06 are all stored: left %s', async (_, leave) => {
    await leave(await started())
    expect(await found()).toBe(COUNT)
  })

  it('W06 are all stored also if one of them was signed before, and flushed', async () => {
    const page = await started()
    const left = page.waitForURL('**/icon.svg')
    await page.evaluate(async (count) => {
      window.sx.signMessageSync({ first: true })
      await window.sx.flush()
      addEventListener('pagehide', () => {
        for (let n = 1; n < count; n++) window.sx.signMessageSync({ n })
      })
      location.href = '/icon.svg'
    }, COUNT)
    await left
    expect(await found()).toBe(COUNT)
  })
})
