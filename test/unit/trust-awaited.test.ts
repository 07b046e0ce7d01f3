// A decision on trust that is on its way hides nothing of what others have decided.
import type { SxError } from 'sx-agent'
import { mirrored, type Storage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { another, begin, gate } from './own.ts'
import { remote } from './remote.ts'

describe('a decision on trust that is on its way', () => {
  it('K02 is no reason for a verdict to count what another process has taken back', async () => {
    const { memory, configPath, agent } = await begin()
    const { agent: other } = await begin('B')
    const { raw } = await other.signMessage(1)
    const old = other.exportAgent()
    await other.rotateKey({ reason: 'compromised' })
    const decision = gate()
    let isHeld = false
    const get: Storage['get'] = async (key) => {
      if (isHeld && key.includes('trust')) await decision.pass()
      return memory.get(key)
    }
    const page = await another(await mirrored(remote(memory, { get })), configPath)
    agent.trustAgent(other.exportAgent())
    expect((await agent.verify(raw)).code).toBe('KeyRevoked')
    isHeld = true
    page.trustAgent(old)
    const verdict = page.verify(raw)
    await decision.reached
    setTimeout(() => decision.open(), 100)
    expect((await verdict).code).not.toBeUndefined()
    const flushed = await page.flush().catch(({ code }: SxError) => code)
    expect(flushed).toBe('Rollback')
    expect((await page.verify(raw)).code).toBe('KeyRevoked')
  })
})
