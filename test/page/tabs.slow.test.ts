// Several tabs of one page: one agent, one trust store, one history, also where they contend for one document.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { hasNoBrowser } from './site.ts'
import { context, site, start, stranger, tabbed, tabs, testsOfReturns } from './tabs.ts'

tabbed()

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
  })
})

// Headless Chromium freezes no page, has no cache of pages, and shows all of them.
testsOfReturns(
  ['visibilitychange', (page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))],
  ['resume', (page) => page.evaluate(() => document.dispatchEvent(new Event('resume')))],
  ['pageshow', (page) => page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))],
)
