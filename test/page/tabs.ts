// Two tabs of one page, and how they come to an agent.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

export let site: Site
export let context: BrowserContext
export let tabs: [Page, Page]

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function tabbed(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open('apart')
  })
  beforeEach(async () => {
    context = await site.emptied()
    tabs = [await site.probe(context), await site.probe(context)]
  })
  afterEach(() => site?.leave(context))
  afterAll(() => site?.close())
}

export const start = (page: Page): Promise<{ agentId: string; created: boolean }> =>
  page.evaluate(async () => {
    const { agentId, created } = await window.sx.quickstart({
      name: 'A',
      domain: 'example.com',
      algorithm: 'ed25519',
    })
    return { agentId, created }
  })

/** An agent document of somebody else. */
export const stranger = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const { sx } = window
    const configPath = 'other/sx.config.json'
    await sx.create({ name: 'B', algorithm: 'ed25519', configPath })
    const json = sx.exportAgent()
    await sx.load()
    return json
  })

/** Tests of what another tab is told when somebody comes back to it in these ways. */
export function testsOfReturns(...rows: [way: string, comeBack: (page: Page) => Promise<unknown>][]): void {
  describe.skipIf(hasNoBrowser)('W05 what a tab decides that dies before it can say so', () => {
    it.each(rows)('W05 shows to synchronous calls of another tab after %s', async (_, comeBack) => {
      const [two] = tabs
      await start(two)
      const json = await stranger(two)
      const agentId = await two.evaluate(async (json) => {
        const { agentId } = window.sx.trustAgent(json)
        await window.sx.flush()
        return agentId
      }, json)
      // As if it died between the commit and the message: its messages go nowhere.
      const one = await context.newPage()
      await one.addInitScript(() => {
        BroadcastChannel.prototype.postMessage = () => {}
      })
      await one.goto(`${site.url}probe/`)
      await one.waitForFunction(() => 'sx' in window)
      const signed = await one.evaluate(async (id) => {
        await window.sx.load()
        window.sx.untrustAgent(id)
        const { raw } = window.sx.signMessageSync({ n: 1 })
        await window.sx.flush()
        return JSON.parse(raw) as { sxId: string }
      }, agentId)
      await one.close()
      const seen = () =>
        two.evaluate(
          ([agentId, sxId]) => ({
            isTrusted: window.sx.isTrusted(agentId),
            isListed: window.sx.listDocumentsSync().some((key) => key.startsWith(sxId)),
          }),
          [agentId, signed.sxId] as const,
        )
      expect(await seen()).toEqual({ isTrusted: true, isListed: false })
      await comeBack(two)
      await expect.poll(seen).toEqual({ isTrusted: false, isListed: true })
      expect(await two.evaluate((id) => window.sx.listTrustedAgents().includes(id), agentId)).toBe(false)
    })
  })
}
