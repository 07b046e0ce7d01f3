// `verifyMany` in a page, over web workers.
import { SxAgent, type VerificationResult } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'

const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })
const password = 'correct horse battery staple'
const storage = memoryStorage()
let documents: string[]
let expected: VerificationResult[]
let agent: SxAgent

/** The workers that were started, in order, with the messages that they got. */
let started: Watched[]
const PlainWorker = Worker
class Watched extends Worker {
  isEnded = false
  constructor(...given: ConstructorParameters<typeof Worker>) {
    super(...given)
    started.push(this)
  }
  override terminate(): void {
    this.isEnded = true
    super.terminate()
  }
}

beforeAll(async () => {
  await simple.create({ name: 'Billing', algorithm: 'ed25519', storage, password })
  documents = []
  for (let at = 0; at < 150; at++) documents.push((await simple.signMessage({ at })).raw)
  documents[20] = (documents[20] as string).replace('"at":20', '"at":21')
  documents[30] = 17 as unknown as string
  documents[149] = '{'
  expected = []
  for (const document of documents) expected.push(await simple.verify(document))
})
beforeEach(async () => {
  agent = new SxAgent({ storage, password })
  await agent.load() // a worker derives its key
  started = []
  vi.stubGlobal('Worker', Watched)
})
afterEach(async () => {
  await agent.close()
  vi.unstubAllGlobals()
})

it('gives the verdicts of verify, in order, from workers that are kept until the agent is closed', async () => {
  expect(expected.filter(({ valid }) => valid)).toHaveLength(147)
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  expect(await agent.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
  expect(started).toHaveLength(2)
  const sent = posted.mock.calls.filter(([message]) => (message as { name?: string } | undefined)?.name === 'verify')
  expect(sent.length).toBeGreaterThan(1)
  expect(await agent.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
  expect(started).toHaveLength(2)
  await agent.close()
  expect(started.map(({ isEnded }) => isEnded)).toEqual([true, true])
  posted.mockRestore()
})

it('does what a worker has not done that ends without a word', async () => {
  const verdicts = agent.verifyMany(documents, {
    concurrency: 2,
    // Not as whoever ends it: the page is told by nobody.
    onProgress: () => {
      if (started[0] !== undefined) PlainWorker.prototype.terminate.call(started[0])
    },
  })
  expect(await verdicts).toEqual(expected)
  expect(await agent.verifyMany(documents, { concurrency: 2 })).toEqual(expected)
})

it.each([
  ['there are no workers', () => undefined],
  [
    'the page forbids them at once',
    () =>
      class {
        constructor() {
          throw new DOMException('no', 'SecurityError')
        }
      },
  ],
  [
    'their file is not served',
    () =>
      class extends Watched {
        constructor() {
          super('/nowhere/verify-worker.js', { type: 'module' })
        }
      },
  ],
])('makes the verdicts in the page where %s', async (_, workers) => {
  vi.stubGlobal('Worker', workers())
  const told: number[] = []
  expect(await agent.verifyMany(documents, { onProgress: (done) => told.push(done) })).toEqual(expected)
  expect(told.at(-1)).toBe(documents.length)
})

it('ends with the reason of the signal', async () => {
  const controller = new AbortController()
  const reason = new RangeError('enough')
  const onProgress = (done: number): void => {
    if (done > 20) controller.abort(reason) // the workers are at work
  }
  await expect(agent.verifyMany(documents, { signal: controller.signal, onProgress })).rejects.toBe(reason)
  expect(await agent.verifyMany(documents)).toEqual(expected)
})

it('ends with its agent', async () => {
  const onProgress = (done: number): void => {
    if (done > 20) void agent.close()
  }
  await expect(agent.verifyMany(documents, { onProgress })).rejects.toEqual(failsWith('NoAgentLoaded'))
})
