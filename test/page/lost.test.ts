// W01: an agent whose data is gone while a note of it is left is never replaced without a word.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(() => context?.close())
afterAll(() => site?.close())

const start = (page: Page, more: { startAnew?: boolean } = {}) =>
  page.evaluate(
    (more) =>
      window.sx.outcome(async () => {
        const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', ...more } as const
        const { agentId, keyId, created } = await window.sx.quickstart(options)
        return { agentId, keyId, created }
      }),
    more,
  )

async function started(page: Page): Promise<{ agentId: string; keyId: string; created: boolean }> {
  const outcome = await start(page)
  if ('code' in outcome) throw new Error(outcome.message)
  return outcome.value
}

/** Deletes databases of a site that has no page open. */
async function lose(names: readonly string[] = ['sx-agent']): Promise<void> {
  for (const page of context.pages()) await page.close()
  const page = await context.newPage()
  await page.goto(`${site.url}icon.svg`)
  await page.evaluate(async (names) => {
    for (const name of names) {
      await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name)
        request.onsuccess = resolve
        request.onerror = reject
      })
    }
  }, names)
  await page.close()
}

/** The sealed passwords that the page keeps. */
const sealed = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error(String(request.error)))
      })
    const database = await done(indexedDB.open('sx-agent-vault'))
    const all = database.transaction('entries').objectStore('entries').get('password sx.config.json')
    const kept = await done(all as IDBRequest<{ iv: Uint8Array }[] | undefined>)
    database.close()
    return (kept ?? []).map(({ iv }) => iv.join())
  })

describe.skipIf(hasNoBrowser)('W01 an agent whose data is gone', () => {
  it('W01 is named by quickstart, create and load, until the program starts anew, with another password', async () => {
    context = await site.profile()
    const first = await site.probe(context)
    const { agentId, keyId } = await started(first)
    const kept = await sealed(first)
    expect(kept).toHaveLength(1)
    await lose()
    const page = await site.probe(context)
    const refusal = {
      code: 'AgentLost',
      message: expect.stringMatching(`${agentId}.*${keyId}.*importStore.*startAnew`) as string,
    }
    expect(await start(page)).toEqual(refusal)
    expect(await page.evaluate(() => window.sx.outcome(() => window.sx.create({ name: 'B' })))).toEqual(refusal)
    expect(await page.evaluate(() => window.sx.outcome(() => window.sx.load()))).toEqual(refusal)
    const sync = await page.evaluate(() =>
      window.sx.outcome(() => window.sx.quickstartSync({ name: 'B', domain: 'example.com', password: 'a long one' })),
    )
    expect(sync).toEqual(refusal)
    expect(await sealed(page)).toEqual(kept) // nothing was changed

    const anew = await start(page, { startAnew: true })
    expect(anew).toMatchObject({ value: { created: true } })
    const other = 'value' in anew ? anew.value.agentId : ''
    expect(other).not.toBe(agentId)
    const now = await sealed(page)
    expect(now).toHaveLength(1)
    expect(now).not.toEqual(kept)
    await page.reload()
    await page.waitForFunction(() => 'sx' in window)
    expect(await start(page, { startAnew: true })).toMatchObject({ value: { agentId: other, created: false } })
    await lose()
    const next = await site.probe(context)
    expect(await start(next)).toMatchObject({ code: 'AgentLost', message: expect.stringContaining(other) as string })
  })

  it('W01 comes back from a backup, and is noted again', async () => {
    context = await site.profile()
    const first = await site.probe(context)
    const { agentId } = await started(first)
    const backup = await first.evaluate(async () => [...(await window.sx.exportStore({ password: 'a long one' }))])
    await lose(['sx-agent', 'sx-agent-vault'])
    const page = await site.probe(context)
    expect(await start(page)).toMatchObject({ code: 'AgentLost' })
    const restored = await page.evaluate(async (backup) => {
      const { agentId } = await window.sx.importStore(new Uint8Array(backup))
      return [agentId, (await window.sx.load({ password: 'a long one' })).agentId]
    }, backup)
    expect(restored).toEqual([agentId, agentId])
    await lose()
    expect(await start(await site.probe(context))).toMatchObject({ code: 'AgentLost' })
  })

  it('W01 is noticed by a worker and made in one, where there is no localStorage', async () => {
    context = await site.profile()
    const first = await site.probe(context)
    const { agentId } = await first.evaluate(() => window.sx.inWorker<{ agentId: string }>('signed', 'ed25519'))
    expect(await first.evaluate(() => localStorage.length)).toBe(0)
    await lose()
    const page = await site.probe(context)
    const refusal = { code: 'AgentLost', message: expect.stringContaining(agentId) as string }
    expect(await start(page)).toEqual(refusal)
    const inWorker = page.evaluate(() => window.sx.inWorker('signed', 'ed25519'))
    await expect(inWorker).rejects.toThrow(agentId)
  })

  it('W01 gives tabs that start anew together one agent, which all of them open', async () => {
    context = await site.profile()
    await started(await site.probe(context))
    await lose()
    const pages = [await site.probe(context), await site.probe(context), await site.probe(context)]
    const outcomes = await Promise.all(pages.map((page) => start(page, { startAnew: true })))
    const found = outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome))
    const ids = found.map((info) => ('agentId' in info ? info.agentId : info.message))
    expect(new Set(ids).size).toBe(1)
    expect(found.filter((info) => 'created' in info && info.created)).toHaveLength(1)
    const last = await site.probe(context)
    expect(await last.evaluate(async () => (await window.sx.load()).agentId)).toBe(ids[0])
  })

  it('W01 leaves agents in other places alone, and keeps no secret in what is noted', async () => {
    context = await site.profile()
    const page = await site.probe(context)
    const { agentId, keyId } = await started(page)
    const noted = await page.evaluate(async () => {
      const cache = await caches.open('sx-agent-markers')
      const [request] = await cache.keys()
      return {
        local: Object.entries(localStorage).map(([name, value]) => [name, JSON.parse(value)]),
        cached: await (await cache.match(request as Request))?.json(),
      }
    })
    expect(noted).toEqual({
      local: [['sx-agent agent sx.config.json', { agentId, keyId }]],
      cached: { agentId, keyId },
    })
    await lose()
    const next = await site.probe(context)
    const others = await next.evaluate(async () => {
      const { sx } = window
      const options = { name: 'B', domain: 'example.com', algorithm: 'ed25519', password: 'a long one' } as const
      const elsewhere = await sx.quickstart({ ...options, configPath: 'other/sx.config.json' })
      const inMemory = await sx.quickstart({ ...options, storage: sx.memoryStorage() })
      return [elsewhere.created, inMemory.created]
    })
    expect(others).toEqual([true, true])
    await next.evaluate(() => localStorage.setItem('sx-agent agent sx.config.json', '{"agentId":"<b>","keyId":7}'))
    await next.evaluate(() => caches.delete('sx-agent-markers'))
    expect(await start(next)).toMatchObject({ value: { created: true } }) // what is not a note is none
  })
})
