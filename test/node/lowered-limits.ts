/** An agent whose limits are lower than what it holds of itself. */
import { type Limits, SxAgent } from 'sx-agent'
import { audit } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { expect } from 'vitest'

const password = 'a password for tests'

/** It loads after rotations by another process, and goes on with its own document. */
export async function goesOn(limits: Limits): Promise<void> {
  const storage = memoryStorage()
  const { agent: administrator } = await SxAgent.create({ name: 'Chain', algorithm: 'ed25519', password, storage })
  const { sxId, sxVersion } = JSON.parse(await administrator.createDocument('{"a":1}')) as {
    sxId: string
    sxVersion: string
  }
  await administrator.rotateKey()
  await administrator.rotateKey({ reason: 'compromised' })

  const service = new SxAgent({ storage, password, limits })
  await service.load()
  expect(service.getAgentInfo()?.keyId).toBe(administrator.getAgentInfo()?.keyId)
  await expect(service.signString('a')).resolves.toMatch(/./)
  expect(await service.verifyById(`${sxId}:${sxVersion}`)).toMatchObject({ valid: false, code: 'LimitExceeded' })
  const { agentId } = service.getAgentInfo() ?? { agentId: '' }
  expect(await service.verifySelf()).toMatchObject({ valid: true, trusted: true })
  expect(service.verifySelfSync()).toMatchObject({ valid: true })
  expect(await service.verifyAgent()).toBe(true)
  expect(await service.verifyById(agentId)).toMatchObject({ valid: true, documentId: agentId })
  const [first = '', second = ''] = await service.listVersions(agentId)
  expect(await service.verifyById(first)).toMatchObject({ valid: true })
  expect(await service.verifyById(second)).toMatchObject({ valid: false, code: 'KeyRevoked' })
  expect(await service.createRevocation()).toContain(agentId)
  await service.rotateKey()
  const rotated = service.rotateKeySync()
  service.revokeKeySync(rotated.formerKeyId, { reason: 'compromised' })
  const { length } = (await service.exportStore({ password })) as Uint8Array
  expect(length).toBeGreaterThan(1000)

  const again = new SxAgent({ storage, password, limits })
  again.loadSync()
  expect(again.getAgentInfo()?.keyIds).toHaveLength(5)
  const verifier = new SxAgent({ storage, limits, verifyOnly: true })
  await verifier.load()
  expect(verifier.exportAgent()).toBe(again.exportAgent())
  const { risks } = await audit({ storage, password })
  expect(risks.filter(({ code }) => code === 'LimitExceeded' || code === 'CorruptStore')).toEqual([])
}
