// W04: a worker that several pages share, whose database is deleted. No page can reload it.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open('apart')
})
afterEach(() => site?.leave(context))
afterAll(() => site?.close())

const start = (page: Page, options: object = {}) =>
  page.evaluate((options) => window.sx.inShared<{ agentId: string; created: boolean }>('start', options), options)
const sign = (page: Page, n: number) => page.evaluate((n) => window.sx.inShared<string>('sign', n), n)

/** How the data of the site goes: `where` is a page of it. */
const ways: Record<string, (where: Page) => Promise<unknown>> = {
  'by a page': (where) =>
    where.evaluate(async () => {
      for (const name of ['sx-agent', 'sx-agent-vault']) {
        await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name)
          request.onsuccess = resolve
          request.onerror = reject
        })
      }
    }),
  'by the user': async (where) => {
    const session = await context.newCDPSession(where)
    await session.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'indexeddb' })
  },
}

describe.skipIf(hasNoBrowser)('W04 a SharedWorker whose database is deleted', () => {
  it.each(Object.entries(ways))('W04 %s, works again when a page has it load or start an agent', async (_, clear) => {
    context = await site.emptied()
    const pages = [await site.probe(context), await site.probe(context)] as const
    const [one, two] = pages
    const first = await start(one)
    if ('code' in first) throw new Error(first.message)
    const { agentId } = first.value
    expect(await start(two)).toEqual({ value: { agentId, created: false } })
    await clear(two)
    for (const page of pages) {
      const refusal = { code: 'StorageUnavailable', message: expect.stringContaining('was deleted') as string }
      expect(await sign(page, 1)).toEqual(refusal)
    }
    expect(await start(one)).toMatchObject({ code: 'AgentLost', message: expect.stringContaining(agentId) as string })
    const anew = await start(two, { startAnew: true })
    expect(anew).toMatchObject({ value: { created: true } })
    for (const page of pages) {
      const signed = await sign(page, 2)
      expect(signed).toHaveProperty('value')
      const raw = 'value' in signed ? signed.value : ''
      expect(await page.evaluate((raw) => window.sx.inShared('verify', raw), raw)).toEqual({ value: true })
    }
    // And it is stored: a page of its own finds it.
    const third = await site.probe(context)
    const loaded = await third.evaluate(async () => {
      const { agentId } = await window.sx.load()
      return [agentId, (await window.sx.listDocuments({ type: 'message' })).length]
    })
    expect(loaded).toEqual(['value' in anew ? anew.value.agentId : '', 2])
  })
})
