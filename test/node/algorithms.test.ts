// The names that a caller may give to the algorithms of keys; what is stored has two of them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, type KeyAlgorithm, SxAgent, SxSimpleAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { agentIn, configIn, filesOf, newFolder, PASSWORD, refusal } from './fixtures.ts'

const NAMES = {
  'ML-DSA-87': 'pq2025',
  Ed25519: 'ed25519',
  'ring-Ed25519': 'ed25519',
} as const satisfies Partial<Record<KeyAlgorithm, string>>

describe.each(Object.entries(NAMES) as [KeyAlgorithm, string][])('the name %s', (name, stored) => {
  it(`makes a key of ${stored}, and is not stored`, async () => {
    const folder = newFolder()
    const { agent, algorithm } = await SxAgent.create({ ...agentIn(folder), algorithm: name })
    expect(algorithm).toBe(stored)
    await agent.rotateKey({ algorithm: name })
    const { raw } = await agent.signMessage({ amount: 1 })
    expect(JSON.parse(raw).sxSignature.signingAlgorithm).toBe(stored)
    await agent.close()
    for (const file of filesOf(folder)) {
      const text = readFileSync(join(folder, file), 'utf8')
      expect(text, file).not.toContain(`"${name}"`)
    }
  })

  it('is what a prepared configuration, a string, a countersigner and a simple agent may say', async () => {
    const folder = newFolder()
    writeFileSync(configIn(folder), createConfig({ sxAgentKeyAlgorithm: name }))
    const { algorithm: _, ...options } = agentIn(folder)
    const { agent, algorithm } = await SxAgent.create(options)
    expect(algorithm).toBe(stored)
    expect(JSON.parse(readFileSync(configIn(folder), 'utf8')).sxAgentKeyAlgorithm).toBe(stored)
    const pem = Buffer.from(agent.getPublicKey())
    const signature = await agent.signString('text')
    expect(await agent.verifyString('text', signature, pem, name)).toBe(true)
    const other = await SxAgent.create({ name: 'Other', password: PASSWORD, storage: memoryStorage(), algorithm: name })
    const key = other.agent.getPublicKey()
    const registered = await agent.signAgent(other.agent.exportAgent(), Buffer.from(key), name)
    expect(await agent.verifySignature(registered, 'sxRegistration')).toBe(true)
    expect(SxSimpleAgent.ephemeral(name).getPublicKeyPem()).toContain('BEGIN PUBLIC KEY')
  })
})

it('other names are refused, and the names that there are said', async () => {
  for (const name of ['ed-25519', 'ml-dsa-87', 'ML-DSA-65', 'rsa', ''] as string[]) {
    const algorithm = name as KeyAlgorithm
    const error = await refusal(() => SxAgent.create({ ...agentIn(newFolder()), algorithm }), 'InvalidOption')
    expect(error.found).toContain('not one of pq2025, ML-DSA-87, ed25519, Ed25519')
    await refusal(() => SxSimpleAgent.ephemeral(algorithm), 'InvalidOption')
  }
})
