// What is written behind is looked at once more when it is stored.
import type { SxAgent, SxError } from 'sx-agent'
import { mirrored, type Storage, type SyncStorage } from 'sx-agent/storage'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { another, begin, dataOf, gate, intentOf } from './own.ts'
import { remote } from './remote.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** An agent that has written a document behind. The second flush of its storage from now on waits. */
async function heldAtSecondFlush(
  memory: SyncStorage,
  configPath: string,
): Promise<{ readonly page: SxAgent; readonly second: ReturnType<typeof gate> }> {
  const second = gate()
  let flushes = 0
  const flush = async (): Promise<void> => {
    if (++flushes === 2) await second.pass()
  }
  const page = await another(await mirrored(remote(memory, { flush })), configPath)
  page.signMessageSync(1)
  flushes = 0
  return { page, second }
}

describe('what is written behind', () => {
  it('K05 looks once more at what was written behind, also where the agent is loaded again meanwhile', async () => {
    const { memory, configPath, agent, agentId } = await begin()
    const page = await another(await mirrored(remote(memory)), configPath)
    const { raw } = page.signMessageSync(1)
    const intent = dataOf('A', intentOf(agentId, 2))
    memory.putSync(intent, new TextEncoder().encode('another process'))
    const flushing = page.flush()
    await page.load(configPath)
    memory.deleteSync(intent)
    await flushing
    expect((await page.verify(raw)).valid).toBe(true)
    // It has looked, so a later flush says nothing about it, although the key is compromised by then.
    await agent.rotateKey({ reason: 'compromised' })
    await page.flush()
    await expect(page.signMessage(2)).rejects.toMatchObject({ code: 'KeyRevoked' })
  })

  it('K05 waits with flush for the rotation of another process that has not seen what was written behind', async () => {
    const { memory, configPath, agentId } = await begin()
    const page = await another(await mirrored(remote(memory)), configPath)
    const version = gate()
    const put: Storage['put'] = async (key, ...given) => {
      if (key.at(-1) === `${agentId}.2.json`) await version.pass()
      return memory.put(key, ...given)
    }
    const rotation = (await another(remote(memory, { put }), configPath)).rotateKey()
    await version.reached
    await new Promise((resolve) => setTimeout(resolve, 10)) // the rotation is dated before this
    const { raw } = page.signMessageSync(1)
    let isDone = false
    const flushing = page.flush().then(
      () => {
        isDone = true
      },
      (error: unknown) => error,
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isDone).toBe(false)
    version.open()
    await rotation
    expect(await flushing).toMatchObject({ code: 'KeyRevoked' })
    expect(await page.verify(raw)).toMatchObject({ code: 'KeyRevoked' })
  })

  it('K05 tells of what was written behind and does not count, also to who loads the agent again before', async () => {
    const { memory, configPath, agent } = await begin()
    const page = await another(await mirrored(remote(memory)), configPath)
    await agent.rotateKey()
    const { raw } = page.signMessageSync(1)
    await page.load(configPath)
    await expect(page.flush()).rejects.toMatchObject({ code: 'KeyRevoked' })
    expect(await page.verify(raw)).toMatchObject({ code: 'KeyRevoked' })
    await page.flush() // it was told once
  })

  it('K05 tells every flush of what was written behind and does not count, also one beside another that still looks', async () => {
    const { memory, configPath, agent } = await begin()
    const look = gate()
    let isHeld = false
    const get: Storage['get'] = async (key) => {
      if (isHeld && key.at(-1)?.endsWith('.2.json') === true) {
        isHeld = false
        await look.pass()
      }
      return memory.get(key)
    }
    const page = await another(await mirrored(remote(memory, { get })), configPath)
    await agent.rotateKey()
    page.signMessageSync(1)
    isHeld = true
    const flushes = [page.flush()]
    await look.reached
    flushes.push(page.flush())
    look.open()
    for (const { status, reason } of (await Promise.allSettled(flushes)) as PromiseRejectedResult[]) {
      expect([status, (reason as SxError | undefined)?.code]).toEqual(['rejected', 'KeyRevoked'])
    }
    await page.flush() // it was told
  })

  it('K05 tells of what was written behind also by the flush after one that the storage has failed', async () => {
    const { memory, configPath, agent } = await begin()
    let isBroken = true
    const flush = async (): Promise<void> => {
      if (isBroken) throw new Error('no connection')
    }
    const page = await another(await mirrored(remote(memory, { flush })), configPath)
    await agent.rotateKey()
    page.signMessageSync(1)
    await expect(page.flush()).rejects.toMatchObject({ code: 'StorageUnavailable' })
    isBroken = false
    await expect(page.flush()).rejects.toMatchObject({ code: 'KeyRevoked' })
    await page.flush() // it was told once
  })

  it('K05 tells of what was written behind also once another agent was loaded in its place', async () => {
    const { memory, configPath, agent, agentId } = await begin()
    const other = await begin('B', memory)
    let isBroken = false
    const flush = async (): Promise<void> => {
      if (isBroken) throw new Error('no connection')
    }
    const page = await another(await mirrored(remote(memory, { flush })), configPath)
    await agent.rotateKey()
    page.signMessageSync(1)
    await page.load(other.configPath)
    page.signMessageSync(2)
    isBroken = true
    await expect(page.flush()).rejects.toMatchObject({ code: 'StorageUnavailable' })
    isBroken = false
    const told = { code: 'KeyRevoked', message: expect.stringContaining(agentId) as string }
    const flushed = await Promise.allSettled([page.flush(), page.flush()])
    const reasons = flushed.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) expect(reason).toMatchObject(told)
    await page.flush() // it was told
    await page.close()

    const last = await another(await mirrored(remote(memory)), configPath)
    await agent.rotateKey()
    last.signMessageSync(1)
    await last.load(other.configPath)
    await last.load(other.configPath)
    await expect(last.close()).rejects.toMatchObject(told)
  })

  it('K05 leaves what the present agent has to tell to the next flush where a former one fails first', async () => {
    const { memory, configPath, agentId } = await begin()
    const other = await begin('B', memory)
    const page = await another(await mirrored(remote(memory)), configPath)
    page.signMessageSync(1)
    await page.load(other.configPath)
    await other.agent.rotateKey()
    const { raw } = page.signMessageSync(2)
    const intent = dataOf('A', intentOf(agentId, 2))
    memory.putSync(intent, new TextEncoder().encode('another process'))
    await expect(page.flush()).rejects.toMatchObject({ code: 'Busy' })
    memory.deleteSync(intent)
    await expect(page.flush()).rejects.toMatchObject({ code: 'KeyRevoked' })
    expect((await page.verify(raw)).code).toBe('KeyRevoked')
    await page.flush()
  })

  it('K05 tells of each of two agents in whose places others were loaded', async () => {
    const first = await begin()
    const { memory, configPath, agent } = first
    const [second, third] = [await begin('B', memory), await begin('C', memory)]
    const page = await another(await mirrored(remote(memory)), configPath)
    await agent.rotateKey()
    page.signMessageSync(1)
    await page.load(second.configPath)
    await second.agent.rotateKey()
    page.signMessageSync(2)
    await page.load(third.configPath)
    for (const { agentId } of [first, second]) {
      const message = expect.stringContaining(agentId) as string
      await expect(page.flush()).rejects.toMatchObject({ code: 'KeyRevoked', message })
    }
    await page.flush()
  })

  it('K05 asks the chain of the place where it was written, not that of a copy which is loaded next', async () => {
    const { memory, configPath, agent } = await begin()
    const entries = [...memory.listSync([])]
    for (const key of entries) memory.putSync(['copy', ...key], memory.getSync(key) ?? new Uint8Array())
    const page = await another(await mirrored(remote(memory)), configPath)
    await agent.rotateKey()
    page.signMessageSync(1)
    await page.load('./copy/A/sx.config.json')
    await expect(page.flush()).rejects.toMatchObject({ code: 'KeyRevoked' })
    await page.flush()
  })

  it('K05 has a flush say what has failed, also where another call was told before the flush was at it', async () => {
    const { memory, configPath } = await begin()
    const { agent: other } = await begin('B')
    const decision = gate()
    let isFull = false
    const full = new Error('full')
    const put: Storage['put'] = (key, ...given) => (isFull ? Promise.reject(full) : memory.put(key, ...given))
    const get: Storage['get'] = async (key) => {
      if (isFull && key.includes('trust')) await decision.pass()
      return memory.get(key)
    }
    const page = await another(await mirrored(remote(memory, { get, put })), configPath)
    isFull = true
    page.trustAgent(other.exportAgent())
    await decision.reached
    page.signMessageSync(1)
    const flushing = page.flush()
    await expect.poll(() => page.signMessage(2).catch(({ cause }: SxError) => cause)).toBe(full)
    isFull = false
    decision.open()
    await expect(flushing).rejects.toMatchObject({ code: 'StorageUnavailable' })
    await page.flush() // it was told
  })

  it('K02 K05 tells of both where a decision on trust and a write have failed', async () => {
    const { memory, configPath } = await begin()
    const { agent: other } = await begin('B')
    let isFull = false
    const put: Storage['put'] = (key, ...given) =>
      isFull ? Promise.reject(new Error(key.includes('trust') ? 'no trust' : 'full')) : memory.put(key, ...given)
    const page = await another(await mirrored(remote(memory, { put })), configPath)
    isFull = true
    page.trustAgent(other.exportAgent())
    page.signMessageSync(1)
    const found = async (): Promise<string> => {
      try {
        await page.flush()
        return 'nothing'
      } catch (error) {
        return `${(error as SxError).found} ${String((error as SxError).cause)}`
      }
    }
    const told = [await found(), await found()]
    expect(told.toSorted()).toEqual([expect.stringContaining('full'), expect.stringContaining('no trust')])
    expect(await found()).toBe('nothing')
  })

  it.each(['superseded', 'compromised'] as const)(
    'K05 K10 lets the date decide where a statement (%s) revokes the key while flush waits for a rotation',
    async (reason) => {
      const { memory, configPath, agentId } = await begin()
      let looks = 0
      const get: Storage['get'] = (key) => {
        if (key.at(-1)?.endsWith('.rotation') === true) looks++
        return memory.get(key)
      }
      const page = await another(await mirrored(remote(memory, { get })), configPath)
      const { raw } = page.signMessageSync(1)
      const intent = dataOf('A', intentOf(agentId, 2))
      memory.putSync(intent, new TextEncoder().encode('another process'))
      const flushing = page.flush().then(
        () => 'stored',
        ({ code }: SxError) => code,
      )
      await expect.poll(() => looks).toBeGreaterThan(1)
      const statement = dataOf('A', `revocations/${agentId}.1.json`)
      const copy = await begin()
      await copy.agent.revokeKey({ statement: await copy.agent.createRevocation({ reason }) })
      memory.putSync(statement, copy.memory.getSync(statement) ?? new Uint8Array())
      expect(await flushing).toBe(reason === 'superseded' ? 'stored' : 'KeyRevoked')
      expect((await page.verify(raw)).valid).toBe(reason === 'superseded')
    },
  )

  it('K05 K10 lets the date decide of what was stored, too', async () => {
    const { memory, configPath, agent, agentId } = await begin()
    const stored = gate()
    const put: Storage['put'] = async (key, ...given) => {
      const isPut = await memory.put(key, ...given)
      if (key.includes('documents')) await stored.pass()
      return isPut
    }
    const other = await another(remote(memory, { put }), configPath)
    const signing = other.signMessage(1)
    await stored.reached
    memory.putSync(dataOf('A', intentOf(agentId, 2)), new TextEncoder().encode('another process'))
    const copy = await begin()
    await agent.revokeKey({ statement: await copy.agent.createRevocation({ reason: 'superseded' }) })
    stored.open()
    const { raw } = await signing
    expect((await other.verify(raw)).valid).toBe(true)
  })

  it('K05 says Busy of a rotation that goes on where the agent was loaded again for verifying only', async () => {
    const { memory, configPath, agentId } = await begin()
    const page = await another(await mirrored(remote(memory)), configPath)
    page.signMessageSync(1)
    memory.putSync(dataOf('A', intentOf(agentId, 2)), new TextEncoder().encode('another process'))
    await page.load(configPath, { verifyOnly: true })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    for (const end of [() => page.flush(), () => page.close()]) {
      let code: string | undefined
      void end().catch((error: SxError) => {
        code = error.code
      })
      for (let pauses = 0; code === undefined && pauses < 1_000; pauses++) await vi.advanceTimersByTimeAsync(50)
      expect(code).toBe('Busy')
    }
  })

  it('K05 leaves it to an awaited call to break off the rotation of a process that died', async () => {
    const { memory, configPath, agentId } = await begin()
    memory.putSync(dataOf('A', intentOf(agentId, 2)), new TextEncoder().encode('another process'))
    const page = await another(await mirrored(remote(memory)), configPath)
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(() => page.signMessageSync(1)).toThrow('being rotated')
    vi.setSystemTime(Date.now() + 6_000)
    expect(() => page.signMessageSync(1)).toThrow(
      "Busy: Another process began to rotate the agent's key, and seems to have died. Await flush(), or any function that signs, and try again.",
    )
    await page.flush()
    const { raw, documentId } = page.signMessageSync(1)
    await page.flush()
    const other = await another(remote(memory), configPath)
    expect((await other.verifyById(documentId)).valid).toBe(true)
    expect((await other.verify(raw)).valid).toBe(true)
    expect(JSON.parse(other.exportAgent())).toMatchObject({ sxPreviousVersion: expect.any(String) })
  })

  it('K05 says nothing of what another flush has confirmed before the key was called compromised', async () => {
    const { memory, configPath, agent } = await begin()
    const { page, second } = await heldAtSecondFlush(memory, configPath)
    const [first, other] = [page.flush(), page.flush()]
    await second.reached
    await first
    await agent.rotateKey({ reason: 'compromised' })
    page.signMessageSync(2)
    second.open()
    await other
    await expect(page.flush()).rejects.toMatchObject({ code: 'KeyRevoked' })
  })

  it('K05 W02 is still judged by a flush that ends after the agent was closed', async () => {
    const { memory, configPath, agent } = await begin()
    const { page, second } = await heldAtSecondFlush(memory, configPath)
    const flushing = page.flush()
    await second.reached
    await page.close()
    await agent.rotateKey()
    second.open()
    expect(await flushing).toBeUndefined()
  })
})
