// A key that is derived from a password in a page: in a worker, so that the page goes on, or in the page all the same.
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import * as core from '#core'
import { platform } from '#platform'
import { ensureReady } from '../../src/core.ts'
import { derive } from '../../src/derivation.ts'
import type { PlatformDerivation } from '../../src/platform.ts'
import { verifier } from '../../src/worker/verifier.ts'
import { later } from '../effects.ts'
import { gapOf } from '../gaps.ts'
import { patience, STARTS } from '../patience.ts'

const password = 'Grüße, 世界'
const scrypt = (n: number, p: number): string =>
  JSON.stringify({ kdf: 'scrypt', n, p, r: 8, salt: 'c2FsdCBmb3IgYSB0ZXN0IQ==' })
/** As the core writes it into new keys. */
const usual = scrypt(1 << 14, 5)
/** The least that is allowed. */
const least = scrypt(1 << 14, 1)

/** The workers that were started, in order, with what was posted to them: bytes that were handed over are empty then. */
let started: Watched[]
interface Posted {
  readonly name?: string
  readonly given?: unknown[]
}
class Watched extends Worker {
  isEnded = false
  readonly given: unknown[] = []
  constructor(...given: ConstructorParameters<typeof Worker>) {
    super(...given)
    started.push(this)
  }
  override postMessage(message: Posted | undefined, ...rest: unknown[]): void {
    super.postMessage(message, ...(rest as [Transferable[]]))
    this.given.push(...(message?.given ?? []))
  }
  override terminate(): void {
    this.isEnded = true
    super.terminate()
  }
}

let pages = 0
/** The derivation of a page that has not tried to start a worker yet, where there are workers of this kind. */
async function inNewPage(workers: object | undefined): Promise<PlatformDerivation> {
  pages += 1
  const file = `../../browser/derivation.ts?page=${pages}`
  const { derivation } = (await import(/* @vite-ignore */ file)) as { derivation: PlatformDerivation }
  Object.assign(platform, { derivation })
  vi.stubGlobal('Worker', workers)
  return derivation
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const inPage = (parameters: string): Uint8Array => core.deriveKey(parameters, bytesOf(password))

const { derivation: ofPage } = platform
beforeAll(() => ensureReady())
beforeEach(() => {
  started = []
})
afterEach(() => {
  patience.isGiven = true
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  Object.assign(platform, { derivation: ofPage })
})

it.each([usual, least, JSON.stringify({ iterations: 600_000, kdf: 'pbkdf2', salt: 'c2FsdCBmb3IgYSB0ZXN0IQ==' })])(
  'gives the key of the core, from a worker that is ended then: %s',
  async (parameters) => {
    const derivation = await inNewPage(Watched)
    expect(await derivation.async(parameters, bytesOf(password))).toEqual(inPage(parameters))
    expect(started.map(({ isEnded }) => isEnded)).toEqual([true])
    expect(await later(derive(parameters, password))).toEqual(inPage(parameters))
  },
)

it('derives several at a time in one worker', async () => {
  const derivation = await inNewPage(Watched)
  const passwords = [bytesOf('one'), bytesOf('two'), bytesOf('three')]
  const keys = await Promise.all(passwords.map((bytes) => derivation.async(least, bytes)))
  expect(keys).toEqual(passwords.map((bytes) => core.deriveKey(least, bytes)))
  expect(started.map(({ isEnded }) => isEnded)).toEqual([true])
})

it('hands the password over, once, and leaves that of the caller alone', async () => {
  const derivation = await inNewPage(Watched)
  const bytes = bytesOf(password)
  await derivation.async(least, bytes)
  expect(bytes).toEqual(bytesOf(password))
  const given = started.flatMap(({ given }) => given)
  expect(given.filter((value) => value instanceof Uint8Array).map(({ length }) => length)).toEqual([0])
})

it('overwrites the password in the worker, and hands the key over', async () => {
  const bytes = bytesOf(password)
  const { answer, moved } = await new Promise<{ answer: { value?: unknown }; moved: unknown[] }>((resolve) => {
    const connection = verifier((answer, moved) => resolve({ answer: answer as object, moved }))
    connection.receive({ call: 1, name: 'derive', given: [least, bytes] })
  })
  expect(answer.value).toEqual(inPage(least))
  expect(moved).toEqual([(answer.value as Uint8Array).buffer])
  expect(bytes).toEqual(new Uint8Array(bytes.length))
})

class Forbidden {
  constructor() {
    throw new DOMException('no', 'SecurityError')
  }
}
class Missing extends Watched {
  constructor() {
    super('/nowhere/verify-worker.js', { type: 'module' })
  }
}
/** It never says that it runs. */
class Mute extends Watched {
  constructor() {
    super(URL.createObjectURL(new Blob([''], { type: 'text/javascript' })))
  }
}
/** It dies as soon as there is something to do. */
class Dying extends Watched {
  override postMessage(message: Posted | undefined, ...rest: unknown[]): void {
    super.postMessage(message, ...rest)
    if (message?.name === 'derive') Worker.prototype.terminate.call(this)
  }
}

it.each([
  ['there are no workers', undefined, 0],
  ['the page forbids them at once', Forbidden, 0],
  ['their file is not served', Missing, 1],
  ['they do not run', Mute, 1],
  ['they die meanwhile', Dying, 2],
])('gives the same key in the page where %s', async (_, workers, tries) => {
  await inNewPage(workers)
  patience.isGiven = workers !== Mute
  expect(await later(derive(least, password))).toEqual(inPage(least))
  const before = started.length
  const timers = vi.spyOn(globalThis, 'setTimeout')
  expect(await later(derive(least, password))).toEqual(inPage(least))
  // No worker is waited for that has not just been started.
  expect(timers.mock.calls.filter(([, time]) => STARTS.includes(time ?? 0))).toHaveLength(started.length - before)
  expect(started).toHaveLength(tries)
})

it.each([
  ['PasswordRequired', usual, ''],
  ['KdfOutOfRange', scrypt(1 << 13, 5), password],
  ['KdfOutOfRange', scrypt(1 << 20, 1), password],
  ['InvalidKey', '{"kdf":"scrypt"}', password],
])('%s before a worker is started, and without workers', async (code, parameters, password) => {
  for (const workers of [Watched, undefined]) {
    await inNewPage(workers)
    const refused = expect.objectContaining({ name: 'SxError', code })
    await expect(async () => later(derive(parameters, password))).rejects.toEqual(refused)
  }
  expect(started).toEqual([])
})

it.each([
  ['with a worker is opened without', Watched, undefined],
  ['without a worker is opened with one', undefined, Watched],
])('what is encrypted %s', async (_, one, other) => {
  const storage = memoryStorage()
  await inNewPage(one)
  await simple.create({ name: 'Page', algorithm: 'ed25519', storage, password })
  const { agentId } = simple.getAgentInfo() ?? {}
  await inNewPage(other)
  const agent = new SxAgent({ storage, password })
  await agent.load()
  expect(agent.getAgentInfo()?.agentId).toBe(agentId)
  await agent.close()
  const wrong = new SxAgent({ storage, password: 'another password' })
  await expect(wrong.load()).rejects.toEqual(expect.objectContaining({ name: 'SxError', code: 'WrongPassword' }))
})

it('leaves the page free while create and load derive keys; without workers the page stops meanwhile', async () => {
  const alone: number[] = []
  const free = { create: [] as number[], load: [] as number[] }
  const stopped = { create: [] as number[], load: [] as number[] }
  /** What else the machine does makes times longer, never shorter: the shortest ones count. */
  const seen = (kind: 'create' | 'load') => {
    const limit = Math.min(...alone) / 2
    return { kind, goesOn: Math.min(...free[kind]) < limit, stops: Math.min(...stopped[kind]) > 1.5 * limit }
  }
  const isSeen = (): boolean => (['create', 'load'] as const).every((kind) => seen(kind).goesOn && seen(kind).stops)
  for (let round = 0; round < 3 || (round < 12 && !isSeen()); round++) {
    alone.push((await gapOf(() => inPage(usual))).took)
    for (const [gaps, workers] of [
      [free, Watched],
      [stopped, undefined],
    ] as const) {
      await inNewPage(workers)
      const storage = memoryStorage()
      const create = () => simple.create({ name: 'Page', algorithm: 'ed25519', storage, password })
      gaps.create.push((await gapOf(create)).gap)
      const agent = new SxAgent({ storage, password })
      gaps.load.push((await gapOf(() => agent.load())).gap)
      await agent.close()
    }
  }
  for (const kind of ['create', 'load'] as const) {
    expect({ alone, free, stopped, ...seen(kind) }).toMatchObject({ goesOn: true, stops: true })
  }
})
