// Every failure of what is written behind is told.
import type { SxError } from 'sx-agent'
import { mirrored, type Storage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { settle } from '../settle.ts'
import { another, begin, gate } from './own.ts'
import { remote } from './remote.ts'

/** What so many flushes say, one after the other. */
async function flushes(page: { flush(): Promise<void> }, count: number): Promise<string[]> {
  const told: string[] = []
  for (let at = 0; at < count; at++) {
    try {
      await page.flush()
      told.push('nothing')
    } catch (error) {
      const { code, cause } = error as SxError
      told.push(cause === undefined ? code : `${code}: ${(cause as Error).message}`)
    }
  }
  return told
}

describe('what is written behind and fails', () => {
  it('K02 K05 tells of all three where a former agent, a decision on trust and a write have failed', async () => {
    const { memory, configPath, agent } = await begin()
    const second = await begin('B', memory)
    const { agent: other } = await begin('C')
    let isFull = false
    const decision = gate()
    const put: Storage['put'] = async (key, ...given) => {
      if (!isFull) return memory.put(key, ...given)
      await decision.reached // it fails first
      await settle()
      throw new Error('full')
    }
    const get: Storage['get'] = async (key) => {
      if (!isFull || !key.includes('trust')) return memory.get(key)
      decision.open()
      await decision.pass()
      throw new Error('no trust')
    }
    const page = await another(await mirrored(remote(memory, { get, put })), configPath)
    await agent.rotateKey()
    const { documentId } = page.signMessageSync(1)
    const name = `${documentId.split(':')[0]}.1.json`
    await expect.poll(() => [...memory.listSync([])].some((key) => key.at(-1) === name)).toBe(true)
    await page.load(second.configPath)
    isFull = true
    page.trustAgent(other.exportAgent())
    page.signMessageSync(2)
    const told = await flushes(page, 4)
    expect(told.toSorted()).toEqual([
      'KeyRevoked',
      'StorageUnavailable: full',
      'StorageUnavailable: no trust',
      'nothing',
    ])
    expect(told.at(-1)).toBe('nothing')
  })

  it('K02 tells of it in each flush that begins before it was told', async () => {
    const { memory, configPath } = await begin()
    const { agent: other } = await begin('B')
    let isSlow = false
    const [first, last] = [gate(), gate()]
    const gates = [first, last]
    const get: Storage['get'] = (key) =>
      isSlow && key.includes('trust') ? Promise.reject(new Error('no trust')) : memory.get(key)
    const flush = async (): Promise<void> => (isSlow ? gates.shift()?.pass() : undefined)
    const page = await another(await mirrored(remote(memory, { get, flush })), configPath)
    isSlow = true
    page.trustAgent(other.exportAgent())
    const said = (work: Promise<void>): Promise<string> =>
      work.then(
        () => 'done',
        ({ code }: SxError) => code,
      )
    const one = said(page.flush())
    await first.reached
    await settle() // the decision has failed
    const two = said(page.flush())
    last.open()
    expect(await two).toBe('StorageUnavailable')
    first.open()
    expect(await one).toBe('StorageUnavailable')
    expect(await flushes(page, 1)).toEqual(['nothing'])
  })

  it('K02 tells of each of two decisions on trust that fail for different reasons', async () => {
    const { memory, configPath, agent } = await begin()
    const [{ agent: one }, { agent: two, agentId }] = [await begin('B'), await begin('C')]
    const old = one.exportAgent()
    await one.rotateKey()
    let isBroken = false
    const get: Storage['get'] = async (key) => {
      if (isBroken && key.at(-1)?.startsWith(agentId) === true) throw new Error('broken')
      return memory.get(key)
    }
    const page = await another(await mirrored(remote(memory, { get })), configPath)
    page.trustAgent(two.exportAgent())
    await page.flush()
    agent.trustAgent(one.exportAgent())
    isBroken = true
    page.trustAgent(old)
    expect(page.untrustAgent(agentId)).toBe(true)
    const told = await flushes(page, 3)
    isBroken = false
    expect(page.isTrusted(agentId)).toBe(true)
    expect(told).toEqual([expect.stringMatching(/^Rollback/), 'StorageUnavailable: broken', 'nothing'])
  })
})
