// What is taken back while the agent is loaded again.
import type { Storage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { another, begin, gate } from './own.ts'
import { remote } from './remote.ts'

describe('what was revoked while the agent is loaded again', () => {
  it('K01 K10 a statement that was applied while a load was on its way counts for synchronous verdicts', async () => {
    const { memory, configPath } = await begin()
    const held = gate()
    let isHeld = false
    const list: Storage['list'] = async function* (prefix, options) {
      if (isHeld && prefix.join('/') === 'A/sx_keys') {
        isHeld = false
        await held.pass()
      }
      yield* memory.list(prefix, options)
    }
    const agent = await another(remote(memory, { list }), configPath)
    const { raw } = await agent.signMessage(1)
    const statement = await agent.createRevocation()
    isHeld = true
    const loading = agent.load(configPath)
    await held.reached
    await agent.revokeKey({ statement })
    expect(agent.verifySync(raw)).toMatchObject({ code: 'KeyRevoked' })
    held.open()
    await loading
    expect(agent.verifySync(raw)).toMatchObject({ code: 'KeyRevoked' })
  })

  it('K01 a rotation that ends after the agent was loaded again counts for synchronous verdicts', async () => {
    const { memory, configPath, agentId } = await begin()
    const held = gate()
    const put: Storage['put'] = async (key, ...given) => {
      if (key.at(-1) === `${agentId}.2.json`) await held.pass()
      return memory.put(key, ...given)
    }
    const agent = await another(remote(memory, { put }), configPath)
    const { raw } = await agent.signMessage(1)
    const rotating = agent.rotateKey({ reason: 'compromised' })
    await held.reached
    await agent.load(configPath)
    held.open()
    const { keyId } = await rotating
    expect(agent.getAgentInfo()?.keyId).toBe(keyId)
    expect(agent.verifySync(raw)).toMatchObject({ code: 'KeyRevoked' })
    expect(JSON.stringify(agent.getWellKnownJson())).toContain(keyId)
  })
})
