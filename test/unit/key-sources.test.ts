// Whose keys count, and when: changes by others, storages that have to be awaited, a change of the loaded agent.
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encode } from '../../src/bytes.ts'
import { remote } from './remote.ts'

const password = 'a password for tests'
let signerId: string
let document: string
let agentDocument: string
let publicKey: string
let inner: SyncStorage
let storage: Storage

const opened = async (): Promise<SxAgent> => {
  const agent = new SxAgent({ storage, password })
  await agent.load()
  return agent
}

beforeAll(async () => {
  await simple.create({ name: 'Signer', algorithm: 'ed25519', storage: memoryStorage(), password })
  signerId = simple.getAgentInfo()?.agentId ?? ''
  document = (await simple.signMessage({ amount: 1 })).raw
  agentDocument = simple.exportAgent()
  publicKey = simple.getPublicKey()
})

beforeEach(async () => {
  inner = memoryStorage()
  storage = remote(inner)
  await simple.create({ name: 'Reader', algorithm: 'ed25519', storage, password })
})

describe('on a storage that has to be awaited', () => {
  it('T39 a trust change by another instance counts at the next verdict that can wait for it', async () => {
    const one = await opened()
    const other = await opened()
    one.trustAgent(agentDocument)
    await one.flush()
    expect(await other.verifyDocument(document)).toBe(true)
    other.untrustAgent(signerId)
    await other.flush()
    expect(await one.verifyDocument(document)).toBe(false)
    expect(one.isTrusted(signerId)).toBe(false)
  })

  it('the synchronous verdict is the same, from what was read last', async () => {
    const agent = await opened()
    expect(agent.verifyDocumentSync(document)).toBe(false)
    agent.trustAgent(agentDocument)
    expect(agent.verifyDocumentSync(document)).toBe(true)
    expect(agent.verifyOrThrowSync(document)).toMatchObject({ trusted: true, data: { amount: 1 } })
  })

  it('keys of the key directory serve it too; it holds no private key', async () => {
    const file = ['sx_keys', `${signerId}.public.pem`]
    inner.putSync(file, encode(publicKey))
    const agent = await opened()
    expect(agent.verifyOrThrowSync(document)).toMatchObject({ trusted: false })
    inner.deleteSync(file)
    expect(await agent.verifyDocument(document)).toBe(false)
    expect(agent.verifyDocumentSync(document)).toBe(false)
  })
})

it('what runs goes on with the agent that it began with, whoever is loaded meanwhile', async () => {
  const elsewhere = memoryStorage()
  await simple.create({ name: 'Other', algorithm: 'ed25519', storage: elsewhere, password })
  await simple.load({ storage, password })
  const { documentId } = await simple.signMessage(1)
  const running = [simple.verifyById(documentId), simple.updateDocument(documentId, [2])] as const
  simple.loadSync({ storage: elsewhere, password })
  const [verdict, updated] = await Promise.all(running)
  expect(verdict).toMatchObject({ valid: true })
  expect(updated.agentId).toBe(verdict.signerId)
})

describe('verifyAgent', () => {
  it('takes the file itself, or its bytes', async () => {
    const agent = await opened()
    const bytes = encode(agentDocument)
    expect(await agent.verifyAgent(bytes)).toBe(true)
    expect(agent.verifyAgentSync(bytes)).toBe(true)
    expect(await agent.verifyAgent(new Blob([agentDocument]))).toBe(true)
    expect(await agent.verifyAgent(new Blob([agentDocument.replace('Signer', 'Singer')]))).toBe(false)
    expect(() => agent.verifyAgentSync(new Blob([agentDocument]) as never)).toThrow(SxError)
  })

  it('says that it cannot tell where its own trust store is damaged', async () => {
    const before = await opened()
    before.trustAgent(agentDocument)
    await before.close()
    inner.putSync(['sx_data', 'trust', `${signerId}.1.json`], encode('junk'))
    const agent = new SxAgent({ storage: remote(inner), password }) // of a process that has seen nothing yet
    await agent.load()
    await expect(agent.verifyAgent(encode(agentDocument))).rejects.toMatchObject({ code: 'CorruptStore' })
  })
})

it.each(['../x', 'a/b', 'con', 'id:../v'])('T28 trustAgent takes no agent whose id is %s', async (id) => {
  const agent = await opened()
  const hostile = JSON.stringify({ ...(JSON.parse(agentDocument) as object), sxId: id })
  expect(() => agent.trustAgent(hostile)).toThrow(expect.objectContaining({ code: 'InvalidId' }))
})
