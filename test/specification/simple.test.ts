// The functions of `/simple`, row by row, as the specification tells them: on files, in both forms.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { newFolder } from '../node/fixtures.ts'

const password = 'correct horse battery staple'
const algorithm = 'ed25519'
const domain = 'example.com'
const photo = fileURLToPath(new URL('../../wasm/media/tests/data/texture.jpg', import.meta.url))

let folder: string
let configPath: string
let other: SxAgent
let otherId: string
beforeAll(async () => {
  folder = newFolder()
  configPath = join(folder, 'sx.config.json')
  await sx.quickstart({ name: 'Billing', domain, algorithm, configPath, password })
  const made = await SxAgent.create({ name: 'Other', algorithm, password, storage: memoryStorage() })
  other = made.agent
  otherId = made.agentId
})
beforeEach(async () => {
  await sx.load(configPath, { password })
})

const changed = (raw: string): string => raw.replace('"amount":1', '"amount":2')

it('spec 4.1 quickstart: creates an agent with its files, and loads it the next time', async () => {
  const options = { name: 'New', domain, algorithm, configPath: join(newFolder(), 'sx.config.json'), password } as const
  const first = await sx.quickstart(options)
  expect(first).toMatchObject({ name: 'New', algorithm, created: true })
  for (const path of [first.configPath, first.publicKeyPath, first.privateKeyPath]) expect(existsSync(path)).toBe(true)
  expect(sx.quickstartSync(options)).toMatchObject({ agentId: first.agentId, created: false })
})

it('spec 4.1 create: makes a new agent, and overwrites none', async () => {
  const options = { name: 'New', algorithm, configPath: join(newFolder(), 'sx.config.json'), password } as const
  expect(await sx.create(options)).toMatchObject({ name: 'New', algorithm })
  expect(() => sx.createSync(options)).toThrow(expect.objectContaining({ code: 'AlreadyExists' }))
})

it('spec 4.1 load, isLoaded, getAgentInfo: the agent of a configuration', async () => {
  await sx.close()
  expect([sx.isLoaded(), sx.getAgentInfo()]).toEqual([false, null])
  const info = await sx.load(configPath, { password })
  expect([sx.isLoaded(), sx.getAgentInfo()]).toEqual([true, info])
  expect(sx.loadSync(configPath, { password })).toEqual(info)
})

it('spec 4.1 verifySelf: checks the agent’s own document', async () => {
  const { agentId = '' } = sx.getAgentInfo() ?? {}
  expect(await sx.verifySelf()).toMatchObject({ valid: true, signerId: agentId })
  expect(sx.verifySelfSync()).toMatchObject({ valid: true, data: { name: 'Billing' } })
})

it('spec 4.1 updateAgent, exportAgent: a complete agent document, signed anew', async () => {
  const before = JSON.parse(sx.exportAgent()) as { sxVersion: string }
  const next = JSON.parse(await sx.updateAgent({ ...before, description: 'one' })) as { sxVersion: string }
  expect(next).toMatchObject({ description: 'one', sxPreviousVersion: before.sxVersion })
  expect(sx.updateAgentSync(JSON.stringify({ ...next, description: 'two' }))).toBe(sx.exportAgent())
  await expect(sx.updateAgent({ description: 'part' })).rejects.toMatchObject({ code: 'InvalidAgent' })
})

it('spec 4.1 signMessage, verify: any value of JSON, and no other', async () => {
  for (const value of [{ amount: 1 }, [1, 'x', null], 'text', 7, true, null]) {
    expect(await sx.verify((await sx.signMessage(value)).raw)).toMatchObject({ valid: true, data: value })
    expect(sx.verifySync(sx.signMessageSync(value).raw)).toMatchObject({ valid: true, data: value })
  }
  await expect(sx.signMessage(undefined)).rejects.toMatchObject({ code: 'NotJson' })
})

it('spec 4.1 updateDocument, verifyById: versions of a stored document', async () => {
  const { documentId, raw } = await sx.signMessage({ n: 1 })
  const second = await sx.updateDocument(documentId, { n: 2 })
  expect(second.documentId).toBe(documentId)
  expect(sx.updateDocumentSync(documentId, '{"n":3}').raw).toContain('"n":3')
  expect(await sx.verifyById(documentId)).toMatchObject({ valid: true, data: { n: 3 } })
  const { sxVersion } = JSON.parse(raw) as { sxVersion: string }
  expect(sx.verifyByIdSync(`${documentId}:${sxVersion}`)).toMatchObject({ valid: true, data: { n: 1 } })
})

it('spec 4.1 reencryptKey: another password opens the key', async () => {
  await sx.reencryptKey(password, 'another one')
  await expect(sx.load(configPath, { password })).rejects.toMatchObject({ code: 'WrongPassword' })
  sx.reencryptKeySync('another one', password)
  expect(await sx.load(configPath, { password })).toMatchObject({ name: 'Billing' })
})

it('spec 4.1 verifyStandalone: needs no agent, and knows the keys of a folder', async () => {
  const { raw } = await sx.signMessage({ amount: 1 })
  const keyDirectory = join(folder, 'sx_keys')
  await sx.close()
  expect(sx.verifyStandalone(raw, { keyResolution: 'local', keyDirectory })).toMatchObject({ valid: true })
  expect(sx.verifyStandalone(changed(raw), { keyDirectory })).toMatchObject({ valid: false, code: 'BadSignature' })
  expect(sx.verifyStandalone(raw, { keyDirectory: newFolder() })).toMatchObject({ code: 'UnknownSigner' })
})

it('spec 4.1 getPublicKey: PEM of the loaded agent', () => {
  expect(sx.getPublicKey()).toBe(readFileSync(join(folder, 'sx_keys', 'sx.public.pem'), 'utf8'))
})

it('spec 4.1 trustAgent, listTrustedAgents, isTrusted, getTrustedAgent, untrustAgent: the trust store', async () => {
  const document = other.exportAgent()
  const { raw } = await other.signMessage({ amount: 1 })
  expect(await sx.verify(raw)).toMatchObject({ valid: false, code: 'UnknownSigner' })
  expect(sx.trustAgent(document)).toMatchObject({ agentId: otherId, name: 'Other' })
  expect([sx.listTrustedAgents(), sx.isTrusted(otherId), sx.getTrustedAgent(otherId)]).toEqual([
    [otherId],
    true,
    document,
  ])
  expect(await sx.verify(raw)).toMatchObject({ valid: true, trusted: true, signerId: otherId })
  sx.untrustAgent(otherId)
  expect([sx.listTrustedAgents(), sx.isTrusted(otherId)]).toEqual([[], false])
})

it('spec 4.1 signText, verifyText: a file that carries its signatures', async () => {
  const path = join(folder, 'contract.md')
  writeFileSync(path, 'Alice pays 100.\n')
  await sx.signText(path)
  expect(readFileSync(path, 'utf8')).toMatch(/^Alice pays 100\.\n-----BEGIN SX SIGNATURE-----\n/)
  expect(await sx.verifyText(path, { strict: true })).toMatchObject({ status: 'signed', valid: true })
  const keys = join(newFolder(), 'keys')
  mkdirSync(keys)
  writeFileSync(join(keys, `${otherId}.public.pem`), other.getPublicKey())
  writeFileSync(path, (await other.signText(new TextEncoder().encode('Bob pays 50.\n'))) ?? '')
  expect((await sx.verifyText(path)).signers).toMatchObject([{ status: 'unknown_key' }])
  expect((await sx.verifyText(path, { keyDir: keys })).signers).toMatchObject([{ status: 'valid', signerId: otherId }])
})

it('spec 4.1 signImage, verifyImage, extractMediaSignature: an image that carries its signature', async () => {
  const out = join(folder, 'signed.jpg')
  await sx.signImage(photo, out, { robust: true })
  expect(await sx.verifyImage(out, { strict: true })).toMatchObject({ status: 'valid', valid: true })
  const payload = await sx.extractMediaSignature(out, { rawPayload: true })
  expect(JSON.parse(Buffer.from(String(payload), 'base64url').toString())).toEqual(await sx.extractMediaSignature(out))
  const again = join(folder, 'again.jpg')
  copyFileSync(out, again)
  await sx.signImage(out, again)
  expect(await sx.verifyImage(again)).toMatchObject({ status: 'valid' })
})
