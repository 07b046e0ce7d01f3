// Terms that follow from a seed: all roles and policies, and terms with a fault.
import type { Random } from '../simulation/random.ts'
import { consents, type Party, type Policy, type Quorum, type Role, type Terms, weightOf } from './forms.ts'
import type { Mood } from './histories.ts'
import { dateOf, keyOf, shuffled, some, uuidOf } from './values.ts'

const maybeWith =
  (random: Random) =>
  <T>(chance: number, value: () => T): T | undefined =>
    random.chance(chance) ? value() : undefined

/** Terms of some kind; `mood` says what the parties are going to do. */
export function writeTerms(random: Random, mood: Mood, sxId: string): Terms {
  const maybe = maybeWith(random)
  const isStaged = random.chance(0.25)
  const groups = ['legal', 'tech']
  const consenting = Array.from({ length: 1 + random.below(mood === 'aftermath' ? 3 : 5) }, (_, n): Party => {
    const stage = isStaged ? Math.min(n, random.below(3)) : 0
    return JSON.parse(
      JSON.stringify({
        ...writeParty(random, n, random.chance(0.8) ? 'signer' : 'approver'),
        weight: maybe(0.3, () => random.below(4)),
        stage: stage > 0 || random.chance(0.1) ? stage : undefined,
        group: maybe(0.4, () => random.pick(groups)),
        required: maybe(0.25, () => random.chance(0.7)),
      }),
    ) as Party
  })
  // Stages without holes, as the terms need them.
  const stages = [...new Set(consenting.map(({ stage = 0 }) => stage))].toSorted((a, b) => a - b)
  const renumbered = consenting.map((party) =>
    party.stage === undefined ? party : { ...party, stage: stages.indexOf(party.stage) },
  )
  const roles = random.chance(0.5)
    ? some(random, ['witness', 'witness', 'notary', 'notary', 'observer'] as const, 0.4)
    : []
  const isNotarised = mood === 'notarise' || random.chance(0.1)
  if (isNotarised && !roles.includes('notary')) roles.push('notary')
  const others = roles.map((role, n) => writeParty(random, renumbered.length + n, role))
  const parties = [...renumbered, ...others]
  const policy = writePolicy(random, mood, parties, isStaged, isNotarised)
  return {
    sxId,
    title: 'A contract',
    terms: 'Alice pays. Bob delivers.',
    termsFormat: 'text/plain',
    parties: shuffled(random, parties),
    ...(Object.keys(policy).length > 0 || random.chance(0.5) ? { policy } : {}),
  }
}

function writeParty(random: Random, n: number, role: Role): Party {
  const agentId = uuidOf(`agent ${n}`)
  return {
    partyId: `p${n}`,
    agentId,
    role,
    ...(random.chance(0.1)
      ? { keyIds: [keyOf(`${agentId} 0`), ...(random.chance(0.5) ? [keyOf(`${agentId} 1`)] : [])] }
      : {}),
    ...(random.chance(0.2) ? { displayName: `Party ${n}` } : {}),
  }
}

function writePolicy(
  random: Random,
  mood: Mood,
  parties: readonly Party[],
  isStaged: boolean,
  isNotarised: boolean,
): Policy {
  const maybe = maybeWith(random)
  const count = (role: Role): number => parties.filter((party) => party.role === role).length
  const policy: Policy = {
    quorum: maybe(0.8, () => writeQuorum(random, mood, parties.filter(consents))),
    order: isStaged ? 'staged' : maybe(0.2, () => 'parallel'),
    witnesses: maybe(0.4, () => random.below(count('witness') + 1)),
    notaries: maybe(0.4, () => random.below(count('notary') + 1)),
    decline: maybe(0.6, () => random.pick(['any-ends', 'quorum-impossible-ends'])),
    algorithms: maybe(0.1, () => random.pick([['ed25519'], ['pq2025'], ['ed25519', 'pq2025']])),
    minStrength: maybe(0.1, () => random.pick(['classical', 'pq'])),
    signBy: maybe(0.4, () => dateOf(1 + random.below(12))),
    effectiveFrom: maybe(0.25, () => dateOf(random.below(14))),
    expiresAt: maybe(0.25, () => dateOf(4 + random.below(16))),
    timeProof: isNotarised ? 'notary' : maybe(0.3, () => 'none'),
    delegation:
      mood === 'delegate' || random.chance(0.3) ? random.pick(['none', 'listed', 'document', 'document']) : undefined,
    withdraw: maybe(0.4, () => random.pick(['until-complete', 'until-complete', 'until-complete', 'never'])),
    terminate: maybe(0.7, () => random.pick(['any', 'any', 'quorum', 'all'])),
  } as { [name in keyof Policy]: Policy[name] | undefined } as Policy
  return JSON.parse(JSON.stringify(policy)) as Policy
}

function writeQuorum(random: Random, mood: Mood, consenting: readonly Party[]): Quorum {
  const weight = weightOf(consenting)
  const sizes = new Map<string, number>()
  for (const { group } of consenting) if (group !== undefined) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const isEasy = mood === 'waver' && random.chance(0.7)
  if (isEasy) return { m: Math.min(2, consenting.length) }
  const kind = random.pick(['all', 'majority', 'm', 'm', 'weight', 'groups'] as const)
  if (kind === 'm') return { m: 1 + random.below(consenting.length) }
  if (kind === 'weight' && weight > 0) return { weight: 1 + random.below(weight) }
  if (kind === 'groups' && sizes.size > 0) {
    return { groups: Object.fromEntries([...sizes].map(([name, size]) => [name, 1 + random.below(size)])) }
  }
  return kind === 'majority' ? 'majority' : 'all'
}

/** Terms that nobody can agree on. */
export function spoilTerms(random: Random, terms: Terms): unknown {
  const [party] = terms.parties as [Party]
  return random.pick<unknown>([
    { ...terms, parties: [] },
    { ...terms, parties: [...terms.parties, party] },
    { ...terms, parties: [...terms.parties, { ...party, partyId: 'twin' }] },
    { ...terms, parties: [...terms.parties, { ...party, agentId: uuidOf('twin') }] },
    { ...terms, parties: [{ ...party, role: 'judge' }, ...terms.parties.slice(1)] },
    {
      ...terms,
      parties: [...terms.parties, { ...party, partyId: 'late', agentId: uuidOf('late'), role: 'signer', stage: 9 }],
    },
    { ...terms, policy: { ...terms.policy, quorum: { weight: 1_000_000_000 } } },
    { ...terms, policy: { ...terms.policy, quorum: { m: 0 } } },
    { ...terms, policy: { ...terms.policy, signBy: 'tomorrow' } },
    { ...terms, policy: { ...terms.policy, mood: 'good' } },
    { ...terms, title: 5 },
    'terms',
  ])
}
