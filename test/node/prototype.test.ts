// What others have put on Object.prototype is no option, no member and no verdict.
import { join } from 'node:path'
import { createConfig, SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage, mirrored } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { forget } from '../derivations.mjs'
import { agentIn, configIn, newFolder, PASSWORD } from './fixtures.ts'

forget()

const UUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'

let root: string
let agent: SxAgent
let document: sx.SignedDocument
beforeAll(async () => {
  root = newFolder()
  await sx.create(agentIn(join(root, 'agent')))
  document = await sx.signMessage({ a: 1 })
  agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(config())
})

const config = (): string => configIn(join(root, 'agent'))

describe('a polluted Object.prototype', () => {
  it('has no say', async () => {
    const other = memoryStorage()
    const stranger = await sx.create(agentIn('other', { storage: other, configPath: 'sx.config.json' }))
    const [theirs, key] = [await sx.signMessage({ secret: 1 }), sx.getPublicKey()]
    await sx.load(agentIn(join(root, 'agent')))
    const changed = document.raw.replace('"a":1', '"a":2')
    const brief = ({ valid, code, data, trusted }: sx.VerificationResult & { data?: unknown }): unknown[] => [
      valid,
      code,
      data,
      trusted,
    ]
    const stored = memoryStorage()
    await stored.put(['a', 'b'], new Uint8Array(1))

    const CALLS: Record<string, () => unknown> = {
      valid: async () => brief(await sx.verify(document.raw)),
      'valid, in a text that is not canonical': async () => brief(await sx.verify(`${document.raw}\n`)),
      'not valid': async () => brief(await sx.verify(changed)),
      'of nobody': async () => brief(await sx.verify(theirs.raw)),
      'no JSON': async () => brief(await sx.verify('x')),
      standalone: () => brief(sx.verifyStandalone(theirs.raw, {})),
      'standalone with keys': () => brief(sx.verifyStandalone(theirs.raw, { keyDirectory: {} })),
      'by id': async () => brief(await sx.verifyById(document.documentId)),
      'by an id of nothing': async () => brief(await sx.verifyById(UUID)),
      list: async () => await sx.listDocuments({}),
      'agent of a class': async () =>
        JSON.parse(await new SxAgent({ env: {}, password: PASSWORD }).load(config())).name,
      load: async () => (await sx.load(agentIn(join(root, 'agent')))).name,
      sign: () => agent.signStringSync('x'),
      create: () => {
        const info = sx.createSync({ name: 'N', algorithm: 'ed25519', storage: memoryStorage(), env: {} })
        const profile = Object.keys(JSON.parse(sx.exportAgent())).filter((name) => !name.startsWith('sxSig'))
        return [info.name, info.algorithm, typeof info.generatedPassword, info.configPath, profile]
      },
      back: async () => (await sx.load({ configPath: config(), password: PASSWORD, env: {} })).name,
      'password of the environment': async () =>
        await sx.load({ configPath: config(), env: {} }).catch((error) => error.code),
      json: async () => createConfig({}),
      'list of a mirror': async () => [...(await mirrored(stored)).listSync([])],
    }
    const FOREIGN: Record<string, unknown> = {
      data: { evil: 1 },
      valid: true,
      trusted: true,
      code: 'BadSignature',
      identity: { id: UUID, version: UUID },
      within: { lengths: [0, null], isBare: true },
      limits: { bytes: 1 },
      bytes: 1,
      depth: 0,
      members: 0,
      verifyOnly: true,
      storage: other,
      password: 'evil',
      env: { SX_PRIVATE_KEY_PASSWORD: 'evil' },
      SX_PRIVATE_KEY_PASSWORD: 'evil',
      SX_SAVE_PASSWORD_FILE: 'true',
      keyDirectory: { [stranger.agentId]: key },
      dataDirectory: '/tmp',
      keyResolution: 'x',
      type: 'agent',
      version: 'evil',
      after: UUID,
      limit: 0,
      configPath: 'evil.json',
      importKey: { pem: 'x' },
      pem: 'x',
      name: 'evil',
      domain: 'evil.example',
      description: 'evil',
      agentType: 'human',
      algorithm: 'pq2025',
      sxKeyDirectory: 'evil',
      prefix: ['evil'],
      isImmutable: 5,
      core: 5,
      error: 5,
      document: 'evil',
      mark: 'evil',
      generatedPassword: 5,
    }
    const run = async (): Promise<Record<string, unknown>> => {
      const found: Record<string, unknown> = Object.create(null)
      for (const [name, call] of Object.entries(CALLS)) {
        try {
          found[name] = await call()
        } catch (error) {
          found[name] = error
        }
      }
      return found
    }
    const unpolluted = await run()
    expect(unpolluted['of nobody']).toEqual([false, 'UnknownSigner', undefined, false])
    let found: Record<string, unknown>
    for (const [name, value] of Object.entries(FOREIGN))
      Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true, enumerable: true })
    try {
      found = await run()
    } finally {
      for (const name of Object.keys(FOREIGN)) Reflect.deleteProperty(Object.prototype, name)
    }
    expect(found).toEqual(unpolluted)
  })

  it('is not asked for what every result has', async () => {
    for (const result of [await sx.verify(document.raw), await sx.verify('x'), sx.verifyStandalone('x')])
      expect(['data', 'code'].filter((name) => Object.hasOwn(result, name))).toEqual(['data', 'code'])
  })
})
