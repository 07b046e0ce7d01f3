// More parties than an agent keeps the keys of, more events than another one can name, and more bytes than can be read.
import { expect, it } from 'vitest'
import schema from '../../schemas/agreement/v2/agreement.schema.json' with { type: 'json' }
import { RING_CAPACITY } from '../../src/key-ring.ts'
import { MOST_SEEN } from '../../src/operations/agreements/act.ts'
import { cheapAgent } from './cheap-agents.ts'

it('a standalone agreement of more than a thousand parties is complete once all have signed', async () => {
  const first = await cheapAgent(0)
  const others = []
  for (let n = 1; n <= RING_CAPACITY + 1; n++) {
    const other = await cheapAgent(n)
    first.trustAgent(other.exportAgent())
    others.push(other)
  }
  const parties = [first, ...others].map((one, at) => {
    const { agentId = '' } = one.getAgentInfo() ?? {}
    return { partyId: `p${at}`, agentId, role: 'signer' as const }
  })
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const { raw } = await first.createAgreementDoc(terms, { noSave: true })
  const { raw: proposed } = await first.proposeAgreement(raw, { noSave: true })
  const copies = [(await first.signAgreementDoc(proposed, { noSave: true })).raw]
  for (const other of others) {
    other.trustAgent(first.exportAgent())
    copies.push((await other.signAgreementDoc(proposed, { noSave: true })).raw)
  }
  const result = await first.verifyAgreement(await first.mergeAgreements(copies))
  expect(result).toMatchObject({ status: 'complete', have: parties.length, events: { ignored: [] } })
})

it('more concurrent comments than an event can name are told as what they are', async () => {
  expect(schema.$defs.event.properties.seen.maxItems).toBe(MOST_SEEN)
  const [signer, observer] = [await cheapAgent(0), await cheapAgent(1)]
  const partyOf = (one: typeof signer, role: 'signer' | 'observer') => {
    const { agentId = '' } = one.getAgentInfo() ?? {}
    return { partyId: role, agentId, role }
  }
  signer.trustAgent(observer.exportAgent())
  observer.trustAgent(signer.exportAgent())
  const parties = [partyOf(signer, 'signer'), partyOf(observer, 'observer')]
  const terms = { title: 'Rent', terms: '900 a month', termsFormat: 'text/plain' as const, parties }
  const { raw } = await signer.proposeAgreement((await signer.createAgreementDoc(terms, { noSave: true })).raw, {
    noSave: true,
  })
  const copies: string[] = []
  while (copies.length < MOST_SEEN) copies.push((await observer.commentOnAgreement(raw, 'x', { noSave: true })).raw)
  const most = await signer.mergeAgreements(copies)
  expect(await signer.signAgreementDoc(most, { noSave: true })).toMatchObject({ status: 'complete' })
  const more = await signer.mergeAgreements([most, (await observer.commentOnAgreement(raw, 'x', { noSave: true })).raw])
  await expect(signer.signAgreementDoc(more, { noSave: true })).rejects.toMatchObject({
    code: 'LimitExceeded',
    found: 'The agreement has 10001 concurrent events, and a new event can refer to at most 10000.',
  })
})

it('an agreement never has more bytes than can be read', async () => {
  const agent = await cheapAgent(0)
  const { agentId = '' } = agent.getAgentInfo() ?? {}
  const parties = [{ partyId: 'p', agentId, role: 'signer' as const }]
  const make = (more: number) =>
    agent.createAgreementDoc({ title: 'T', terms: 'x'.repeat((32 << 20) - more), termsFormat: 'text/plain', parties })
  for (const more of [0, 200, 300]) await expect(make(more)).rejects.toMatchObject({ code: 'LimitExceeded' })
  const { agreementId } = await make(2_000)
  await agent.proposeAgreement(agreementId)
  const results = new Set<string>()
  for (let more = 1_000; more > 0; more -= 100) {
    const comment = agent.commentOnAgreement(agreementId, 'x'.repeat(more))
    results.add(
      await comment.then(
        ({ status }) => status,
        ({ code }: { code: string }) => code,
      ),
    )
    // What was refused is not stored, and what was stored can be read.
    expect((await agent.verifyAgreement(agreementId)).status).toBe('proposed')
  }
  expect(results).toEqual(new Set(['LimitExceeded', 'proposed']))
})
