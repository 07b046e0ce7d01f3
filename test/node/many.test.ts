// `verifyMany` and an agent in a worker, on threads: they run dist, since threads start files. Without threads: the
// sources, beside which there is no such file.
import '../patience.ts'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { availableParallelism } from 'node:os'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import threads from 'node:worker_threads'
import * as sources from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import type * as workerEntry from 'sx-agent/worker'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { HANGING } from '../pace.ts'
import { newFolder, PASSWORD } from './fixtures.ts'

const dist = (name: string): string => fileURLToPath(new URL(`../../dist/node/${name}.js`, import.meta.url))
const load = async <Entry>(name: string): Promise<Entry> => (await import(/* @vite-ignore */ dist(name))) as Entry
const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })

/** The threads that were started, in order. */
const started: threads.Worker[] = []
/** What is done to each as soon as it is started. */
let atStart: ((thread: threads.Worker) => void) | undefined
const { Worker } = threads
beforeAll(() => {
  threads.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given)
      started.push(this)
      atStart?.(this)
    }
  }
  syncBuiltinESMExports()
})
afterAll(() => {
  threads.Worker = Worker
  syncBuiltinESMExports()
})

const COUNT = 200
/** When so many verdicts are there, threads are at work: what is no text was judged before. */
const LATER = 20
const storage = memoryStorage()
const strangers = memoryStorage()
/** Valid, tampered with, by a stranger, by a trusted agent, and nothing that can be a document. */
let documents: string[]
let expected: sources.VerificationResult[]

type Main = typeof sources
const opened: sources.SxAgent[] = []
async function agentOf({ SxAgent }: Main): Promise<sources.SxAgent> {
  const agent = new SxAgent({ storage, password: PASSWORD })
  await agent.load()
  opened.push(agent)
  return agent
}

beforeAll(async () => {
  const simple = await import('sx-agent/simple')
  const options = { algorithm: 'ed25519', password: PASSWORD } as const
  const own: string[] = []
  const sign = async (name: string, place: ReturnType<typeof memoryStorage>): Promise<[string, string]> => {
    await simple.create({ ...options, name, storage: place })
    for (let at = 0; at < COUNT / 4; at++) own.push((await simple.signMessage({ name, at })).raw)
    return [simple.exportAgent(), own.at(-1) as string]
  }
  const [trusted] = await sign('Trusted', memoryStorage())
  await sign('Stranger', strangers)
  await sign('Verifier', storage)
  const signed = own.length
  for (let at = 0; own.length < COUNT; at++) own.push((own[at % signed] as string).replace('"at":', '"at":1'))
  const bad = [17, null, undefined, '', '{', '{}', '[]', '\ud800', 'x'.repeat(100), '{"a":1,"a":2}'] as string[]
  documents = [...own.slice(0, 70), ...bad, ...own.slice(70)]
  simple.trustAgent(trusted)
  expected = []
  for (const document of documents) expected.push(await simple.verify(document))
  expect(new Set(expected.map(({ code, trusted }) => code ?? `trusted: ${trusted}`))).toEqual(
    new Set([
      'trusted: true',
      'BadSignature',
      'UnknownSigner',
      'NotJson',
      'MissingSignature',
      'InvalidDocument',
      'DuplicateKey',
    ]),
  )
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((agent) => agent.close()))
  started.length = 0
  atStart = undefined
})

describe.each([
  ['on threads', () => load<Main>('index'), 2],
  ['without threads', async () => sources, undefined],
] as const)('verifyMany %s', (_, from, threadCount) => {
  it('gives the verdicts of verify, in the order of the documents', async () => {
    const agent = await agentOf(await from())
    expect(await agent.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
    if (threadCount !== undefined) expect(started).toHaveLength(threadCount)
    expect(await agent.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
    if (threadCount !== undefined) expect(started).toHaveLength(threadCount)
    const [first] = await agent.verifyMany(documents)
    expect(Object.isFrozen(first)).toBe(true)
    expect(await agent.verifyMany([])).toEqual([])
  })

  it('verifies what was passed, whatever becomes of the array', async () => {
    const agent = await agentOf(await from())
    const mine = [...documents]
    const verdicts = agent.verifyMany(mine)
    mine.fill('{}')
    mine.length = 3
    expect(await verdicts).toEqual(expected)
  })

  it('tells how far it is: always more, at the end all', async () => {
    const agent = await agentOf(await from())
    const told: number[] = []
    await agent.verifyMany(documents, {
      onProgress: (done, total) => {
        expect(total).toBe(documents.length)
        told.push(done)
      },
    })
    expect(told.at(-1)).toBe(documents.length)
    expect(told).toEqual([...new Set(told)].sort((a, b) => a - b))
    expect(told.length).toBeGreaterThan(1)
  })

  it('ends with the reason of the signal, or with what the progress callback throws, and works again', async () => {
    const agent = await agentOf(await from())
    const controller = new AbortController()
    const reason = new RangeError('enough')
    const seen: number[] = []
    const ended = agent.verifyMany(documents, {
      signal: controller.signal,
      onProgress: (done) => {
        seen.push(done)
        if (done > LATER) controller.abort(reason)
      },
    })
    await expect(ended).rejects.toBe(reason)
    await expect(agent.verifyMany(documents, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const throwing = agent.verifyMany(documents, {
      onProgress: (done) => {
        if (done > LATER) throw reason
      },
    })
    await expect(throwing).rejects.toBe(reason)
    expect(await agent.verifyMany(documents)).toEqual(expected)
    expect(seen.filter((done) => done > LATER)).toHaveLength(1)
  })

  it('knows a change of trust at the next call', async () => {
    const agent = await agentOf(await from())
    const stranger = new sources.SxAgent({ storage: strangers, verifyOnly: true })
    await stranger.load()
    const { agentId } = agent.trustAgent(stranger.exportAgent())
    const isTrusted = async (): Promise<number> =>
      (await agent.verifyMany(documents)).filter(({ valid, signerId }) => valid && signerId === agentId).length
    try {
      expect(await isTrusted()).toBe(COUNT / 4)
    } finally {
      agent.untrustAgent(agentId)
    }
    expect(await isTrusted()).toBe(0)
  })

  it('ends with its agent', async () => {
    const agent = await agentOf(await from())
    const onProgress = (done: number): void => {
      if (done > LATER) void agent.close()
    }
    await expect(agent.verifyMany(documents, { onProgress })).rejects.toEqual(failsWith('NoAgentLoaded'))
    await expect(agent.verifyMany(documents)).rejects.toEqual(failsWith('NoAgentLoaded'))
    await vi.waitFor(() => expect(started.every(({ threadId }) => threadId === -1)).toBe(true), { timeout: HANGING })
  })

  const listeners = { addEventListener: () => {}, removeEventListener: () => {} }
  it('refuses other arguments', async () => {
    const agent = await agentOf(await from())
    const refused = failsWith('InvalidOption')
    const throwing = new Proxy(
      {},
      { get: () => assert.fail('not to be read'), has: () => assert.fail('not to be read') },
    )
    const signals = [1, null, throwing, { aborted: false, addEventListener: () => {} }, { aborted: 0, ...listeners }]
    for (const options of [
      { concurrency: 0 },
      { concurrency: 1.5 },
      { onProgress: 1 },
      { signl: 1 },
      ...signals.map((signal) => ({ signal })),
    ]) {
      await expect(agent.verifyMany(documents, options as object)).rejects.toEqual(refused)
    }
    for (const given of ['{}', undefined, { length: 1 }, new Set()]) {
      await expect(agent.verifyMany(given as string[])).rejects.toEqual(refused)
    }
  })
})

describe('threads of verifyMany', () => {
  it.each([
    ['before it runs', true],
    ['while it works', false],
  ])('may die %s: all verdicts are there, in order', async (_, isEarly) => {
    const agent = await agentOf(await load<Main>('index'))
    const kill = (): void => void started[0]?.terminate()
    if (isEarly) atStart = kill
    const verdicts = agent.verifyMany(documents, {
      concurrency: 2,
      onProgress: (done) => {
        if (done > LATER) kill()
      },
    })
    expect(await verdicts).toEqual(expected)
    expect(await agent.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
  })

  it('may all die', async () => {
    const agent = await agentOf(await load<Main>('index'))
    const onProgress = (): void => {
      for (const thread of started) void thread.terminate()
    }
    expect(await agent.verifyMany(documents, { concurrency: 2, onProgress })).toEqual(expected)
  })

  it('are shared by agents, and end with the last of them', async () => {
    const main = await load<Main>('index')
    const [first, second] = [await agentOf(main), await agentOf(main)]
    await Promise.all([first, second].map((agent) => agent.verifyMany(documents, { concurrency: 2 })))
    expect(started).toHaveLength(2)
    await first.close()
    expect(await second.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
    expect(started).toHaveLength(2)
    await second.close()
    await vi.waitFor(() => expect(started.every(({ threadId }) => threadId === -1)).toBe(true), { timeout: HANGING })
  })

  it('are no more than there are processors, or eight, however many are asked for', async () => {
    const agent = await agentOf(await load<Main>('index'))
    const most = Math.max(availableParallelism(), 8)
    const many = Array.from({ length: 32 * (most + 2) }, () => '{}')
    expect(await agent.verifyMany(many, { concurrency: 1e9 })).toHaveLength(many.length)
    expect(started).toHaveLength(most)
  })

  it('are not started for a few documents, and keep no program running', async () => {
    const script = `
      import { SxAgent } from '${dist('index')}'
      import { createWorkerAgent } from '${dist('worker')}'
      const agent = await createWorkerAgent({ password: '${PASSWORD}' })
      await agent.quickstart({ name: 'Billing', domain: 'example.com', algorithm: 'ed25519' })
      const signed = await agent.createDocument('{"a":1}')
      const here = new SxAgent({ verifyOnly: true })
      await here.load()
      const count = async (length) => {
        const verdicts = await here.verifyMany(Array.from({ length }, () => signed))
        return verdicts.filter(({ valid }) => valid).length
      }
      console.log(await count(1), await count(100))
    `
    const { stdout } = await promisify(execFile)(execPath, ['--input-type=module', '--eval', script], {
      cwd: newFolder(),
      timeout: HANGING,
    })
    expect(stdout).toBe('1 100\n')
    const agent = await agentOf(await load<Main>('index'))
    expect(await agent.verifyMany(documents.slice(66, 76))).toEqual(expected.slice(66, 76))
    expect(started).toEqual([])
  })
})

describe('an agent in a thread', () => {
  type Entry = typeof workerEntry
  const start = async (): ReturnType<Entry['createWorkerAgent']> => {
    const { createWorkerAgent } = await load<Entry>('worker')
    const agent = await createWorkerAgent({ password: PASSWORD })
    const options = { name: 'Billing', domain: 'example.com', algorithm: 'ed25519' } as const
    await agent.quickstart({ ...options, configPath: `${newFolder()}/sx.config.json` })
    return agent
  }

  it('dies: every call that is open, and every later one, is refused with a code', async () => {
    const agent = await start()
    void started[0]?.terminate()
    const open = [agent.signString('a'), agent.verifyMany(documents), agent.verifyOrThrow('{}')]
    const outcomes = await Promise.allSettled(open)
    expect(outcomes).toEqual(open.map(() => ({ status: 'rejected', reason: failsWith('WorkerUnavailable') })))
    await expect(agent.getPublicKey()).rejects.toEqual(failsWith('WorkerUnavailable'))
    await agent.close()
  })

  it('is closed: calls afterwards say so', async () => {
    const agent = await start()
    await Promise.all([agent.close(), agent.close()])
    await expect(agent.getPublicKey()).rejects.toEqual(failsWith('NoAgentLoaded'))
  })
})
