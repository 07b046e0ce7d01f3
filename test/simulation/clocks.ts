import type { Random } from './random.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const YEAR = 365 * 24 * HOUR

/** How the clocks of a world differ, and by how much they jump. */
type Kind = 'the same' | 'minutes' | 'hours' | 'a year'

const SPANS: Readonly<Record<Kind, readonly number[]>> = {
  'the same': [0],
  minutes: [0, MINUTE, 3 * MINUTE, 7 * MINUTE, 30 * MINUTE],
  hours: [0, 7 * MINUTE, HOUR, 5 * HOUR],
  'a year': [0, HOUR, YEAR],
}

/** So often a clock jumps at a step, where clocks do. */
const RATE = 0.02

/** The clocks of the processes: in most worlds the same; in the others each is wrong in its own way, and jumps. */
export class Clocks {
  readonly #random: Random
  readonly #kind: Kind
  /** Whether clocks jump. */
  readonly doJump: boolean

  constructor(random: Random) {
    this.#random = random
    this.#kind = random.weighted<Kind>({ 'the same': 12, minutes: 3, hours: 4, 'a year': 1 })
    this.doJump = this.#kind !== 'the same' && random.chance(0.5)
  }

  get description(): string {
    return this.doJump ? `${this.#kind}, which jump` : this.#kind
  }

  /** How far a clock is ahead at first. */
  first(): number {
    return this.#kind === 'the same' ? 0 : this.#draw()
  }

  /** Lets the clock of a process jump, now and then. */
  step(process: { ahead: number }, jumped: (by: number) => void): void {
    if (!this.doJump || !this.#random.chance(RATE)) return
    const before = process.ahead
    process.ahead = this.#draw()
    jumped(process.ahead - before)
  }

  #draw(): number {
    const span = this.#random.pick(SPANS[this.#kind])
    return this.#random.chance(0.5) ? span : -span
  }
}
