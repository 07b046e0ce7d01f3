// What can be signed in an agreement, and what is refused before anybody is asked for a signature.
import { beforeAll, describe, expect, it } from 'vitest'
import type { SxAgent } from '../../src/index.ts'
import type { AgreementPolicy } from '../../src/simple.ts'
import { cheapAgent } from './cheap-agents.ts'

const idOf = (agent: SxAgent): string => agent.getAgentInfo()?.agentId ?? ''

let alice: SxAgent
let other: SxAgent
beforeAll(async () => {
  ;[alice, other] = [await cheapAgent(1), await cheapAgent(2)]
  alice.trustAgent(other.exportAgent())
  other.trustAgent(alice.exportAgent())
})

const termsOf = (policy: AgreementPolicy = {}) => ({
  title: 'Rent',
  terms: '900 a month.',
  termsFormat: 'text/plain' as const,
  parties: [
    { partyId: 'alice', agentId: idOf(alice), role: 'signer' as const },
    { partyId: 'other', agentId: idOf(other), role: 'signer' as const },
  ],
  policy,
})

async function proposed(...terms: Parameters<typeof termsOf>): Promise<string> {
  const { agreementId } = await alice.createAgreementDoc(termsOf(...terms))
  return (await alice.proposeAgreement(agreementId)).agreementId
}

describe('an event without its form', () => {
  const anything = <T>(value: unknown): T => value as T
  const acts: readonly (readonly [name: string, act: (id: string) => Promise<unknown>])[] = [
    ['a reason that is no string', (id) => alice.declineAgreement(id, { reason: anything(null) })],
    ['a note that is no string', (id) => alice.signAgreementDoc(id, { note: anything(5) })],
    ['a comment that is no string', (id) => alice.commentOnAgreement(id, anything(5))],
    ['no attachment', (id) => alice.attachToAgreement(id, anything(null))],
    ['a delegation to nobody', (id) => alice.delegateSigning(id, 'junk')],
    ['a delegation of nothing', (id) => alice.delegateSigning(id, idOf(other), { scope: [] })],
    ['a delegation until a day', (id) => alice.delegateSigning(id, idOf(other), { until: '2099-01-01' })],
    ['no reason of a dispute', (id) => alice.disputeAgreement(id, anything(undefined))],
    ['the end of a dispute that is none', (id) => alice.resolveDispute(id, '123')],
  ]

  it.each(acts)('is refused, and nothing is stored: %s', async (_, act) => {
    const id = await proposed({ delegation: 'listed' })
    const before = await alice.getAgreement(id)
    await expect(act(id)).rejects.toMatchObject({ code: 'InvalidOption' })
    expect(await alice.getAgreement(id)).toBe(before)
    expect((await alice.verifyAgreement(id)).events.ignored).toEqual([])
  })
})

describe('amended terms', () => {
  it('are read as strictly as others', async () => {
    const id = await proposed()
    const twice = JSON.stringify(termsOf()).replace('{', '{"title":"one",')
    for (const [terms, code] of [
      [twice, 'DuplicateKey'],
      [`${JSON.stringify(termsOf())} x`, 'NotJson'],
      ['null', 'InvalidTerms'],
      [JSON.stringify({ ...termsOf(), links: 5 }), 'InvalidTerms'],
      [JSON.stringify({ ...termsOf(), links: {} }), 'InvalidTerms'],
    ] as const) {
      await expect(alice.amendAgreement(id, terms)).rejects.toMatchObject({ name: 'SxError', code })
    }
    const link = { rel: 'annex' as const, sxId: idOf(alice), sha256: 'a'.repeat(64) }
    const { raw } = await alice.amendAgreement(id, { ...termsOf(), links: [link] })
    const { terms } = JSON.parse(raw) as { terms: { links: readonly { rel: string }[] } }
    expect(terms.links).toMatchObject([{ rel: 'amends', sxId: id }, link])
  })
})

describe('attachments', () => {
  it('have different names, however these are composed', async () => {
    const attached = (...names: string[]) => ({
      ...termsOf(),
      attachments: names.map((name) => ({ name, mediaType: 'text/plain', size: 1, sha256: 'a'.repeat(64) })),
    })
    const refused = { code: 'InvalidTerms', found: 'Two attachments have the same name.' }
    const id = await proposed()
    for (const names of [
      ['Zo\u00eb.txt', 'Zoe\u0308.txt'],
      ['a.txt', 'a.txt'],
    ]) {
      await expect(alice.createAgreementDoc(attached(...names))).rejects.toMatchObject({ code: refused.code })
      await expect(alice.amendAgreement(id, attached(...names))).rejects.toMatchObject({ code: refused.code })
    }
    await expect(alice.createAgreementDoc(attached('Zo\u00eb.txt', 'Zoe\u0308.txt'))).rejects.toMatchObject(refused)
    expect((await alice.createAgreementDoc(attached('Zo\u00eb.txt', 'Zoe.txt'))).status).toBe('draft')
  })
})

describe('keys that are named', () => {
  it('are refused at once, naming the agent of an invalid key', async () => {
    const id = await proposed()
    const pem = other.getPublicKey()
    for (const broken of ['', 'junk', pem.replace(/[A-Z]/, '!'), pem.slice(0, 80)]) {
      const keys = { [idOf(alice)]: alice.getPublicKey(), [idOf(other)]: broken }
      const refused = {
        name: 'SxError',
        code: 'InvalidKey',
        message: expect.stringContaining(`The option 'keys' has no usable key of ${idOf(other)}. `) as string,
      }
      await expect(alice.verifyAgreement(id, { keys })).rejects.toMatchObject(refused)
      await expect(alice.agreementCertificate(id, { keys })).rejects.toMatchObject(refused)
    }
  })
})

describe('a refusal', () => {
  it('says what to do about a complete agreement', async () => {
    const id = await proposed({ quorum: { m: 1 } })
    await alice.signAgreementDoc(id)
    const refused = { code: 'TooLate', found: 'The agreement is complete.' }
    await expect(alice.withdrawSignature(id)).rejects.toMatchObject(refused)
    await expect(alice.voidAgreement(id)).rejects.toMatchObject(refused)
  })

  it('names the keys that are not known where the agreement would be complete', async () => {
    const stranger = await cheapAgent(3)
    stranger.trustAgent(alice.exportAgent())
    const id = await proposed()
    const { raw } = await other.signAgreementDoc((await alice.signAgreementDoc(id)).raw)
    await expect(stranger.agreementCertificate(raw)).rejects.toMatchObject({
      code: 'InvalidAgreement',
      advice: expect.stringContaining('Trust these agents'),
    })
  })
})

describe('a refusal says what fits', () => {
  it('of a void by a party that has not proposed', async () => {
    const copy = await alice.getAgreement(await proposed())
    await expect(other.voidAgreement(copy, { noSave: true })).rejects.toMatchObject({
      code: 'EventRefused',
      found: 'Only a party that proposed the agreement can void it. (WrongRole)',
      advice: 'Decline it, or withdraw your signature. Otherwise ask a party that proposed it.',
    })
  })

  it('of what is too large: it cannot be split', async () => {
    const long = 'x'.repeat(32 << 20)
    const refused = {
      code: 'LimitExceeded',
      advice: expect.stringMatching(/^Shorten the terms, .* Attach long texts as files: (?!.*[Ss]plit)/) as string,
    }
    await expect(alice.createAgreementDoc({ ...termsOf(), terms: long })).rejects.toMatchObject(refused)
    const terms = JSON.stringify({ ...termsOf(), terms: long })
    await expect(alice.createAgreementDoc(terms)).rejects.toMatchObject(refused)
    await expect(alice.mergeAgreements([terms])).rejects.toMatchObject(refused)
    await expect(alice.verifyAgreement(terms)).rejects.toMatchObject(refused)
    const id = await proposed()
    await expect(alice.commentOnAgreement(id, long)).rejects.toMatchObject(refused)
  })

  it('of a copy whose id is stored with other terms', async () => {
    const id = await proposed()
    const stored = await alice.getAgreement(id)
    const { raw } = await alice.createAgreementDoc({ ...termsOf(), title: 'Loft' }, { noSave: true })
    const { terms, ...rest } = JSON.parse(raw) as { terms: { sxId: string } }
    const copy = JSON.stringify({ ...rest, terms: { ...terms, sxId: id } })
    const refused = {
      code: 'WrongAgreement',
      found: expect.stringMatching(
        new RegExp(
          `^Other terms are stored under the id of this agreement, in agreements/../${id}: ` +
            'their agreementHash is [0-9a-f]{64}, and that of the copy is [0-9a-f]{64}\\.$',
        ),
      ) as string,
      advice: expect.stringMatching(
        /^Ask the other parties which agreementHash is right\. .*move this folder/,
      ) as string,
    }
    await expect(alice.importAgreement(copy)).rejects.toMatchObject(refused)
    await expect(alice.verifyAgreement(copy)).rejects.toMatchObject(refused)
    expect(await alice.getAgreement(id)).toBe(stored)
  })
})

describe('a certificate', () => {
  it('is made with keys that the caller names, which makes nobody trusted', async () => {
    const [reader, stranger] = [await cheapAgent(4), await cheapAgent(5)]
    const id = await proposed()
    const { raw } = await other.signAgreementDoc((await alice.signAgreementDoc(id)).raw)
    const keys = Object.fromEntries([alice, other].map((agent) => [idOf(agent), agent.getPublicKey()]))
    await expect(reader.agreementCertificate(raw)).rejects.toMatchObject({ code: 'UnknownSigner' })
    const wrong = { ...keys, [idOf(other)]: stranger.getPublicKey() }
    await expect(reader.agreementCertificate(raw, { keys: wrong })).rejects.toMatchObject({ code: 'InvalidAgreement' })
    await expect(reader.agreementCertificate(raw, { keys: 'x' as never })).rejects.toMatchObject({
      code: 'InvalidOption',
    })
    expect(await reader.agreementCertificate(raw, { keys })).toBe(await alice.agreementCertificate(raw))
    const page = reader.agreementCertificateSync(raw, { keys, format: 'html' })
    expect(page.match(/<dt>Key trusted<\/dt><dd>no,/g)).toHaveLength(2)
  })
})

describe('a copy with events that cannot be verified', () => {
  it('is acted on without them, and the result names them, stored or not', async () => {
    const stranger = await cheapAgent(6)
    for (const agent of [alice, other]) stranger.trustAgent(agent.exportAgent())
    other.trustAgent(stranger.exportAgent())
    const parties = [...termsOf().parties, { partyId: 'stranger', agentId: idOf(stranger), role: 'signer' as const }]
    const { agreementId } = await alice.createAgreementDoc({ ...termsOf(), parties })
    const proposal = await alice.proposeAgreement(agreementId)
    expect(proposal.unverified).toEqual([])
    const strange = await stranger.signAgreementDoc(proposal.raw)
    const { events, ...rest } = JSON.parse(strange.raw) as { events: readonly object[] }
    const copy = JSON.stringify({ ...rest, events: [...events, { type: 'sign', actor: { agentId: 5 } }, ...events] })
    const expected = [
      { eventId: strange.eventId, agentId: idOf(stranger), code: 'UnknownSigner' },
      { eventId: null, agentId: null, code: 'BadEvent' },
    ]
    const inOrder = (some: readonly { code: string }[]) => some.toSorted((a, b) => (a.code > b.code ? -1 : 1))
    const imported = await alice.importAgreement(copy)
    expect(inOrder(imported.unverified)).toEqual(expected)
    const signed = await alice.signAgreementDoc(copy)
    expect(inOrder(signed.unverified)).toEqual(expected)
    expect(Object.isFrozen(signed.unverified) && Object.isFrozen(signed.unverified[0])).toBe(true)
    const [event] = (JSON.parse(signed.raw) as { events: { seen: string[]; at: string }[] }).events.filter(
      ({ at }) => at === signed.timestamp,
    )
    expect(event?.seen).toEqual([proposal.eventId])
    expect(await alice.getAgreement(agreementId)).not.toContain(`"agentId":"${idOf(stranger)}","agentVersion"`)
    // Others know the signer, and nothing is lost.
    expect(await other.importAgreement(signed.raw)).toMatchObject({
      status: 'partial',
      unverified: [{ code: 'BadEvent' }],
    })
    alice.trustAgent(stranger.exportAgent())
    expect((await alice.importAgreement(strange.raw)).unverified).toEqual([])
    expect((await alice.verifyAgreement(agreementId)).have).toBe(2)
  })
})

describe('untrusted agents', () => {
  it('are those on whose events the status rests', async () => {
    const [wim, nora] = [await cheapAgent(7), await cheapAgent(8)]
    const all = [alice, other, wim, nora]
    for (const one of all) for (const two of all) if (one !== two) one.trustAgent(two.exportAgent())
    const more = [
      { partyId: 'wim', agentId: idOf(wim), role: 'witness' as const },
      { partyId: 'nora', agentId: idOf(nora), role: 'notary' as const },
    ]
    const complete = async (policy: AgreementPolicy): Promise<string> => {
      const { parties } = termsOf()
      const { raw: draft } = await alice.createAgreementDoc({ ...termsOf(policy), parties: [...parties, ...more] })
      const { raw: proposal } = await alice.proposeAgreement(draft)
      const { raw: byAlice } = await alice.signAgreementDoc(proposal)
      return (await wim.witnessAgreement((await other.signAgreementDoc(byAlice)).raw)).raw
    }
    const reader = await cheapAgent(9)
    const keys = Object.fromEntries(all.map((agent) => [idOf(agent), agent.getPublicKey()]))
    const untrusted = async (raw: string): Promise<readonly string[]> =>
      (await reader.verifyAgreement(raw, { keys })).untrusted
    const first = await complete({})
    expect(await untrusted(first)).toEqual([alice, other].map(idOf))
    const witnessed = await complete({ witnesses: 1 })
    expect(await untrusted(witnessed)).toEqual([alice, other, wim].map(idOf))
    reader.trustAgent(alice.exportAgent())
    expect(await untrusted(first)).toEqual([idOf(other)])
    expect(await untrusted(witnessed)).toEqual([other, wim].map(idOf))
    reader.trustAgent(other.exportAgent())
    expect(await untrusted(first)).toEqual([])
    expect(await untrusted(witnessed)).toEqual([idOf(wim)])
    const { raw: notarized } = await nora.notarizeAgreement(first)
    expect(await untrusted(notarized)).toEqual([])
    const { raw: proved } = await nora.notarizeAgreement(await complete({ timeProof: 'notary' }))
    expect(await untrusted(proved)).toEqual([idOf(nora)])
  })

  it('are not those whose signature is one more than are needed', async () => {
    const reader = await cheapAgent(11)
    const keys = Object.fromEntries([alice, other].map((agent) => [idOf(agent), agent.getPublicKey()]))
    const { raw: proposal } = await alice.proposeAgreement(
      (await alice.createAgreementDoc(termsOf({ quorum: { m: 1 } }))).raw,
    )
    const { raw } = await other.signAgreementDoc((await alice.signAgreementDoc(proposal)).raw)
    const untrusted = async (agreement: string): Promise<readonly string[]> =>
      (await reader.verifyAgreement(agreement, { keys })).untrusted
    expect(await untrusted(raw)).toEqual([alice, other].map(idOf))
    reader.trustAgent(alice.exportAgent())
    expect(await untrusted(raw)).toEqual([])
    reader.untrustAgent(idOf(alice))
    reader.trustAgent(other.exportAgent())
    expect(await untrusted(raw)).toEqual([idOf(alice)]) // who has proposed it
  })

  it('are those who have proposed, declined, voided or terminated it', async () => {
    const reader = await cheapAgent(12)
    const keys = Object.fromEntries([alice, other].map((agent) => [idOf(agent), agent.getPublicKey()]))
    const of = async (raw: string): Promise<unknown> => {
      const { status, untrusted } = await reader.verifyAgreement(raw, { keys })
      return [status, untrusted]
    }
    const make = async (policy: AgreementPolicy = {}): Promise<string> =>
      (await alice.proposeAgreement((await alice.createAgreementDoc(termsOf(policy))).raw)).raw
    const proposal = await make()
    expect(await of(proposal)).toEqual(['proposed', [idOf(alice)]])
    const { raw: voided } = await alice.voidAgreement(await make())
    expect(await of(voided)).toEqual(['voided', [idOf(alice)]])
    reader.trustAgent(alice.exportAgent())
    expect(await of(voided)).toEqual(['voided', []])
    expect(await of(proposal)).toEqual(['proposed', []])
    expect(await of((await other.declineAgreement(proposal)).raw)).toEqual(['declined', [idOf(other)]])
    const { raw: signed } = await alice.signAgreementDoc(await make({ quorum: { m: 1 }, terminate: 'any' }))
    expect(await of(signed)).toEqual(['complete', []])
    expect(await of((await other.terminateAgreement(signed)).raw)).toEqual(['terminated', [idOf(other)]])
    expect(await of((await alice.terminateAgreement(signed)).raw)).toEqual(['terminated', []])
  })

  it('are those who have raised a dispute, and once it is resolved those who have resolved it', async () => {
    const reader = await cheapAgent(10)
    const id = await proposed({ quorum: { m: 1 } })
    await alice.signAgreementDoc(id)
    const { raw: disputed, eventId = '' } = await other.disputeAgreement(await alice.getAgreement(id), 'It leaks.')
    const keys = { [idOf(other)]: other.getPublicKey() }
    reader.trustAgent(alice.exportAgent())
    expect(await reader.verifyAgreement(disputed, { keys })).toMatchObject({
      status: 'disputed',
      untrusted: [idOf(other)],
    })
    const { raw } = await other.resolveDispute(disputed, eventId)
    const found = await reader.verifyAgreement(raw, { keys })
    expect(found).toMatchObject({ status: 'complete', untrusted: [idOf(other)] })
    expect(Object.isFrozen(found.untrusted)).toBe(true)
    expect((await alice.verifyAgreement(raw)).untrusted).toEqual([])
  })
})

describe('the time of a status', () => {
  it.each([
    '2026-06-31T00:00:00.000Z',
    '2026-06-30',
    '2026-06-30T12:00',
    'June 30, 2026',
    -1,
    Number.NaN,
    253_402_300_800_000,
    new Date(Number.NaN),
  ])('is no %s: that is another time elsewhere, or none', async (now) => {
    await expect(alice.verifyAgreement(await proposed(), { now })).rejects.toMatchObject({
      code: 'InvalidOption',
      message: expect.stringContaining("The option 'now' is not a date such as ") as string,
    })
  })

  it.each(['9999-12-31T23:59:59.999Z', 0, new Date(0)])('can be %s', async (now) => {
    expect((await alice.verifyAgreement(await proposed(), { now })).status).toBe('proposed')
  })
})
