// K08 on files: what another process and `verifyStandalone` say after somebody has written into the data directory.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { expect, it } from 'vitest'
import { agentIn, newFolder, PASSWORD, refusal } from './fixtures.ts'

it('K08: only decisions with a witness in the key directory count', async () => {
  const { agent: other, agentId } = await SxAgent.create({
    name: 'Other',
    algorithm: 'ed25519',
    storage: memoryStorage(),
    password: PASSWORD,
  })
  const [document, { raw }] = [other.exportAgent(), await other.signMessage('hello')]
  const folder = newFolder()
  await sx.create(agentIn(folder, { algorithm: 'ed25519' }))
  const { configPath = '' } = sx.getAgentInfo() ?? {}
  const [dataDirectory, keyDirectory] = [join(folder, 'sx_data'), join(folder, 'sx_keys')]
  const verdict = (): unknown => {
    const { valid, trusted, code } = sx.verifyStandalone(raw, { dataDirectory, keyDirectory })
    return valid ? trusted : code
  }
  const fresh = async (): Promise<unknown> => {
    const agent = new SxAgent({ verifyOnly: true })
    await agent.load(configPath)
    const { valid, trusted, code } = agent.verifySync(raw)
    await agent.close()
    return valid ? trusted : code
  }
  const risks = async (): Promise<unknown[]> => {
    const { risks } = await sx.audit({ configPath, password: PASSWORD })
    return risks.filter(({ check }) => check === 'trust_store').map(({ code }) => code)
  }
  const decision = (n: number): string => join(dataDirectory, 'trust', `${agentId}.${n}.json`)

  mkdirSync(join(dataDirectory, 'trust'), { mode: 0o700, recursive: true })
  writeFileSync(decision(1), document, { mode: 0o600 })
  expect([verdict(), await fresh(), await risks()]).toEqual(['UnknownSigner', 'UnknownSigner', ['UnwitnessedTrust']])
  expect(sx.verifyStandalone(raw, { dataDirectory }).valid).toBe(true) // the caller vouches for that folder
  sx.trustAgent(document)
  expect([verdict(), await fresh(), await risks()]).toEqual([true, true, []])
  sx.untrustAgent(agentId)
  expect([verdict(), await fresh(), await risks()]).toEqual(['UnknownSigner', 'UnknownSigner', []])
  rmSync(decision(2))
  rmSync(join(dataDirectory, 'trust', `${agentId}.latest`))
  expect([verdict(), await fresh(), await risks()]).toEqual(['Rollback', 'Rollback', ['Rollback']])
  expect(sx.verifySync(raw).errors.join()).toContain('If it is missing, restore it from a backup.')
  const { advice } = await refusal(() => sx.isTrusted(agentId), 'Rollback')
  expect(advice).toBe('Restore it from a backup. To continue without it, call untrustAgent, then trustAgent.')
  // Another removal in its place is not the one that was made.
  writeFileSync(decision(2), '{"sxTrustRemoved":"AAAAAAAAAAAAAAAAAAAAAA"}', { mode: 0o600 })
  expect([verdict(), await fresh(), await risks()]).toEqual(['CorruptStore', 'CorruptStore', ['CorruptStore']])
  await other.close()
})
