// An agent in a worker of a page: it does what SxAgent does, and the page stays free meanwhile.
import { hashString, init, SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { createWorkerAgent, SxError, type WorkerAgent } from 'sx-agent/worker'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { gapOf } from '../gaps.ts'

const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })
const password = 'correct horse battery staple'

let agent: WorkerAgent | undefined
afterEach(async () => {
  vi.unstubAllGlobals()
  await agent?.close()
})

async function started(): Promise<WorkerAgent> {
  agent = await createWorkerAgent({ password })
  return agent
}

const options = (name: string) => ({ name, domain: 'example.com', configPath: `${name}/sx.config.json` })
const ed25519 = { algorithm: 'ed25519' } as const

describe('an agent in a worker', () => {
  it('creates, signs, verifies and trusts', async () => {
    const there = await started()
    expect(await there.isLoaded()).toBe(false)
    const info = await there.quickstart({ ...options('there'), ...ed25519 })
    expect(info).toMatchObject({ name: 'there', created: true })
    expect(Object.isFrozen(info)).toBe(true)
    expect(await there.quickstart(options('there'))).toMatchObject({ agentId: info.agentId, created: false })
    const signed = await there.createDocument('{"a":1}')
    const verdict = await there.verifyOrThrow(signed)
    expect(verdict).toMatchObject({ valid: true, trusted: true, data: { a: 1 }, code: undefined })
    expect([verdict, verdict.errors, verdict.attachments].every((part) => Object.isFrozen(part))).toBe(true)
    expect(await there.verifyDocument(signed.replace('"a":1', '"a":2'))).toBe(false)
    const key = new TextEncoder().encode(await there.getPublicKey())
    expect(await there.verifyString('x', await there.signString('x'), key, 'ed25519')).toBe(true)
    const blob = new Blob([await there.exportAgent()])
    expect(await there.verifyAgent(blob)).toBe(true)

    await simple.create({ ...options('other'), ...ed25519, password, storage: memoryStorage() })
    const { raw } = await simple.signMessage({ b: 1 })
    expect(await there.verifyDocument(raw)).toBe(false)
    const { agentId } = await there.trustAgent(simple.exportAgent())
    expect(await there.listTrustedAgents()).toEqual([agentId])
    expect(await there.verifyDocument(raw)).toBe(true)
    await there.flush()

    // The page sees the same storage.
    const here = new SxAgent({ password })
    await here.load('there/sx.config.json')
    expect(here.getAgentInfo()?.agentId).toBe(info.agentId)
    expect(await here.verifyDocument(raw)).toBe(true)
  })

  it('verifies many, with progress, signal and what a callback throws', async () => {
    const there = await started()
    await there.create({ ...options('many'), ...ed25519 })
    const signed = await there.createDocument('{"a":1}', null, null, true)
    const documents = Array.from({ length: 100 }, (_, at) => (at === 50 ? '{}' : signed))
    const told: number[] = []
    const verdicts = await there.verifyMany(documents, { onProgress: (done) => told.push(done) })
    expect(verdicts.map(({ code }) => code)).toEqual(
      documents.map((_, at) => (at === 50 ? 'MissingSignature' : undefined)),
    )
    expect(told.at(-1)).toBe(100)
    const controller = new AbortController()
    const { signal } = controller
    const reason = new RangeError('enough')
    const open = there.verifyMany(documents, { signal, onProgress: () => controller.abort(reason) })
    await expect(open).rejects.toBe(reason)
    await expect(there.verifyMany(documents, { signal })).rejects.toBe(reason)
    const throwing = there.verifyMany(documents, {
      onProgress: () => {
        throw reason
      },
    })
    await expect(throwing).rejects.toBe(reason)
    await expect(there.verifyMany(documents, { concurrency: 0 })).rejects.toEqual(failsWith('InvalidOption'))
    expect(await there.isLoaded()).toBe(true)
  })

  it('passes errors on, with code and sentences', async () => {
    const there = await started()
    const refused = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)
    const [found, expected] = [await refused(there.getPublicKey()), new SxError('NoAgentLoaded')]
    expect(found).toBeInstanceOf(SxError)
    expect(found).toMatchObject({ code: expected.code, message: expected.message, advice: expected.advice })
    await expect(there.load('nowhere.json')).rejects.toEqual(failsWith('NotFound'))
    await there.create({ ...options('errors'), ...ed25519 })
    await expect(there.verifyOrThrow('{"a":1,"a":2}')).rejects.toEqual(failsWith('DuplicateKey'))
    await expect(there.verifyMany([(() => 1) as unknown as string])).rejects.toEqual(failsWith('InvalidOption'))
    const storage = memoryStorage()
    await expect(there.create({ ...options('x'), storage } as Parameters<WorkerAgent['create']>[0])).rejects.toEqual(
      failsWith('InvalidOption'),
    )
    await expect(createWorkerAgent({ storage } as object)).rejects.toEqual(failsWith('InvalidOption'))
    const byPasskey = { ...options('passkey'), passkey: true }
    for (const call of [
      () => createWorkerAgent({ passkey: true } as object),
      () => there.create(byPasskey),
      () => there.reencryptKey({ passkey: true }, password),
    ])
      await expect(call()).rejects.toEqual(failsWith('InvalidOption'))
    await expect(createWorkerAgent({ core: '/nowhere.wasm' })).rejects.toEqual(failsWith('WasmUnavailable'))
  })

  it.each([
    ['there are no workers', () => undefined],
    [
      'its file is not served',
      () =>
        class extends Worker {
          constructor() {
            super('/nowhere/agent-worker.js', { type: 'module' })
          }
        },
    ],
  ])('says so where %s', async (_, workers) => {
    vi.stubGlobal('Worker', workers())
    await expect(createWorkerAgent()).rejects.toEqual(failsWith('WorkerUnavailable'))
  })

  it('says so when the worker dies, in every call that is open and every later one', async () => {
    const workers: Worker[] = []
    vi.stubGlobal(
      'Worker',
      class extends Worker {
        constructor(...given: ConstructorParameters<typeof Worker>) {
          super(...given)
          workers.push(this)
        }
      },
    )
    const there = await started()
    await there.create({ ...options('dying'), ...ed25519 })
    workers[0]?.terminate()
    const open = [there.signString('x'), there.verifyOrThrow('{}'), there.flush()]
    const reason = failsWith('WorkerUnavailable')
    expect(await Promise.allSettled(open)).toEqual(open.map(() => ({ status: 'rejected', reason })))
    await expect(there.getPublicKey()).rejects.toEqual(reason)
  })

  it('is closed: calls afterwards say so', async () => {
    const there = await started()
    await there.create({ ...options('closed'), ...ed25519 })
    await Promise.all([there.close(), there.close()])
    await expect(there.signString('x')).rejects.toEqual(failsWith('NoAgentLoaded'))
    await there.close()
  })
})

/** Bytes of the text that is hashed: letters of one, two and three bytes. */
const LONG = 50_000_000

/** A long text, and its hash as the browser has it. */
async function longText(): Promise<{ text: string; hash: string }> {
  const bytes = new TextEncoder().encode('aé€ü'.repeat(LONG / 8))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return { text: new TextDecoder().decode(bytes), hash: Array.from(digest, hex).join('') }
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

describe('hashString', () => {
  it('gives what the core gives, however the text is cut', async () => {
    await init()
    const there = await started()
    const piece = 1 << 18
    const texts = ['', 'a', 'é', 'a'.repeat(piece), 'a'.repeat(piece + 1), `${'a'.repeat(piece - 1)}\u{1F600}b`]
    const hashes = await Promise.all(texts.map((text) => there.hashString(text)))
    expect(hashes).toEqual(texts.map((text) => hashString(text)))
  })

  it('refuses what hashString refuses, before it is sent where that can be told', async () => {
    const there = await started()
    await expect(there.hashString(5 as unknown as string)).rejects.toEqual(failsWith('InvalidOption'))
    await expect(there.hashString('a'.repeat((256 << 20) + 1))).rejects.toEqual(failsWith('LimitExceeded'))
    for (const half of ['\uD83D', `${'a'.repeat(1 << 18)}\uDE00`]) {
      await expect(there.hashString(half)).rejects.toEqual(failsWith('NotJson'))
    }
    const open = there.hashString('a'.repeat(10 << 20))
    await there.close()
    await expect(open).rejects.toEqual(failsWith('NoAgentLoaded'))
  })
})

describe('the page', () => {
  const kinds = ['key', 'hash', 'verifications'] as const
  type Works = Readonly<Record<(typeof kinds)[number], () => Promise<unknown>>>

  type Functions = Pick<WorkerAgent, 'create' | 'createDocument' | 'verifyDocument'> & {
    hashString(text: string): string | Promise<string>
  }

  let names = 0
  function worksOf(functions: Functions, { text, hash }: { text: string; hash: string }): Works {
    const { create, createDocument, verifyDocument } = functions
    const newKey = (): Promise<unknown> => {
      names += 1
      return create({ ...options(`free-${names}`), algorithm: 'pq2025', password })
    }
    const verifications = async (): Promise<void> => {
      const signed = await createDocument('{"a":1}', null, null, true)
      let valid = 0
      for (let at = 0; at < 1000; at++) if (await verifyDocument(signed)) valid += 1
      expect(valid).toBe(1000)
    }
    const hashing = async (): Promise<void> => expect(await functions.hashString(text)).toBe(hash)
    return { key: newKey, hash: hashing, verifications }
  }

  it('beats on while the worker makes ML-DSA keys, hashes 50 MB and verifies 1,000 times; its own thread stops', async () => {
    await init()
    const long = await longText()
    const there = worksOf(await started(), long)
    const here = worksOf(
      {
        // The asynchronous form derives the key in a worker, too.
        create: async (given) => simple.createSync({ ...given, storage: memoryStorage() }),
        createDocument: async () => (await simple.signMessage({ a: 1 })).raw,
        verifyDocument: async (document) => (await simple.verify(document)).valid,
        hashString,
      },
      long,
    )
    await there.hash() // the worker has its memory from here on
    // What else the machine does makes gaps longer, never shorter: the shortest one of some rounds counts.
    const rounds = kinds.map((kind) => ({ kind, there: [] as number[], here: [] as number[] }))
    for (let round = 0; round < 5; round++) {
      for (const { kind, there: goesOn, here: stops } of rounds) {
        goesOn.push((await gapOf(there[kind])).gap)
        stops.push((await gapOf(here[kind])).gap)
      }
    }
    for (const { kind, there: goesOn, here: stops } of rounds) {
      const isFree = 4 * Math.min(...goesOn) <= Math.min(...stops)
      expect({ kind, goesOn, stops, isFree }).toMatchObject({ isFree: true })
    }
  })
})
