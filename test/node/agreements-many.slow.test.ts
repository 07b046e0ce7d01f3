// More parties than an agent keeps the keys of: all of them count at once.
import { expect, it } from 'vitest'
import { RING_CAPACITY } from '../../src/key-ring.ts'
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
