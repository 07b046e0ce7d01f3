// Histories of agreements that follow from a seed: people with several copies of one agreement, who act, merge and lose.
import { createHash } from 'node:crypto'
import { Random } from '../simulation/random.ts'
import {
  type AgreementEvent,
  consents,
  type Entry,
  type EventType,
  type History,
  hashOf,
  idOf,
  type Party,
  type Policy,
  type Quorum,
  type Role,
  type Terms,
  type Verdict,
} from './forms.ts'

const DAY = 86_400_000
const START = Date.parse('2026-03-01T00:00:00.000Z')

const digits = (name: string): string => createHash('sha256').update(name).digest('hex')
export const sha256 = digits
export const uuidOf = (name: string): string =>
  digits(name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
export const keyOf = (name: string): string => createHash('sha256').update(name).digest('base64url')
export const dateOf = (days: number): string => new Date(START + Math.round(days * DAY)).toISOString()

type Weights = Readonly<Partial<Record<EventType, number>>>

/** What the people of a history are up to: how often each does what. */
const moods = {
  cooperate: { sign: 20, witness: 3, notarize: 3, comment: 2, withdraw: 1, attach: 1 },
  quarrel: { sign: 12, decline: 3, withdraw: 5, void: 1, comment: 3, witness: 2, notarize: 2, delegate: 1 },
  waver: { sign: 16, withdraw: 7, terminate: 3, dispute: 1, supersede: 1, comment: 1, notarize: 1, decline: 1 },
  aftermath: {
    dispute: 5,
    resolve: 9,
    terminate: 4,
    supersede: 2,
    sign: 3,
    withdraw: 2,
    notarize: 2,
    comment: 1,
    witness: 1,
    delegate: 1,
  },
  delegate: { sign: 14, delegate: 8, withdraw: 2, decline: 2, comment: 1, notarize: 1 },
  notarise: { sign: 12, notarize: 10, withdraw: 2, decline: 1, void: 1, witness: 2, dispute: 1, comment: 1 },
  anything: {
    propose: 1,
    sign: 4,
    decline: 1,
    withdraw: 2,
    void: 1,
    comment: 1,
    attach: 1,
    delegate: 1,
    witness: 2,
    notarize: 2,
    dispute: 2,
    resolve: 2,
    terminate: 2,
    supersede: 2,
  },
} satisfies Record<string, Weights>
type Mood = keyof typeof moods

/** How people look at what is there before they act. */
const careless = { heads: 60, less: 14, first: 10, oneMore: 4, nothing: 1, hole: 1 }
const sideways = { heads: 55, less: 10, first: 25, oneMore: 2, nothing: 0, hole: 0 }
const attentive = { heads: 80, less: 6, first: 3, oneMore: 2, nothing: 0, hole: 0 }
const looks: Partial<Record<Mood, Record<keyof typeof careless, number>>> = { aftermath: attentive, waver: sideways }

interface Key {
  readonly id: string
  readonly alg: 'ed25519' | 'pq2025'
  readonly revoked?: Verdict['revoked']
}

interface Agent {
  readonly id: string
  /** The keys in their order, each until the date at which the next one follows. */
  readonly keys: readonly Key[]
  readonly rotatedAt: number
  /** How many days the clock is wrong. */
  readonly offset: number
  readonly isUnknown: boolean
}

interface Made extends Entry {
  readonly id: string
  readonly event: AgreementEvent
}

/** Some of `items`, each with this chance. */
const some = <T>(random: Random, items: readonly T[], chance: number): T[] => items.filter(() => random.chance(chance))

/** Items in another order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

class Story {
  readonly #random: Random
  readonly #mood: Mood
  readonly #terms: Terms
  readonly #policy: Policy
  readonly #hash: string
  readonly #agents: readonly Agent[]
  readonly #copies: Made[][]
  #days = 0
  #number = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
    const random = this.#random
    this.#mood = random.pick(Object.keys(moods) as Mood[])
    this.#terms = this.#writeTerms(uuidOf(`agreement ${seed}`))
    this.#policy = this.#terms.policy ?? {}
    this.#hash = hashOf(this.#terms)
    const isUnknown = random.chance(0.02)
    const outsider = uuidOf('outsider')
    this.#agents = [...this.#terms.parties.map(({ agentId }) => agentId), outsider].map((id) =>
      this.#meet(id, isUnknown),
    )
    this.#copies = Array.from({ length: 1 + random.below(3) }, () => [])
  }

  /** Something that is given more or less often. */
  #maybe<T>(chance: number, value: () => T): T | undefined {
    return this.#random.chance(chance) ? value() : undefined
  }

  #writeTerms(sxId: string): Terms {
    const random = this.#random
    const isStaged = random.chance(0.25)
    const groups = ['legal', 'tech']
    const consenting = Array.from({ length: 1 + random.below(this.#mood === 'aftermath' ? 3 : 5) }, (_, n): Party => {
      const stage = isStaged ? Math.min(n, random.below(3)) : 0
      return JSON.parse(
        JSON.stringify({
          ...this.#writeParty(n, random.chance(0.8) ? 'signer' : 'approver'),
          weight: this.#maybe(0.3, () => random.below(4)),
          stage: stage > 0 || random.chance(0.1) ? stage : undefined,
          group: this.#maybe(0.4, () => random.pick(groups)),
          required: this.#maybe(0.25, () => random.chance(0.7)),
        }),
      ) as Party
    })
    // Stages without holes, as the terms need them.
    const stages = [...new Set(consenting.map(({ stage = 0 }) => stage))].toSorted((a, b) => a - b)
    const renumbered = consenting.map((party) =>
      party.stage === undefined ? party : { ...party, stage: stages.indexOf(party.stage) },
    )
    const lowest = Math.min(...renumbered.map(({ stage = 0 }) => stage))
    const roles = random.chance(0.5)
      ? some(random, ['witness', 'witness', 'notary', 'notary', 'observer'] as const, 0.4)
      : []
    const isNotarised = this.#mood === 'notarise' || random.chance(0.1)
    if (isNotarised && !roles.includes('notary')) roles.push('notary')
    const others = roles.map((role, n) => this.#writeParty(renumbered.length + n, role))
    const parties = [...renumbered.map((party) => (lowest > 0 ? { ...party, stage: 0 } : party)), ...others]
    const policy = this.#writePolicy(parties, isStaged, isNotarised)
    return {
      sxId,
      title: 'A contract',
      terms: 'Alice pays. Bob delivers.',
      termsFormat: 'text/plain',
      parties: shuffled(random, parties),
      ...(Object.keys(policy).length > 0 || random.chance(0.5) ? { policy } : {}),
    }
  }

  #writeParty(n: number, role: Role): Party {
    const agentId = uuidOf(`agent ${n}`)
    return {
      partyId: `p${n}`,
      agentId,
      role,
      ...(this.#random.chance(0.1)
        ? { keyIds: [keyOf(`${agentId} 0`), ...(this.#random.chance(0.5) ? [keyOf(`${agentId} 1`)] : [])] }
        : {}),
      ...(this.#random.chance(0.2) ? { displayName: `Party ${n}` } : {}),
    }
  }

  #writePolicy(parties: readonly Party[], isStaged: boolean, isNotarised: boolean): Policy {
    const random = this.#random
    const count = (role: Role): number => parties.filter((party) => party.role === role).length
    const policy: Policy = {
      quorum: this.#maybe(0.8, () => this.#writeQuorum(parties.filter(consents))),
      order: isStaged ? 'staged' : this.#maybe(0.2, () => 'parallel'),
      witnesses: this.#maybe(0.4, () => random.below(count('witness') + 1)),
      notaries: this.#maybe(0.4, () => random.below(count('notary') + 1)),
      decline: this.#maybe(0.6, () => random.pick(['any-ends', 'quorum-impossible-ends'])),
      algorithms: this.#maybe(0.1, () => random.pick([['ed25519'], ['pq2025'], ['ed25519', 'pq2025']])),
      minStrength: this.#maybe(0.1, () => random.pick(['classical', 'pq'])),
      signBy: this.#maybe(0.4, () => dateOf(1 + random.below(12))),
      effectiveFrom: this.#maybe(0.25, () => dateOf(random.below(14))),
      expiresAt: this.#maybe(0.25, () => dateOf(4 + random.below(16))),
      timeProof: isNotarised ? 'notary' : this.#maybe(0.3, () => 'none'),
      delegation:
        this.#mood === 'delegate' || random.chance(0.3)
          ? random.pick(['none', 'listed', 'document', 'document'])
          : undefined,
      withdraw: this.#maybe(0.4, () => random.pick(['until-complete', 'until-complete', 'until-complete', 'never'])),
      terminate: this.#maybe(0.7, () => random.pick(['any', 'any', 'quorum', 'all'])),
    } as { [name in keyof Policy]: Policy[name] | undefined } as Policy
    return JSON.parse(JSON.stringify(policy)) as Policy
  }

  #writeQuorum(consenting: readonly Party[]): Quorum {
    const random = this.#random
    const weight = consenting.reduce((sum, party) => sum + (party.weight ?? 1), 0)
    const sizes = new Map<string, number>()
    for (const { group } of consenting) if (group !== undefined) sizes.set(group, (sizes.get(group) ?? 0) + 1)
    const isEasy = this.#mood === 'waver' && random.chance(0.7)
    if (isEasy) return { m: Math.min(2, consenting.length) }
    const kind = random.pick(['all', 'majority', 'm', 'm', 'weight', 'groups'] as const)
    if (kind === 'm') return { m: 1 + random.below(consenting.length) }
    if (kind === 'weight' && weight > 0) return { weight: 1 + random.below(weight) }
    if (kind === 'groups' && sizes.size > 0) {
      return { groups: Object.fromEntries([...sizes].map(([name, size]) => [name, 1 + random.below(size)])) }
    }
    return kind === 'majority' ? 'majority' : 'all'
  }

  #meet(id: string, isUnknown: boolean): Agent {
    const random = this.#random
    const { algorithms = ['ed25519', 'pq2025'], minStrength } = this.#policy
    const usual = minStrength === 'pq' ? 'pq2025' : random.pick(algorithms)
    const key = (n: number): Key => ({
      id: keyOf(`${id} ${n}`),
      alg: (random.chance(0.03) ? random.pick(['ed25519', 'pq2025']) : usual) as Key['alg'],
      ...(random.chance(n > 0 ? 0.02 : this.#mood === 'notarise' ? 0.15 : 0.06)
        ? {
            revoked: {
              at: dateOf(random.below(14) + random.below(2) / 2),
              reason: random.pick(['superseded', 'unspecified', 'compromised']),
            },
          }
        : {}),
    })
    return {
      id,
      keys: random.chance(0.2) ? [key(0), key(1)] : [key(0)],
      rotatedAt: random.below(10),
      offset: random.chance(0.15) ? (random.below(17) - 8) / 4 : 0,
      isUnknown: isUnknown || random.chance(0.01),
    }
  }

  #headsOf(copy: readonly Made[]): string[] {
    const seen = new Set(copy.flatMap(({ event }) => event.seen))
    return copy.map(({ id }) => id).filter((id) => !seen.has(id))
  }

  /** What an event names as seen: mostly what is there, sometimes less, sometimes nothing or what nobody has. */
  #lookAt(copy: readonly Made[]): string[] {
    const random = this.#random
    const ids = copy.map(({ id }) => id)
    const how = random.weighted(looks[this.#mood] ?? careless)
    const all = {
      heads: () => this.#headsOf(copy),
      less: () => this.#headsOf(copy.slice(0, 1 + random.below(copy.length || 1))),
      first: () => ids.slice(0, 1),
      oneMore: () => [...this.#headsOf(copy), ...some(random, ids, 0.2)],
      nothing: () => [],
      hole: () => [...this.#headsOf(copy), digits(`hole ${this.#number}`)],
    }[how]()
    return [...new Set(all)].toSorted()
  }

  #dataOf(type: EventType, copy: readonly Made[]): Record<string, unknown> {
    const random = this.#random
    const agents = this.#agents.map(({ id }) => id)
    const disputes = copy.filter(({ event }) => event.type === 'dispute').map(({ id }) => id)
    switch (type) {
      case 'comment':
        return { text: 'A word.' }
      case 'attach':
        return { attachment: { name: 'a.pdf', mediaType: 'application/pdf', size: 10, sha256: digits('a.pdf') } }
      case 'delegate':
        return {
          to: random.pick(agents),
          scope: random.pick([['sign'], ['sign'], ['sign', 'withdraw'], ['decline'], ['sign', 'decline', 'withdraw']]),
          ...(random.chance(0.4) ? { until: dateOf(this.#days + random.below(8) / 2) } : {}),
          ...(random.chance(0.7)
            ? { document: { sxId: uuidOf('power'), sxVersion: uuidOf('of attorney'), sha256: digits('power') } }
            : {}),
        }
      case 'dispute':
        return { reason: 'Late.' }
      case 'resolve':
        return { dispute: disputes.length > 0 ? random.pick(disputes) : digits('dispute') }
      case 'supersede':
        return { successor: { sxId: uuidOf('successor'), sha256: digits('successor') } }
      default:
        return random.chance(0.05)
          ? { [['decline', 'withdraw', 'void', 'terminate'].includes(type) ? 'reason' : 'note']: 'So.' }
          : {}
    }
  }

  /** Who does this: mostly somebody who may. */
  #actorOf(type: EventType): { type: EventType; agent: Agent; party: Party; for?: string } {
    const random = this.#random
    const { parties } = this.#terms
    const roles: Partial<Record<EventType, readonly Role[]>> = { witness: ['witness'], notarize: ['notary'] }
    const anyone = ['propose', 'comment', 'attach', 'void', 'supersede'].includes(type)
    const proposers = this.#copies.flat().flatMap(({ event }) => (event.type === 'propose' ? event.actor.agentId : []))
    const able = parties.filter((party) =>
      type === 'void'
        ? proposers.includes(party.agentId)
        : anyone || (roles[type]?.includes(party.role) ?? (!roles[type] && consents(party))),
    )
    if (able.length === 0 && random.chance(0.9)) return this.#actorOf('sign')
    const party = random.pick(able.length > 0 && random.chance(0.98) ? able : parties)
    const own = this.#agents.find(({ id }) => id === party.agentId) as Agent
    const isDelegated =
      ['sign', 'decline', 'withdraw'].includes(type) && random.chance(this.#mood === 'delegate' ? 0.4 : 0.02)
    if (!isDelegated) return { type, agent: random.chance(0.01) ? random.pick(this.#agents) : own, party }
    const powers = this.#copies.flat().filter(({ event }) => event.type === 'delegate')
    const power = powers.length > 0 && random.chance(0.9) ? random.pick(powers).event : undefined
    const agent = this.#agents.find(({ id }) => id === power?.data.to) ?? random.pick(this.#agents)
    const principal = parties.find(({ agentId }) => agentId === power?.actor.agentId) ?? party
    return { type, agent, party: principal, for: random.chance(0.02) ? 'nobody' : principal.partyId }
  }

  /** Somebody acts on a copy. */
  #act(copy: Made[], wish: EventType): void {
    const random = this.#random
    const { type, agent, party, for: principal } = this.#actorOf(wish)
    const key = agent.keys[this.#days >= agent.rotatedAt ? agent.keys.length - 1 : 0] as Key
    const event: AgreementEvent = {
      type,
      agreementHash: random.chance(0.005) ? digits('twin') : this.#hash,
      actor: { agentId: agent.id, agentVersion: uuidOf(`${agent.id} version`), keyId: key.id },
      role: random.chance(0.005) ? random.pick(['signer', 'witness', 'nobody']) : party.role,
      at: dateOf(this.#days + agent.offset - (random.chance(0.03) ? random.below(10) : 0)),
      nonce: Buffer.from(digits(`nonce ${++this.#number}`).slice(0, 32), 'hex').toString('base64url'),
      seen: this.#lookAt(copy),
      data: { ...this.#dataOf(type, copy), ...(principal === undefined ? {} : { for: principal }) },
      alg: key.alg,
      signature: Buffer.from(`signature ${this.#number}`).toString('base64'),
    }
    copy.push({ id: idOf(event), event, verdict: this.#verdictOn(event, agent, key) })
  }

  #verdictOn({ type }: AgreementEvent, agent: Agent, { revoked }: Key): Verdict {
    const random = this.#random
    if (agent.isUnknown) return { valid: false, code: 'UnknownSigner' }
    if (random.chance(0.004)) return { valid: false, code: random.pick(['BadSignature', 'KeyMismatch']) }
    return {
      valid: true,
      ...(revoked ? { revoked } : {}),
      ...(type === 'supersede' && random.chance(0.7) ? { successor: true } : {}),
    }
  }

  /** Two copies meet; what one has, the other one learns, except what gets lost on the way. */
  #merge(): void {
    const random = this.#random
    const from = random.pick(this.#copies)
    const to = random.pick(this.#copies)
    const isWhole = random.chance(0.9)
    for (const made of from) if (!to.includes(made) && (isWhole || random.chance(0.8))) to.push(made)
  }

  /** Lets things happen, and hands over what somebody sees of them in the end. */
  tell(): History {
    const random = this.#random
    const [first] = this.#copies as [Made[]]
    const weights = moods[this.#mood] as Weights
    if (random.chance(0.97)) this.#act(first, 'propose')
    for (const copy of this.#copies) if (copy !== first && random.chance(0.97)) copy.push(...first)
    const isLong = this.#mood === 'aftermath' || random.chance(0.1)
    const steps = isLong ? 10 + random.below(20) : 1 + random.below(14)
    for (let step = 0; step < steps; step++) {
      this.#days += random.below(5) / 4
      if (random.chance(0.3)) this.#merge()
      const isEarly = this.#mood === 'aftermath' && step < 6
      const type = random.weighted<EventType>(
        random.chance(0.05) ? moods.anything : isEarly ? moods.cooperate : weights,
      )
      this.#act(random.pick(this.#copies), type)
    }
    return this.#handOver()
  }

  #handOver(): History {
    const random = this.#random
    const copies = random.chance(0.8) ? this.#copies : [random.pick(this.#copies)]
    const all = [...new Set(copies.flat())]
    const kept = random.chance(0.15) ? some(random, all, 0.85) : all
    const spoiled = kept.flatMap((made) => this.#spoil(made))
    const entries = random.chance(0.7) ? shuffled(random, spoiled) : spoiled
    const terms = random.chance(0.02) ? this.#spoilTerms() : this.#terms
    return {
      terms,
      ...(random.chance(0.3) ? { agreementHash: random.chance(0.03) ? digits('other terms') : this.#hash } : {}),
      events: entries,
      now: dateOf(random.chance(0.6) ? this.#days : random.below(22)),
    }
  }

  /** What becomes of an event that is handed around. */
  #spoil({ event, verdict }: Made): Entry[] {
    const random = this.#random
    const entry = { event, verdict }
    const forged = { event: { ...event, signature: 'Zm9yZ2Vk' }, verdict: { valid: false, code: 'BadSignature' } }
    const again = { event: { ...event, signature: 'YWdhaW4=' }, verdict }
    const broken = { event: { ...event, [random.pick(['at', 'seen', 'data', 'nonce', 'more'])]: 'broken' }, verdict }
    const how = random.weighted({ kept: 940, twice: 20, besideForged: 20, forged: 5, again: 10, broken: 5 })
    return {
      kept: [entry],
      twice: [entry, entry],
      besideForged: [entry, forged],
      forged: [forged],
      again: [entry, again],
      broken: [broken],
    }[how]
  }

  #spoilTerms(): unknown {
    const terms = this.#terms
    const [party] = terms.parties as [Party]
    return this.#random.pick<unknown>([
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
}

/** The history that follows from a seed. */
export function historyOf(seed: number): History {
  return new Story(seed).tell()
}
