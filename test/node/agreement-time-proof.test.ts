// Agreements that need a notary for the time of each signature, as parties in different places make them.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import { type AgreementPolicy, type AgreementRole, create } from '../../src/simple.ts'
import { memoryStorage } from '../../src/storage/index.ts'

const HOUR = 3_600_000
const password = 'correct horse battery staple'
const roles: Readonly<Record<string, AgreementRole>> = {
  alice: 'signer',
  bob: 'signer',
  nora: 'notary',
  wim: 'witness',
}
const agents: Record<string, SxAgent> = {}

async function agent(name: string): Promise<SxAgent> {
  const storage = memoryStorage()
  await create({ name, storage, password, algorithm: 'ed25519' })
  const made = new SxAgent({ storage, password })
  await made.load('./sx.config.json')
  return made
}

const named = (name: string): SxAgent => agents[name] as SxAgent

/** A proposed agreement that only counts what a notary has seen. */
async function proposed(policy: AgreementPolicy = {}): Promise<string> {
  const parties = Object.entries(roles).map(([partyId, role]) => ({
    partyId,
    agentId: named(partyId).getAgentInfo()?.agentId ?? '',
    role,
  }))
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const draft = await named('alice').createAgreementDoc({ ...terms, policy: { timeProof: 'notary', ...policy } })
  return (await named('alice').proposeAgreement(draft.raw)).raw
}

describe('with timeProof notary', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })
  beforeAll(async () => {
    const made = await Promise.all(Object.keys(roles).map(async (name) => [name, await agent(name)] as const))
    for (const [name, one] of made) agents[name] = one
    for (const [, one] of made) {
      for (const [, other] of made) if (one !== other) one.trustAgent(other.exportAgent())
    }
  })

  it('a party signs before a notary has seen it, and the signature counts when one has', async () => {
    const proposal = await proposed({ signBy: '2099-01-01T00:00:00.000Z', witnesses: 1 })
    const first = await named('alice').signAgreementDoc(proposal)
    const second = await named('bob').signAgreementDoc(first.raw)
    const witnessed = await named('wim').witnessAgreement(second.raw)
    expect([first.status, second.status, witnessed.status]).toEqual(['proposed', 'proposed', 'proposed'])
    const before = await named('nora').verifyAgreement(witnessed.raw)
    expect(before).toMatchObject({ valid: true, have: 0, complete: false })
    expect(before.events.ignored.map(({ code }) => code)).toEqual(['NoTimeProof', 'NoTimeProof', 'NoTimeProof'])
    const notarized = await named('nora').notarizeAgreement(witnessed.raw)
    expect(notarized.status).toBe('complete')
    const after = await named('bob').verifyAgreement(notarized.raw)
    expect(after).toMatchObject({ have: 2, complete: true, completeAt: notarized.timestamp, events: { ignored: [] } })
  })

  it('nobody signs twice while a notary is awaited', async () => {
    const { raw } = await named('alice').signAgreementDoc(await proposed())
    await expect(named('alice').signAgreementDoc(raw)).rejects.toMatchObject({ code: 'AlreadySigned' })
  })

  it('nobody signs what has been terminated, since no notary can make that count', async () => {
    const proposal = await proposed({ quorum: { m: 1 }, terminate: 'any' })
    const { raw } = await named('alice').signAgreementDoc(proposal)
    const complete = await named('nora').notarizeAgreement(raw)
    const terminated = await named('alice').terminateAgreement(complete.raw)
    expect(terminated.status).toBe('terminated')
    await expect(named('bob').signAgreementDoc(terminated.raw)).rejects.toMatchObject({
      code: 'EventRefused',
      message: expect.stringContaining('(NotAllowedNow)') as string,
    })
  })

  it('nobody signs after the deadline, when no notary can prove it any more', async () => {
    const signBy = Date.now() + HOUR
    const proposal = await proposed({ signBy: new Date(signBy).toISOString() })
    const alice = named('alice')
    expect((await alice.verifyAgreement(proposal)).status).toBe('proposed')
    vi.spyOn(Date, 'now').mockReturnValue(signBy + 1)
    expect((await alice.verifyAgreement(proposal)).status).toBe('expired')
    await expect(alice.signAgreementDoc(proposal)).rejects.toMatchObject({ code: 'TooLate' })
  })

  const unprovedIn = async (raw: string): Promise<readonly string[]> =>
    (await named('nora').verifyAgreement(raw)).unproved.map(({ partyId }) => partyId)

  it('who has signed is listed until a notary has proved it', async () => {
    const proposal = await proposed({ witnesses: 1 })
    expect(await unprovedIn(proposal)).toEqual([])
    const signed = await named('bob').signAgreementDoc(proposal)
    const { unproved } = await named('nora').verifyAgreement(signed.raw)
    const by = named('bob').getAgentInfo()?.agentId
    expect(unproved).toEqual([{ partyId: 'bob', by, at: signed.timestamp, eventId: signed.eventId }])
    expect(Object.isFrozen(unproved[0])).toBe(true)
    const witnessed = await named('wim').witnessAgreement(signed.raw)
    expect(await unprovedIn(witnessed.raw)).toEqual(['bob', 'wim'])
    const notarized = await named('nora').notarizeAgreement(witnessed.raw)
    expect(await unprovedIn(notarized.raw)).toEqual([])
    const more = await named('alice').signAgreementDoc(notarized.raw)
    expect(more.status).toBe('partial')
    expect(await unprovedIn(more.raw)).toEqual(['alice'])
    expect((await named('nora').notarizeAgreement(more.raw)).status).toBe('complete')
  })

  it('a signature that waits is withdrawn before its party can decline, and does not wait any more', async () => {
    const bob = named('bob')
    const first = await bob.signAgreementDoc(await proposed())
    await expect(bob.declineAgreement(first.raw)).rejects.toMatchObject({ code: 'EventRefused' })
    const withdrawn = await bob.withdrawSignature(first.raw)
    expect(await unprovedIn(withdrawn.raw)).toEqual([])
    const again = await bob.signAgreementDoc(withdrawn.raw)
    const found = await bob.verifyAgreement(again.raw)
    expect(found.unproved).toMatchObject([{ partyId: 'bob', eventId: again.eventId }])
    expect(found.byParty[1]?.state).toBe('withdrawn')
    const taken = await bob.withdrawSignature(again.raw)
    expect((await bob.declineAgreement(taken.raw)).status).toBe('declined')
  })

  it('nobody waits for a proof that comes too late', async () => {
    const { raw } = await named('alice').signAgreementDoc(await proposed({ signBy: '2099-01-01T00:00:00.000Z' }))
    const late = await named('nora').verifyAgreement(raw, { now: '2099-01-01T00:00:00.001Z' })
    expect(late).toMatchObject({ status: 'expired', unproved: [] })
    expect((await named('nora').verifyAgreement(raw, { now: '2099-01-01T00:00:00.000Z' })).unproved).toHaveLength(1)
  })

  it('the certificate says that no notary has confirmed the date yet', async () => {
    const alice = named('alice')
    const first = await alice.signAgreementDoc(await proposed({ quorum: { m: 1 } }))
    await expect(alice.agreementCertificate(first.raw)).rejects.toMatchObject({
      code: 'InvalidAgreement',
      advice: 'It is signed, but no notary has confirmed the date yet. Send it to a notary among its parties.',
    })
    const complete = await named('nora').notarizeAgreement(first.raw)
    const page = (raw: string): string => alice.agreementCertificateSync(raw, { format: 'html' })
    expect(page(complete.raw)).not.toContain('confirmed the date yet')
    const { raw, eventId = '' } = await named('bob').signAgreementDoc(complete.raw)
    const [, said = ''] = page(raw).split('<h2>Signed, but no notary has confirmed the date yet</h2>')
    expect(said.split('<h2>')[0]).toContain(eventId)
    expect(said.split('<h2>')[0]).toMatch(/<h3 dir="auto">bob<\/h3>/)
  })
})
