// Two tabs of one profile, with an agent each and one store, sign each agreement at the same moment.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { hasNoBrowser } from './site.ts'
import { context, site, tabbed, tabs } from './tabs.ts'

const ROUNDS = 100

tabbed()

interface Signed {
  readonly eventId: string | undefined
  readonly status: string
}

/** Creates an agent with a key of its own; the documents are those of all. */
const agentIn = (page: Page, name: string): Promise<{ id: string; document: string }> =>
  page.evaluate(async (name) => {
    const options = { algorithm: 'ed25519', dataDirectory: './data', keyDirectory: `./${name}-keys` } as const
    const configPath = `${name}.config.json`
    const { agent, agentId: id } = await window.sx.SxAgent.create({ ...options, name, configPath })
    return { id, document: agent.exportAgent() }
  }, name)

/** Signs one agreement after the other, each when the other tab is about to sign it, too. */
const signAll = (page: Page, name: string, ids: readonly string[]): Promise<Signed[]> =>
  page.evaluate(
    async ([name, ids]) => {
      const agent = new window.sx.SxAgent()
      await agent.load(`${name}.config.json`)
      const channel = new BroadcastChannel('meeting')
      const met = new Set<number>()
      let wake = (): void => {}
      channel.onmessage = ({ data: { at, isAnswer } }: MessageEvent<{ at: number; isAnswer: boolean }>) => {
        met.add(at)
        if (!isAnswer && at <= reached) channel.postMessage({ at, isAnswer: true }) // it has asked later
        wake()
      }
      let reached = -1
      const meet = async (at: number): Promise<void> => {
        reached = at
        channel.postMessage({ at, isAnswer: false })
        while (!met.has(at)) await new Promise<void>((resolve) => (wake = resolve))
      }
      const signed: Signed[] = []
      for (const [at, id] of ids.entries()) {
        await meet(at)
        const { eventId, status } = at % 2 === 0 ? await agent.signAgreementDoc(id) : agent.signAgreementDocSync(id)
        if (at % 2 !== 0) await agent.flush()
        signed.push({ eventId, status })
      }
      channel.close()
      return signed
    },
    [name, ids] as const,
  )

describe.skipIf(hasNoBrowser)('two tabs', () => {
  it('sign one agreement at the same moment, a hundred times: both signatures are in the store', async () => {
    const [one, two] = tabs
    const [alice, bob] = [await agentIn(one, 'alice'), await agentIn(two, 'bob')]
    const ids = await one.evaluate(
      async ([alice, bob, rounds]) => {
        const agent = new window.sx.SxAgent()
        await agent.load('alice.config.json')
        agent.trustAgent(bob.document)
        const parties = [alice.id, bob.id].map((id) => ({ partyId: id, agentId: id, role: 'signer' as const }))
        const ids: string[] = []
        for (let round = 0; round < rounds; round += 1) {
          const terms = { title: `${round}`, terms: 'One pays.', termsFormat: 'text/plain' as const, parties }
          const { agreementId } = await agent.createAgreementDoc(terms)
          await agent.proposeAgreement(agreementId)
          ids.push(agreementId)
        }
        await agent.flush()
        return ids
      },
      [alice, bob, ROUNDS] as const,
    )
    await two.evaluate(async (document) => {
      const agent = new window.sx.SxAgent()
      await agent.load('bob.config.json')
      agent.trustAgent(document)
      await agent.flush()
    }, alice.document)
    const [byAlice, byBob] = await Promise.all([signAll(one, 'alice', ids), signAll(two, 'bob', ids)])
    expect([byAlice.length, byBob.length]).toEqual([ROUNDS, ROUNDS])
    const blind = byAlice.filter(({ status }, at) => status === 'partial' && byBob[at]?.status === 'partial').length
    console.log(`In ${blind} of ${ROUNDS} rounds neither tab has seen the signature of the other one.`)

    const third = await site.probe(context) // it has nothing but the store
    for (const name of ['alice', 'bob']) {
      const found = await third.evaluate(
        async ([name, ids]) => {
          const agent = new window.sx.SxAgent()
          await agent.load(`${name}.config.json`)
          const verdicts = []
          for (const id of ids) {
            const { valid, status, have, missing, events } = await agent.verifyAgreement(id)
            verdicts.push({ valid, status, have, missing, ignored: events.ignored, counted: events.counted })
          }
          return verdicts
        },
        [name, ids] as const,
      )
      for (const [at, { counted, ...verdict }] of found.entries()) {
        expect(verdict).toEqual({ valid: true, status: 'complete', have: 2, missing: [], ignored: [] })
        expect(counted).toEqual(expect.arrayContaining([byAlice[at]?.eventId, byBob[at]?.eventId]))
      }
    }
  })
})
