// More parties than an agent keeps the keys of: all of them count at once.
import { expect, it } from 'vitest'
import { RING_CAPACITY } from '../../src/key-ring.ts'
import { cheapAgent } from './cheap-agents.ts'

it('an agreement of more than a thousand parties is complete once all have signed', async () => {
  const first = await cheapAgent(0)
  const parties = [first]
  for (let n = 1; n <= RING_CAPACITY + 1; n++) {
    const next = await cheapAgent(n)
    first.trustAgent(next.exportAgent())
    next.trustAgent(first.exportAgent())
    parties.push(next)
  }
  const ids = parties.map((one) => one.getAgentInfo()?.agentId ?? '')
  const { raw } = await first.signMessage({ rent: 900 })
  const asked = await first.createAgreement(raw, ids)
  const copies: string[] = []
  for (const one of parties) copies.push(await one.signAgreement(asked))
  const status = JSON.parse(await first.checkAgreement(copies)) as object
  expect(status).toMatchObject({ status: 'complete', invalid: [], missing: [], quorum: { have: ids.length } })
  const [, ...others] = copies
  expect(JSON.parse(await first.checkAgreement(others))).toMatchObject({ status: 'partial', missing: [ids[0]] })
})
