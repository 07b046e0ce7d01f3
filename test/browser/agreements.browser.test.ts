// Two parties in a browser sign one agreement at the same time: each in a thread of its own, as two pages are, or each
// with a store of its own.
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { createWorkerAgent, type WorkerAgent } from 'sx-agent/worker'
import { afterEach, expect, it } from 'vitest'
import { indexedDbStorage } from '../../browser/storage/indexeddb.ts'

const password = 'correct horse battery staple'
const ROUNDS = 100
const names = ['alice', 'bob'] as const

const opened: (SxAgent | WorkerAgent)[] = []
afterEach(async () => {
  for (const agent of opened.splice(0)) await agent.close()
})

const termsFor = (agents: readonly string[], title: string) => ({
  title,
  terms: 'One pays.',
  termsFormat: 'text/plain' as const,
  parties: agents.map((agentId) => ({ partyId: agentId, agentId, role: 'signer' as const })),
})

it('on one store, each in a thread: both signatures count, every time', async () => {
  const [alice, bob] = await Promise.all([createWorkerAgent({ password }), createWorkerAgent({ password })])
  opened.push(alice, bob)
  const created = async (agent: WorkerAgent, name: string): Promise<string> => {
    const places = { configPath: `./agree-${name}.json`, dataDirectory: './agree', keyDirectory: `./agree-${name}` }
    return (await agent.create({ ...places, name, algorithm: 'ed25519' })).agentId
  }
  const ids = [await created(alice, 'alice'), await created(bob, 'bob')]
  await alice.trustAgent(await bob.exportAgent())
  await bob.trustAgent(await alice.exportAgent())
  for (let round = 0; round < ROUNDS; round++) {
    const { agreementId } = await alice.createAgreementDoc(termsFor(ids, `${round}`))
    await alice.proposeAgreement(agreementId)
    const signed = await Promise.all([alice, bob].map((agent) => agent.signAgreementDoc(agreementId)))
    const events = signed.map(({ eventId }) => eventId)
    for (const agent of [alice, bob]) {
      const verdict = await agent.verifyAgreement(agreementId)
      expect(verdict).toMatchObject({ valid: true, status: 'complete', have: 2, events: { ignored: [] } })
      expect(verdict.events.counted).toEqual(expect.arrayContaining(events))
    }
  }
})

it('each on a store of its own: the copies merged are complete, every time', async () => {
  const agents: SxAgent[] = []
  for (const name of names) {
    const storage = await indexedDbStorage(`agree-${name}`)
    await simple.create({ name, storage, password, algorithm: 'ed25519' })
    const agent = new SxAgent({ storage, password })
    await agent.load()
    agents.push(agent)
  }
  opened.push(...agents)
  const [alice, bob] = agents as [SxAgent, SxAgent]
  alice.trustAgent(bob.exportAgent())
  bob.trustAgent(alice.exportAgent())
  const ids = agents.map((agent) => agent.getAgentInfo()?.agentId ?? '')
  for (let round = 0; round < ROUNDS; round++) {
    const { raw } = await alice.createAgreementDoc(termsFor(ids, `${round}`))
    const proposed = await alice.proposeAgreement(raw)
    const signed = await Promise.all(agents.map((agent) => agent.signAgreementDoc(proposed.raw)))
    expect(signed.map(({ status }) => status)).toEqual(['partial', 'partial'])
    const merged = await alice.mergeAgreements(signed.map((copy) => copy.raw))
    for (const agent of agents) {
      expect(await agent.importAgreement(merged)).toMatchObject({ status: 'complete', raw: merged })
      expect(await agent.getAgreement(proposed.agreementId)).toBe(merged)
    }
  }
})
