// What a page asks the browser to keep, and when.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

let site: Site
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterAll(() => site?.close())

describe.skipIf(hasNoBrowser)('the browser is asked to keep what a page has', () => {
  it('once, when the first agent is made, and never by reading nor at a later visit', async () => {
    const context = await site.profile()
    await context.addInitScript(() => {
      const asked = { times: 0 }
      Object.assign(window, { asked })
      navigator.storage.persist = async () => {
        asked.times++
        throw new DOMException('denied', 'SecurityError')
      }
    })
    const page = await site.probe(context)
    const asked = (): Promise<number> =>
      page.evaluate(() => (window as unknown as { asked: { times: number } }).asked.times)
    const load = (): Promise<unknown> =>
      page.evaluate(() => window.sx.outcome(async () => (await window.sx.load({ password: 'a password' })).agentId))
    expect(await load()).toMatchObject({ code: 'NotFound' })
    expect(await asked()).toBe(0)
    const agentId = await page.evaluate(async () => {
      const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', password: 'a password' } as const
      return (await window.sx.quickstart(options)).agentId
    })
    expect(await asked()).toBe(1)
    await page.evaluate(() => window.sx.signMessage('x'))
    await page.reload()
    await page.waitForFunction(() => 'sx' in window)
    expect(await load()).toEqual({ value: agentId })
    await page.evaluate(() => window.sx.signMessage('y'))
    expect(await asked()).toBe(0)
    await context.close()
  })
})
