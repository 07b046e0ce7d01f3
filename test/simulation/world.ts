import type { Effect, Kind as EffectKind } from '../../src/effects.ts'
import { Clocks } from './clocks.ts'
import type { Disk } from './disk.ts'
import { type Access, Faults } from './faults.ts'
import {
  Actor,
  type Call,
  type Kind,
  LATE_CODES,
  LOOKS,
  type Model,
  STORAGE_CODES,
  type Violation,
  WRITES,
} from './history.ts'
import { AT_ONCE, type Library, type Name, type Operations } from './process.ts'
import { Random } from './random.ts'
import type { Scenario } from './scenario.ts'
import { Scheduler } from './scheduler.ts'
import { awaitedStorage, immediateStorage, type Ports } from './storages.ts'

/** When every world begins: 2026-06-01. */
const BEGINNING = Date.UTC(2026, 5, 1)
/** No run takes so many turns. */
const ENDLESS = 40_000

/** Rules that do not count, as a pattern: to look for other faults behind one that is known. */
const IGNORED = process.env['SX_SIM_IGNORE'] ? new RegExp(process.env['SX_SIM_IGNORE']) : undefined

/** Ends a process in the midst of what it calls at once. */
class Died extends Error {}

const never = (): Promise<never> => new Promise(() => {})

/** Processes, the disk they share, and the scheduler that lets one of them go on at a time. */
export class World implements Ports {
  readonly random: Random
  readonly disk: Disk
  readonly library: Library
  readonly faults: Faults
  readonly models: Model[] = []
  readonly calls: Call[] = []
  readonly actors: Actor[] = []
  readonly #scenario: Scenario
  readonly #scheduler: Scheduler
  readonly #log: string[] | undefined
  readonly clocks: Clocks
  /** Whether other processes may work on the disk; else there is one, with several agents. */
  readonly isShared: boolean
  /** Grows with everything that happens. */
  tick = 0
  time: number = BEGINNING
  violation: Violation | undefined
  /** Processes that call at once, one inside the other, where the storage of the outer one lets others go first. */
  readonly #stack: Actor[] = []
  #current: Actor | undefined

  constructor(library: Library, scenario: Scenario, seed: number, disk: Disk, log?: string[]) {
    this.library = library
    this.random = new Random(seed)
    this.disk = disk
    this.#scenario = scenario
    this.#scheduler = new Scheduler(this.random)
    this.faults = new Faults(this.random)
    this.clocks = new Clocks(this.random)
    this.isShared = scenario.isAlone?.(this.random) !== true
    this.#log = log
    const [how, clocks] = [this.#scheduler.description, this.clocks.description]
    this.note(() => `${scenario.name}; scheduler: ${how}; ${this.faults.description}; clocks: ${clocks}`)
  }

  /** Adds a line to the log, if there is one. */
  note(line: () => string): void {
    this.#log?.push(`${String(this.tick).padStart(5)}  ${line()}`)
  }

  /** A rule was broken; the first one counts. */
  violate(rule: string, found: string): void {
    if (IGNORED?.test(`${rule}: ${found}`)) return
    this.note(() => `VIOLATION of '${rule}': ${found}`)
    this.violation ??= { rule, found }
  }

  /** Whether a process that writes behind may say of any call that somebody else was first. */
  hasLostBehind(actor: Actor): boolean {
    return actor.kind !== 'server' && this.models.some((model) => model.hasLostBehind?.(actor))
  }

  /** The process whose code is running. */
  get current(): Actor {
    const actor = this.#stack.at(-1) ?? this.#current
    if (actor === undefined) throw new Error('No process is running.')
    return actor
  }

  /** What the clock says of the process whose code is running. */
  get clock(): number {
    return this.time + ((this.#stack.at(-1) ?? this.#current)?.process.ahead ?? 0)
  }

  /** Lets everybody go on until nobody has anything to do, or a rule is broken. */
  async run(): Promise<void> {
    for (;;) {
      const turn = this.#scheduler.take()
      if (turn === undefined || this.violation !== undefined) return
      this.tick++
      this.time += this.random.below(20)
      this.#current = turn.actor as Actor
      this.clocks.step(this.#current.process, (by) => this.note(() => `-- the clock jumps by ${by} ms`))
      this.#noteClocks(this.#current)
      this.note(() => `${(turn.actor as Actor).name}: ${turn.what}`)
      turn.go()
      await new Promise((resolve) => setImmediate(resolve)) // all that follows without waiting has followed
      if (this.#scheduler.taken > ENDLESS) this.violate('ends', 'The processes go on for ever.')
    }
  }

  /** Remembers what a clock has said that may jump. */
  #noteClocks({ process }: Actor): void {
    if (!this.clocks.doJump) return
    const clock = this.time + process.ahead
    for (const call of this.calls) {
      if (call.state === 'running' && call.actor.process === process) {
        call.mostClock = Math.max(call.mostClock ?? clock, clock)
        call.leastClock = Math.min(call.leastClock ?? clock, clock)
      }
    }
  }

  /** Does something to the disk, and shows the models what has changed. */
  touch<T>(actor: Actor | undefined, perform: () => T): T {
    const result = perform()
    const changes = this.disk.takeChanges()
    if (changes.length > 0) this.tick++
    for (const { path } of changes) for (const model of this.models) model.changed(path, actor)
    return result
  }

  /** @param ahead how far its clock is */
  start(slot: string, kind: Kind, calls: number, ahead: number = this.clocks.first()): void {
    const make = kind === 'server' ? immediateStorage(this) : awaitedStorage(this)
    const actor = new Actor(slot, kind, this.tick, make)
    actor.process.ahead = ahead
    this.actors.push(actor)
    void this.#live(actor, calls)
  }

  /** Has a process begin with other agents on the storage that it has opened. */
  #startOthers(first: Actor, calls: number): void {
    const agents = this.#scenario.agents?.(this) ?? 1
    for (let more = 2; more <= agents; more++) {
      const actor = new Actor(`${first.name}${more}`, first.kind, this.tick, () => first.storage, first)
      this.actors.push(actor)
      void this.#live(actor, calls)
    }
  }

  async #live(actor: Actor, calls: number): Promise<void> {
    await this.turn(actor, `starts (${actor.kind})`)
    if (!(await this.#scenario.begin(this, actor))) return
    if (actor.isFirst) this.#startOthers(actor, calls)
    let left = calls
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        await this.turn(actor, 'goes on')
        await this.#scenario.next(this, actor)
      }
    }
    const clients = this.random.chance(this.#scenario.together ?? 0.3) ? [client(), client()] : [client()]
    await Promise.all(clients)
    if (actor.unsettled.size > 0) await this.flush(actor)
  }

  /** Resolves when it is the actor's turn. */
  turn(actor: Actor, what: string, delay = 0): Promise<void> {
    if (!actor.isAlive) return never()
    return new Promise((resolve) => {
      this.#scheduler.add({ actor, what, go: resolve }, delay)
    })
  }

  /** Wakes the process that is running, when it is its turn again. */
  sleep(milliseconds: number, wake: () => void): void {
    const actor = this.current
    const go = (): void => {
      this.time += milliseconds
      wake()
    }
    this.#scheduler.add({ actor, what: 'wakes', go }, 5)
  }

  readonly later = <T>(actor: Actor, access: Access, what: string, perform: () => T): Promise<T> => {
    if (!actor.isAlive) return never()
    const act = (): T => this.touch(actor, perform)
    return new Promise<T>((resolve, reject) => {
      const drop = (): void => {
        if (access !== 'read' && this.random.chance(0.5)) act()
      }
      const again = (step: string, delay: number, go: () => void): void =>
        this.#scheduler.add({ actor, what: `${what} (${step})`, go, drop }, delay)
      const go = (): void => {
        const slow = this.#scenario.slow?.[access]
        const isSlow = slow !== undefined && this.random.chance(slow)
        const fault = this.#fault(actor, access) ?? (isSlow ? 'is slow' : undefined)
        switch (fault) {
          case undefined:
            return resolve(act())
          case 'fails before':
            return reject(this.library.error('StorageUnavailable'))
          case 'is full':
            return reject(this.library.error('StorageFull'))
          case 'fails after':
            act()
            return reject(this.library.error('StorageUnavailable'))
          case 'answers taken':
            act()
            return resolve(false as T)
          case 'is done twice':
            act()
            return again('once more', this.random.below(12), () => resolve(act()))
          case 'is slow': {
            const delay = 10 + this.random.below(150)
            if (access !== 'read' || this.random.chance(0.5)) return again('at last', delay, () => resolve(act()))
            const early = act()
            return again('answers at last', delay, () => resolve(early))
          }
          case 'dies after':
            act()
            return this.#kill(actor)
          case 'dies before':
            return this.#kill(actor)
        }
      }
      this.#scheduler.add({ actor, what, go, drop })
    })
  }

  readonly now = <T>(actor: Actor, access: Access, what: string, perform: () => T): T => {
    if (!actor.isAlive) throw new Died()
    const act = (): T => this.touch(actor, perform)
    this.note(() => `${actor.name}:   ${what}`)
    this.#letOthersGoFirst(actor)
    const fault = this.#fault(actor, access)
    if (fault === 'fails before') throw this.library.error('StorageUnavailable')
    if (fault === 'is full') throw this.library.error('StorageFull')
    if (fault === 'dies before') this.#kill(actor)
    if (!actor.isAlive) throw new Died()
    const result = act()
    if (fault === 'dies after') this.#kill(actor)
    if (fault === 'fails after') throw this.library.error('StorageUnavailable')
    if (fault === 'is done twice') return act()
    return fault === 'answers taken' ? (false as T) : result
  }

  #fault(actor: Actor, access: Access): ReturnType<Faults['next']> {
    const fault = this.faults.next(access)
    if (fault === undefined) return undefined
    if (fault !== 'is slow') actor.process.isTouched = true
    this.note(() => `${actor.name}:   -- ${fault}`)
    return fault
  }

  /** Between two calls of a process to a storage that answers at once, other processes may do whole operations. */
  #letOthersGoFirst(actor: Actor): void {
    if (this.#stack.length !== 1 || this.#scenario.intrude === undefined || !this.random.chance(0.15)) return
    const idle = this.actors.filter(
      (other) =>
        other !== actor && other.kind === 'server' && other.isAlive && other.running === 0 && other.agent !== undefined,
    )
    if (idle.length > 0) this.#scenario.intrude(this, this.random.pick(idle))
  }

  #kill(actor: Actor): void {
    this.note(() => `${actor.name}: dies`)
    const { actors, ahead } = actor.process
    actor.process.isAlive = false
    for (const one of actors) this.#scheduler.drop(one)
    for (const call of this.calls) {
      if (actors.includes(call.actor) && (call.state === 'running' || call.state === 'unsettled')) {
        this.#end(call, 'unknown')
      }
    }
    for (const one of actors) one.unsettled.clear()
    this.#forgetUnsynced()
    const first = actors[0] ?? actor
    if (this.random.chance(0.8)) this.start(`${first.name}'`, first.kind, 1 + this.random.below(3), ahead)
  }

  #begin(actor: Actor, name: Call['name'], given: readonly unknown[], isAtOnce: boolean): Call {
    const number = this.calls.length + 1
    const call: Call = {
      number,
      actor,
      name,
      given,
      isAtOnce,
      invoked: ++this.tick,
      clock: this.time + actor.process.ahead,
      known: new Map(actor.known),
      own: actor.own,
      ended: undefined,
      state: 'running',
    }
    this.calls.push(call)
    actor.running++
    this.note(() => `${actor.name}: #${number} ${name}${isAtOnce ? 'Sync' : ''}(${shown(given)})`)
    return call
  }

  #end(call: Call, state: Call['state']): void {
    if (call.state === 'running') call.actor.running--
    call.state = state
    call.ended = ++this.tick
    call.answered ??= call.ended
    call.endClock = this.time + call.actor.process.ahead
    if (state === 'unsettled') call.actor.unsettled.add(call)
    this.note(() => `${call.actor.name}: #${call.number} is ${state} ${shown([call.code ?? call.value])}`)
    for (const model of this.models) model.ended(call)
  }

  #answer(call: Call, value: unknown): void {
    call.value = value
    const isBehind = call.isAtOnce && call.actor.kind !== 'server' && WRITES.has(call.name)
    this.#end(call, isBehind ? 'unsettled' : 'done')
  }

  #refuse(call: Call, error: unknown): void {
    call.code = this.library.codeOf(error)
    if (call.code === 'Internal' || call.code.startsWith('no SxError')) {
      this.violate('errors', `#${call.number} ${call.name}: ${call.code}: ${String((error as Error).cause)}`)
    }
    const isStorage = STORAGE_CODES.has(call.code)
    // What waits behind a write that has lost its place is given up with it.
    const isGivenUp = call.code === 'StorageUnavailable' && this.hasLostBehind(call.actor)
    if (isStorage && !call.actor.process.isTouched && !this.#isBusy(call) && !isGivenUp) {
      this.violate('true sentences', `#${call.number} ${call.name}: ${call.code} although nothing has failed.`)
    }
    this.#end(call, isStorage ? 'unknown' : 'refused')
    // Who writes behind learns of it with some later call, whatever that is.
    const isTold = call.name === 'flush' || this.#scenario.doesFlushTell !== true || this.library.isBelated(error)
    if (isTold && (isStorage || LATE_CODES.has(call.code))) {
      for (const one of call.actor.process.actors) this.#unsettle(one, 'unknown')
    }
  }

  /** Whether it may have been kept waiting by a rotation of the key, or by what is left of one. */
  #isBusy(call: Call): boolean {
    if (call.code !== 'Busy') return false
    const isFromMemory = call.isAtOnce && call.actor.kind === 'page'
    const since = isFromMemory ? this.#lookedSince(call) : call.invoked
    return this.calls.some(({ name, state, code, ended }) => {
      if (name !== 'rotateKey') return false
      // One that was refused after it had put its intent leaves that behind, too.
      const mayBeLeft =
        state === 'running' || state === 'unknown' || (state === 'refused' && LATE_CODES.has(code ?? ''))
      return mayBeLeft || (ended ?? 0) >= since
    })
  }

  /** Since when a page may remember that a rotation was on its way: it has not looked for one since. */
  #lookedSince({ actor, number }: Call): number {
    const looked = this.calls.findLast(
      (call) =>
        call.actor === actor && call.number < number && call.state === 'done' && !call.isAtOnce && LOOKS.has(call.name),
    )
    return looked?.invoked ?? actor.since
  }

  /** A machine that loses power forgets what it was not asked to keep: hints. */
  #forgetUnsynced(): void {
    const isLost = this.random.chance(0.3)
    const { relaxed } = this.disk
    if (!isLost || relaxed.size === 0) return
    for (const [path, before] of relaxed) {
      if (this.random.chance(0.3)) continue
      const left = this.random.pick(['as before', 'gone', 'damaged'])
      const bytes = left === 'as before' ? before : left === 'gone' ? undefined : new Uint8Array([0xff, 0, 0x7b])
      this.note(() => `-- ${path} is lost`)
      this.touch(undefined, () => (bytes === undefined ? this.disk.delete(path) : this.disk.put(path, bytes)))
    }
    relaxed.clear()
  }

  #unsettle(actor: Actor, state: 'done' | 'unknown', before: number = Number.POSITIVE_INFINITY): void {
    for (const call of actor.unsettled) {
      if ((call.ended ?? 0) > before) continue
      actor.unsettled.delete(call)
      this.#end(call, state)
    }
  }

  /** Calls an operation in the form that suits the process; its model is told what comes of it. */
  async call<N extends Name>(actor: Actor, name: N, given: Parameters<Operations[N]>, isAtOnce = false): Promise<Call> {
    // On files they are done at once too, but other processes may come in between.
    if (isAtOnce || (AT_ONCE.has(name) && actor.kind !== 'server')) {
      const call = this.callNow(actor, name, given)
      return actor.isAlive ? call : never()
    }
    const call = this.#begin(actor, name, given, false)
    try {
      const value = await (actor.kind === 'server'
        ? this.#step(actor, name, given)
        : this.library.later(actor.loaded, name, given))
      if (!actor.isAlive) return await never()
      this.#answer(call, value)
    } catch (error) {
      if (!actor.isAlive) return await never()
      this.#refuse(call, error)
    }
    return call
  }

  /** Calls an operation in its synchronous form. */
  callNow<N extends Name>(actor: Actor, name: N, given: Parameters<Operations[N]>): Call {
    const call = this.#begin(actor, name, given, true)
    this.#stack.push(actor)
    let outcome: { value: unknown } | { error: unknown }
    try {
      outcome = { value: this.library.now(actor.loaded, name, given) }
    } catch (error) {
      outcome = { error }
    }
    this.#stack.pop()
    if (!actor.isAlive) return call
    if ('error' in outcome) this.#refuse(call, outcome.error)
    else this.#answer(call, outcome.value)
    return call
  }

  /** Performs the effects of an operation at once, one at a turn. */
  async #step<N extends Name>(actor: Actor, name: N, given: Parameters<Operations[N]>): Promise<unknown> {
    const operation = this.library.operation(actor.loaded, name, given)
    let step = operation.next()
    while (!step.done) {
      await this.turn(actor, 'goes on')
      let result: unknown
      try {
        // A signer is asked in its own time; the storage answers at once.
        result = isAwaited(step.value) ? await this.library.perform(step.value) : this.library.performNow(step.value)
      } catch (error) {
        if (!actor.isAlive) return await never()
        step = operation.throw(error)
        continue
      }
      if (!actor.isAlive) return await never()
      step = operation.next(result)
    }
    return step.value
  }

  /** Waits until everything that was written behind is stored, or says that it is not. */
  async flush(actor: Actor): Promise<Call> {
    const call = this.#begin(actor, 'flush', [], false)
    try {
      await actor.loaded.flush()
      this.#answer(call, undefined)
      this.#unsettle(actor, 'done', call.invoked)
    } catch (error) {
      this.#refuse(call, error)
    }
    return call
  }
}

/** What a server waits for, too: the others are done in the time of their turn. */
const AWAITED: ReadonlySet<EffectKind> = new Set<EffectKind>(['sign', 'requireAsync', 'within'])

const isAwaited = ({ kind }: Effect<unknown>): boolean => AWAITED.has(kind)

function shown(values: readonly unknown[]): string {
  const text = (value: unknown): string =>
    value === undefined
      ? ''
      : value instanceof Uint8Array
        ? `${value.length} bytes`
        : typeof value === 'string'
          ? value
          : JSON.stringify(value)
  return values.map((value) => (text(value).length > 160 ? `${text(value).slice(0, 160)}…` : text(value))).join(', ')
}
