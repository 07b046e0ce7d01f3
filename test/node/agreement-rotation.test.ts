// What an agent reports of an agreement while a key of it is revoked: by another call, or by another process.
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ExternalSigner, SxAgent } from '../../src/index.ts'
import type { AgreementCopy } from '../../src/simple.ts'
import { memoryStorage, type SyncStorage } from '../../src/storage/index.ts'

const EVENT = 'sx-agreement-event-v2'

function newSigner(whileSigning?: () => Promise<unknown>): ExternalSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    algorithm: 'ed25519',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    sign: async (bytes) => {
      if (Buffer.from(bytes).includes(EVENT)) await whileSigning?.()
      return sign(null, bytes, privateKey)
    },
  }
}

interface Proposed {
  readonly agent: SxAgent
  readonly storage: SyncStorage
  readonly agreementId: string
  /** The key that signed the proposal. */
  readonly keyId: string
  /** Runs while the next event is signed. */
  readonly during: (work: () => Promise<unknown>) => void
  readonly signer: ExternalSigner
}

/** An agent that has proposed an agreement with itself. */
async function proposed(): Promise<Proposed> {
  let work: (() => Promise<unknown>) | undefined
  const signer = newSigner(async () => {
    const now = work
    work = undefined
    await now?.()
  })
  const storage = memoryStorage()
  const { agent, agentId } = await SxAgent.create({ name: 'Alice', storage, signer })
  const parties = [{ partyId: 'alice', agentId, role: 'signer' as const }]
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const { agreementId } = await agent.createAgreementDoc(terms)
  await agent.proposeAgreement(agreementId)
  const keyId = agent.listKeys()[0]?.keyId ?? ''
  const during = (given: () => Promise<unknown>): void => {
    work = given
  }
  return { agent, storage, signer, agreementId, keyId, during }
}

/** The same, when the key has been rotated since. */
async function rotated(): Promise<Proposed> {
  const [before, { signer, during }] = [await proposed(), await proposed()]
  await before.agent.rotateKey({ signer })
  return { ...before, signer, during }
}

describe('a key that has signed the proposal, and is called compromised while an event is signed', () => {
  it.each([false, true])('by another call: nothing is reported as signed, with noSave: %s', async (noSave) => {
    const { agent, agreementId, keyId, during } = await rotated()
    during(() => agent.revokeKey(keyId, { reason: 'compromised' }))
    await expect(agent.signAgreementDoc(agreementId, { noSave })).rejects.toMatchObject({ code: 'EventRefused' })
    expect(JSON.parse(await agent.getAgreement(agreementId))).toMatchObject({ events: [{ type: 'propose' }] })
    expect((await agent.proposeAgreement(agreementId)).status).toBe('proposed')
    expect((await agent.signAgreementDoc(agreementId)).status).toBe('complete')
  })

  it('by a rotation of another call: nothing is reported as signed', async () => {
    const { agent, agreementId, during } = await proposed()
    during(() => agent.rotateKey({ signer: newSigner(), reason: 'compromised' }))
    await expect(agent.signAgreementDoc(agreementId)).rejects.toMatchObject({ code: 'EventRefused' })
  })

  it('by a rotation of another call, as superseded: all that was reported counts', async () => {
    const { agent, agreementId, during } = await proposed()
    during(() => agent.rotateKey({ signer: newSigner() }))
    const { raw, status } = await agent.signAgreementDoc(agreementId)
    expect(status).toBe('complete')
    expect((await agent.verifyAgreement(raw)).events.ignored).toEqual([])
  })

  it('by another process: the status is the one of afterwards', async () => {
    const { agent, storage, signer, agreementId, keyId, during } = await rotated()
    const other = new SxAgent({ storage, signer })
    await other.load()
    during(() => other.revokeKey(keyId, { reason: 'compromised' }))
    const copy: AgreementCopy = await agent.signAgreementDoc(agreementId)
    expect(copy.status).toBe((await agent.verifyAgreement(copy.raw)).status)
    expect(copy.status).toBe('draft')
  })
})

it('a proposal of a compromised key is not stored, and can be made again', async () => {
  const [{ agent, agreementId, keyId }, { agent: other }] = [await rotated(), await proposed()]
  const copy = await agent.getAgreement(agreementId)
  await agent.revokeKey(keyId, { reason: 'compromised' })
  other.trustAgent(agent.exportAgent())
  await expect(other.importAgreement(copy)).rejects.toMatchObject({
    code: 'InvalidAgreement',
    found: 'The key that signed the proposal was revoked, so the copy is not stored.',
    advice: 'Ask a party to propose it again.',
  })
  expect((await other.importAgreement((await agent.proposeAgreement(agreementId)).raw)).status).toBe('proposed')
})

it('a certificate that a revoked key prevents says so', async () => {
  const { agent, agreementId, keyId } = await rotated()
  await agent.signAgreementDoc(agreementId)
  await agent.revokeKey(keyId, { reason: 'compromised' })
  await expect(agent.agreementCertificate(agreementId)).rejects.toMatchObject({
    found: "The agreement is not complete. Its status is 'draft'.",
    advice: 'Events signed with revoked keys do not count. Ask their signers to propose or sign the agreement again.',
  })
})
