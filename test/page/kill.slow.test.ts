// A page that signs, and its browser killed in the middle of it, again and again: what was reported as saved is there
// after the restart and verifies, and the agent loads. W01: what Chromium itself loses is said, and never made up for by
// another agent.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { HANGING, isLong } from '../pace.ts'
import { Losses } from './losses.ts'
import { failing, Running } from './running.ts'
import { hasNoBrowser, Site } from './site.ts'

const rounds = isLong ? 100 : 10

let site: Site
const profiles: string[] = []
let running: Running | undefined
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  await running?.context.close().catch(() => {})
  for (const profile of profiles.splice(0)) await rm(profile, { recursive: true, force: true, maxRetries: 5 })
})
afterAll(() => site?.close())

async function newProfile(): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'sx-kill-'))
  profiles.push(profile)
  return profile
}

describe.skipIf(hasNoBrowser)('a page that is killed while it signs', () => {
  it(
    'has kept every document that it has reported as saved, or says that its agent is gone (W01)',
    async () => {
      const profile = await newProfile()
      const losses = new Losses(profile)
      let agentId: string | undefined
      let lastRound: string[] = []
      let total = 0
      for (let round = 0; round <= rounds; round++) {
        running = await Running.start(profile)
        const page = await site.probe(running.context)
        if (agentId !== undefined && (await losses.isLost(page, agentId))) {
          agentId = undefined
          lastRound = []
          total = 0
        }
        const found = await page.evaluate(
          async ([isFirst, saved]) => {
            const { sx } = window
            const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', startAnew: true } as const
            const { agentId } = isFirst ? await sx.quickstart(options) : await sx.load()
            const { sxId } = JSON.parse(sx.exportAgent()) as { sxId: string }
            const bad: string[] = []
            for (const raw of saved) {
              const { sxId: id, sxVersion } = JSON.parse(raw) as { sxId: string; sxVersion: string }
              const key = `${id}:${sxVersion}`
              const stored = await sx.outcome(() => sx.getDocument(key))
              const { valid, code } = await sx.verifyById(key)
              if (!valid || !('value' in stored) || stored.value !== raw) bad.push(`${key} ${code}`)
            }
            let documents = 0
            for (const key of await sx.listDocuments({ type: 'message' })) {
              documents++
              const { valid, code } = await sx.verifyById(key)
              if (!valid) bad.push(`${key} ${code}`)
            }
            return { agentId, sxId, bad, documents }
          },
          [agentId === undefined, lastRound] as const,
        )
        agentId ??= found.agentId
        expect(found).toMatchObject({ agentId, sxId: agentId, bad: [] })
        total += lastRound.length
        expect(found.documents).toBeGreaterThanOrEqual(total)
        if (round === rounds) return
        const saved: string[] = []
        await page.exposeFunction('saved', (raw: string) => void saved.push(raw))
        const end = failing(
          page.evaluate(async (round) => {
            const { saved } = window as unknown as { saved: (raw: string) => Promise<void> }
            const sign = async (lane: number): Promise<never> => {
              for (let n = 0; ; n++) void saved((await window.sx.signMessage({ round, lane, n })).raw)
            }
            await Promise.all([sign(0), sign(1), sign(2)])
          }, round),
        )
        await expect.poll(() => saved.length, { timeout: HANGING, interval: 5 }).toBeGreaterThan(3)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
        await running.kill()
        losses.look()
        expect(await end).toMatch(/closed|crashed/)
        lastRound = saved
      }
    },
    rounds * HANGING,
  )
})
