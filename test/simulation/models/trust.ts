import type { VerificationResult } from '../../../src/types.ts'
import { foreignDocuments, foreignId } from '../foreign.ts'
import { type Actor, type Call, isOpen, LATE_CODES, type Model, type Process } from '../history.ts'
import { decisionsOn, trustedText, trustOf } from '../layout.ts'
import type { World } from '../world.ts'

/** What the trust store holds of the other agent: nothing, or one of its documents, from 1. */
type Trusted = number
const NOTHING: Trusted = 0
const TAKEN_BACK = 'what was taken back stays taken back'
/** The document that revokes the key. */
const REVOKING = foreignDocuments.length

interface Moment {
  readonly tick: number
  readonly held: Trusted
  /** The process that did it. */
  readonly process: Process | undefined
  /** The calls that may have done it; one of them has. */
  readonly suspects: readonly Call[]
  by: Call | undefined
}

/** Trust in another agent: what stands on the disk, moment by moment, who brought it about, and who says what of it. */
export class Trust implements Model {
  readonly #world: World
  readonly #moments: Moment[]
  /** When the trust store was last restored from a backup. */
  #restoredAt: number | undefined
  /** The last decision that a process has read. */
  readonly #known = new Map<Process, { readonly number: number; readonly text: string }>()

  constructor(world: World) {
    this.#world = world
    this.#moments = [{ tick: 0, held: this.#onDisk, process: undefined, suspects: [], by: undefined }]
  }

  get #onDisk(): Trusted {
    const text = trustedText(this.#world.disk, foreignId)
    return text === undefined ? NOTHING : foreignDocuments.indexOf(text) + 1
  }

  /** Learns that the simulation itself has put an older trust store in the place of a newer one. */
  restored(): void {
    this.#restoredAt = this.#world.tick
  }

  /** Who has read a decision that is not there any more answers nothing: it says that the store was rolled back. */
  #read(call: Call): void {
    const { process, kind } = call.actor
    if (kind !== 'server') return // others have a copy
    if ((this.#restoredAt ?? 0) > call.invoked) return
    const decisions = decisionsOn(this.#world.disk, foreignId)
    const known = this.#known.get(process)
    if (known !== undefined && decisions[known.number - 1] !== known.text) {
      this.#violate('no older one passes', `#${call.number} ${call.name} goes by an older trust store than was known.`)
    }
    const isQuiet = (this.#moments.at(-1)?.tick ?? 0) <= call.invoked
    const text = isQuiet ? decisions.at(-1) : undefined
    if (text !== undefined) this.#known.set(process, { number: decisions.length, text })
  }

  /** Whether a refusal, or a verdict, says that the store was rolled back, and it was. */
  #isRolledBack(code: string | undefined): boolean {
    return this.#restoredAt !== undefined && (code === 'Rollback' || code === 'CorruptStore')
  }

  get #held(): Trusted {
    return this.#moments.at(-1)?.held ?? NOTHING
  }

  changed(path: string, actor: Actor | undefined): void {
    if (trustOf(path) !== foreignId) return
    const held = this.#onDisk
    const before = this.#held
    if (held === before) return
    const moment: Moment = {
      tick: this.#world.tick,
      held,
      process: actor?.process,
      suspects: this.#suspects(before, held, actor),
      by: undefined,
    }
    this.#moments.push(moment)
    if (actor === undefined || this.#blame(moment, new Set())) return
    const rule = held < before && held !== NOTHING ? 'trust does not go back' : 'trust changes by a call'
    this.#violate(rule, `the trust store goes from ${before} to ${held}, which no call does that is open.`)
  }

  /** Calls that may do this: of trusting, if the document may be taken; of removing. */
  #suspects(before: Trusted, held: Trusted, actor: Actor | undefined): Call[] {
    const isAdmitted = before === NOTHING || held > before
    return this.#world.calls.filter((call) => {
      if (call.actor.process !== actor?.process || !isOpen(call)) return false
      if (held === NOTHING) return call.name === 'untrustAgent'
      return isAdmitted && call.name === 'trustAgent' && call.given[0] === foreignDocuments[held - 1]
    })
  }

  /** Finds a call for each moment, and each call for one moment only: who was blamed before may have done this instead. */
  #blame(moment: Moment, asked: Set<Call>): boolean {
    for (const call of moment.suspects) {
      if (asked.has(call)) continue
      asked.add(call)
      const other = this.#moments.find(({ by }) => by === call)
      if (other !== undefined && !this.#blame(other, asked)) continue
      moment.by = call
      return true
    }
    return false
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  /** What stood there at some moment since a tick. */
  #since(tick: number): Trusted[] {
    const later = this.#moments.filter((moment) => moment.tick > tick)
    const there = this.#moments.findLast((moment) => moment.tick <= tick)
    return [there, ...later].map((moment) => moment?.held ?? NOTHING)
  }

  /**
   * What a call may answer. From the storage: what stood there at some moment of it, and what its process has decided and
   * not written yet. From memory: what stood there since its process has asked, but nothing from before its own decision.
   */
  #during(call: Call): Trusted[] {
    const own = this.#decided(call)
    const isFromMemory = this.#isFromMemory(call)
    const since = isFromMemory ? this.#knownSince(call) : call.invoked
    if (own === undefined || (own.state === 'done' && (own.ended ?? 0) <= since)) return this.#since(since)
    const held = this.#heldBy(own)
    const later = this.#moments.filter(({ tick }) => tick > own.invoked).map((moment) => moment.held)
    const isCertain = own.state === 'done' || (own.state === 'unsettled' && !call.actor.process.isTouched)
    if (!isFromMemory || !isCertain) return [held, ...later, ...this.#since(Math.min(since, own.invoked))]
    // A document that was taken from memory may be refused when it is decided again behind.
    const isLate = own.name === 'trustAgent' && own.state !== 'done'
    return [held, ...later, ...(isLate ? this.#since(own.invoked) : [])]
  }

  #heldBy({ name, given }: Call): Trusted {
    return name === 'untrustAgent' ? NOTHING : foreignDocuments.indexOf(String(given[0])) + 1
  }

  /** What the agents of its process have last decided before a call, or while it was running. */
  #decided(call: Call): Call | undefined {
    return this.#world.calls.findLast(
      (other) =>
        other !== call &&
        other.actor.process === call.actor.process &&
        (other.name === 'trustAgent' || other.name === 'untrustAgent') &&
        other.state !== 'refused' &&
        other.state !== 'running' &&
        other.number < (call.isAtOnce ? call.number : Number.POSITIVE_INFINITY),
    )
  }

  #isFromMemory(call: Call): boolean {
    return call.isAtOnce && call.actor.kind !== 'server'
  }

  /** When the process has last asked the storage: its agents share what they know. */
  #knownSince({ actor, number }: Call): number {
    const asked = this.#world.calls.findLast(
      (call) =>
        call.actor.process === actor.process &&
        call.number < number &&
        call.state === 'done' &&
        !call.isAtOnce &&
        (call.name === 'refresh' || (call.name === 'verify' && !this.#isDecidedBehind(call))),
    )
    return asked?.invoked ?? actor.since
  }

  /** Whether a decision of its process was on its way to the storage: until it is there it is what counts. */
  #isDecidedBehind({ actor, invoked }: Call): boolean {
    return this.#world.calls.some(
      ({ actor: other, name, isAtOnce, answered, ended }) =>
        other.process === actor.process &&
        (name === 'trustAgent' || name === 'untrustAgent') &&
        isAtOnce &&
        (answered ?? Number.POSITIVE_INFINITY) <= invoked &&
        (ended ?? Number.POSITIVE_INFINITY) > invoked,
    )
  }

  /** Whether calls of the same process run at the same time, so that it sees what nobody else does. */
  #isAlone(call: Call): boolean {
    return !this.#world.calls.some(
      (other) =>
        other !== call &&
        other.actor.process === call.actor.process &&
        (other.name === 'trustAgent' || other.name === 'untrustAgent') &&
        (other.state === 'unknown' || (!call.isAtOnce && (other.answered ?? other.ended ?? 0) > call.invoked)),
    )
  }

  ended(call: Call): void {
    const name: string = call.name
    switch (name) {
      case 'load':
        return void this.#known.delete(call.actor.process)
      case 'trustAgent':
        return this.#trusted(call)
      case 'untrustAgent':
        this.#known.delete(call.actor.process) // a removal goes by what is there
        return this.#untrusted(call)
      case 'isTrusted':
      case 'trustedDocument':
        if (call.state === 'done') this.#read(call)
        if (call.state === 'done') return this.#asked(call)
        break
      case 'verify':
        if (call.state === 'done') return this.#verified(call, call.value as VerificationResult)
        break
      default:
        return
    }
    if (call.state === 'refused' && !this.#mayHaveLost(call)) this.#untrue(call)
  }

  #untrue({ number, name, code }: Call): void {
    this.#violate('true sentences', `#${number} ${name}: ${code}`)
  }

  #mayHaveLost(call: Call): boolean {
    const { actor, code } = call
    if (code === 'SyncStorageUnavailable') return this.#isReadInPart(call)
    return this.#isRolledBack(code) || (LATE_CODES.has(code ?? '') && this.#world.hasLostBehind(actor))
  }

  /** Whether memory may have the witness of another process's decision, and not the decision itself. */
  #isReadInPart(call: Call): boolean {
    return this.#isFromMemory(call) && this.#hasOtherDecided(call.actor, this.#knownSince(call))
  }

  #hasOtherDecided(actor: Actor, since: number): boolean {
    return this.#moments.some(({ tick, process }) => tick > since && process !== actor.process)
  }

  hasLostBehind(actor: Actor): boolean {
    const decided = this.#world.calls.filter(
      (call) => call.actor.process === actor.process && (call.name === 'trustAgent' || call.name === 'untrustAgent'),
    )
    if (decided.length > 0 && this.#hasOtherDecided(actor, actor.since)) return true
    // What was taken from memory beside a removal is decided again, which the storage may have refused.
    return actor.process.isTouched && decided.some((call) => call.name === 'untrustAgent' && isOpen(call))
  }

  #trusted(call: Call): void {
    const offered = foreignDocuments.indexOf(String(call.given[0])) + 1
    if (call.state === 'done') {
      if (this.#since(call.invoked).includes(offered)) return
      this.#violate('what was reported is stored', `#${call.number} trusts version ${offered}, which is not there.`)
    }
    if (call.state !== 'refused') return
    if (this.#mayHaveLost(call)) return
    const held = this.#during(call)
    const isRefused =
      call.code === 'KeyRevoked'
        ? held.includes(REVOKING) && offered < REVOKING
        : call.code === 'Rollback' && held.some((there) => there > offered && there < REVOKING)
    if (!isRefused && this.#isAlone(call)) this.#untrue(call)
  }

  #untrusted(call: Call): void {
    if (call.state === 'refused' && !this.#mayHaveLost(call)) this.#untrue(call)
    if (call.state !== 'done' && call.state !== 'unsettled') return
    if (call.value === false && !this.#during(call).includes(NOTHING) && this.#isAlone(call)) {
      this.#violate('what was trusted is known', `#${call.number} finds nothing to remove.`)
    }
    // What is decided from memory is decided again behind, and may find it done by somebody else.
    if (call.value === true && call.state === 'done' && !this.#isFromMemory(call) && !this.#hasRemoved(call)) {
      this.#violate('one winner', `#${call.number} says that it removed trust, which it did not.`)
    }
  }

  #hasRemoved({ actor, invoked }: Call): boolean {
    return this.#moments.some(
      ({ tick, held, process }) => tick > invoked && held === NOTHING && process === actor.process,
    )
  }

  #asked(call: Call): void {
    if (!this.#isAlone(call)) return
    const held = this.#during(call)
    const isRight =
      call.name === 'isTrusted'
        ? held.some((there) => (there !== NOTHING) === call.value)
        : held.some((there) =>
            there === NOTHING ? call.value === undefined : foreignDocuments[there - 1] === call.value,
          )
    const isCounted = call.value !== false && call.value !== undefined
    const rule = isCounted && held.every((there) => there === NOTHING) ? TAKEN_BACK : 'the trust of the moment'
    if (!isRight) this.#violate(rule, `#${call.number} ${call.name} is not what stood there.`)
  }

  #verified(call: Call, result: VerificationResult): void {
    const possible: string[] = this.#during(call).map((held) => {
      if (held === NOTHING) return 'UnknownSigner'
      return held === REVOKING ? 'KeyRevoked' : 'trusted'
    })
    if (this.#isRolledBack(result.code)) return
    this.#read(call)
    const found = result.valid ? 'trusted' : result.code
    if (possible.includes(found) || !this.#isAlone(call)) return
    const rule = result.valid ? TAKEN_BACK : 'the trust of the moment'
    this.#violate(rule, `#${call.number} verify says ${found}, but it is ${possible.join(' or ')}.`)
  }

  closing(observer: Actor): void {
    const held = this.#held
    const found = this.#world.library.now(observer.loaded, 'trustedDocument', [foreignId])
    if (found === foreignDocuments[held - 1]) return
    this.#violate('the trust of the moment', `in the end it is not version ${held} that is found.`)
  }
}
