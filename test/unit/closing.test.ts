// Letting go of an agent: what is waited for, whom a failure is told, and what can be called afterwards.
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { type Key, memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { remote } from './remote.ts'

const password = 'a password for tests'
const network = new TypeError('fetch failed')
const wrapped = { name: 'SxError', code: 'StorageUnavailable', cause: network }

let signerId: string
let signer: string
let message: string
/** What an agent has stored. */
const whole: [Key, Uint8Array][] = []
let stored: SyncStorage

beforeAll(async () => {
  await simple.create({ name: 'Signer', algorithm: 'ed25519', storage: memoryStorage(), password })
  signerId = simple.getAgentInfo()?.agentId ?? ''
  signer = simple.exportAgent()
  message = (await simple.signMessage(1)).raw
  const storage = memoryStorage()
  await simple.create({ name: 'A', algorithm: 'ed25519', storage, password })
  for (const key of storage.listSync([])) whole.push([key, storage.getSync(key) as Uint8Array])
})

beforeEach(() => {
  stored = memoryStorage()
  for (const [key, bytes] of whole) stored.putSync(key, bytes)
})

const count = (): number => [...stored.listSync([])].length

/** Something that waits until it is let go. */
function held(): { wait: () => Promise<void>; let: { go: () => void; fail: () => void } } {
  let [go, fail] = [() => {}, () => {}]
  const end = new Promise<void>((resolve, reject) => {
    go = resolve
    fail = () => reject(network)
  })
  end.catch(() => {})
  return { wait: () => end, let: { go, fail } }
}

/** An agent; without its private key, which takes time to open, unless that is needed. */
async function opened(storage: Storage, needsKey = false): Promise<SxAgent> {
  const agent = new SxAgent({ storage, ...(needsKey ? { password } : { verifyOnly: true }) })
  await agent.load()
  return agent
}

/** How promises stand, without waiting for them. */
async function standing(...promises: Promise<unknown>[]): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  const pending = Promise.resolve('pending')
  return Promise.all(
    promises.map((promise) =>
      Promise.race([
        promise.then(
          () => 'done',
          () => 'failed',
        ),
        pending.then((text) => text),
      ]),
    ),
  )
}

describe('closing', () => {
  it('tells the raw error of a storage as StorageUnavailable, from whichever call it comes', async () => {
    for (const failing of [1, 2, 3, 4, 5, 6, 7]) {
      let calls = 0
      const agent = await opened(
        remote(stored, { flush: () => (++calls === failing ? Promise.reject(network) : Promise.resolve()) }),
      )
      await expect(agent.close()).rejects.toMatchObject(wrapped)
      expect(calls).toBe(7)
      expect(agent.isLoaded()).toBe(false)
    }
  })

  it('tells an error with a code as it is, and the first of several', async () => {
    const [full, busy] = [new SxError('StorageFull'), new SxError('Busy')]
    const errors: Error[] = [full, busy, network, network, network, network]
    const agent = await opened(remote(stored, { flush: () => Promise.reject(errors.shift() ?? network) }))
    await expect(agent.close()).rejects.toBe(full)
    expect(errors).toEqual([])
  })

  it('wraps what a storage throws instead of rejecting', async () => {
    const agent = await opened(
      remote(stored, {
        flush: () => {
          throw network
        },
      }),
    )
    await expect(agent.close()).rejects.toMatchObject(wrapped)
  })

  it('tells that a decision about trust could not be written, and writes what can be', async () => {
    for (const isDown of [true, false]) {
      const agent = await opened(
        remote(stored, { put: (...given) => (isDown ? Promise.reject(network) : stored.put(...given)) }),
      )
      agent.trustAgent(signer)
      const closing = agent.close()
      const told: unknown = await closing.catch((error: unknown) => error)
      expect((told as { cause?: unknown } | undefined)?.cause).toBe(isDown ? network : undefined)
      await simple.load({ storage: stored, verifyOnly: true })
      expect(simple.isTrusted(signerId)).toBe(!isDown)
    }
  })

  it('leaves a storage that was passed in open', async () => {
    let closed = 0
    const agent = await opened(remote(stored, { close: async () => void closed++ }))
    await agent.close()
    expect(closed).toBe(0)
    await agent.load()
    expect(agent.isLoaded()).toBe(true)
  })

  it('has no agent loaded at once', async () => {
    const agent = await opened(stored)
    const closing = agent.close()
    expect([agent.isLoaded(), agent.getAgentInfo()]).toEqual([false, null])
    await closing
  })

  it('by `using` has nobody to tell of a failure', async () => {
    const agent = await opened(remote(stored, { flush: () => Promise.reject(network) }))
    agent[Symbol.dispose]()
    expect(agent.isLoaded()).toBe(false)
    await standing()
  })
})

describe('two closings at once', () => {
  it('both wait for the one that is under way', async () => {
    const flush = held()
    const agent = await opened(remote(stored, { flush: flush.wait }))
    const closings = [agent.close(), agent.close()]
    expect(await standing(...closings)).toEqual(['pending', 'pending'])
    flush.let.go()
    expect(await Promise.all(closings)).toEqual([undefined, undefined])
  })

  it('both tell its error; a later one has nothing to tell', async () => {
    const flush = held()
    const agent = await opened(remote(stored, { flush: flush.wait }))
    const closings = [agent.close(), agent.close()]
    const told = Promise.allSettled(closings)
    flush.let.fail()
    const outcome = { status: 'rejected', reason: expect.objectContaining(wrapped) as Error }
    expect(await told).toEqual([outcome, outcome])
    expect(await agent.close()).toBeUndefined()
  })

  it('of two agents loaded one after the other: the second waits for the first, and tells its error', async () => {
    for (const ending of ['go', 'fail'] as const) {
      const first = held()
      let storage = remote(stored, { flush: first.wait })
      await simple.load({ storage, verifyOnly: true })
      const before = simple.close()
      storage = remote(stored)
      await simple.load({ storage, verifyOnly: true })
      const after = simple.close()
      const told = Promise.allSettled([before, after])
      expect(await standing(before, after)).toEqual(['pending', 'pending'])
      first.let[ending]()
      const status = ending === 'go' ? 'fulfilled' : 'rejected'
      expect(await told).toMatchObject([{ status }, { status }])
      expect(await simple.close()).toBeUndefined()
    }
  })
})

describe('after closing', () => {
  it('every call says that no agent is loaded, and closing again does nothing', async () => {
    const agent = await opened(stored)
    await agent.close()
    const calls: (() => unknown)[] = [
      () => agent.createDocument('{}'),
      () => agent.createDocumentSync('{}'),
      () => agent.verifyDocument(message),
      () => agent.listTrustedAgents(),
      () => agent.trustAgent(signer),
      () => agent.exportAgent(),
      () => agent.getPublicKey(),
      () => agent.flush(),
    ]
    for (const call of calls) {
      await expect(Promise.resolve().then(call)).rejects.toMatchObject({ name: 'SxError', code: 'NoAgentLoaded' })
    }
    expect(await agent.close()).toBeUndefined()
  })

  it('the same agent can be loaded again, also while it is being closed', async () => {
    const flush = held()
    const agent = await opened(remote(stored, { flush: flush.wait }), true)
    const closing = agent.close()
    await agent.load()
    flush.let.go()
    await closing
    expect(agent.isLoaded()).toBe(true)
    expect(await agent.verifyDocument(await agent.createDocument('{"amount":1}'))).toBe(true)
  })
})

it('what runs while an agent is closed is done whole, or refused with a code', async () => {
  const reads = held()
  let isHeld = false
  const agent = await opened(
    remote(stored, { get: async (key) => (isHeld && (await reads.wait()), stored.get(key)) }),
    true,
  )
  const document = await agent.createDocument('{"amount":1}')
  const id = (JSON.parse(document) as { sxId: string }).sxId
  const before = count()
  isHeld = true
  const [made, ...refused] = [
    agent.createDocument('{"amount":2}'),
    agent.updateDocument(id, JSON.stringify({ ...(JSON.parse(document) as object), amount: 3 })),
    agent.verifyDocument(message),
  ] as const
  const reasons = refused.map((running: Promise<unknown>) => running.catch((reason: unknown) => reason))
  await agent.close()
  reads.let.go()
  const text = await made
  for (const running of reasons) {
    const error: unknown = await running
    expect(error).toBeInstanceOf(SxError)
    expect(['NoAgentLoaded', 'StorageUnavailable']).toContain((error as SxError).code)
  }
  expect(count()).toBe(before + 1)
  await agent.load()
  isHeld = false
  expect(await agent.verifyDocument(text)).toBe(true)
  expect(await agent.verifyDocument(await agent.getDocument(id))).toBe(true)
})

describe('closing beside a call that loads an agent', () => {
  const closed = { name: 'SxError', code: 'NoAgentLoaded' }
  const begun = { name: 'A', domain: 'example.com', algorithm: 'ed25519', password } as const

  /** A storage that stops at the first step of which `isAt` says so. */
  function stopping(isAt: (step: 'get' | 'put', key: Key) => boolean): {
    storage: Storage
    at: Promise<void>
    go: () => void
  } {
    const { wait, let: end } = held()
    let reached = (): void => {}
    const at = new Promise<void>((resolve) => {
      reached = resolve
    })
    const stop = async (step: 'get' | 'put', key: Key): Promise<void> => {
      if (!isAt(step, key)) return
      reached()
      await wait()
    }
    const storage = remote(stored, {
      get: async (key) => (await stop('get', key), stored.get(key)),
      put: async (key, ...given) => {
        const isPut = await stored.put(key, ...given)
        await stop('put', key)
        return isPut
      },
    })
    return { storage, at, go: end.go }
  }

  it.each(['sx.config.json', 'sx.private.pem'])('load ends in an error, stopped at %s', async (name) => {
    const { storage, at, go } = stopping((_, key) => key.at(-1) === name)
    const agent = new SxAgent({ storage, password })
    const loading = agent.load()
    const loaded = simple.load({ storage, password })
    const quick = simple.quickstart({ ...begun, storage })
    const results = Promise.allSettled([loading, loaded, quick])
    await at
    await Promise.all([agent.close(), simple.close()])
    go()
    for (const result of await results) {
      expect(result).toMatchObject({ status: 'rejected', reason: closed })
    }
    expect([agent.isLoaded(), simple.isLoaded()]).toEqual([false, false])
    await agent.load()
    expect(agent.isLoaded()).toBe(true)
    await agent.close()
  })

  it('load ends in an error also where the agent is closed before the first step', async () => {
    const agent = await opened(stored)
    const loading = agent.load()
    loading.catch(() => {})
    await agent.close()
    await expect(loading).rejects.toMatchObject(closed)
    expect(agent.isLoaded()).toBe(false)
  })

  it('a creation that has not committed leaves nothing, and one that has says so', async () => {
    stored = memoryStorage()
    for (const make of [simple.create, simple.quickstart]) {
      const early = stopping((step, key) => step === 'get' && key.at(-1) === 'sx.private.pem')
      const making = make({ ...begun, storage: early.storage })
      making.catch(() => {})
      await early.at
      await simple.close()
      early.go()
      await expect(making).rejects.toMatchObject(closed)
      expect([simple.isLoaded(), count()]).toEqual([false, 0])
    }
    const late = stopping((step, key) => step === 'put' && key.at(-1) === 'sx.config.json')
    const making = simple.create({ ...begun, storage: late.storage })
    await late.at
    await simple.close()
    late.go()
    const { agentId } = await making
    expect(simple.isLoaded()).toBe(false)
    expect((await simple.load({ storage: stored, password })).agentId).toBe(agentId)
  })
})
