// Fields of configuration, documents and results, and the conditions of errors, row by row.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfig, SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { newFolder } from '../node/fixtures.ts'

const password = 'correct horse battery staple'
const algorithm = 'ed25519'
const photo = fileURLToPath(new URL('../../wasm/media/tests/data/texture.jpg', import.meta.url))
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string

let folder: string
let configPath: string
let info: sx.CreatedAgentInfo
beforeAll(async () => {
  folder = newFolder()
  configPath = join(folder, 'sx.config.json')
  info = await sx.quickstart({ name: 'Billing', domain: 'example.com', algorithm, configPath, password })
})
beforeEach(async () => {
  await sx.load(configPath, { password })
})

it('spec 2.1 sxDataDirectory, sxKeyDirectory, sxAgentPrivateKeyFilename, sxAgentPublicKeyFilename, sxAgentKeyAlgorithm: decide what is made, and where', async () => {
  const place = newFolder()
  const prepared = createConfig({
    sxDataDirectory: './records',
    sxKeyDirectory: './secrets',
    sxAgentPrivateKeyFilename: 'own.pem',
    sxAgentPublicKeyFilename: 'other.pem',
    sxAgentKeyAlgorithm: 'ring-Ed25519',
  })
  writeFileSync(join(place, 'sx.config.json'), prepared)
  const made = await sx.create({ name: 'Prepared', configPath: join(place, 'sx.config.json'), password })
  expect(made.algorithm).toBe('ed25519')
  for (const path of ['records/documents', 'secrets/own.pem', 'secrets/other.pem']) {
    expect({ path, isThere: existsSync(join(place, path)) }).toEqual({ path, isThere: true })
  }
})

it('spec 2.1 sxPrivateKeyPassword, sxUseSecurity, sxAgentIdAndVersion, sxDefaultStorage: are read from the file', async () => {
  const config = JSON.parse(readFileSync(configPath, 'utf8')) as Record<string, string>
  expect(config).toMatchObject({
    sxDefaultStorage: 'fs',
    sxAgentIdAndVersion: expect.stringContaining(info.agentId) as string,
  })
  const write = (more: object): void => writeFileSync(configPath, JSON.stringify({ ...config, ...more }))
  try {
    write({ sxPrivateKeyPassword: password, sxUseSecurity: 'false' })
    const agent = new SxAgent({ env: {} })
    expect(JSON.parse(await agent.load(configPath))).toMatchObject({ sxId: info.agentId })
    await agent.close()
    write({ sxPrivateKeyPassword: 'another one' })
    await expect(new SxAgent({ env: {} }).load(configPath)).rejects.toMatchObject({ code: 'WrongPassword' })
    for (const [more, code] of [
      [{ sxDefaultStorage: 'indexeddb' }, 'Unsupported'],
      [{ sxDefaultStorage: 'cloud' }, 'InvalidConfig'],
      [{ sxUseSecurity: true }, 'InvalidConfig'],
      [{ sxAgentIdAndVersion: `${info.agentId}:${info.agentId}` }, 'Rollback'],
    ] as const) {
      write(more)
      await expect(sx.load(configPath, { password })).rejects.toMatchObject({ code })
    }
  } finally {
    writeFileSync(configPath, JSON.stringify(config))
  }
})

it('spec 2.2 sxId, sxVersion, sxSignature, content, key: the header of a signed message', async () => {
  const { raw, documentId } = await sx.signMessage({ amount: 1 })
  const document = JSON.parse(raw) as { sxVersion: string }
  expect(document).toMatchObject({
    sxId: uuid,
    sxVersion: uuid,
    sxSignature: { agentID: info.agentId },
    content: { amount: 1 },
  })
  expect(await sx.getDocument(`${documentId}:${document.sxVersion}`)).toBe(raw)
})

it('spec 2.2 sxAgentType: on an agent document', async () => {
  expect(JSON.parse(sx.exportAgent())).toMatchObject({ sxAgentType: 'ai' })
  const place = join(newFolder(), 'sx.config.json')
  await sx.create({ name: 'Both', algorithm, agentType: 'hybrid', configPath: place, password })
  expect(JSON.parse(sx.exportAgent())).toMatchObject({ sxAgentType: 'hybrid' })
})

it('spec 2.3 AgentInfo.agentId, AgentInfo.name, AgentInfo.publicKeyPath, AgentInfo.configPath, AgentInfo.privateKeyPath: who it is and where', () => {
  expect(info).toMatchObject({ agentId: uuid, name: 'Billing', configPath })
  expect(readFileSync(info.publicKeyPath, 'utf8')).toBe(sx.getPublicKey())
  expect(readFileSync(info.privateKeyPath, 'utf8')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
})

it('spec 2.3 SignedDocument.raw, SignedDocument.documentId, SignedDocument.agentId, SignedDocument.timestamp: what was signed', async () => {
  const signed = await sx.signMessage('x')
  expect(signed).toEqual({ raw: signed.raw, documentId: uuid, agentId: info.agentId, timestamp: instant })
  expect(JSON.parse(signed.raw)).toMatchObject({ sxId: signed.documentId, sxVersionDate: signed.timestamp })
})

it('spec 2.3 VerificationResult.valid, VerificationResult.data, VerificationResult.signerId, VerificationResult.timestamp, VerificationResult.errors: a verdict', async () => {
  const { raw, timestamp } = await sx.signMessage({ amount: 1 })
  const valid = { valid: true, data: { amount: 1 }, signerId: info.agentId, timestamp, errors: [] }
  expect(await sx.verify(raw)).toMatchObject(valid)
  const { errors, ...rest } = await sx.verify(raw.replace('"amount":1', '"amount":2'))
  expect(rest).toMatchObject({ valid: false, data: undefined })
  expect(errors).toHaveLength(1)
})

it('spec 2.3 VerifyTextResult.status, VerifyTextResult.signers; 7 missing_signature, MissingSignature: of texts', async () => {
  const path = join(folder, 'note.md')
  writeFileSync(path, 'Dear all\n')
  expect(await sx.verifyText(path)).toMatchObject({ status: 'missing_signature', signers: [] })
  await expect(sx.verifyText(path, { strict: true })).rejects.toMatchObject({ code: 'MissingSignature' })
  await expect(sx.verifyImage(photo, { strict: true })).rejects.toMatchObject({ code: 'MissingSignature' })
  await sx.signText(path)
  const signers = [{ signerId: info.agentId, status: 'valid', signedAt: instant }]
  expect(await sx.verifyText(path)).toMatchObject({ status: 'signed', signers })
  writeFileSync(path, `${readFileSync(path, 'utf8')}more\n`)
  expect(await sx.verifyText(path)).toMatchObject({ status: 'malformed' })
})

it('spec 2.3 VerifyImageResult.status, VerifyImageResult.signerId, VerifyImageResult.signedAt, VerifyImageResult.algorithm; 7 AlreadySigned: of images', async () => {
  const out = join(folder, 'signed.jpg')
  expect(await sx.verifyImage(photo)).toMatchObject({ status: 'missing_signature' })
  await sx.signImage(photo, out)
  const valid = { status: 'valid', signerId: info.agentId, signedAt: instant, algorithm }
  expect(await sx.verifyImage(out)).toMatchObject(valid)
  await expect(sx.signImage(out, out, { refuseOverwrite: true })).rejects.toMatchObject({ code: 'AlreadySigned' })
  const bytes = readFileSync(out)
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
  writeFileSync(out, bytes)
  expect(await sx.verifyImage(out)).toMatchObject({ status: 'invalid' })
})

it('spec 7 no-agent-loaded: all that need an agent say so', async () => {
  await sx.close()
  const { signMessage, verifySelf, verify, updateAgent, createDocument, signText, listVersions } = sx
  const calls = [
    () => signMessage(1),
    verifySelf,
    () => verify('{}'),
    () => updateAgent('{}'),
    () => createDocument('{}'),
  ]
  for (const call of [...calls, () => signText('x'), () => listVersions(info.agentId)]) {
    await expect(call()).rejects.toMatchObject({ code: 'NoAgentLoaded' })
  }
  expect(() => sx.trustAgent('{}')).toThrow(expect.objectContaining({ code: 'NoAgentLoaded' }))
})

it('spec 7 load-missing-config: there is nothing to load', async () => {
  const nowhere = join(newFolder(), 'sx.config.json')
  await expect(sx.load(nowhere)).rejects.toMatchObject({ code: 'NotFound' })
  expect(() => new SxAgent().loadSync(nowhere)).toThrow(expect.objectContaining({ code: 'NotFound' }))
})

it('spec 7 MarkerCollision: a line that reads as a marker', async () => {
  const path = join(folder, 'odd.md')
  writeFileSync(path, 'a\n-----BEGIN SX SIGNATURE-----\nb\n')
  await expect(sx.signText(path)).rejects.toMatchObject({ code: 'MarkerCollision' })
})

it('spec 7 verify-invalid: verify does not throw because of what it is given', async () => {
  for (const text of ['', '{', '{}', 'null', undefined as unknown as string, 17 as unknown as string]) {
    const { valid, errors } = await sx.verify(text)
    expect({ valid, count: errors.length }).toEqual({ valid: false, count: 1 })
  }
})
