// Several tabs of one page: one agent, one trust store, one history.

import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
let tabs: [Page, Page]
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
beforeEach(async () => {
  context = await site.profile()
  tabs = [await site.probe(context), await site.probe(context)]
})
afterEach(() => context?.close())
afterAll(() => site?.close())

const start = (page: Page): Promise<{ agentId: string; created: boolean }> =>
  page.evaluate(async () => {
    const { agentId, created } = await window.sx.quickstart({
      name: 'A',
      domain: 'example.com',
      algorithm: 'ed25519',
    })
    return { agentId, created }
  })

/** An agent document of somebody else. */
const stranger = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const { sx } = window
    const configPath = 'other/sx.config.json'
    await sx.create({ name: 'B', algorithm: 'ed25519', configPath })
    const json = sx.exportAgent()
    await sx.load()
    return json
  })

describe.skipIf(hasNoBrowser)('two tabs', () => {
  it('that start at the same time share one agent, whose password both have', async () => {
    const both = await Promise.all(tabs.map(start))
    expect(new Set(both.map(({ agentId }) => agentId)).size).toBe(1)
    expect(both.filter(({ created }) => created)).toHaveLength(1)
    const third = await site.probe(context)
    expect(await third.evaluate(async () => (await window.sx.load()).agentId)).toBe(both[0]?.agentId)
  })

  it('see the trust of each other, given and taken', async () => {
    const [one, two] = tabs
    await start(one)
    await start(two)
    const json = await stranger(one)
    const agentId = await one.evaluate(async (json) => {
      const { agentId } = window.sx.trustAgent(json)
      await window.sx.flush()
      return agentId
    }, json)
    await two.waitForFunction((id) => window.sx.isTrusted(id), agentId)
    expect(await two.evaluate((id) => window.sx.getTrustedAgent(id), agentId)).toBe(json)
    const verdict = (page: Page): Promise<boolean> =>
      page.evaluate(async (json) => (await window.sx.verify(json)).valid, json)
    expect(await verdict(two)).toBe(true)
    await two.evaluate(async (id) => {
      window.sx.untrustAgent(id)
      await window.sx.flush()
    }, agentId)
    await one.waitForFunction((id) => !window.sx.isTrusted(id), agentId)
    expect(await verdict(one)).toBe(false)
  })

  it('W03 K01 know at once that one of them has called the key compromised, and sign with it no more', async () => {
    const [one, two] = tabs
    await start(one)
    await start(two)
    const raw = await two.evaluate(async () => (await window.sx.signMessage('by the old key')).raw)
    const keyId = await one.evaluate(async () => (await window.sx.rotateKey({ reason: 'compromised' })).keyId)
    await two.waitForFunction((raw) => window.sx.verifySync(raw).code === 'KeyRevoked', raw) // nothing else was asked
    expect(
      await two.evaluate(async (raw) => {
        const { sx } = window
        const verdicts = [await sx.verify(raw), sx.verifySync(raw)].map(({ valid, code }) => [valid, code])
        const signing = [
          () => sx.signMessage('stored'),
          () => sx.signMessage('not stored', { noSave: true }),
          async () => sx.signMessageSync('at once'),
          () => sx.signString('text'),
        ]
        const codes: unknown[] = []
        for (const sign of signing) codes.push(await sx.outcome<unknown>(sign))
        return { verdicts, codes, published: sx.getWellKnownJson().keys.map(({ kid }) => kid) }
      }, raw),
    ).toMatchObject({
      verdicts: [
        [false, 'KeyRevoked'],
        [false, 'KeyRevoked'],
      ],
      codes: Array.from({ length: 4 }, () => ({ code: 'KeyRevoked' })),
      published: [keyId],
    })
    await two.evaluate(async () => {
      await window.sx.load()
      await window.sx.signMessage('by the new key')
    })
  })

  it('that update one version of a document get one success and one VersionConflict', async () => {
    await Promise.all(tabs.map(start))
    const [one] = tabs
    const raw = await one.evaluate(async () => (await window.sx.signMessage({ n: 0 })).raw)
    const { sxId, sxVersion } = JSON.parse(raw) as { sxId: string; sxVersion: string }
    const key = `${sxId}:${sxVersion}`
    const update = (page: Page, n: number) =>
      page.evaluate(
        async ([key, text]) => {
          const agent = new window.sx.SxAgent()
          await agent.load()
          return window.sx.outcome(() => agent.updateDocument(key, text))
        },
        [key, JSON.stringify({ n })] as const,
      )
    const outcomes = await Promise.all(tabs.map((tab, at) => update(tab, at + 1)))
    expect(outcomes.filter((outcome) => 'value' in outcome)).toHaveLength(1)
    expect(outcomes.filter((outcome) => 'code' in outcome && outcome.code === 'VersionConflict')).toHaveLength(1)
    const winner = outcomes.findIndex((outcome) => 'value' in outcome) + 1
    for (const tab of tabs) {
      expect(await tab.evaluate(async (id) => window.sx.verifyById(id), sxId)).toMatchObject({ data: { n: winner } })
    }
  })

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

/** How somebody comes back to a page. */
const returns: Record<string, (page: Page) => Promise<unknown>> = {
  // Headless Chromium freezes no page, has no cache of pages, and shows all of them.
  resume: (page) => page.evaluate(() => document.dispatchEvent(new Event('resume'))),
  pageshow: (page) => page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))),
  visibilitychange: (page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))),
}

describe.skipIf(hasNoBrowser)('W05 what a tab decides that dies before it can say so', () => {
  it.each(Object.entries(returns))('W05 shows to synchronous calls of another tab after %s', async (_, comeBack) => {
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
