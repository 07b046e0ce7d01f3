// Agreements in a field of a document: with custom schemas, with others who sign at the same moment, with a rotation.
import { SxAgent, type SxError } from 'sx-agent'
import { type AgreementStatus, verifyStandalone } from 'sx-agent/simple'
import { memoryStorage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, refusal } from './fixtures.ts'
import { custom, idOf, newAgent } from './schema-fixtures.ts'

let store: SyncStorage
let agent: SxAgent
let id: string
beforeAll(async () => {
  store = memoryStorage()
  agent = await newAgent(store)
  id = agent.getAgentInfo()?.agentId ?? ''
})

const statusOf = async (raw: string, field?: string): Promise<AgreementStatus> =>
  JSON.parse(await agent.checkAgreement(raw, field)) as AgreementStatus

/** The same agent in another process. */
async function again(): Promise<SxAgent> {
  const other = new SxAgent({ storage: store, password: PASSWORD })
  await other.load()
  return other
}

async function asked(): Promise<string> {
  return agent.createAgreement((await agent.signMessage({ rent: 900 })).raw, [id])
}

const idIn = (raw: string): string => (JSON.parse(raw) as { sxId: string }).sxId

describe('custom schemas', () => {
  const schema = custom({ properties: { amount: { type: 'integer' }, approval: { required: ['quorum'] } } })

  it('say nothing of the field of the header', async () => {
    const stranger = await newAgent()
    stranger.trustAgent(agent.exportAgent())
    const strangerId = stranger.getAgentInfo()?.agentId ?? ''
    const document = await agent.createDocument({ amount: 1 }, { schema })
    const request = await agent.createAgreement(document, [id, strangerId])
    expect(JSON.parse(request)).toMatchObject({ $schema: idOf('v1/order'), amount: 1 })
    agent.trustAgent(stranger.exportAgent())
    const signed = await agent.signAgreement(await stranger.signAgreement(request)) // without the schema
    expect(await statusOf(signed)).toMatchObject({ status: 'complete' })
    expect(await agent.verify(signed, { schema })).toMatchObject({ valid: true, data: { amount: 1 } })
  })

  it('hold for a field of the body', async () => {
    const document = await agent.createDocument({ amount: 1 }, { schema })
    const error = await refusal(() => agent.createAgreement(document, [id], '', '', 'approval'), 'SchemaViolation')
    expect(error.details).toMatchObject([{ path: '/approval', keyword: 'required' }])
    const options = { agreementFieldName: 'approval', quorum: 1 }
    const signed = await agent.signAgreement(await agent.createAgreement(document, [id], options), 'approval')
    expect(await statusOf(signed, 'approval')).toMatchObject({ status: 'complete' })
    const stranger = await newAgent()
    stranger.trustAgent(agent.exportAgent())
    const missing = await refusal(() => stranger.createAgreement(document, [id], options), 'SchemaRequired')
    expect(missing.advice).toBe('Create a document with this schema first, or use the field sxAgreement.')
    await stranger.createDocument({ amount: 2 }, { schema, noSave: true })
    expect(await stranger.createAgreement(document, [id], { ...options, quorum: 1 })).toContain('"approval":')
    expect(await agent.listVersions(idIn(document))).toHaveLength(3)
  })

  it('are kept with a document that is stored', async () => {
    const document = await agent.createDocument({ amount: 2 }, { schema })
    await agent.createAgreement(document, [id], { agreementFieldName: 'approval', quorum: 1 })
    const other = await again()
    expect(await other.updateDocument(idIn(document), '{"amount":3}')).toContain('"amount":3')
  })
})

it('a parsed document is refused as what it is: no text', async () => {
  const parsed = JSON.parse(await asked()) as string
  const error = await refusal(() => agent.checkAgreement(parsed), 'InvalidOption')
  expect(error.found).toBe("The argument 'documentString' is not a string.")
})

describe('at the same moment', () => {
  it('one version follows, and the other signature is made again', async () => {
    const request = await asked()
    const other = await again()
    const both = await Promise.allSettled([agent.signAgreement(request), other.signAgreement(request)])
    const lost = both.filter((one) => one.status === 'rejected')
    expect(lost.map(({ reason }) => (reason as SxError).code)).toEqual(['VersionConflict'])
    expect(await agent.listVersions(idIn(request))).toHaveLength(3)
    const latest = await agent.getDocument(idIn(request))
    expect(await other.signAgreement(latest)).toBe(latest)
    expect(await statusOf(latest)).toMatchObject({ status: 'complete' })
  })

  it('a rotation comes before or after a signature, never between', async () => {
    const request = await asked()
    const [agreed] = await Promise.all([agent.signAgreement(request), agent.rotateKey()])
    expect(await statusOf(agreed)).toMatchObject({ status: 'complete', invalid: [] })
    expect((await agent.verify(agreed)).valid).toBe(true)
    const unsaved = (await agent.signMessage(1, { noSave: true })).raw
    const apart = await agent.createAgreement(unsaved, [id])
    const [second] = await Promise.all([agent.signAgreement(apart), agent.rotateKey()])
    expect(await statusOf(second)).toMatchObject({ status: 'complete', invalid: [] })
  })
})

describe('a document of others', () => {
  it('is another one if its text is, whatever version it names', async () => {
    const request = await asked()
    const { sxId, sxVersion } = JSON.parse(request) as { sxId: string; sxVersion: string }
    // Somebody with the key makes another document of the same version.
    const twin = new SxAgent({ storage: memoryStorage(), password: PASSWORD })
    await twin.importStore(await agent.exportStore())
    await twin.load()
    const fork = await twin.updateDocument(sxId, '{"rent":1}')
    expect(JSON.parse(fork)).toMatchObject({ sxPreviousVersion: sxVersion })
    await agent.signAgreement(request)
    const before = await agent.listVersions(sxId)
    // A fork is stored nowhere here, so what follows from it is not either.
    const anew = await agent.createAgreement(fork, [id], { agreementFieldName: 'second' })
    expect(JSON.parse(anew)).toMatchObject({ sxId, content: { rent: 1 } })
    expect(await agent.listVersions(sxId)).toEqual(before)
  })

  it('counts for who only verifies, and in backups', async () => {
    const agreed = await agent.signAgreement(await asked())
    const keyDirectory = { [id]: agent.getPublicKey() }
    expect(verifyStandalone(agreed, { keyDirectory })).toMatchObject({ valid: true, data: { rent: 900 } })
    const reader = new SxAgent({ storage: store, verifyOnly: true })
    await reader.load()
    expect(JSON.parse(await reader.checkAgreement(agreed))).toMatchObject({ status: 'complete' })
    await refusal(() => reader.signAgreement(agreed), 'PasswordRequired')
    const restored = new SxAgent({ storage: memoryStorage(), password: PASSWORD })
    await restored.importStore(await agent.exportStore())
    await restored.load()
    expect(await restored.getDocument(idIn(agreed))).toBe(agreed)
  })
})

describe('limits', () => {
  it('hold for what is checked and for what is made', async () => {
    const agreed = await agent.signAgreement(await asked())
    const limited = new SxAgent({ storage: store, password: PASSWORD, limits: { bytes: agreed.length - 1 } })
    await limited.load()
    const advice = /^Raise the option `limits`, or create the agreement for a shorter document,/
    expect((await refusal(() => limited.checkAgreement(agreed), 'LimitExceeded')).advice).toMatch(advice)
    expect((await refusal(() => limited.signAgreement(agreed), 'LimitExceeded')).advice).toMatch(advice)
    const many = Array.from({ length: 200 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
    const { raw } = await agent.signMessage(1)
    const narrow = new SxAgent({ storage: store, password: PASSWORD, limits: { members: 200 } })
    await narrow.load()
    expect((await refusal(() => narrow.createAgreement(raw, many), 'LimitExceeded')).advice).toMatch(advice)
    expect(await statusOf(await agent.createAgreement(raw, many))).toMatchObject({ quorum: { need: 200, have: 0 } })
  })
})
