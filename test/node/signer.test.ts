// Agents whose private key is somewhere else: in another process, in WebCrypto, nowhere any more.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ExternalSigner, type Storage, SxAgent, type SxErrorCode } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { createWorkerAgent } from 'sx-agent/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noise } from '../conformance/pictures.mjs'
import { configIn, newFolder, refusal, treeOf } from './fixtures.ts'

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
    ['throws', () => Promise.reject(new Error('no connection')), 'SignerFailed'],
    ['gives nothing', async () => undefined, 'SignerFailed'],
    ['gives a text', async () => 'signature', 'SignerFailed'],
    ['gives too much', async () => new Uint8Array(1 << 20), 'SignerFailed'],
    ['gives another signature', async () => new Uint8Array(64), 'KeyMismatch'],
    ['signs other bytes', async () => keeper.signer.sign(new Uint8Array(3)), 'KeyMismatch'],
  ] as [string, () => unknown, SxErrorCode][])('%s: nothing is stored', async (_, sign, code) => {
    const wrong = new SxAgent({ env: {}, signer: failing(sign) })
    await wrong.load(configIn(folder))
    const before = treeOf(folder)
    const { cause } = await refusal(() => wrong.signMessage({ n: 1 }), code)
    if (code === 'SignerFailed' && sign.toString().includes('reject')) expect(String(cause)).toContain('no connection')
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
