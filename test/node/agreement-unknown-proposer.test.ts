// A copy of which only the proposer is unknown: the reader knows the other signers, and what they have signed counts for
// nothing as long as nobody can tell whether the proposal is genuine.
import { beforeAll, describe, expect, it } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import { type AgreementCopy, audit, create } from '../../src/simple.ts'
import { memoryStorage, type SyncStorage } from '../../src/storage/index.ts'

const password = 'correct horse battery staple'

interface Person {
  readonly agent: SxAgent
  readonly agentId: string
  readonly storage: SyncStorage
}

async function person(name: string): Promise<Person> {
  const storage = memoryStorage()
  await create({ name, storage, password, algorithm: 'ed25519' })
  const agent = new SxAgent({ storage, password })
  await agent.load('./sx.config.json')
  return { agent, agentId: agent.getAgentInfo()?.agentId ?? '', storage }
}

/** Ids of the events of a type, from what the library says of those that count. */
async function counted({ agent }: Person, copy: string): Promise<readonly string[]> {
  return (await agent.verifyAgreement(copy)).events.counted
}

describe('a copy of which only the proposer is unknown', () => {
  let alice: Person
  let bob: Person
  let carol: Person
  let proposed: AgreementCopy
  let signed: AgreementCopy
  let proposal: string

  beforeAll(async () => {
    ;[alice, bob, carol] = (await Promise.all(['Alice', 'Bob', 'Carol'].map(person))) as [Person, Person, Person]
    const parties = [alice, bob, carol].map(({ agentId }, at) => ({
      partyId: ['alice', 'bob', 'carol'][at] ?? '',
      agentId,
      role: 'signer' as const,
    }))
    bob.agent.trustAgent(alice.agent.exportAgent())
    carol.agent.trustAgent(bob.agent.exportAgent())
    const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
    proposed = await alice.agent.proposeAgreement((await alice.agent.createAgreementDoc(terms)).agreementId)
    signed = await bob.agent.signAgreementDoc(proposed.raw)
    ;[proposal = ''] = await counted(alice, proposed.raw)
  })

  it('is a draft that is not valid: the proposal is missing, and what has seen it counts for nothing', async () => {
    const verdict = await carol.agent.verifyAgreement(signed.raw)
    expect(verdict).toMatchObject({
      valid: false,
      status: 'draft',
      complete: false,
      have: 0,
      blocked: ['propose'],
      missing: [proposal],
      errors: [],
      signers: [{ name: 'Bob', trusted: true }],
    })
    expect(verdict.byParty.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
    expect(verdict.events.counted).toEqual([])
    const codes = Object.fromEntries(verdict.events.ignored.map(({ eventId, code }) => [eventId, code]))
    expect(codes).toEqual({ [proposal]: 'UnknownSigner', [signed.eventId ?? '']: 'UnknownSeen' })
  })

  it('is invalid instead if nobody who is known has signed anything', async () => {
    expect(await carol.agent.verifyAgreement(proposed.raw)).toMatchObject({
      valid: false,
      status: 'invalid',
      missing: [],
      errors: [{ code: 'UnknownSigner' }],
    })
    await expect(carol.agent.importAgreement(proposed.raw)).rejects.toMatchObject({ code: 'UnknownSigner' })
  })

  it('is not stored, and nothing is signed in it; the error says whom to trust', async () => {
    const refusal = {
      code: 'InvalidAgreement',
      message: expect.stringMatching(
        new RegExp(`The key of the event ${proposal}, .* is not known \\(UnknownSigner\\)\\. Trust the agent `),
      ) as string,
    }
    const { agent } = carol
    await expect(agent.importAgreement(signed.raw)).rejects.toMatchObject(refusal)
    await expect(agent.signAgreementDoc(signed.raw)).rejects.toMatchObject(refusal)
    await expect(agent.proposeAgreement(signed.raw)).rejects.toMatchObject(refusal)
    await expect(agent.getAgreement(signed.agreementId)).rejects.toMatchObject({ code: 'NotFound' })
  })

  it('is another matter than a copy without the proposal, which no trust completes', async () => {
    const { events, ...rest } = JSON.parse(signed.raw) as { events: readonly { type: string }[] }
    const lacking = JSON.stringify({ ...rest, events: events.filter(({ type }) => type === 'sign') })
    await expect(carol.agent.signAgreementDoc(lacking)).rejects.toMatchObject({
      code: 'InvalidAgreement',
      message: expect.stringContaining(`The agreement lacks the event ${proposal}, `) as string,
    })
  })

  it('counts in full with the key of the proposer, named or trusted, and is signed then', async () => {
    const { agent } = carol
    const keys = { [alice.agentId]: alice.agent.getPublicKey() }
    expect(await agent.verifyAgreement(signed.raw, { keys })).toMatchObject({ valid: true, status: 'partial', have: 1 })
    expect((await agent.verifyAgreement(signed.raw)).status).toBe('draft')
    agent.trustAgent(alice.agent.exportAgent())
    expect((await agent.importAgreement(signed.raw)).status).toBe('partial')
    expect((await agent.signAgreementDoc(signed.agreementId)).status).toBe('partial')
  })

  it('loses nothing that is stored if the proposer is no longer trusted, and is no damage to the storage', async () => {
    const { agent, storage } = carol
    agent.untrustAgent(alice.agentId)
    const whole = await agent.getAgreement(signed.agreementId)
    expect(await agent.verifyAgreement(signed.agreementId)).toMatchObject({ status: 'draft', missing: [proposal] })
    expect((await audit({ storage, password })).risks).toEqual([])
    // What others add meanwhile is stored.
    const comment = await bob.agent.commentOnAgreement(signed.raw, 'When?')
    expect((await agent.importAgreement(comment.raw)).status).toBe('draft')
    agent.trustAgent(alice.agent.exportAgent())
    expect((await agent.verifyAgreement(signed.agreementId)).have).toBe(2)
    expect(JSON.parse(await agent.getAgreement(signed.agreementId))).toMatchObject({
      events: expect.arrayContaining([...(JSON.parse(whole) as { events: object[] }).events]) as object[],
    })
    expect((await counted(carol, signed.agreementId)).includes(comment.eventId ?? '')).toBe(true)
  })
})

it('a proposal with a new key of its agent is not a draft: the error says that the key is not known', async () => {
  const [alice, bob] = [await person('Alice'), await person('Bob')]
  bob.agent.trustAgent(alice.agent.exportAgent())
  await alice.agent.rotateKey()
  const parties = [alice, bob].map(({ agentId }, at) => ({ partyId: `p${at}`, agentId, role: 'signer' as const }))
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const { raw, eventId } = await alice.agent.proposeAgreement((await alice.agent.createAgreementDoc(terms)).raw)
  const refusal = {
    code: 'InvalidAgreement',
    found: `The key of the event ${eventId}, which proposes the agreement, is not known (KeyMismatch).`,
    advice: 'Trust the agent that signed it, with its latest agent document.',
  }
  await expect(bob.agent.signAgreementDoc(raw)).rejects.toMatchObject(refusal)
  await expect(bob.agent.importAgreement(raw)).rejects.toMatchObject(refusal)
  bob.agent.trustAgent(alice.agent.exportAgent())
  expect((await bob.agent.signAgreementDoc(raw)).status).toBe('partial')
})
