// Histories of agreements that follow from a seed: people with several copies of one agreement, who act, merge and lose.
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
  type Role,
  type Terms,
  type Verdict,
} from './forms.ts'
import { spoilTerms, writeTerms } from './terms.ts'
import { dateOf, keyOf, nonceOf, sha256, shuffled, some, uuidOf } from './values.ts'

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
export type Mood = keyof typeof moods

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
    this.#terms = writeTerms(random, this.#mood, uuidOf(`agreement ${seed}`))
    this.#policy = this.#terms.policy ?? {}
    this.#hash = hashOf(this.#terms)
    const isUnknown = random.chance(0.02)
    const outsider = uuidOf('outsider')
    this.#agents = [...this.#terms.parties.map(({ agentId }) => agentId), outsider].map((id) =>
      this.#meet(id, isUnknown),
    )
    this.#copies = Array.from({ length: 1 + random.below(3) }, () => [])
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
      hole: () => [...this.#headsOf(copy), sha256(`hole ${this.#number}`)],
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
        return { attachment: { name: 'a.pdf', mediaType: 'application/pdf', size: 10, sha256: sha256('a.pdf') } }
      case 'delegate':
        return {
          to: random.pick(agents),
          scope: random.pick([['sign'], ['sign'], ['sign', 'withdraw'], ['decline'], ['sign', 'decline', 'withdraw']]),
          ...(random.chance(0.4) ? { until: dateOf(this.#days + random.below(8) / 2) } : {}),
          ...(random.chance(0.7)
            ? { document: { sxId: uuidOf('power'), sxVersion: uuidOf('of attorney'), sha256: sha256('power') } }
            : {}),
        }
      case 'dispute':
        return { reason: 'Late.' }
      case 'resolve':
        return { dispute: disputes.length > 0 ? random.pick(disputes) : sha256('dispute') }
      case 'supersede':
        return { successor: { sxId: uuidOf('successor'), sha256: sha256('successor') } }
      case 'decline':
      case 'withdraw':
      case 'void':
      case 'terminate':
        return random.chance(0.05) ? { reason: 'So.' } : {}
      case 'propose':
      case 'sign':
      case 'witness':
      case 'notarize':
        return random.chance(0.05) ? { note: 'So.' } : {}
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
      agreementHash: random.chance(0.005) ? sha256('twin') : this.#hash,
      actor: { agentId: agent.id, agentVersion: uuidOf(`${agent.id} version`), keyId: key.id },
      role: random.chance(0.005) ? random.pick(['signer', 'witness', 'nobody']) : party.role,
      at: dateOf(this.#days + agent.offset - (random.chance(0.03) ? random.below(10) : 0)),
      nonce: nonceOf(`nonce ${++this.#number}`),
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
    const terms = random.chance(0.02) ? spoilTerms(random, this.#terms) : this.#terms
    return {
      terms,
      ...(random.chance(0.3) ? { agreementHash: random.chance(0.03) ? sha256('other terms') : this.#hash } : {}),
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
}

/** The history that follows from a seed. */
export function historyOf(seed: number): History {
  return new Story(seed).tell()
}
