// Programs as somebody writes them who has the specification's tables and nothing else: names, positions and types are
// those of its sections 2 to 9. test/specification/programs.test.ts compiles this file strictly, and runs it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig, hashString, SxAgent, SxSimpleAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'

/** The programs, each with what it found; in a folder of its own. */
export async function run(password: string): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'sx-programs-'))
  try {
    return { ...(await simplified(folder, password)), ...(await agentClass(folder, password)), ...utilities() }
  } finally {
    await sx.close()
    rmSync(folder, { recursive: true })
  }
}

async function simplified(folder: string, password: string): Promise<Record<string, unknown>> {
  const configPath = join(folder, 'sx.config.json')
  const options = {
    name: 'Billing',
    domain: 'example.com',
    description: 'Bills',
    algorithm: 'ed25519',
    configPath,
  } as const
  const made: sx.AgentInfo = await sx.quickstart({ ...options, password })
  const again: sx.AgentInfo = await sx.quickstart({ ...options, password })
  const paths: string[] = [made.agentId, made.name, made.publicKeyPath, made.configPath, made.privateKeyPath]
  const signed: sx.SignedDocument = await sx.signMessage({ amount: 1 })
  const { raw, documentId, agentId, timestamp }: sx.SignedDocument = signed
  const result: sx.VerificationResult = await sx.verify(raw)
  const bad = sx.verifySync('no JSON')
  const { data, errors } = bad // both members are there, whatever the verdict is
  const updated: sx.SignedDocument = await sx.updateDocument(documentId, { amount: 2 })
  const path = join(folder, 'note.txt')
  writeFileSync(path, 'Dear all\n')
  const file = await sx.signFile(path, true)
  const attachment = (await sx.verify(file.raw)).attachments[0]
  const content: Uint8Array | undefined = attachment?.content
  await sx.signText(path)
  const text = await sx.verifyText(path, { strict: true })
  const standalone = sx.verifyStandalone(raw, { keyResolution: 'local', keyDirectory: made.keyDirectory })
  const record: string = sx.getDnsRecord('example.com')
  const trusted: string[] = sx.listTrustedAgents()
  const audited = await sx.audit({ configPath, recentN: 3 })
  const info = sx.getAgentInfo()
  return {
    isSame: made.agentId === again.agentId && paths.every((one) => one !== '') && agentId === made.agentId,
    isDated: !Number.isNaN(Date.parse(timestamp)),
    data: [result.valid, result.data, data, errors.length],
    updated: (await sx.verifyById(updated.documentId)).data,
    attachment: [
      attachment?.filename,
      attachment?.embedded,
      Buffer.isBuffer(content),
      content && Buffer.from(content).toString(),
    ],
    text: [text.status, text.signers.length],
    standalone: standalone.valid,
    record: / 3600 IN TXT /.test(record),
    trusted: trusted.length,
    audit: [audited.overall_status, Array.isArray(audited.risks), 'health_checks' in audited, typeof audited.summary],
    loaded: [sx.isLoaded(), info?.name],
  }
}

async function agentClass(folder: string, password: string): Promise<Record<string, unknown>> {
  const configPath = join(folder, 'sx.config.json')
  const schema = join(folder, 'order.schema.json')
  const $ref = 'urn:sx-agent:schemas/header/v1/header.schema.json'
  const own = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
  const $id = 'https://example.com/schemas/v1/order.schema.json'
  writeFileSync(
    schema,
    JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', $id, allOf: [{ $ref }, own] }),
  )
  const agent = new SxAgent({ password })
  const document: string = await agent.load(configPath)
  const order: string = await agent.createDocument('{"amount":1}', schema, null, false, null, null)
  const copy: string = await agent.createDocument('{"amount":1}', schema, 'order.json', true)
  const refused: unknown = await agent.createDocument('{}', schema).catch((error: unknown) => String(error))
  const { sxId, sxVersion } = JSON.parse(order) as { sxId: string; sxVersion: string }
  await agent.close()

  // Another process: the schema is not passed again.
  const later = new SxAgent({ password })
  await later.load(configPath)
  const next: string = await later.updateDocument(`${sxId}:${sxVersion}`, '{"amount":2}')
  const signature: string = await later.signString('text')
  const key = Buffer.from(later.getPublicKey())
  const isText: boolean = await later.verifyString('text', signature, key, 'ring-Ed25519')
  const artifact: string = await later.signArtifact('{"a":1}', 'com.example.result')
  const request: string = later.signRequest({ method: 'balance' })
  const { payload } = later.verifyResponse(request)
  const found = [await later.verifyDocument(next), await later.verifySignature(next), await later.verifyAgent()]
  await later.close()
  return {
    agent: (JSON.parse(document) as { name: string }).name,
    copy: (JSON.parse(copy) as { amount: number }).amount,
    refused: String(refused).split(':').slice(0, 2),
    next: (JSON.parse(next) as { amount: number }).amount,
    found,
    isText,
    artifact: (JSON.parse(artifact) as { sxType: string }).sxType,
    payload,
  }
}

function utilities(): Record<string, unknown> {
  const config: string = createConfig({ sxAgentIdAndVersion: '', sxDataDirectory: './records' })
  const pem: string = SxSimpleAgent.ephemeral('ed25519').getPublicKeyPem()
  return {
    config: (JSON.parse(config) as { sxDataDirectory: string }).sxDataDirectory,
    hash: hashString('abc').slice(0, 8),
    pem: pem.split('\n')[0],
  }
}
