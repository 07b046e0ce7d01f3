// How a page gets on while keys are derived.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

export let site: Site
let context: BrowserContext

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function deriving(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open()
  })
  afterEach(() => context?.close())
  afterAll(() => site?.close())
}

/**
 * Milliseconds of a page: how long the derivation takes in it, and its longest gap while an agent is made and opened. Of
 * several rounds the least, because whatever else the machine does only adds to them.
 */
export interface Gaps {
  readonly alone: number
  readonly create: number
  readonly load: number
}

export async function visit(url?: string): Promise<{ page: Page; workers: () => number }> {
  context = await site.profile()
  const page = await site.probe(context, url)
  let count = 0
  page.on('worker', () => {
    count += 1
  })
  return { page, workers: () => count }
}

/** Makes an agent in the page's own storage and opens it again, also with the other form and with another password. */
export const gapsIn = (page: Page): Promise<Gaps> =>
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
