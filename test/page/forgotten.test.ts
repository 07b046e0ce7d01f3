// W02: what a page that has closed its agent still has in memory.
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

const password = 'W02 in a page, seven swans a-swimming'
const codes = Array.from(password, (character) => character.charCodeAt(0))

/** Whether the password stands on the heap of a page. */
async function isOnHeap(page: Page): Promise<boolean> {
  const session = await context.newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return chunks.join('').includes(password)
}

describe.skipIf(hasNoBrowser)('W02 a password of a page', () => {
  it.each(['/simple', 'SxAgent'])('W02 is not on its heap any more when the agent of %s is closed', async (which) => {
    context = await site.profile()
    const page = await site.probe(context)
    // As numbers, so that nothing but the library's use of it brings it there as a text.
    await page.evaluate(
      async ([which, codes]) => {
        const { sx } = window
        const password = () => String.fromCharCode(...codes)
        await sx.create({ name: 'A', algorithm: 'ed25519', password: password() })
        await sx.close()
        if (which === '/simple') {
          await sx.load({ password: password() })
          Object.assign(window, { finish: sx.close })
        } else {
          const agent = new sx.SxAgent({ password: password() })
          await agent.load()
          const held: { agent?: typeof agent } = { agent }
          Object.assign(window, {
            finish: async () => {
              await held.agent?.close()
              delete held.agent
            },
          })
        }
      },
      [which, codes] as const,
    )
    expect(await isOnHeap(page)).toBe(true)
    await page.evaluate(() => (window as unknown as { finish(): Promise<void> }).finish())
    expect(await isOnHeap(page)).toBe(false)
  })

  it('W02 of an SxAgent loads it again after close()', async () => {
    context = await site.profile()
    const page = await site.probe(context)
    const ids = await page.evaluate(async () => {
      const { sx } = window
      const { agentId } = await sx.create({ name: 'A', algorithm: 'ed25519', password: 'a long one' })
      const agent = new sx.SxAgent({ password: 'a long one' })
      await agent.load()
      await agent.close()
      await agent.load()
      return [agentId, agent.getAgentInfo()?.agentId]
    })
    expect(ids[1]).toBe(ids[0])
  })
})
