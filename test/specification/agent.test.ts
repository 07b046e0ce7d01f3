// The methods of `SxAgent` and the functions of the core module, row by row, in both forms.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, hashString, SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, it } from 'vitest'
import { newFolder } from '../node/fixtures.ts'

const options = { name: 'Billing', algorithm: 'ed25519', password: 'p' } as const
const storage = memoryStorage()

let agent: SxAgent
let agentId: string
beforeAll(async () => {
  const made = await SxAgent.create({ ...options, storage })
  agent = made.agent
  agentId = made.agentId
})

interface Header {
  readonly sxId: string
  readonly sxVersion: string
}
const keyOf = (raw: string): string => {
  const { sxId, sxVersion } = JSON.parse(raw) as Header
  return `${sxId}:${sxVersion}`
}

it('spec 4.2 load: gives the agent document', async () => {
  const empty = new SxAgent({ storage, password: 'p' })
  expect(empty.isLoaded()).toBe(false)
  expect(JSON.parse(await empty.load('./sx.config.json'))).toMatchObject({ sxId: agentId, sxType: 'agent' })
  expect(new SxAgent({ storage, password: 'p' }).loadSync('./sx.config.json')).toBe(agent.exportAgent())
})

it('spec 4.2 createDocument: stored, unless noSave; null fills skipped slots', async () => {
  const stored = await agent.createDocument('{"amount":1}', null, 'copy.json', null, null, null)
  expect(await agent.getDocument(keyOf(stored))).toBe(stored)
  const kept = agent.createDocumentSync('{"amount":1}', null, null, true)
  await expect(agent.getDocument(keyOf(kept))).rejects.toMatchObject({ code: 'NotFound' })
})

it('spec 4.2 verifyDocument, verifySignature: whether it is as it was signed', async () => {
  const raw = await agent.createDocument('{"amount":1}')
  const forged = raw.replace('"amount":1', '"amount":2')
  expect([await agent.verifyDocument(raw), agent.verifyDocumentSync(forged)]).toEqual([true, false])
  expect([await agent.verifySignature(raw), agent.verifySignatureSync(raw, 'sxSignature')]).toEqual([true, true])
  expect([await agent.verifySignature(forged), agent.verifySignatureSync(raw, 'sxRegistration')]).toEqual([
    false,
    false,
  ])
})

it('spec 4.2 updateDocument: a new version of the one that the key names', async () => {
  const first = await agent.createDocument('{"n":1}')
  const second = await agent.updateDocument(keyOf(first), '{"n":2}')
  expect(JSON.parse(second)).toMatchObject({ n: 2, sxPreviousVersion: (JSON.parse(first) as Header).sxVersion })
  expect(() => agent.updateDocumentSync(keyOf(first), '{"n":3}')).toThrow(
    expect.objectContaining({ code: 'VersionConflict' }),
  )
  expect(agent.updateDocumentSync(keyOf(second), '{"n":3}')).toContain('"n":3')
})

it('spec 4.2 signString, verifyString: base64 that the public key checks', async () => {
  const key = Buffer.from(agent.getPublicKey())
  for (const signature of [await agent.signString('hello'), agent.signStringSync('hello')]) {
    expect(Buffer.from(signature, 'base64')).toHaveLength(64)
    expect(await agent.verifyString('hello', signature, key, 'ring-Ed25519')).toBe(true)
    expect(agent.verifyStringSync('hallo', signature, key, 'ring-Ed25519')).toBe(false)
  }
})

it('spec 4.2 verifyAgent: the agent itself, or the document in a file', async () => {
  const path = join(newFolder(), 'agent.json')
  writeFileSync(path, agent.exportAgent())
  expect([await agent.verifyAgent(), agent.verifyAgentSync(path)]).toEqual([true, true])
  writeFileSync(path, agent.exportAgent().replace('Billing', 'Robbing'))
  expect([await agent.verifyAgent(path), agent.verifyAgentSync(path)]).toEqual([false, false])
})

it('spec 4.2 updateAgent: the next version of the agent document', async () => {
  const text = await agent.updateAgent(agent.exportAgent().replace('"name":"Billing"', '"name":"Bills"'))
  expect(JSON.parse(text)).toMatchObject({ name: 'Bills' })
  expect(agent.updateAgentSync(text.replace('"name":"Bills"', '"name":"Billing"'))).toBe(agent.exportAgent())
})

it('spec 4.3 hashString: hexadecimal SHA-256', () => {
  for (const text of ['', 'abc', 'é']) expect(hashString(text)).toBe(createHash('sha256').update(text).digest('hex'))
})

it('spec 4.3 createConfig: a configuration as JSON', () => {
  expect(JSON.parse(createConfig({ sxKeyDirectory: './keys' }))).toMatchObject({ sxKeyDirectory: './keys' })
})
