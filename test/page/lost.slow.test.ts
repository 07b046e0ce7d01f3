// W01: how an agent whose data is gone comes back, and who notices: backups, workers, several tabs, other places.
import { describe, expect, it } from 'vitest'
import { context, lose, losing, site, start, started } from './losing.ts'
import { hasNoBrowser } from './site.ts'

losing()

describe.skipIf(hasNoBrowser)('W01 an agent whose data is gone', () => {
  it('W01 comes back from a backup, and is noted again', async () => {
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
