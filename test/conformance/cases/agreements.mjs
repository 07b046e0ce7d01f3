// Standalone agreements: who is counted, what loses, and what a copy can and cannot change.
import { equal, ok, refused } from '../assert.mjs'
import { password, replaced } from '../world.mjs'

const DAY = 86_400_000
const instant = (at) => new Date(at).toISOString()

export function agreements({ main, SxError, open, stored }) {
  const known = new Map()
  /** An agent of this name, which trusts all others that were asked for before or are later. */
  async function party(name, algorithm = 'ed25519') {
    const before = known.get(name)
    if (before !== undefined) return before
    const { agent } = await open(algorithm, name)
    for (const other of known.values()) {
      other.agent.trustAgent(agent.exportAgent())
      agent.trustAgent(other.agent.exportAgent())
    }
    const one = { agent, id: agent.getAgentInfo().agentId, name }
    known.set(name, one)
    return one
  }
  /** Each after the other: they trust each other as they come. */
  async function some(...names) {
    const found = []
    for (const name of names) found.push(await party(name))
    return found
  }

  /** An agreement that the first of them has proposed. @param more of the terms; `roles` by name of what parties have more */
  async function proposed(all, { policy = {}, roles = {}, ...more } = {}) {
    const terms = {
      title: 'Rent',
      terms: '900 a month',
      termsFormat: 'text/plain',
      parties: all.map(({ id, name }) => ({ partyId: name, agentId: id, role: 'signer', ...roles[name] })),
      policy,
      ...more,
    }
    const [{ agent }] = all
    const { raw } = await agent.createAgreementDoc(terms, { noSave: true })
    return (await agent.proposeAgreement(raw, { noSave: true })).raw
  }
  const sign = async ({ agent }, raw, more = {}) => (await agent.signAgreementDoc(raw, { noSave: true, ...more })).raw
  const merge = ({ agent }, ...copies) => agent.mergeAgreements(copies)
  const judge = ({ agent }, raw, options) => agent.verifyAgreement(raw, options)
  const codes = ({ events }) => events.ignored.map(({ code }) => code)

  const permutations = ([first, ...rest]) =>
    first === undefined
      ? [[]]
      : permutations(rest).flatMap((some) =>
          [...some, first].map((_, at) => [...some.slice(0, at), first, ...some.slice(at)]),
        )

  return [
    [
      'A01 agreement: three sign copies of their own, and every order of merging gives the same bytes',
      async () => {
        const all = await some('Alice', 'Bob', 'Carol')
        const raw = await proposed(all)
        const copies = await Promise.all(all.map((one) => sign(one, raw)))
        const merged = new Set(await Promise.all(permutations(copies).map((some) => merge(all[0], ...some))))
        equal(merged.size, 1)
        const [whole] = merged
        for (const one of all) equal((await judge(one, whole)).status, 'complete')
      },
    ],
    [
      'A02 agreement: merging is idempotent, commutative and associative, and never loses a signature',
      async () => {
        const all = await some('Alice', 'Bob', 'Carol')
        const raw = await proposed(all)
        const [a, b, c] = await Promise.all(all.map((one) => sign(one, raw)))
        const [one] = all
        equal(await merge(one, a, a), a)
        equal(await merge(one, a, b), await merge(one, b, a))
        equal(await merge(one, await merge(one, a, b), c), await merge(one, a, await merge(one, b, c)))
        const count = async (text) => (await judge(one, text)).have
        equal([await count(a), await count(await merge(one, a, b)), await count(await merge(one, a, b, c))], [1, 2, 3])
        await refused(SxError, 'WrongAgreement', () => merge(one, a, a.replace('900 a month', '950 a month')))
      },
    ],
    [
      'A03 agreement: one agent with two keys counts once',
      async () => {
        const [alice, bob] = await some('Alice', 'Bob')
        const { agent } = await open('ed25519', 'Rotating')
        const rotating = { agent, id: agent.getAgentInfo().agentId, name: 'Rotating' }
        agent.trustAgent(alice.agent.exportAgent())
        const raw = await proposed([alice, bob, rotating], { policy: { quorum: { m: 2 } } })
        const first = await sign(rotating, raw)
        await agent.rotateKey()
        const second = await sign(rotating, raw)
        alice.agent.trustAgent(agent.exportAgent())
        const both = await judge(alice, await merge(alice, first, second))
        equal([both.have, both.need, both.status, codes(both)], [1, 2, 'partial', ['Duplicate']])
        await refused(SxError, 'AlreadySigned', () => sign(rotating, second))
      },
    ],
    [
      'A04 A05 agreement: weights and groups',
      async () => {
        const all = await some('Alice', 'Bob', 'Carol')
        const [alice, bob, carol] = all
        const weighed = await proposed(all, { roles: { Alice: { weight: 3 } }, policy: { quorum: { weight: 4 } } })
        equal((await judge(alice, await sign(alice, await sign(bob, weighed)))).status, 'complete')
        const light = await judge(alice, await sign(carol, await sign(bob, weighed)))
        equal([light.status, light.have, light.need, light.blocked], ['partial', 2, 4, ['weight 2/4']])
        const roles = { Alice: { group: 'legal' }, Bob: { group: 'tech' }, Carol: { group: 'tech' } }
        const grouped = await proposed(all, { roles, policy: { quorum: { groups: { legal: 1, tech: 2 } } } })
        const half = await sign(carol, await sign(bob, grouped))
        equal((await judge(bob, half)).blocked, ['group legal 0/1'])
        equal((await judge(bob, await sign(alice, half))).status, 'complete')
      },
    ],
    [
      'A06 agreement: a stage waits for the stage before it',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice, bob] = all
        const raw = await proposed(all, { roles: { Bob: { stage: 1 } }, policy: { order: 'staged' } })
        const message = await refused(SxError, 'EventRefused', () => sign(bob, raw))
        ok(message.includes('OutOfOrder'), 'says why')
        equal((await judge(bob, await sign(bob, await sign(alice, raw)))).status, 'complete')
      },
    ],
    [
      'A08 agreement: an outsider is refused, and one that is written into a copy is ignored',
      async () => {
        const [alice, bob, mallory] = await some('Alice', 'Bob', 'Mallory')
        const raw = await proposed([alice, bob])
        await refused(SxError, 'NotAParty', () => sign(mallory, raw))
        await refused(SxError, 'NotAParty', () => sign(mallory, raw, { for: 'Alice' }))
        const other = JSON.parse(await sign(mallory, await proposed([mallory, bob])))
        const copy = JSON.parse(raw)
        copy.events.push(...other.events)
        const found = await judge(alice, JSON.stringify(copy))
        equal([found.status, found.have, codes(found)], ['proposed', 0, ['WrongAgreement', 'WrongAgreement']])
      },
    ],
    [
      'A09 A17 agreement: no signature goes from one agreement or from one policy to another',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice] = all
        const signed = JSON.parse(await sign(alice, await proposed(all)))
        const twin = JSON.parse(await proposed(all))
        const moved = await judge(alice, JSON.stringify({ ...twin, events: [...twin.events, ...signed.events] }))
        equal([moved.status, moved.have, codes(moved)], ['proposed', 0, ['WrongAgreement', 'WrongAgreement']])
        for (const change of [{ quorum: { m: 1 } }, { signBy: '2099-01-01T00:00:00.000Z' }]) {
          const terms = { ...signed.terms, policy: change }
          const changed = await judge(alice, JSON.stringify({ ...signed, terms }))
          equal([changed.status, changed.have, codes(changed)], ['draft', 0, ['WrongAgreement', 'WrongAgreement']])
        }
      },
    ],
    [
      'A10 A11 agreement: a deadline, and when it takes effect',
      async () => {
        // Agents of their own, whose clocks go ahead.
        const [alice, bob] = await some('Early', 'Late')
        const now = Date.now()
        const policy = {
          signBy: instant(now + DAY),
          effectiveFrom: instant(now + 2 * DAY),
          expiresAt: instant(now + 9 * DAY),
        }
        const raw = await proposed([alice, bob], { policy })
        const half = await sign(alice, raw)
        const whole = await sign(bob, half)
        const at = async (days, text = whole) => (await judge(alice, text, { now: now + days * DAY })).status
        equal([await at(0), await at(3), await at(10)], ['complete', 'active', 'ended'])
        equal([await at(0, half), await at(3, half)], ['partial', 'expired'])
        await replaced(
          Date,
          'now',
          () => now + 2 * DAY,
          async () => {
            await refused(SxError, 'TooLate', () => sign(bob, half))
          },
        )
        await refused(SxError, 'InvalidTerms', () => proposed([alice, bob], { policy: { signBy: instant(now - DAY) } }))
      },
    ],
    [
      'A12 A13 agreement: a decline ends it, a withdrawal does not undo what is complete',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice, bob] = all
        const raw = await proposed(all, { roles: { Bob: { required: true } } })
        const { raw: declined, status } = await bob.agent.declineAgreement(raw, { reason: 'Too much.', noSave: true })
        equal(status, 'declined')
        await refused(SxError, 'EventRefused', () => sign(alice, declined))
        const half = await sign(alice, raw)
        const back = await alice.agent.withdrawSignature(half, { noSave: true })
        equal([back.status, (await judge(bob, back.raw)).have], ['proposed', 0])
        const whole = await sign(bob, half)
        await refused(SxError, 'TooLate', () => alice.agent.withdrawSignature(whole, { noSave: true }))
        const race = await judge(bob, await merge(bob, whole, back.raw))
        equal([race.status, race.contested, codes(race)], ['complete', [back.eventId], ['Contested']])
      },
    ],
    [
      'A14 agreement: a signature that is too weak',
      async () => {
        const [alice] = await some('Alice')
        const raw = await proposed([alice], { policy: { minStrength: 'pq' } }).catch(({ code, found }) => [code, found])
        equal(raw[0], 'TooWeak')
        const strong = await party('Quantum', 'pq2025')
        const signed = await sign(strong, await proposed([strong], { policy: { minStrength: 'pq' } }))
        equal((await judge(strong, signed)).status, 'complete')
      },
    ],
    [
      'A15 agreement: a delegate signs for the party that has said so',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice, bob] = all
        const raw = await proposed(all, { policy: { delegation: 'listed' } })
        await refused(SxError, 'NotAParty', () => sign(bob, raw, { for: 'Alice' }))
        const { raw: delegated } = await alice.agent.delegateSigning(raw, bob.id, { noSave: true })
        const half = await sign(bob, delegated, { for: 'Alice' })
        const { byParty, have } = await judge(alice, half)
        equal([have, byParty[0].state, byParty[0].by, byParty[1].state], [1, 'signed', bob.id, 'pending'])
        const both = await judge(alice, await merge(alice, half, await sign(alice, delegated)))
        equal([both.have, codes(both)], [1, ['Duplicate']])
        const ended = await alice.agent.delegateSigning(raw, bob.id, { until: instant(0), noSave: true })
        await refused(SxError, 'EventRefused', () => sign(bob, ended.raw, { for: 'Alice' }))
      },
    ],
    [
      'A16 agreement: a key that is revoked later counts before, unless it was compromised',
      async () => {
        const [alice] = await some('Alice')
        for (const [reason, have] of [
          ['superseded', 1],
          ['compromised', 0],
        ]) {
          const { agent } = await open('ed25519', `Revoked as ${reason}`)
          const other = { agent, id: agent.getAgentInfo().agentId, name: 'Other' }
          agent.trustAgent(alice.agent.exportAgent())
          const signed = await sign(other, await proposed([alice, other]))
          await agent.rotateKey({ reason })
          alice.agent.trustAgent(agent.exportAgent())
          const found = await judge(alice, signed)
          equal([found.have, codes(found)], [have, have === 1 ? [] : ['KeyRevoked']], reason)
        }
      },
    ],
    [
      'A18 agreement: only a complete successor that names it, and that its parties have signed, supersedes',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice, bob] = all
        const whole = await sign(bob, await sign(alice, await proposed(all)))
        const { sxId: _, ...terms } = JSON.parse(whole).terms
        const { agent } = alice
        const next = await agent.amendAgreement(whole, { ...terms, terms: '950 a month' }, { noSave: true })
        const { raw: begun } = await agent.proposeAgreement(next.raw, { noSave: true })
        await refused(SxError, 'EventRefused', () => agent.supersedeAgreement(whole, begun, { noSave: true }))
        const unlinked = await sign(bob, await sign(alice, await proposed(all)))
        await refused(SxError, 'EventRefused', () => agent.supersedeAgreement(whole, unlinked, { noSave: true }))
        const ownTerms = { ...terms, terms: '1 a month', parties: terms.parties.slice(0, 1) }
        const own = await agent.amendAgreement(whole, ownTerms, { noSave: true })
        const alone = await sign(alice, (await agent.proposeAgreement(own.raw, { noSave: true })).raw)
        equal((await judge(alice, alone)).complete, true)
        await refused(SxError, 'EventRefused', () => agent.supersedeAgreement(whole, alone, { noSave: true }))
        const complete = await sign(bob, await sign(alice, begun))
        const over = await agent.supersedeAgreement(whole, complete, { noSave: true })
        equal(over.status, 'superseded')
        equal((await agent.verifyAgreement(over.raw)).status, 'superseded')
        // Bob does not have the successor, so to him it is a claim.
        const seen = await judge(bob, over.raw)
        equal([seen.status, codes(seen)], ['complete', ['BadSuccessor']])
      },
    ],
    [
      'agreement: what is stored is a set, which copies join',
      async () => {
        const { agent } = await open('ed25519', 'Keeper')
        const keeper = { agent, id: agent.getAgentInfo().agentId, name: 'Keeper' }
        const [alice] = await some('Alice')
        alice.agent.trustAgent(agent.exportAgent())
        const raw = await proposed([alice, keeper])
        await refused(SxError, 'UnknownSigner', () => agent.importAgreement(raw), 'somebody unknown has proposed it')
        agent.trustAgent(alice.agent.exportAgent())
        const changed = raw.replace('900 a month', '9 a month')
        const draft = JSON.stringify({ ...JSON.parse(changed), events: [] })
        for (const copy of [changed, draft]) {
          await refused(SxError, 'InvalidAgreement', () => agent.importAgreement(copy), 'nobody has signed these terms')
        }
        const { agreementId } = await agent.importAgreement(raw)
        equal(await agent.listDocuments({ type: 'sx-agreement' }), [agreementId])
        equal(await agent.listDocuments({ type: 'sx-agreement', after: agreementId }), [])
        const [own, others] = await Promise.all([agent.signAgreementDoc(agreementId), sign(alice, raw)])
        equal([own.status, (await agent.importAgreement(others)).status], ['partial', 'complete'])
        equal(await agent.getAgreement(agreementId), await merge(keeper, own.raw, others))
        await refused(SxError, 'WrongAgreement', () => agent.importAgreement(changed))
        await refused(SxError, 'NotFound', () => agent.getAgreement(keeper.id))
        const backup = await agent.exportStore()
        const { store } = await stored('ed25519', 'Elsewhere')
        await main.SxAgent.prototype.importStore.call(new main.SxAgent({ storage: store }), backup, {
          storage: store,
          configPath: 'restored/sx.config.json',
          keyDirectory: 'restored/keys',
          dataDirectory: 'restored/data',
        })
        const restored = new main.SxAgent({ storage: store, password })
        await restored.load('restored/sx.config.json')
        equal(await restored.getAgreement(agreementId), await agent.getAgreement(agreementId))
        equal((await restored.verifyAgreement(agreementId)).status, 'complete')
      },
    ],
    [
      'agreement: a relay that drops, repeats or changes something makes nothing complete',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice, bob] = all
        const whole = await sign(bob, await sign(alice, await proposed(all)))
        const { events, terms, ...rest } = JSON.parse(whole)
        const copy = (some, of = terms) => JSON.stringify({ ...rest, events: some, terms: of })
        for (const [at, { type }] of events.entries()) {
          const found = await judge(alice, copy(events.filter((event) => event !== events[at])))
          equal([found.complete, found.have < 2], [false, true], type)
        }
        const repeated = copy([...events, ...events.toReversed(), ...events])
        equal(await merge(alice, repeated), whole)
        equal(await judge(alice, repeated), await judge(alice, whole))
        const byte = await judge(alice, copy(events, { ...terms, terms: '901 a month' }))
        equal([byte.status, byte.have, codes(byte)], ['draft', 0, events.map(() => 'WrongAgreement')])
        for (const change of [
          { at: instant(0) },
          { nonce: 'AAAAAAAAAAAAAAAAAAAAAA' },
          { seen: [] },
          { role: 'approver' },
        ]) {
          const changed = events.map((event) => (event.type === 'sign' ? { ...event, ...change } : event))
          const found = await judge(alice, copy(changed))
          equal([found.complete, found.have], [false, 0], JSON.stringify(change))
        }
      },
    ],
    [
      'agreement: a clock that is behind dates no signature before the proposal',
      async () => {
        const all = await some('Alice', 'Bob')
        const [alice, bob] = all
        const raw = await proposed(all)
        const now = Date.now()
        for (const behind of [60_000, DAY]) {
          await replaced(
            Date,
            'now',
            () => now - behind,
            async () => {
              const message = await refused(SxError, 'EventRefused', () => sign(bob, raw))
              ok(message.includes('BeforeTerms'), 'says why')
            },
          )
        }
        equal((await judge(alice, raw)).have, 0)
      },
    ],
    [
      'agreement: what is no agreement, and terms that are none',
      async () => {
        const [alice] = await some('Alice')
        const { agent } = alice
        const whole = await sign(alice, await proposed([alice]))
        for (const bad of ['{}', '{"events":[],"terms":{}}', '[{}]', whole.replace('"Rent"', '17')]) {
          await refused(SxError, 'InvalidAgreement', () => agent.verifyAgreement(bad), bad)
        }
        await refused(SxError, 'NotJson', () => agent.verifyAgreement('{'))
        const damaged = JSON.parse(whole)
        damaged.events[0].signature = damaged.events[1].signature
        const found = await judge(alice, JSON.stringify(damaged))
        ok(
          found.status !== 'complete' && codes(found).includes('BadSignature'),
          'a damaged signature counts for nothing',
        )
        const { terms } = JSON.parse(whole)
        const { sxId: _, ...bare } = terms
        const create = (more) => agent.createAgreementDoc({ ...bare, ...more }, { noSave: true })
        const [one] = bare.parties
        for (const [code, more] of [
          ['NoParties', { parties: [] }],
          ['InvalidTerms', { parties: [one, { ...one, partyId: 'again' }] }],
          ['InvalidTerms', { parties: [{ ...one, role: 'king' }] }],
          ['InvalidTerms', { parties: [{ ...one, weight: 0 }] }],
          ['InvalidTerms', { parties: [{ ...one, weight: 0 }], policy: { quorum: { weight: 1 } } }],
          ['InvalidTerms', { parties: [{ ...one, weight: 2 }], policy: { quorum: { weight: 3 } } }],
          ['InvalidTerms', { parties: [{ ...one, stage: 2 }], policy: { order: 'staged' } }],
          ['InvalidTerms', { policy: { quorum: { m: 2 } } }],
          ['ReservedField', { sxType: 'x' }],
          ['ReservedField', { sxId: one.agentId }],
        ]) {
          await refused(SxError, code, () => create(more), JSON.stringify(more))
        }
      },
    ],
  ]
}
