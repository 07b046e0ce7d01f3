// W01: an agent whose data is gone while a note of it is left is never replaced without a word.
import { describe, expect, it } from 'vitest'
import { context, lose, losing, sealed, site, start, started } from './losing.ts'
import { hasNoBrowser } from './site.ts'

losing()

describe.skipIf(hasNoBrowser)('W01 an agent whose data is gone', () => {
  it('W01 is named by quickstart, create and load, until the program starts anew, with another password', async () => {
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
})
