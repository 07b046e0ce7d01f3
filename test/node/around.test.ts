// What other programs make of what is published, and warnings about names that are to be given up.
import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { expect, it } from 'vitest'

const program = `
import { createDocument, signStringSync, SxAgent, verifyDocument } from 'sx-agent'
import { create } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

const options = { name: 'Old', algorithm: 'ed25519', password: 'p' }
await create({ ...options, storage: memoryStorage() })
const signed = await createDocument({ a: 1 })
await createDocument({ a: 2 })
await verifyDocument(signed)
signStringSync('x')
const { agent } = await SxAgent.create({ ...options, storage: memoryStorage() })
await agent.wrapA2aArtifact('1', 'result')
agent.wrapA2aArtifactSync('1', 'result')
await agent.signArtifact('1', 'result')
await agent.createDocument({ a: 1 })
`

const warnings = (value: string | undefined): string[] => {
  const { PATH } = process.env
  const env = { ...(PATH !== undefined && { PATH }), ...(value !== undefined && { SX_SHOW_DEPRECATIONS: value }) }
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env,
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return stderr.split('\n').filter((line) => line.includes('deprecated'))
}

it('spec 4.2 wrapA2aArtifact: a former name warns once, where that is asked for', () => {
  const said = (name: string, instead: string): unknown =>
    expect.stringContaining(`[DEPRECATED_${name}] SxWarning: \`${name}\` is deprecated: use ${instead}.`)
  const others = "the method of `SxAgent`, or a function of 'sx-agent/simple'"
  expect(warnings('1')).toEqual([
    said('createDocument', others),
    said('verifyDocument', others),
    said('signStringSync', others),
    said('wrapA2aArtifact', '`signArtifact`'),
    said('wrapA2aArtifactSync', '`signArtifactSync`'),
  ])
  for (const value of [undefined, '', '0', 'true']) expect(warnings(value)).toEqual([])
})

it('an agent takes the variable from its own options', async () => {
  const said: string[] = []
  const listen = (warning: Error & { code?: string }): void => void said.push(warning.code ?? '')
  process.on('warning', listen)
  try {
    const options = { name: 'Old', algorithm: 'ed25519', password: 'p' } as const
    for (const value of ['0', '1']) {
      const env = { SX_SHOW_DEPRECATIONS: value }
      const { agent } = await SxAgent.create({ ...options, env, storage: memoryStorage() })
      agent.wrapA2aArtifactSync('1', 'result')
      await new Promise((resolve) => setImmediate(resolve))
      expect(said).toEqual(value === '1' ? ['DEPRECATED_wrapA2aArtifactSync'] : [])
    }
  } finally {
    process.off('warning', listen)
  }
})

it('a key that is somewhere else signs artifacts, and no requests', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { agent } = await SxAgent.create({
    name: 'Vault',
    storage: memoryStorage(),
    signer: {
      publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      algorithm: 'ed25519',
      sign: async (bytes) => sign(null, bytes, privateKey),
    },
  })
  const draft = await agent.signArtifact('1', 'draft')
  const report = await agent.signArtifact('2', 'report', `[${draft}]`)
  expect(await agent.verifyArtifact(report)).toMatchObject({ valid: true, parents: [{ type: 'draft' }] })
  const unavailable = expect.objectContaining({ code: 'SyncSignerUnavailable' }) as Error
  expect(() => agent.signArtifactSync('1', 'draft')).toThrow(unavailable)
  expect(() => agent.signRequest(1)).toThrow(unavailable)
  const [{ x } = {}] = agent.getWellKnownJson().keys
  expect(x).toBe(publicKey.export({ format: 'jwk' }).x)
})

it('the JWK of an Ed25519 key is the one that node:crypto reads and writes', async () => {
  const { agent } = await SxAgent.create({
    name: 'Found',
    domain: 'example.com',
    algorithm: 'ed25519',
    password: 'p',
    storage: memoryStorage(),
  })
  const [{ kid, ...jwk } = { kid: '' }] = agent.getWellKnownJson().keys
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  expect(key.export({ format: 'pem', type: 'spki' })).toBe(agent.getPublicKey())
  const { crv, kty, x } = key.export({ format: 'jwk' })
  expect(createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')).toBe(kid)
})
