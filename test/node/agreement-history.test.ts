// What the verdict on an agreement says of each event, so that nobody has to compute an id.
import { beforeAll, expect, it } from 'vitest'
import type { SxAgent } from '../../src/index.ts'
import { depthsOf } from '../../src/operations/agreements/history.ts'
import type { AgreementCopy } from '../../src/simple.ts'
import { cheapAgent } from './cheap-agents.ts'

let alice: SxAgent
let bob: SxAgent
beforeAll(async () => {
  ;[alice, bob] = [await cheapAgent(1), await cheapAgent(2)]
  alice.trustAgent(bob.exportAgent())
})

const idOf = (agent: SxAgent): string => agent.getAgentInfo()?.agentId ?? ''
const attachment = { name: 'plan.pdf', mediaType: 'application/pdf', size: 6, sha256: '0'.repeat(64) }

async function draft(): Promise<AgreementCopy> {
  const parties = [alice, bob].map((agent, at) => ({
    partyId: ['alice', 'bob'][at] ?? '',
    agentId: idOf(agent),
    role: 'signer' as const,
  }))
  const terms = { title: 'Rent', terms: '900', termsFormat: 'text/plain' as const, parties }
  return await alice.createAgreementDoc(terms, { noSave: true })
}

async function proposed(): Promise<string> {
  return (await alice.proposeAgreement((await draft()).raw, { noSave: true, note: 'As discussed.' })).raw
}

it('has each event once with its id, by date, and says what counts', async () => {
  const first = await alice.attachToAgreement(await proposed(), attachment, { noSave: true })
  bob.trustAgent(alice.exportAgent())
  const second = await bob.declineAgreement(first.raw, { noSave: true, reason: 'Too much.' })
  const { history, events } = await alice.verifyAgreement(second.raw)
  expect(history).toMatchObject([
    { type: 'propose', agentId: idOf(alice), role: 'signer', data: { note: 'As discussed.' }, code: null },
    { type: 'attach', agentId: idOf(alice), eventId: first.eventId, at: first.timestamp, data: { attachment } },
    { type: 'decline', agentId: idOf(bob), eventId: second.eventId, data: { reason: 'Too much.' }, code: null },
  ])
  expect(history.map(({ eventId }) => eventId).sort()).toEqual(events.counted)
  expect(Object.isFrozen(history[1]?.data.attachment)).toBe(true)
})

it('says of what was forged why it does not count, and does not list what is no event', async () => {
  const raw = await proposed()
  const { events, ...rest } = JSON.parse(raw) as { events: readonly { signature: string; type: string }[] }
  const [genuine] = events
  const damaged = {
    ...genuine,
    signature: `${genuine?.signature.startsWith('A') ? 'B' : 'A'}${genuine?.signature.slice(1)}`,
  }
  const forged = { ...genuine, nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }
  const { type: _, ...nothing } = { ...forged, nonce: 'BBBBBBBBBBBBBBBBBBBBBA' }
  const copy = JSON.stringify({ ...rest, events: [forged, nothing, damaged, ...events, { actor: null }] })
  const { history, events: found } = await alice.verifyAgreement(copy)
  expect(history.map(({ type, code }) => `${type} ${code}`).sort()).toEqual(['propose BadSignature', 'propose null'])
  expect(found.ignored.map(({ code }) => code)).toEqual(['BadEvent', 'BadEvent', 'BadSignature'])
  expect(found.ignored.map(({ eventId }) => eventId)).toContain(history.find(({ code }) => code !== null)?.eventId)
})

it('lists events of one millisecond behind what they have seen', async () => {
  let { raw } = await alice.proposeAgreement((await draft()).raw, { noSave: true })
  const made: string[] = []
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    const copy = await alice.commentOnAgreement(raw, text, { noSave: true })
    raw = copy.raw
    made.push(copy.eventId ?? '')
  }
  const { history } = await alice.verifyAgreement(raw)
  expect(history.map(({ eventId }) => eventId).slice(1)).toEqual(made)
  for (const { eventId } of history.slice(0, -1)) expect(history.some(({ seen }) => seen.includes(eventId))).toBe(true)
})

it('reads once what each event has seen, which anyone can forge', () => {
  let reads = 0
  const counted = (seen: readonly string[]): readonly string[] =>
    new Proxy(seen, {
      get(target, name) {
        if (name === 'filter') reads++
        return Reflect.get(target, name) as unknown
      },
    })
  const leaves = Array.from({ length: 12 }, (_, at) => ({ eventId: `leaf ${at}`, seen: counted(['unknown']) }))
  const ids = leaves.map(({ eventId }) => eventId)
  const chain = Array.from({ length: 500 }, (_, at) => ({
    eventId: `${at}`,
    seen: counted(at === 0 ? ids : [...ids, `${at - 1}`]),
  }))
  const depths = depthsOf([...chain.toReversed(), ...leaves])
  expect(depths.get('499')).toBe(501)
  expect(reads).toBe(leaves.length + chain.length)
})

it('judges a successor with the keys that are passed, too', async () => {
  const [carol, reader] = [await cheapAgent(3), await cheapAgent(4)]
  const parties = [{ partyId: 'carol', agentId: idOf(carol), role: 'signer' as const }]
  const terms = { title: 'Rent', terms: '900', termsFormat: 'text/plain' as const, parties }
  const signed = async ({ raw }: AgreementCopy): Promise<AgreementCopy> =>
    await carol.signAgreementDoc((await carol.proposeAgreement(raw)).raw)
  const before = await signed(await carol.createAgreementDoc(terms))
  const after = await signed(await carol.amendAgreement(before.raw, { ...terms, terms: '950' }))
  const superseded = await carol.supersedeAgreement(before.raw, after.raw)
  reader.trustAgent(carol.exportAgent())
  for (const { raw } of [after, superseded]) await reader.importAgreement(raw)
  expect((await reader.verifyAgreement(before.agreementId)).status).toBe('superseded')
  reader.untrustAgent(idOf(carol))
  const keys = { [idOf(carol)]: carol.getPublicKey() }
  expect((await reader.verifyAgreement(before.agreementId, { keys })).status).toBe('superseded')
})

it('says of a certificate that a wrong key is why it is not complete', async () => {
  const reader = await cheapAgent(5)
  const { raw } = await alice.signAgreementDoc(await proposed(), { noSave: true })
  const keys = { [idOf(alice)]: bob.getPublicKey() }
  await expect(reader.agreementCertificate(raw, { keys })).rejects.toMatchObject({
    code: 'InvalidAgreement',
    advice: expect.stringContaining('Trust these agents') as string,
  })
})
