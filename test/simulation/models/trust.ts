import type { VerificationResult } from '../../../src/types.ts'
import { foreignDocuments, foreignId } from '../foreign.ts'
import { type Actor, type Call, isOpen, LATE_CODES, type Model } from '../history.ts'
import { trustedText, trustOf } from '../layout.ts'
import type { World } from '../world.ts'

/** What the trust store holds of the other agent: nothing, or one of its documents, from 1. */
type Trusted = number
const NOTHING: Trusted = 0
/** The document that revokes the key. */
const REVOKING = foreignDocuments.length

interface Moment {
  readonly tick: number
  readonly held: Trusted
  by: Call | undefined
}

/** Trust in another agent: what stands on the disk, moment by moment, who brought it about, and who says what of it. */
export class Trust implements Model {
  readonly #world: World
  readonly #moments: Moment[] = [{ tick: 0, held: NOTHING, by: undefined }]

  constructor(world: World) {
    this.#world = world
  }

  get #held(): Trusted {
    return this.#moments.at(-1)?.held ?? NOTHING
  }

  changed(path: string, actor: Actor | undefined): void {
    if (trustOf(path) !== foreignId) return
    const text = trustedText(this.#world.disk, foreignId)
    const held = text === undefined ? NOTHING : foreignDocuments.indexOf(text) + 1
    const before = this.#held
    if (held === before) return
    const by = this.#culprit(before, held, actor)
    if (by === undefined) {
      const rule = held < before && held !== NOTHING ? 'trust does not go back' : 'trust changes by a call'
      this.#violate(rule, `the trust store goes from ${before} to ${held}, which no call does that is open.`)
    }
    this.#moments.push({ tick: this.#world.tick, held, by })
  }

  /** A call that may do this: of trusting, if the document may be taken; of removing. Each does it once. */
  #culprit(before: Trusted, held: Trusted, actor: Actor | undefined): Call | undefined {
    const isAdmitted = before === NOTHING || held > before
    const isUsed = (call: Call): boolean => this.#moments.some(({ by }) => by === call)
    const fits = (call: Call): boolean => {
      if (call.actor !== actor) return false
      if (held === NOTHING) return call.name === 'untrustAgent'
      return isAdmitted && call.name === 'trustAgent' && call.given[0] === foreignDocuments[held - 1]
    }
    const fitting = this.#world.calls.filter(fits)
    const open = fitting.filter(isOpen)
    const free = open.find((call) => !isUsed(call))
    if (free !== undefined) return free
    // Of two calls that do the same, it may have been the other one that did it before.
    for (const moment of this.#moments) {
      const { by, tick } = moment
      if (by === undefined || !open.includes(by)) continue
      const other = fitting.find((call) => !isUsed(call) && call.invoked <= tick && (call.ended ?? tick) >= tick)
      if (other === undefined) continue
      moment.by = other
      return by
    }
    return undefined
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  /** What stood there at some moment of a call; of one that answers from memory, since its process knows for certain. */
  #during(call: Call, isFromMemory: boolean = this.#isFromMemory(call)): Trusted[] {
    const since = isFromMemory ? this.#knownSince(call) : call.invoked
    const later = this.#moments.filter(({ tick }) => tick > since)
    const there = this.#moments.findLast(({ tick }) => tick <= since)
    return [there, ...later].map((moment) => moment?.held ?? NOTHING)
  }

  #isFromMemory(call: Call): boolean {
    return call.isAtOnce && call.actor.kind !== 'server'
  }

  /** When the process has last asked the storage. */
  #knownSince({ actor, number }: Call): number {
    const asked = this.#world.calls.findLast(
      (call) => call.actor === actor && call.number < number && call.state === 'done' && call.name === 'verify',
    )
    return asked?.invoked ?? actor.since
  }

  /** Whether calls of the same process are on their way, so that it sees what nobody else does. */
  #isAlone(call: Call): boolean {
    return !this.#world.calls.some(
      (other) =>
        other !== call &&
        other.actor === call.actor &&
        (other.name === 'trustAgent' || other.name === 'untrustAgent') &&
        (other.state === 'unsettled' || other.state === 'unknown' || (other.ended ?? 0) > call.invoked),
    )
  }

  ended(call: Call): void {
    const name: string = call.name
    switch (name) {
      case 'trustAgent':
        return this.#trusted(call)
      case 'untrustAgent':
        return this.#untrusted(call)
      case 'isTrusted':
      case 'trustedDocument':
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

  #mayHaveLost({ actor, code }: Call): boolean {
    return LATE_CODES.has(code ?? '') && this.#world.hasLostBehind(actor)
  }

  hasLostBehind(actor: Actor): boolean {
    const wrote = this.#world.calls.some(
      (call) => call.actor === actor && (call.name === 'trustAgent' || call.name === 'untrustAgent'),
    )
    return wrote && this.#moments.some(({ tick, by }) => tick > actor.since && by?.actor !== actor)
  }

  #trusted(call: Call): void {
    const offered = foreignDocuments.indexOf(String(call.given[0])) + 1
    if (call.state === 'done') {
      if (this.#during(call, false).includes(offered)) return
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
    return this.#moments.some(({ tick, held, by }) => tick > invoked && held === NOTHING && by?.actor === actor)
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
    if (!isRight) this.#violate('the trust of the moment', `#${call.number} ${call.name} is not what stood there.`)
  }

  #verified(call: Call, result: VerificationResult): void {
    const possible: string[] = this.#during(call).map((held) => {
      if (held === NOTHING) return 'UnknownSigner'
      return held === REVOKING ? 'KeyRevoked' : 'trusted'
    })
    const found = result.valid ? 'trusted' : result.code
    if (possible.includes(found) || !this.#isAlone(call)) return
    this.#violate(
      'the trust of the moment',
      `#${call.number} verify says ${found}, but it is ${possible.join(' or ')}.`,
    )
  }

  closing(observer: Actor): void {
    const held = this.#held
    const found = this.#world.library.now(observer.loaded, 'trustedDocument', [foreignId])
    if (found === foreignDocuments[held - 1]) return
    this.#violate('the trust of the moment', `in the end it is not version ${held} that is found.`)
  }
}
