// Two processes on one store sign each agreement at the same moment: both signatures are there, every time.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import { newFolder } from './fixtures.ts'
import { Child } from './processes.ts'

const ROUNDS = 100

interface Signed {
  readonly id: string
  readonly eventId: string
  readonly status: string
}

/** An agent with a configuration and keys of its own; others have the same documents. */
async function agentIn(folder: string, name: string): Promise<{ agent: SxAgent; configPath: string; id: string }> {
  const options = { password: 'a password for tests', env: {} }
  const configPath = join(folder, `${name}.config.json`)
  const places = { configPath, dataDirectory: './data', keyDirectory: `./${name}-keys` }
  const { agentId: id } = await SxAgent.create({ ...options, ...places, name, algorithm: 'ed25519' })
  const agent = new SxAgent(options)
  await agent.load(configPath)
  return { agent, configPath, id }
}

test('two processes sign one agreement at the same moment: both signatures count', async () => {
  const folder = newFolder()
  const [alice, bob] = [await agentIn(folder, 'alice'), await agentIn(folder, 'bob')]
  alice.agent.trustAgent(bob.agent.exportAgent())
  bob.agent.trustAgent(alice.agent.exportAgent())
  const parties = [alice, bob].map(({ id }) => ({ partyId: id, agentId: id, role: 'signer' as const }))
  const ids: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const terms = { title: `${round}`, terms: 'One pays.', termsFormat: 'text/plain' as const, parties }
    const { agreementId } = await alice.agent.createAgreementDoc(terms)
    await alice.agent.proposeAgreement(agreementId)
    ids.push(agreementId)
  }
  const meeting = newFolder()
  const start = (configPath: string, own: string, other: string): Child =>
    new Child('agreeing', [configPath, meeting, own, other, JSON.stringify(ids)])
  const children = [start(alice.configPath, 'alice', 'bob'), start(bob.configPath, 'bob', 'alice')]
  const said = (await Promise.all(children.map((child) => child.finish()))) as Signed[][]
  const [byAlice = [], byBob = []] = said
  expect([byAlice.length, byBob.length]).toEqual([ROUNDS, ROUNDS])
  const blind = byAlice.filter(({ status }, at) => status === 'partial' && byBob[at]?.status === 'partial').length
  console.log(`In ${blind} of ${ROUNDS} rounds neither has seen the other one's signature.`)
  for (const { agent } of [alice, bob]) {
    for (const [at, id] of ids.entries()) {
      const verdict = await agent.verifyAgreement(id)
      expect(verdict).toMatchObject({ valid: true, status: 'complete', have: 2, missing: [], events: { ignored: [] } })
      expect(verdict.events.counted).toEqual(expect.arrayContaining([byAlice[at]?.eventId, byBob[at]?.eventId]))
    }
  }
})
