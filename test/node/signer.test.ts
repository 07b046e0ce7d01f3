// Agents whose private key is somewhere else: in another process, in WebCrypto, nowhere any more.
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ExternalSigner, type Storage, SxAgent, type SxErrorCode } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { createWorkerAgent } from 'sx-agent/worker'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { noise } from '../conformance/pictures.mjs'
import { remote } from '../unit/remote.ts'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'

/** A key in another process. */
class Keeper {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  signer!: ExternalSigner
  asked = 0

  constructor() {
    const program = fileURLToPath(new URL('./children/signer.mjs', import.meta.url))
    this.#child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (this.#child.stdout === null) throw new Error('no pipe')
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  async #next(): Promise<{ publicKey?: string; signature?: string }> {
    return JSON.parse((await this.#lines.next()).value as string) as { publicKey?: string; signature?: string }
  }

  async start(): Promise<this> {
    const { publicKey = '' } = await this.#next()
    let turn: Promise<unknown> = Promise.resolve()
    const sign = async (bytes: Uint8Array): Promise<Uint8Array> => {
      this.asked++
      this.#child.stdin?.write(`${JSON.stringify({ sign: Buffer.from(bytes).toString('base64') })}\n`)
      return Buffer.from((await this.#next()).signature ?? '', 'base64')
    }
    this.signer = {
      publicKey,
      algorithm: 'ed25519',
      sign: (bytes) => {
        const signed = turn.then(() => sign(bytes))
        turn = signed
        return signed
      },
    }
    return this
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }
}

let keeper: Keeper
let folder: string
let agent: SxAgent
const options = (signer: ExternalSigner) => ({ name: 'Vault', domain: 'example.com', env: {}, signer })
beforeAll(async () => {
  keeper = await new Keeper().start()
  folder = newFolder()
  ;({ agent } = await SxAgent.create({ ...options(keeper.signer), configPath: configIn(folder) }))
})
afterAll(() => keeper.end())

describe('a signer in another process', () => {
  it('leaves no private key and asks for no password', async () => {
    const files = Object.keys(treeOf(folder))
    expect(files.filter((name) => /private|password/.test(name))).toEqual([])
    expect(agent.getPublicKey()).toBe(keeper.signer.publicKey)
    const again = new SxAgent({ env: {}, signer: keeper.signer })
    await again.load(configIn(folder))
    expect(again.getAgentInfo()?.agentId).toBe(agent.getAgentInfo()?.agentId)
    expect(again.getAgentInfo()).toMatchObject({ algorithm: 'ed25519', name: 'Vault' })
    await again.close()
  })

  it('signs all that an agent signs', async () => {
    const before = keeper.asked
    const message = await agent.signMessage({ amount: 1 })
    const raw = await agent.createDocument(JSON.stringify({ amount: 2 }))
    const updated = await agent.updateDocument(message.documentId, JSON.stringify({ amount: 3 }))
    for (const document of [message.raw, raw, updated]) {
      expect(await agent.verify(document)).toMatchObject({ valid: true, trusted: true })
    }
    const signature = await agent.signString('text')
    const key = new TextEncoder().encode(agent.getPublicKey())
    expect(await agent.verifyString('text', signature, key, 'ed25519')).toBe(true)
    const own = JSON.parse(agent.exportAgent()) as object
    expect(JSON.parse(await agent.updateAgent(JSON.stringify({ ...own, description: 'x' })))).toMatchObject({
      description: 'x',
    })
    const text = await agent.signText(Buffer.from('A contract.\n'))
    expect(await agent.verifyText(text)).toMatchObject({ valid: true })
    const image = await agent.signImage(noise(8, 8), null)
    expect(await agent.verifyImage(image)).toMatchObject({ valid: true, coverage: 'file' })
    expect(keeper.asked - before).toBe(7)
  })

  it('signs an agreement and the version that holds it', async () => {
    const { agentId = '' } = agent.getAgentInfo() ?? {}
    const { raw } = await agent.signMessage({ amount: 1 })
    const before = keeper.asked
    const asked = await agent.createAgreement(raw, [agentId])
    expect(keeper.asked - before).toBe(1)
    const agreed = await agent.signAgreement(asked)
    expect(keeper.asked - before).toBe(3)
    expect(JSON.parse(await agent.checkAgreement(agreed))).toMatchObject({ status: 'complete', invalid: [] })
    expect(await agent.verify(agreed)).toMatchObject({ valid: true, trusted: true })
    expect(await agent.signAgreement(agreed)).toBe(agreed)
    expect(keeper.asked - before).toBe(3)
    const other = await agent.createAgreement((await agent.signMessage(2)).raw, [agentId])
    await refusal(() => agent.signAgreementSync(other), 'SyncSignerUnavailable')
    await refusal(() => agent.createAgreementSync(other, [agentId]), 'SyncSignerUnavailable')
    expect(await agent.listVersions(JSON.parse(other).sxId as string)).toHaveLength(2)
  })

  it('signs for many at once, each their own', async () => {
    const signed = await Promise.all(Array.from({ length: 20 }, (_, n) => agent.signMessage({ n })))
    for (const [n, { raw }] of signed.entries()) {
      expect(await agent.verify(raw)).toMatchObject({ valid: true, data: { n } })
    }
  })

  it('has no synchronous form', async () => {
    const sign = () => agent.signMessageSync({ n: 1 })
    await refusal(sign, 'SyncSignerUnavailable')
    expect(agent.verifySync((await agent.signMessage({ n: 1 })).raw).valid).toBe(true)
  })

  it('is in a backup as nothing but its public key', async () => {
    const backup = await agent.exportStore()
    const text = Buffer.from(backup).toString()
    expect(text).not.toContain('PRIVATE KEY')
    const storage = memoryStorage()
    const restored = new SxAgent({ storage, signer: keeper.signer })
    expect(await restored.importStore(backup)).toMatchObject({ agentId: agent.getAgentInfo()?.agentId })
    await restored.load('./sx.config.json')
    expect(await restored.verify((await restored.signMessage({ n: 2 })).raw)).toMatchObject({ valid: true })
    expect(await restored.listDocuments({ type: 'message' })).toContain(
      (await agent.listDocuments({ type: 'message' }))[0],
    )
    await refusal(() => agent.exportStore({ password: 'correct horse 7' }), 'Unsupported')
    await refusal(() => agent.reencryptKey('a', 'b'), 'Unsupported')
  })

  it('is not taken for another agent', async () => {
    const other = await new Keeper().start()
    try {
      const stranger = new SxAgent({ env: {}, signer: other.signer })
      await refusal(() => stranger.load(configIn(folder)), 'KeyMismatch')
      const without = new SxAgent({ env: {}, password: 'x' })
      await refusal(() => without.load(configIn(folder)), 'NotFound')
    } finally {
      other.end()
    }
  })
})

describe('a signer that does not do what it should', () => {
  const failing = (sign: unknown): ExternalSigner => ({ ...keeper.signer, sign }) as unknown as ExternalSigner

  it.each([
    ['throws', () => Promise.reject(new Error('no connection')), 'SignerFailed', 'See `cause`'],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is what is tried
    ['throws nothing', () => Promise.reject(null), 'SignerFailed', 'Check that the signer can be reached.'],
    ['gives nothing', async () => undefined, 'SignerFailed', 'return the bytes of the signature'],
    ['gives a text', async () => 'signature', 'SignerFailed', 'return the bytes of the signature'],
    ['gives too much', async () => new Uint8Array(1 << 20), 'SignerFailed', 'return the bytes of the signature'],
    ['gives another signature', async () => new Uint8Array(64), 'KeyMismatch', 'returns only the signature'],
    ['signs other bytes', async () => keeper.signer.sign(new Uint8Array(3)), 'KeyMismatch', 'private key of its'],
  ] as [string, () => unknown, SxErrorCode, string][])('%s: nothing is stored', async (_, sign, code, advice) => {
    const wrong = new SxAgent({ env: {}, signer: failing(sign) })
    await wrong.load(configIn(folder))
    const before = treeOf(folder)
    const { cause, message } = await refusal(() => wrong.signMessage({ n: 1 }), code)
    expect(message).toContain(advice)
    expect(message).toMatch(/Nothing was stored\.$/)
    if (code === 'SignerFailed' && sign.toString().includes('no connection'))
      expect(String(cause)).toContain('no connection')
    expect(treeOf(folder)).toEqual(before)
    await wrong.close()
    const empty = newFolder()
    const create = () => SxAgent.create({ ...options(failing(sign)), configPath: configIn(empty) })
    await refusal(create, code)
    expect(treeOf(empty)).toEqual({})
  })

  it.each([
    ['no object', 'x'],
    ['null', null],
    ['no function', { publicKey: 'x', algorithm: 'ed25519', sign: 1 }],
    ['no key', { algorithm: 'ed25519', sign: () => new Uint8Array() }],
    [
      'a key of a million characters',
      { publicKey: 'x'.repeat(1e6), algorithm: 'ed25519', sign: () => new Uint8Array() },
    ],
    [
      'a getter that throws',
      Object.defineProperty({}, 'publicKey', {
        get: () => {
          throw new Error('no')
        },
      }),
    ],
  ])('%s is InvalidOption', async (_, signer) => {
    await refusal(() => new SxAgent({ signer: signer as ExternalSigner }), 'InvalidOption')
  })

  it('beside what opens another key is InvalidOption', async () => {
    const { signer } = keeper
    const at = { name: 'x', configPath: configIn(newFolder()), env: {}, signer } as const
    await refusal(() => SxAgent.create({ ...at, password: 'x' }), 'InvalidOption')
    await refusal(() => SxAgent.create({ ...at, importKey: { pem: 'x' } }), 'InvalidOption')
    await refusal(() => SxAgent.create({ ...at, algorithm: 'pq2025' }), 'InvalidKey')
    await refusal(() => SxAgent.create({ ...at, signer: { ...signer, algorithm: 'pq2025' } }), 'InvalidKey')
    await refusal(() => SxAgent.create({ ...at, signer: { ...signer, publicKey: 'x' } }), 'InvalidKey')
    const inWorker = { signer } as unknown as Parameters<typeof createWorkerAgent>[0]
    await refusal(() => createWorkerAgent(inWorker), 'InvalidOption')
  })

  it('cannot change under the agent that was given it', async () => {
    const own = { ...keeper.signer }
    const { agent: made } = await SxAgent.create({ ...options(own), storage: memoryStorage() })
    own.sign = () => new Uint8Array()
    expect((await made.verify((await made.signMessage({ n: 1 })).raw)).valid).toBe(true)
  })
})

it('is a key that no script can read out, with WebCrypto', async () => {
  const { publicKey, privateKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  const signer: ExternalSigner = {
    publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)),
    algorithm: 'ed25519',
    sign: (bytes) => crypto.subtle.sign('Ed25519', privateKey, bytes),
  }
  const { agent: made } = await SxAgent.quickstart({ ...options(signer), storage: memoryStorage() })
  expect(await made.verify((await made.signMessage({ n: 1 })).raw)).toMatchObject({ valid: true, trusted: true })
})

it('is loaded where its creation was interrupted after the configuration stood', async () => {
  const storage = memoryStorage()
  let isCut = true
  const cut: Storage = {
    ...storage,
    capabilities: { ...storage.capabilities, sync: false },
    get: (key) => storage.get(key),
    list: (prefix, options) => storage.list(prefix, options),
    delete: (key) => storage.delete(key),
    flush: () => storage.flush(),
    put: async (key, bytes, options) => {
      if (isCut && key.includes('documents')) throw new Error('the power is gone')
      return storage.put(key, bytes, options)
    },
  }
  const { agent: made } = await SxAgent.create({ ...options(keeper.signer), storage: cut })
  const again = new SxAgent({ storage: cut, signer: keeper.signer })
  await refusal(() => again.load('./sx.config.json'), 'StorageUnavailable')
  isCut = false
  await again.load('./sx.config.json')
  expect(again.getAgentInfo()?.agentId).toBe(made.getAgentInfo()?.agentId)
  expect((await again.verify((await again.signMessage({ n: 1 })).raw)).valid).toBe(true)
})

/** An agent with an external signer, in a folder of its own, and a document that it signed. */
async function external() {
  const folder = newFolder()
  const { signer } = key()
  const { agent: made } = await SxAgent.create({ ...options(signer), configPath: configIn(folder) })
  const { raw } = await made.signMessage('before')
  return { folder, made, signer, before: raw }
}

/** A key here that signs as an external one would, and what it was asked to sign. */
function key() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const asked: string[] = []
  const signer: ExternalSigner = {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    algorithm: 'ed25519',
    sign: async (bytes) => {
      asked.push(new TextDecoder().decode(bytes).split(' ')[2] ?? '')
      return new Uint8Array(sign(null, bytes, privateKey))
    },
  }
  return { signer, asked }
}

describe('K10 a key that follows with another external signer', () => {
  it('signs from then on', async () => {
    const { folder, made, signer, before } = await external()
    const next = key()
    const first = made.getAgentInfo()?.keyId
    const { keyId, formerKeyId } = await made.rotateKey({ signer: next.signer })
    expect(formerKeyId).toBe(first)
    expect(next.asked).toEqual(['sx-key-proof-v1', 'sx-document-v1'])
    expect(made.getAgentInfo()).toMatchObject({ keyId, keyIds: [formerKeyId, keyId] })
    // Of the rotation its intent stays, next to the version.
    const left = Object.keys(treeOf(folder)).filter((name) => /private|password|rotation/.test(name))
    expect(left).toEqual([expect.stringMatching(/\.2\.rotation$/)])
    const { raw: after } = await made.signMessage('after')
    const again = new SxAgent({ env: {}, signer: next.signer })
    await again.load(configIn(folder))
    for (const one of [made, again]) {
      expect(await one.verify(before)).toMatchObject({ valid: true, keyId: formerKeyId })
      expect(await one.verify(after)).toMatchObject({ valid: true, keyId })
    }
    await refusal(() => new SxAgent({ env: {}, signer }).load(configIn(folder)), 'KeyMismatch')
    await made.load(configIn(folder)) // with what it goes on with
    const same = await refusal(() => made.rotateKey({ signer: next.signer }), 'KeyConflict')
    expect(same.found).toBe('The new key is the current key of this agent.')
    // And on, by two signers that are both elsewhere.
    const third = key()
    await again.rotateKey({ signer: third.signer, reason: 'compromised' })
    expect(await again.verify(after)).toMatchObject({ code: 'KeyRevoked' })
    await again.revokeKey(formerKeyId, { reason: 'compromised' })
    expect(await made.verify(before)).toMatchObject({ code: 'KeyRevoked' })
    const statement = await again.createRevocation()
    const { raw } = await again.signMessage('third')
    await again.revokeKey({ statement })
    expect(await made.verify(raw)).toMatchObject({ code: 'KeyRevoked' })
  })

  it.each([1, 2, 3, 4])('fails whole where signature %i does', async (at) => {
    const { folder, made, before, signer } = await external()
    const tree = treeOf(folder)
    let count = 0
    let wrong: (() => Promise<Uint8Array>) | undefined
    const failing = (whole: ExternalSigner): ExternalSigner => ({
      ...whole,
      sign: (bytes) => (++count === at && wrong !== undefined ? wrong() : whole.sign(bytes)),
    })
    const next = key()
    const old = new SxAgent({ env: {}, signer: failing(signer) })
    await old.load(configIn(folder))
    for (const [fails, code] of [
      [() => Promise.reject(new Error('no connection')), 'SignerFailed'],
      [async () => new Uint8Array(64), 'KeyMismatch'],
    ] as const) {
      wrong = fails
      count = 0
      await refusal(() => old.rotateKey({ signer: failing(next.signer) }), code)
      expect(count).toBe(at)
      expect(treeOf(folder)).toEqual(tree)
    }
    wrong = undefined
    await made.signMessage('goes on')
    await old.signMessage('goes on')
    count = 0
    const { keyId } = await old.rotateKey({ signer: failing(next.signer) })
    expect(count).toBe(4)
    expect(old.getAgentInfo()).toMatchObject({ keyId })
    expect(await old.verify(before)).toMatchObject({ valid: true })
  })

  it('signs for many who ask while it follows', async () => {
    const { made } = await external()
    const signing = Array.from({ length: 10 }, (_, n) => made.signMessage({ n }))
    const rotating = made.rotateKey({ signer: key().signer })
    signing.push(...Array.from({ length: 10 }, (_, n) => made.signMessage({ n })))
    await rotating
    for (const { raw } of await Promise.all(signing)) expect((await made.verify(raw)).errors).toEqual([])
  })

  it('takes the place of a private key file', async () => {
    const folder = newFolder()
    const { agent: made } = await SxAgent.create(agentIn(folder))
    await made.reencryptKey(PASSWORD, 'another password')
    const { raw } = await made.signMessage('before')
    const next = key()
    const tree = treeOf(folder)
    const failing = { ...next.signer, sign: () => Promise.reject(new Error('no connection')) }
    await refusal(() => made.rotateKey({ signer: failing }), 'SignerFailed')
    expect(treeOf(folder)).toEqual(tree)
    await made.signMessage('goes on')
    await made.rotateKey({ signer: next.signer })
    const secrets = Object.entries(treeOf(folder)).filter(([name]) => name.includes('private'))
    for (const [, text] of secrets) expect(String(text)).not.toContain('ENCRYPTED')
    expect(existsSync(join(folder, 'sx_keys', 'sx.private.pem'))).toBe(false)
    const { raw: after } = await made.signMessage('after')
    const again = new SxAgent({ env: {}, signer: next.signer })
    await again.load(configIn(folder))
    for (const one of [raw, after]) expect(await again.verify(one)).toMatchObject({ valid: true })
    await refusal(() => new SxAgent({ env: {}, password: 'another password' }).load(configIn(folder)), 'NotFound')
    await refusal(() => again.rotateKey(), 'Unsupported')
    await again.rotateKey({ signer: key().signer })
  })

  it('is one that can be told from what else was meant', async () => {
    const { made, folder, signer } = await external()
    const tree = treeOf(folder)
    const next = key().signer
    await refusal(() => made.rotateKey(), 'Unsupported')
    await refusal(() => made.rotateKeySync({ signer: next }), 'SyncSignerUnavailable')
    await refusal(() => made.rotateKey({ signer: next, algorithm: 'ed25519' }), 'InvalidOption')
    await refusal(() => made.rotateKey({ signer: next, password: 'x' }), 'InvalidOption')
    await refusal(() => made.rotateKey({ signer: {} as ExternalSigner }), 'InvalidOption')
    await refusal(() => made.rotateKey({ signer: { ...next, algorithm: 'pq2025' } }), 'InvalidKey')
    await refusal(() => made.rotateKey({ signer: { ...next, publicKey: new Uint8Array(32) } }), 'WeakPublicKey')
    await refusal(() => made.rotateKey({ signer }), 'KeyConflict')
    await refusal(() => made.rotateKey({ signer: next, reason: 'lost' as 'superseded' }), 'InvalidOption')
    expect(treeOf(folder)).toEqual(tree)
    await refusal(() => made.revokeKey(made.getAgentInfo()?.keyId ?? ''), 'InvalidOption')
    await refusal(() => made.revokeKeySync('x'), 'KeyMismatch')
  })
})

describe('a signer that takes its time while the key is rotated', () => {
  afterEach(() => void vi.useRealTimers())

  const slow = (signer: ExternalSigner, milliseconds: number): ExternalSigner => ({
    ...signer,
    sign: async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      return signer.sign(bytes)
    },
  })

  const begin = async (): Promise<{ rotating: SxAgent; signing: SxAgent; storage: Storage }> => {
    const storage = memoryStorage()
    const { signer } = key()
    const { agent: rotating } = await SxAgent.create({ name: 'Two', storage, signer, env: {} })
    const signing = new SxAgent({ storage: remote(storage), signer, env: {} }) // which knows nothing of the other one
    await signing.load()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    return { rotating, signing, storage }
  }

  async function pass(seconds: number): Promise<void> {
    // In small steps: between two of them what a timer has started is done.
    for (let at = 0; at < seconds; at += 0.25) await vi.advanceTimersByTimeAsync(Math.min(0.25, seconds - at) * 1000)
  }

  /** Lets the time pass until a rotation has put its intent: before that, nobody waits for it. */
  async function untilIntent(storage: Storage): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      for await (const name of storage.list([])) if (name.at(-1)?.endsWith('.rotation') === true) return true
      return false
    }
    while (!(await isThere())) await pass(0.25)
  }

  /** How many seconds it takes, and what comes of it. */
  async function timed<T>(work: Promise<T>): Promise<{ seconds: number; outcome: T | string }> {
    const began = Date.now()
    const outcome = await work.catch(({ code }: { code: string }) => code)
    return { seconds: (Date.now() - began) / 1000, outcome }
  }

  /** Lets the time pass until something is settled. */
  async function through<T>(work: Promise<T>): Promise<T> {
    let isSettled = false
    void work.finally(() => {
      isSettled = true
    })
    while (!isSettled) await pass(0.25)
    return work
  }

  it('is waited for, although one signature takes longer than a rotation that has died is', async () => {
    const { rotating, signing, storage } = await begin()
    const former = JSON.parse(rotating.exportAgent()) as { sxVersion: string }
    const rotated = timed(rotating.rotateKey({ signer: slow(key().signer, 6_500) }))
    await untilIntent(storage)
    const refused = timed(signing.createDocument({ n: 1 }))
    expect((await through(rotated)).seconds).toBeGreaterThan(12)
    expect((await through(refused)).outcome).toBe('KeyRevoked')
    expect(JSON.parse(rotating.exportAgent())).toMatchObject({ sxPreviousVersion: former.sxVersion })
    const intents: (string | undefined)[] = []
    for await (const name of storage.list([]))
      if (name.at(-1)?.endsWith('.rotation') === true) intents.push(name.at(-1))
    expect(intents).toEqual([expect.stringMatching(/\.2\.rotation$/)])
  })

  it('keeps nobody waiting without end', async () => {
    const { rotating, signing, storage } = await begin()
    const rotated = timed(rotating.rotateKey({ signer: slow(key().signer, 20_000) }))
    await untilIntent(storage)
    const { seconds, outcome } = await through(timed(signing.createDocument({ n: 1 })))
    expect(outcome).toBe('Busy')
    expect(seconds).toBeLessThan(17)
    expect((await through(rotated)).outcome).toMatchObject({ algorithm: 'ed25519' })
  })

  it('is broken off after five minutes', async () => {
    const { rotating, signing } = await begin()
    const rotated = timed(rotating.rotateKey({ signer: slow(key().signer, 400_000) }))
    await pass(320)
    const { seconds, outcome } = await through(timed(signing.createDocument({ n: 1 })))
    expect(seconds).toBeLessThan(7)
    expect((await through(rotated)).outcome).toBe('VersionConflict')
    expect(await rotating.verify(outcome)).toMatchObject({ valid: true })
  })

  it('is waited for as patiently by many as by one', async () => {
    const { rotating, signing, storage } = await begin()
    const rotated = timed(rotating.rotateKey({ signer: slow(key().signer, 900) })) // too short to be renewed
    await untilIntent(storage)
    const refused = Array.from({ length: 60 }, () => timed(signing.createDocument({ n: 1 })))
    expect((await through(rotated)).outcome).toMatchObject({ algorithm: 'ed25519' })
    for (const { outcome } of await through(Promise.all(refused))) expect(outcome).toBe('KeyRevoked')
  })
})
