// What Chromium itself loses after it was killed (see leveldb.ts), which the library has to say.
import type { Page } from 'playwright'
import { isDoomed } from './leveldb.ts'

/** The losses of a profile. */
export class Losses {
  readonly #profile: string
  #isDoomed = false

  constructor(profile: string) {
    this.#profile = profile
  }

  /** To be called after each kill: the loss comes at the start after the next one. */
  look(): void {
    this.#isDoomed ||= isDoomed(this.#profile)
  }

  /** Whether the agent of a page is gone. That was to be seen coming, and the library names the agent. */
  async isLost(page: Page, agentId: string): Promise<boolean> {
    const outcome = await page.evaluate(() => window.sx.outcome(async () => (await window.sx.load()).agentId))
    if ('value' in outcome && outcome.value === agentId) return false
    const isSaid = 'code' in outcome && outcome.code === 'AgentLost' && outcome.message.includes(agentId)
    if (!isSaid || !this.#isDoomed) throw new Error(`${JSON.stringify(outcome)} instead of ${agentId}`)
    this.#isDoomed = false
    return true
  }
}
