/** Rotations on files, also those whose process is killed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import { expect } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD } from './fixtures.ts'
import { callElsewhere, callUntilKilled } from './processes.ts'

/** The variables of a process that opens the key. */
export const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD } as const

export const keyFolder = (folder: string): string => join(folder, 'sx_keys')

/** An agent in a new folder, with a document. */
export async function begin(): Promise<{
  folder: string
  agent: SxAgent
  agentId: string
  keyId: string
  before: string
}> {
  const folder = newFolder()
  const { agent, agentId, keyId } = await SxAgent.create(agentIn(folder))
  const { raw } = await agent.signMessage('before')
  return { folder, agent, agentId, keyId, before: raw }
}

/** How many private keys are at rest. */
export function privateKeys(folder: string): number {
  const files = readdirSync(keyFolder(folder)).filter((file) => /^sx\.private\.pem\.\d+$/.test(file))
  const records = files.map(
    (file) => JSON.parse(readFileSync(join(keyFolder(folder), file), 'utf8')) as Record<string, unknown>,
  )
  const pems = records.flatMap(({ pem, next }) => (pem === null ? [] : [pem, ...((next ?? []) as unknown[])]))
  return new Set([...pems, readFileSync(join(keyFolder(folder), 'sx.private.pem'), 'utf8')]).size
}

/** How often a rotation calls the file system. */
export async function stepsOfRotation(): Promise<number> {
  const { folder } = await begin()
  const [, counted] = await callElsewhere([['load', configIn(folder)], ['rotateKey']], { env })
  const steps = counted?.steps ?? 0
  expect(steps).toBeGreaterThan(10)
  return steps
}

/** Kills a process that rotates the key, at this step (from 1), and looks at what it leaves: whether the key is new. */
export async function killedWhileRotating(step: number): Promise<boolean> {
  const { folder, before, keyId } = await begin()
  await callUntilKilled([['load', configIn(folder)], ['rotateKey']], step, { env })
  // Who only verifies sees the key that counts, and who signs has it.
  const verifier = new SxAgent({ verifyOnly: true, env: {} })
  await verifier.load(configIn(folder))
  const agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  const now = agent.getAgentInfo()
  expect(verifier.getAgentInfo()?.keyId).toBe(now?.keyId)
  const isRotated = now?.keyId !== keyId
  expect(now?.keyIds).toHaveLength(isRotated ? 2 : 1)
  expect(await agent.verify(before)).toMatchObject({ valid: true })
  expect(readFileSync(join(keyFolder(folder), 'sx.public.pem'), 'utf8')).toBe(agent.getPublicKey())
  // A key that nothing names may wait; the next rotation drops it.
  await agent.rotateKey()
  expect(privateKeys(folder)).toBe(1)
  await new SxAgent({ password: PASSWORD, env: {} }).load(configIn(folder))
  return isRotated
}
