// Where keys are derived in a page that was built and is served as a user's, and under policies that forbid workers.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(() => context?.close())
afterAll(() => site?.close())

/**
 * Milliseconds of a page: how long the derivation takes in it, and its longest gap while an agent is made and opened. Of
 * several rounds the least, because whatever else the machine does only adds to them.
 */
interface Gaps {
  readonly alone: number
  readonly create: number
  readonly load: number
}

async function visit(url?: string): Promise<{ page: Page; workers: () => number }> {
  context = await site.profile()
  const page = await site.probe(context, url)
  let count = 0
  page.on('worker', () => {
    count += 1
  })
  return { page, workers: () => count }
}

/** Makes an agent in the page's own storage and opens it again, also with the other form and with another password. */
const gapsIn = (page: Page): Promise<Gaps> =>
  page.evaluate(async () => {
    const { createSync, create, init, loadSync, memoryStorage, outcome, SxAgent } = window.sx
    const idle = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
    const gapOf = async (work: () => Promise<unknown>): Promise<number> => {
      await idle(20)
      let last = performance.now()
      let gap = 0
      const note = (): void => {
        const now = performance.now()
        gap = Math.max(gap, now - last)
        last = now
      }
      const timer = setInterval(note, 10)
      await work()
      await idle(10) // the gap that is open
      note()
      clearInterval(timer)
      return gap
    }
    const password = 'correct horse battery staple'
    const options = { name: 'Page', algorithm: 'ed25519', password } as const
    await init()
    const gaps = { alone: [] as number[], create: [] as number[], load: [] as number[] }
    for (let round = 0; round < 3; round++) {
      const storage = memoryStorage()
      createSync({ ...options, storage })
      const start = performance.now()
      loadSync({ storage, password })
      gaps.alone.push(performance.now() - start)
      const configPath = `${round}/sx.config.json`
      gaps.create.push(await gapOf(() => create({ ...options, configPath })))
      const agent = new SxAgent({ password })
      gaps.load.push(await gapOf(() => agent.load(configPath)))
      agent.loadSync(configPath)
      const wrong = await outcome(() => new SxAgent({ password: 'another' }).load(configPath))
      if (!('code' in wrong && wrong.code === 'WrongPassword')) throw new Error(JSON.stringify(wrong))
    }
    return { alone: Math.min(...gaps.alone), create: Math.min(...gaps.create), load: Math.min(...gaps.load) }
  })

describe.skipIf(hasNoBrowser)('a key that is derived in a built page', () => {
  it('leaves it free under the policy of docs/loading.md', async () => {
    const { page, workers } = await visit()
    const gaps = await gapsIn(page)
    expect({ gaps, isFree: Math.max(gaps.create, gaps.load) < gaps.alone / 2 }).toMatchObject({ isFree: true })
    expect(workers()).toBe(9)
    await expect.poll(() => page.workers()).toHaveLength(0)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('is derived in the page where a policy forbids workers, which is tried once', async () => {
    const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:"
    const { page, workers } = await visit(await site.under(`${policy}; worker-src 'none'`))
    const gaps = await gapsIn(page)
    expect({ gaps, stops: Math.min(gaps.create, gaps.load) > 0.7 * gaps.alone }).toMatchObject({ stops: true })
    expect(workers()).toBe(0)
    expect(complaintsOf(page).violations).toHaveLength(1)
  })
})
