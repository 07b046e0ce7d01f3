// What a verdict on the agent itself costs, and how signing meets a rotation of another process.
import { SxAgent, type SxError } from 'sx-agent'
import { mirrored, type Storage } from 'sx-agent/storage'
import { describe, expect, it, vi } from 'vitest'
import { runSync } from '../../src/effects.ts'
import { KeyRing } from '../../src/key-ring.ts'
import { Documents } from '../../src/state/documents.ts'
import { StoredDates } from '../../src/state/stored-dates.ts'
import { prefixed } from '../../src/storage/prefix.ts'
import { another, begin, counting, dataOf, gate, intentOf, password } from './own.ts'
import { remote } from './remote.ts'

describe('a verdict', () => {
  it('K01 reads one more entry where the signer is the agent itself, and none of the own chain for others', async () => {
    const { memory, configPath, agent, agentId } = await begin()
    const other = await begin('B')
    const own = await agent.signMessage(1)
    const theirs = await other.agent.signMessage(2)
    const { storage, reads } = counting(memory)
    const remote = await another(storage, configPath)
    remote.trustAgent(other.agent.exportAgent())
    await remote.flush()
    await remote.verify(own.raw)
    reads.length = 0
    expect((await remote.verify(own.raw)).trusted).toBe(true)
    // Both at the same time.
    expect(reads.sort()).toEqual([
      dataOf('A', `documents/${agentId.slice(0, 2)}/${agentId}.2.json`).join('/'),
      dataOf('A', `revocations/${agentId}.1.json`).join('/'),
    ])
    reads.length = 0
    expect((await remote.verify(theirs.raw)).trusted).toBe(true)
    expect(reads.filter((key) => key.includes('documents'))).toEqual([])
  })

  it('K01 K12 follows a rotation whose document is larger than the limits of whoever verifies', async () => {
    const { memory, configPath, agent } = await begin()
    const { raw } = await agent.signMessage(1)
    const small = new SxAgent({ storage: memory, password, limits: { bytes: 2_000 } })
    await small.load(configPath)
    for (let n = 0; n < 3; n++) await agent.rotateKey()
    await agent.rotateKey({ reason: 'compromised' })
    await agent.revokeKey((JSON.parse(raw) as { sxSignature: { keyId: string } }).sxSignature.keyId, {
      reason: 'compromised',
    })
    expect(agent.exportAgent().length).toBeGreaterThan(2_000)
    expect((await small.verify(raw)).code).toBe('KeyRevoked')
  })

  it('is not led astray by what anybody has put after the own document', async () => {
    const { memory, agent, agentId } = await begin()
    const { raw } = await agent.signMessage(1)
    const thief = await begin('T')
    const place = dataOf('A', `documents/${agentId.slice(0, 2)}/${agentId}.2.json`)
    for (const text of ['', '{}', thief.agent.exportAgent(), agent.exportAgent()]) {
      memory.putSync(place, new TextEncoder().encode(text))
      for (const result of [await agent.verify(raw), agent.verifySync(raw)]) expect(result.trusted).toBe(true)
      expect(agent.getWellKnownJson().keys).toHaveLength(1)
    }
  })
})

describe('signing beside a rotation', () => {
  it('K05 waits for one of another process, and stores nothing by the old key after it', async () => {
    const { memory, configPath, agent, agentId } = await begin()
    const other = await another(memory, configPath)
    memory.putSync(dataOf('A', intentOf(agentId, 2)), new TextEncoder().encode('another process'))
    let isDone = false
    const signing = other.signMessage('waits').finally(() => {
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(isDone).toBe(false)
    memory.deleteSync(dataOf('A', intentOf(agentId, 2)))
    const { raw } = await signing
    await agent.rotateKey()
    expect((await agent.verify(raw)).valid).toBe(true)
    await expect(other.signMessage('late')).rejects.toMatchObject({ code: 'KeyRevoked' })
  })

  it('K05 ends with Busy in the synchronous form, which stores nothing', async () => {
    const { memory, agent, agentId } = await begin()
    memory.putSync(dataOf('A', intentOf(agentId, 2)), new TextEncoder().encode('another process'))
    const before = [...memory.listSync([])].length
    const busy = expect.objectContaining({ code: 'Busy' }) as Error
    expect(() => agent.signMessageSync(1)).toThrow(busy)
    expect(() => agent.signStringSync('1')).toThrow(busy)
    expect([...memory.listSync([])]).toHaveLength(before)
  })

  it('K05 goes on in a copy in memory once refresh has seen that the rotation is over', async () => {
    const { memory, configPath, agentId } = await begin()
    const intent = dataOf('A', intentOf(agentId, 2))
    memory.putSync(intent, new TextEncoder().encode('another process'))
    const page = await another(await mirrored(remote(memory)), configPath)
    memory.deleteSync(intent)
    expect(() => page.signMessageSync(1)).toThrow(expect.objectContaining({ code: 'Busy' }))
    await page.refresh()
    const { raw } = page.signMessageSync(1)
    await page.flush()
    expect((await page.verify(raw)).valid).toBe(true)
  })

  it('K05 says what the owner of the key does', async () => {
    const { memory, configPath, agent } = await begin()
    const second = await another(remote(memory), configPath)
    const page = await another(await mirrored(remote(memory)), configPath)
    await agent.rotateKey()
    page.signMessageSync(1)
    const sentences = await Promise.all(
      [second.signMessage(1), page.flush()].map((call: Promise<unknown>) => call.catch((error: unknown) => error)),
    )
    await agent.revokeKey({ statement: await agent.createRevocation() })
    sentences.push(await agent.signMessage(1).catch((error: unknown) => error))
    const advice = [
      'Load the agent again.',
      'Load the agent again, and sign the documents again.',
      'Create a new agent.',
    ]
    expect(sentences.map((error) => (error as SxError).code)).toEqual(advice.map(() => 'KeyRevoked'))
    expect(sentences.map((error) => (error as SxError).advice)).toEqual(advice)
    for (const error of sentences as SxError[])
      expect(error.message).toBe(`${error.code}: ${error.found} ${error.advice}`)
  })

  it('K05 finds a rotation that puts its version after the look for it, and ends before the look for its intent', async () => {
    const { memory, configPath, agentId } = await begin()
    const [stored, version, late] = [gate(), gate(), gate()]
    const held: Storage['put'] = async (key, ...given) => {
      if (key.at(-1) === `${agentId}.2.json`) await version.pass()
      return memory.put(key, ...given)
    }
    const rotating = await another(remote(memory, { put: held }), configPath)
    let isStored = false
    const slow: Partial<Storage> = {
      put: async (key, ...given) => {
        if (key.at(-1)?.endsWith('.1.json') === true) await stored.pass()
        return memory.put(key, ...given)
      },
      get: async (key) => {
        if (isStored && key.join('/').endsWith(intentOf(agentId, 2))) await late.pass()
        return memory.get(key)
      },
    }
    const signing = await another(remote(memory, slow), configPath)
    const { now } = Date
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000)
    const signed = signing.signMessage(1).catch((error: unknown) => error)
    await stored.reached // it has looked
    ahead.mockRestore()
    const rotation = rotating.rotateKey()
    await version.reached // it has seen all documents
    isStored = true
    stored.open()
    await late.reached
    version.open()
    await rotation
    late.open()
    expect(await signed).toMatchObject({ code: 'KeyRevoked' })
  })

  it('begins again where its own process has put a version meanwhile that changes no key', async () => {
    const { memory, configPath, agentId } = await begin()
    const key = gate()
    let isHeld = false
    const get: Storage['get'] = async (name) => {
      if (isHeld && name.at(-1) === 'sx.private.pem') await key.pass()
      return memory.get(name)
    }
    const agent = await another(remote(memory, { get }), configPath)
    isHeld = true
    const rotation = agent.rotateKey()
    await key.reached
    isHeld = false
    await agent.updateAgent(JSON.stringify({ ...JSON.parse(agent.exportAgent()), description: 'Signs invoices.' }))
    key.open()
    const { keyId } = await rotation
    expect(agent.getAgentInfo()).toMatchObject({ agentId, keyId })
    expect(memory.getSync(dataOf('A', `documents/${agentId.slice(0, 2)}/${agentId}.3.json`))).toBeDefined()
  })

  it('K05 does not wait for a rotation that the process itself has just put', async () => {
    const { memory, agent } = await begin()
    const put = memory.put.bind(memory)
    const signed: string[] = []
    const putting = vi.spyOn(memory, 'put').mockImplementation(async (key, ...given) => {
      const isPut = await put(key, ...given)
      if (key.at(-1)?.endsWith('.rotation') === true) signed.push(agent.signMessageSync(1).raw)
      return isPut
    })
    try {
      await agent.rotateKey()
    } finally {
      putting.mockRestore()
    }
    expect(signed).toHaveLength(1)
    for (const raw of signed) expect((await agent.verify(raw)).valid).toBe(true)
  })

  it('K10 states no revocation of a key that its own process has just replaced in the storage', async () => {
    const { memory, configPath, agentId } = await begin()
    const hint = gate()
    const put: Storage['put'] = async (key, ...given) => {
      if (key.at(-1) === `${agentId}.latest`) await hint.pass()
      return memory.put(key, ...given)
    }
    const agent = await another(remote(memory, { put }), configPath)
    const rotation = agent.rotateKey()
    await hint.reached // the version that names the new key is there, and the rotation goes on
    const stating = agent.createRevocation()
    await new Promise((resolve) => setTimeout(resolve, 50))
    hint.open()
    const { keyId, formerKeyId } = await rotation
    expect(keyId).not.toBe(formerKeyId)
    expect(JSON.parse(await stating)).toMatchObject({ keyId })
  })

  it('K05 takes back a rotation that is refused, so that nobody waits', async () => {
    const { memory, agent, agentId } = await begin()
    await expect(agent.rotateKey({ reason: 'no reason' as never })).rejects.toMatchObject({ code: 'InvalidOption' })
    expect(memory.getSync(dataOf('A', intentOf(agentId, 2)))).toBeUndefined()
    expect((await agent.signMessage(1)).raw).toContain(agentId)
  })

  it('K05 is refused where the clock of the rotation is hours behind, and says what to do', async () => {
    const { memory, configPath, agent } = await begin()
    const { raw } = await agent.signMessage(1)
    const behind = await another(memory, configPath)
    const { now } = Date
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3 * 3_600_000)
    try {
      await expect(behind.rotateKey()).rejects.toMatchObject({
        code: 'ClockBehind',
        message: expect.stringMatching(/`force: true`.*If the clock is wrong, correct it\./) as string,
      })
      expect((await behind.verify(raw)).valid).toBe(true)
      await behind.rotateKey({ reason: 'compromised' })
      expect((await behind.verify(raw)).code).toBe('KeyRevoked')
    } finally {
      clock.mockRestore()
    }
  })
})

describe('the dates of what is stored', () => {
  it('are those of the agent, also below versions of others, and of nothing that is damaged', async () => {
    const { memory, agent, agentId } = await begin()
    const at = async (time: string): Promise<string> => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(time))
      try {
        return (await agent.signMessage(time)).documentId
      } finally {
        clock.mockRestore()
      }
    }
    await at('2030-01-01T00:00:00.000Z')
    const latest = await at('2031-01-01T00:00:00.000Z')
    await at('2029-01-01T00:00:00.000Z')
    const documents = new Documents(prefixed(memory, ['A', 'sx_data']), new KeyRing(''))
    const dates = new StoredDates(documents, agentId)
    runSync(() => dates.read())
    expect(new Date(dates.latest).toISOString()).toBe('2031-01-01T00:00:00.000Z')
    const foreign = new StoredDates(documents, crypto.randomUUID())
    runSync(() => foreign.read())
    expect(foreign.latest).toBe(0)
    // A damaged later version hides nothing.
    memory.putSync(dataOf('A', `documents/${latest.slice(0, 2)}/${latest}.2.json`), new Uint8Array([1]))
    const again = new StoredDates(documents, agentId)
    runSync(() => again.read())
    expect(again.latest).toBe(dates.latest)
  })
})
