/** Two agents that sign a text, and processes that are killed while they sign. */
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SxAgent } from 'sx-agent'
import { expect } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD } from './fixtures.ts'
import { Child, callElsewhere, callUntilKilled } from './processes.ts'

const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }
export const TEXT = '# Contract\n\nAlice pays 100.\n'

/** The configurations of two agents that trust each other, the agents, and where a text is that they sign. */
export interface Signers {
  readonly homes: readonly string[]
  readonly agents: readonly SxAgent[]
  readonly path: string
}

/** Alice and Bob. */
export async function twoSigners(): Promise<{ homes: string[]; agents: SxAgent[] }> {
  const homes: string[] = []
  const agents: SxAgent[] = []
  for (const name of ['Alice', 'Bob']) {
    const folder = newFolder()
    const { agent } = await SxAgent.create(agentIn(folder, { name }))
    homes.push(configIn(folder))
    agents.push(agent)
  }
  const [alice, bob] = agents
  alice?.trustAgent(bob?.exportAgent() ?? '')
  bob?.trustAgent(alice?.exportAgent() ?? '')
  return { homes, agents }
}

/** The text is unsigned or signed as a whole. */
async function check({ agents: [alice], path }: Signers): Promise<void> {
  const result = await alice?.verifyText(path)
  const isUnsigned = result?.status === 'missing_signature' && readFileSync(path, 'utf8') === TEXT
  const isSigned = result?.valid === true && result.length === Buffer.byteLength(TEXT)
  expect(isUnsigned || isSigned).toBe(true)
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.tmp')).length).toBeLessThanOrEqual(6)
}

/** The next process signs the text and removes leftovers. */
async function checkAfter({ agents, path }: Signers): Promise<void> {
  for (const agent of agents) await agent.signText(path)
  const result = await agents[0]?.verifyText(path)
  expect(result?.errors).toEqual([])
  expect(result?.signers).toHaveLength(2)
  expect(readdirSync(dirname(path))).toHaveLength(1)
}

/** Kills a process that signs at each of its steps, or at one of so many. */
export async function killAtSteps(signers: Signers, distance = 1): Promise<void> {
  const { homes, path } = signers
  const calls = [
    ['load', homes[0]],
    ['signText', path],
  ] as const
  const [, whole] = await callElsewhere(calls, { env })
  const steps = whole?.steps ?? 0
  expect(steps).toBeGreaterThan(10)
  let isFresh = false
  for (let step = 1 + randomInt(distance); step <= steps; step += distance) {
    if (isFresh) writeFileSync(path, TEXT)
    isFresh = !isFresh
    await callUntilKilled(calls, step, { env })
    await check(signers)
  }
  await checkAfter(signers)
}

/** Kills so many processes that sign, at any time. */
export async function killAtRandom(signers: Signers, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    const child = new Child('loop', ['signText', signers.homes[kill % 2] ?? '', signers.path], { env })
    await child.hasSaid(1)
    await new Promise((resolve) => setTimeout(resolve, randomInt(60)))
    await child.kill()
    await check(signers)
  }
  await checkAfter(signers)
}
