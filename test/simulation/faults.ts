import type { Random } from './random.ts'

/** What a call to a storage does. */
export type Access = 'read' | 'write' | 'claim' | 'remove' | 'flush'

/** What goes wrong with it. */
export type Fault =
  /** It fails and nothing was done. */
  | 'fails before'
  /** It fails although it was done. */
  | 'fails after'
  /** It is done twice, others in between, as by a store that tries again on its own. */
  | 'is done twice'
  /** A put-if-absent is done and answers that the key was taken. */
  | 'answers taken'
  /** Others go first for a long time. */
  | 'is slow'
  /** The process dies before it is done. */
  | 'dies before'
  /** The process dies when it was done. */
  | 'dies after'
  /** The disk is full from here on, until it is freed. */
  | 'is full'

const POSSIBLE: Readonly<Record<Access, readonly Fault[]>> = {
  read: ['fails before', 'is slow', 'dies before'],
  flush: ['fails before', 'dies before'],
  remove: ['fails before', 'fails after', 'is done twice', 'is slow', 'dies before', 'dies after'],
  write: ['fails before', 'fails after', 'is done twice', 'is slow', 'dies before', 'dies after', 'is full'],
  claim: [
    'fails before',
    'fails after',
    'is done twice',
    'answers taken',
    'is slow',
    'dies before',
    'dies after',
    'is full',
  ],
}

/** Most calls read, and least goes wrong with those. */
const READS_PER_WRITE = 6

const ALL: readonly Fault[] = POSSIBLE.claim

/** How much goes wrong in one run: nothing, one kind of fault, or all of them, seldom or often. */
export class Faults {
  readonly #random: Random
  readonly #kinds: ReadonlySet<Fault>
  readonly #rate: number
  #left: number
  /** Turns until a full disk has room again. */
  #fullFor = 0

  constructor(random: Random) {
    this.#random = random
    const amount = random.weighted({ none: 3, one: 4, all: 3 })
    this.#kinds = new Set(amount === 'none' ? [] : amount === 'one' ? [random.pick(ALL)] : ALL)
    this.#rate = random.pick([0.03, 0.1, 0.3])
    this.#left = amount === 'none' ? 0 : random.pick([1, 2, 4])
  }

  get description(): string {
    return this.#kinds.size === 0 ? 'no faults' : `up to ${this.#left} of: ${[...this.#kinds].join(', ')}`
  }

  /** What goes wrong with the next call. */
  next(access: Access): Fault | undefined {
    if (this.#fullFor > 0) {
      this.#fullFor--
      if (access === 'write' || access === 'claim') return 'is full'
    }
    const rate = access === 'read' ? this.#rate / READS_PER_WRITE : this.#rate
    if (this.#left === 0 || !this.#random.chance(rate)) return undefined
    const possible = POSSIBLE[access].filter((fault) => this.#kinds.has(fault))
    if (possible.length === 0) return undefined
    this.#left--
    const fault = this.#random.pick(possible)
    if (fault === 'is full') this.#fullFor = this.#random.pick([1, 10, 60])
    return fault
  }

  /** From now on nothing goes wrong. */
  stop(): void {
    this.#left = 0
    this.#fullFor = 0
  }
}
