import type { Random } from './random.ts'

/** Something that one of the actors does next, once it is its turn. */
export interface Turn {
  /** Who: turns of a process that died are dropped. */
  readonly actor: object
  readonly what: string
  /** Does it; everything that follows without waiting follows from it. */
  go(): void
  /** What becomes of it if the actor dies before. */
  drop?(): void
}

interface Waiting {
  readonly turn: Turn
  /** Slow turns wait until so many others have been taken, unless nobody else is there. */
  readonly from: number
}

/** How the next turn is chosen. Each finds other faults: see the comments. */
type Strategy = 'uniform' | 'priorities' | 'bursts'

/** A low priority for every so many turns ('probabilistic concurrency testing'): finds what needs few, rare switches. */
const CHANGE_POINTS = 4
const TYPICAL_RUN = 250

/** Decides who goes on. */
export class Scheduler {
  readonly #random: Random
  readonly #strategy: Strategy
  readonly #priorities = new Map<object, number>()
  readonly #changes: Set<number>
  #waiting: Waiting[] = []
  #last: object | undefined
  #taken = 0

  constructor(random: Random) {
    this.#random = random
    this.#strategy = random.weighted<Strategy>({ uniform: 2, priorities: 2, bursts: 1 })
    this.#changes = new Set(Array.from({ length: CHANGE_POINTS }, () => random.below(TYPICAL_RUN)))
  }

  get description(): string {
    return this.#strategy
  }

  /** How many turns were taken. */
  get taken(): number {
    return this.#taken
  }

  /** @param delay so many turns of others go first */
  add(turn: Turn, delay = 0): void {
    this.#waiting.push({ turn, from: this.#taken + delay })
  }

  /** Drops what an actor was about to do. */
  drop(actor: object): void {
    const gone = this.#waiting.filter(({ turn }) => turn.actor === actor)
    this.#waiting = this.#waiting.filter(({ turn }) => turn.actor !== actor)
    for (const { turn } of gone) turn.drop?.()
  }

  /** The next turn; `undefined` when nobody waits for one. */
  take(): Turn | undefined {
    if (this.#waiting.length === 0) return undefined
    let ready = this.#waiting.filter(({ from }) => from <= this.#taken)
    if (ready.length === 0) {
      const first = Math.min(...this.#waiting.map(({ from }) => from))
      ready = this.#waiting.filter(({ from }) => from === first)
    }
    const next = this.#choose(ready)
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#taken++
    this.#last = next.turn.actor
    if (this.#changes.has(this.#taken)) this.#priorities.set(next.turn.actor, -this.#taken)
    return next.turn
  }

  #choose(ready: readonly Waiting[]): Waiting {
    if (this.#strategy === 'bursts' && this.#random.chance(0.9)) {
      const same = ready.filter(({ turn }) => turn.actor === this.#last)
      if (same.length > 0) return this.#random.pick(same)
    }
    if (this.#strategy !== 'priorities' || this.#random.chance(0.05)) return this.#random.pick(ready)
    const highest = Math.max(...ready.map(({ turn }) => this.#priority(turn.actor)))
    return this.#random.pick(ready.filter(({ turn }) => this.#priority(turn.actor) === highest))
  }

  #priority(actor: object): number {
    const known = this.#priorities.get(actor)
    if (known !== undefined) return known
    const drawn = this.#random.below(1000)
    this.#priorities.set(actor, drawn)
    return drawn
  }
}
