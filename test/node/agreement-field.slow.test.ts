// More parties than an agent keeps the keys of: all of them count at once.
import { generateKeyPairSync, sign } from 'node:crypto'
import { type ExternalSigner, SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { expect, it } from 'vitest'
import { RING_CAPACITY } from '../../src/key-ring.ts'

/** A cheap agent: no key of it is encrypted. */
async function party(n: number): Promise<SxAgent> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer: ExternalSigner = {
    algorithm: 'ed25519',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    sign: async (bytes) => sign(null, bytes, privateKey),
  }
  const { agent } = await SxAgent.create({ name: `Party ${n}`, storage: memoryStorage(), signer })
  return agent
}

it('an agreement of more than a thousand parties is complete once all have signed', async () => {
  const first = await party(0)
  const parties = [first]
  for (let n = 1; n <= RING_CAPACITY + 1; n++) {
    const next = await party(n)
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
