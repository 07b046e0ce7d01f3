import type { AgreementCopy, AgreementResult, AgreementTerms } from '../../../src/types.ts'
import { type AgreementEvent, canonical, hashOf, idOf, type Terms } from '../../agreements/forms.ts'
import { judge } from '../../agreements/model.ts'
import type { Judgement } from '../../agreements/report.ts'
import { type Actor, type Call, isOpen, type Model } from '../history.ts'
import { agreementOf } from '../layout.ts'
import { ACTS, type ActType } from '../process.ts'
import type { World } from '../world.ts'

/** An event on the disk, and since when it is there. */
interface Kept {
  readonly event: AgreementEvent
  readonly text: string
  readonly tick: number
}

/** An agreement on the disk. */
interface Stored {
  readonly text: string
  readonly terms: Terms
  readonly tick: number
  readonly events: Map<string, Kept>
}

/** Events by their ids. */
type Events = ReadonlyMap<string, AgreementEvent>

/** What an answer holds of an agreement. */
interface Copy {
  readonly id: string
  readonly terms: Terms
  readonly events: Events
}

/** What a call has read, or may have read, of an agreement. */
interface Reading {
  /** Events that it has read. */
  readonly least: Events
  /** These, and all others that it may have read. */
  readonly most: Events
}

/** When a page has looked at an agreement. */
interface Looks {
  /** It has read all events that were stored before this tick. */
  readonly full: number
  /** It has read none that was stored after this tick by others. */
  readonly last: number
}

/** A copy that was given or handed out; of an id nothing. */
function copyIn(text: unknown): Copy | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined
  const { terms, events } = JSON.parse(text) as { terms: Terms; events: AgreementEvent[] }
  return { id: terms.sxId, terms, events: new Map(events.map((event) => [idOf(event), event])) }
}

/** The agreement that a call is about. */
const idIn = (given: unknown): string => copyIn(given)?.id ?? String(given)

function judged(terms: Terms, events: Iterable<AgreementEvent>): Judgement {
  const entries = [...events].map((event) => ({ event, verdict: { valid: true } }))
  return judge({ terms, events: entries, now: '2026-06-01T00:00:00.000Z' })
}

/** Whether one of the most that may be there has seen an event that may be missing. */
function mayHaveHoles({ least, most }: Reading): boolean {
  return [...most.values()].some(({ seen }) => seen.some((id) => !least.has(id)))
}

/** All sets of events that have what they have seen, from the least to the most. */
function* wholeSets({ least, most }: Reading): Iterable<Events> {
  const [next] = [...most].filter(
    ([id, { seen }]) => !least.has(id) && seen.every((seenId) => least.has(seenId) || !most.has(seenId)),
  )
  if (next === undefined) return yield least
  const [id] = next
  yield* wholeSets({ least: new Map([...least, next]), most })
  yield* wholeSets({ least, most: without(most, id) })
}

/** Events without one of them and those that have seen it. */
function without(events: Events, gone: string): Events {
  const left = new Map(events)
  left.delete(gone)
  for (const [id, { seen }] of events) if (left.has(id) && seen.includes(gone)) return without(without(left, id), gone)
  return left
}

/** The number of the call that has made an event or terms, as their words say; 0 if it was there before. */
const callIn = (words: unknown): number => Number(/^call (\d+)$/.exec(String(words))?.[1] ?? 0)
const callOf = ({ data, type }: AgreementEvent): number => callIn(data[ACTS[type as ActType]])

/** Agreements: sets that only grow, each event by one call, and verdicts that follow from the events that are there. */
export class Agreements implements Model {
  readonly #world: World
  readonly #stored = new Map<string, Stored>()

  constructor(world: World) {
    this.#world = world
    // Terms first: of an event that comes to be they have to be there.
    const paths = world.disk.paths().toSorted((one, other) => one.length - other.length)
    for (const path of paths) this.changed(path, undefined)
  }

  /** All agreements that are there. */
  get ids(): string[] {
    return [...this.#stored.keys()]
  }

  changed(path: string, actor: Actor | undefined): void {
    const place = agreementOf(path)
    if (place === undefined) return
    const text = this.#world.disk.text(path)
    const stored = this.#stored.get(place.id)
    const known = place.eventId === undefined ? stored?.text : stored?.events.get(place.eventId)?.text
    if (known !== undefined) {
      if (text !== known) this.#violate('what was stored stays', `${path} is gone or another.`)
      return
    }
    if (place.eventId === undefined) this.#keepTerms(place.id, text ?? '', actor)
    else this.#keepEvent(place.id, place.eventId, text ?? '', actor)
  }

  #keepTerms(id: string, text: string, actor: Actor | undefined): void {
    const terms = this.#parsed<Terms>(text)
    if (terms === undefined) return
    if (terms.sxId !== id || canonical(terms) !== text) this.#violate('only what was made', `${id}: ${text}`)
    this.#stored.set(id, { text, terms, tick: this.#world.tick, events: new Map() })
    this.#mustBeBy(actor, `the terms of ${id}`, (call) =>
      call.name === 'createAgreement'
        ? (call.given[0] as AgreementTerms).title === terms.title
        : canonical(copyIn(call.given[0])?.terms) === text,
    )
  }

  #keepEvent(id: string, eventId: string, text: string, actor: Actor | undefined): void {
    const event = this.#parsed<AgreementEvent>(text)
    if (event === undefined) return
    const stored = this.#stored.get(id)
    if (stored === undefined) return this.#violate('an event has its terms', `${eventId} comes before those of ${id}.`)
    if (idOf(event) !== eventId || canonical(event) !== text || event.agreementHash !== hashOf(stored.terms)) {
      this.#violate('only what was made', `${id}, ${eventId}: ${text}`)
    }
    const by = callOf(event)
    if (by > 0 && [...stored.events.values()].some((other) => callOf(other.event) === by)) {
      this.#violate('done once', `${id} got a second event of #${by}.`)
    }
    stored.events.set(eventId, { event, text, tick: this.#world.tick })
    this.#mustBeBy(actor, `the event ${eventId} of ${id}`, (call) => {
      if (call.number === by) return call.name === 'act' && event.type === call.given[1]
      return copyIn(call.given[0])?.events.has(eventId) === true
    })
  }

  #parsed<T>(text: string): T | undefined {
    try {
      return JSON.parse(text) as T
    } catch {
      this.#violate('only what was made', text)
      return undefined
    }
  }

  /** What comes to be belongs to a call of the process that has written it. */
  #mustBeBy(actor: Actor | undefined, what: string, is: (call: Call) => boolean): void {
    if (actor === undefined) return
    if (this.#world.calls.some((call) => call.actor === actor && isOpen(call) && is(call))) return
    this.#violate('changes by a call', `${actor.name} has stored ${what}, which no call has asked for.`)
  }

  #violate(rule: string, found: string): void {
    this.#world.violate(rule, found)
  }

  ended(call: Call): void {
    if (call.state === 'refused') return this.#refused(call)
    if (call.state !== 'done' && call.state !== 'unsettled') return
    const name: string = call.name
    switch (name) {
      case 'createAgreement':
      case 'act':
      case 'importAgreement':
        return this.#made(call, call.value as AgreementCopy)
      case 'getAgreement':
        return this.#got(call, copyIn(call.value) as Copy)
      case 'verifyAgreement':
        return this.#verified(call, call.value as AgreementResult)
      default:
        return
    }
  }

  #made(call: Call, { raw, status, eventId }: AgreementCopy): void {
    const copy = copyIn(raw) as Copy
    const found = judged(copy.terms, copy.events.values()).status
    if (found !== status) this.#violate('the verdict follows', `#${call.number}: ${status}, but it is ${found}.`)
    if (eventId !== undefined && !copy.events.has(eventId)) {
      this.#violate('what was reported is stored', `#${call.number} hands out a copy without its event.`)
    }
    this.#checkRead(call, copy.id, copy.events)
    if (call.state !== 'done') return
    const stored = this.#stored.get(copy.id)
    const lost = [...copy.events.keys()].filter((id) => stored?.events.has(id) !== true)
    if (stored !== undefined && lost.length === 0) return
    const what = stored === undefined ? 'the terms' : `${lost}`
    this.#violate('what was reported is stored', `#${call.number} ${call.name} was done without ${what}.`)
  }

  #got(call: Call, copy: Copy): void {
    this.#checkRead(call, copy.id, copy.events)
    const holes = [...copy.events.values()].flatMap(({ seen }) => seen).filter((id) => !copy.events.has(id))
    if (holes.length > 0 && !this.#isFromMemory(call)) this.#violate('all that was seen', `#${call.number}: ${holes}`)
  }

  #verified(call: Call, { status, complete, missing, events }: AgreementResult): void {
    const id = idIn(call.given[0])
    const ids = [...events.counted, ...events.ignored.flatMap(({ eventId }) => eventId ?? [])]
    const all = this.#all(call, id)
    const read = new Map(ids.flatMap((eventId) => [[eventId, all.get(eventId)] as const]))
    this.#checkRead(call, id, read)
    const terms = copyIn(call.given[0])?.terms ?? this.#stored.get(id)?.terms
    if (terms === undefined) return this.#violate('nothing is made up', `#${call.number} verifies ${id}.`)
    const known = [...read.values()].filter((event) => event !== undefined)
    const expected = judged(terms, known)
    if (expected.status !== status || expected.state?.complete !== complete) {
      this.#violate('the verdict follows', `#${call.number}: ${status}, but it is ${expected.status}.`)
    }
    if (missing.length > 0 && !this.#isFromMemory(call)) {
      this.#violate('all that was seen', `#${call.number} misses ${missing}.`)
    }
  }

  /** What a call has read is there, and is at least what it must have read. */
  #checkRead(call: Call, id: string, events: ReadonlyMap<string, unknown>): void {
    const all = this.#all(call, id)
    const own = call.name === 'act' && call.value !== undefined ? (call.value as AgreementCopy).eventId : undefined
    const strange = [...events.keys()].find((eventId) => eventId !== own && !all.has(eventId))
    if (strange !== undefined) {
      this.#violate('nothing is made up', `#${call.number} ${call.name} gives ${strange} of ${id}, which is not there.`)
    }
    const lacking = [...this.#least(call, id).keys()].find((eventId) => !events.has(eventId))
    if (lacking === undefined) return
    this.#violate('all that was stored', `#${call.number} ${call.name} misses ${lacking} of ${id}.`)
  }

  #isFromMemory({ actor, isAtOnce }: Call): boolean {
    return isAtOnce && actor.kind === 'page'
  }

  /** All events that a call may have read: those on the disk, in the copy it was given, and what its page writes. */
  #all(call: Call, id: string): Events {
    const own = this.#world.calls
      .filter((other) => other.actor === call.actor && other.number < call.number)
      .flatMap(({ value }) => copyIn((value as Partial<AgreementCopy> | undefined)?.raw) ?? [])
      .filter((copy) => copy.id === id)
      .flatMap(({ events }) => [...events])
    const stored = [...(this.#stored.get(id)?.events ?? [])].map(([eventId, { event }]) => [eventId, event] as const)
    return new Map([...own, ...this.#given(call), ...stored])
  }

  #given(call: Call): Events {
    return copyIn(call.given[0])?.events ?? new Map()
  }

  /** The events that a call must have read: those that were on the disk before it, or are known to be in its memory. */
  #least(call: Call, id: string): Events {
    const isThere = this.#isFromMemory(call)
      ? this.#inMemory(call, id)
      : (_: string, tick: number): boolean => tick < call.invoked
    const stored = [...(this.#stored.get(id)?.events ?? [])]
      .filter(([eventId, { tick }]) => isThere(eventId, tick))
      .map(([eventId, { event }]) => [eventId, event] as const)
    return new Map([...this.#given(call), ...stored])
  }

  /** What a page has in memory: what was there when it was opened, and what its calls have read and written since. */
  #inMemory(call: Call, id: string): (eventId: string, tick: number) => boolean {
    const told = new Set<string>()
    for (const { actor, answered = Number.POSITIVE_INFINITY, state, name, given, value } of this.#world.calls) {
      const isAnswered = answered < call.invoked && (state === 'done' || state === 'unsettled')
      if (actor !== call.actor || !isAnswered || idIn(given[0]) !== id) continue
      if (name === 'act' || name === 'importAgreement') {
        for (const eventId of copyIn((value as AgreementCopy).raw)?.events.keys() ?? []) told.add(eventId)
      }
      if (name === 'getAgreement') for (const eventId of copyIn(value)?.events.keys() ?? []) told.add(eventId)
    }
    const { full } = this.#looks(call, id)
    return (eventId, tick) => tick < full || told.has(eventId)
  }

  /** When the page of a call has looked at an agreement before the call: as it was opened, and in asynchronous calls. */
  #looks({ actor, number, invoked }: Call, id: string): Looks {
    const before = this.#world.calls.filter((other) => other.actor === actor && other.number < number)
    const looks = before.filter(({ isAtOnce, given }) => !isAtOnce && idIn(given[0]) === id)
    // After a failure the page reads again, and nobody knows for how long.
    const hasFailed = before.some(({ state, given }) => state === 'unknown' && idIn(given[0]) === id)
    const whole = hasFailed
      ? []
      : looks.filter(({ state, answered = invoked }) => state === 'done' && answered < invoked)
    const ends = looks.map(({ answered = invoked }) => Math.min(answered, invoked))
    // A page is opened before its first call.
    const opened = before[0]?.invoked ?? invoked
    return {
      full: Math.max(actor.since, ...whole.map((look) => look.invoked)),
      last: hasFailed ? invoked : Math.max(opened, ...ends),
    }
  }

  #refused(call: Call): void {
    const { code = '', number, name } = call
    for (const possible of this.#refusals(call)) if (possible === code) return
    this.#violate('true sentences', `#${number} ${name}: ${code}`)
  }

  /** The codes with which a call may be refused. */
  *#refusals(call: Call): Iterable<string> {
    if (this.#mayMissTerms(call)) yield 'SyncStorageUnavailable'
    if (call.name === 'importAgreement') {
      const copy = copyIn(call.given[0])
      if (copy !== undefined && judged(copy.terms, copy.events.values()).status === 'draft') yield 'InvalidAgreement'
      return
    }
    if (call.name !== 'act' && call.name !== 'getAgreement' && call.name !== 'verifyAgreement') return
    const id = idIn(call.given[0])
    const terms = copyIn(call.given[0])?.terms ?? this.#stored.get(id)?.terms
    if (terms === undefined) return
    const isFromMemory = this.#isFromMemory(call)
    if (isFromMemory && (this.#stored.get(id)?.tick ?? 0) >= call.actor.since) yield 'NotFound'
    if (call.name !== 'act') return
    const reading = this.#reading(call, id)
    if (isFromMemory && mayHaveHoles(reading)) yield 'SyncStorageUnavailable'
    for (const events of wholeSets(reading)) {
      for (const at of this.#dates(call)) {
        const code = this.#refusal(call, terms, events, at)
        if (code !== undefined) yield code
      }
    }
  }

  /**
   * Whether a page may have events of an agreement in memory without its terms: while an asynchronous call reads it that
   * was stored after the page started, or after such a call has failed; or because a write of it that was behind has
   * failed, after which the page reads again what it was to write, one entry after the other.
   */
  #mayMissTerms(call: Call): boolean {
    if (!this.#isFromMemory(call)) return false
    const id = idIn(call.given[0])
    if ((this.#stored.get(id)?.tick ?? 0) < call.actor.since) return false
    const calls = this.#world.calls.filter(
      (other) => other.actor === call.actor && other.number < call.number && idIn(other.given[0]) === id,
    )
    return calls.some(({ isAtOnce, state }) => state === 'unknown' || state === (isAtOnce ? 'unsettled' : 'running'))
  }

  /** What a call must have read and may have read. From memory, nothing that was stored after the page last looked. */
  #reading(call: Call, id: string): Reading {
    const least = this.#least(call, id)
    const all = this.#all(call, id)
    if (!this.#isFromMemory(call)) return { least, most: all }
    const stored = this.#stored.get(id)?.events
    const { last } = this.#looks(call, id)
    const most = [...all].filter(([eventId]) => least.has(eventId) || (stored?.get(eventId)?.tick ?? 0) <= last)
    return { least, most: new Map(most) }
  }

  /** The dates that an event of a call may have. */
  #dates({ clock, endClock, leastClock, mostClock }: Call): string[] {
    const dates = [clock, endClock ?? clock, leastClock ?? clock, mostClock ?? clock]
    return [...new Set(dates)].map((date) => new Date(date).toISOString())
  }

  /** How an agent is refused that acts when it has read these events. */
  #refusal(call: Call, terms: Terms, events: Events, at: string): string | undefined {
    const before = judged(terms, events.values())
    if (before.state === null || before.state.missing.length > 0) return undefined
    const agentId = call.actor.loaded.session.loaded?.id ?? ''
    const [, type, words] = call.given as [string, ActType, string]
    const event: AgreementEvent = {
      type,
      agreementHash: hashOf(terms),
      actor: { agentId, agentVersion: agentId, keyId: 'k'.repeat(43) },
      role: 'signer',
      at,
      nonce: 'A'.repeat(22),
      seen: before.state.heads,
      data: { [ACTS[type]]: words },
      alg: 'ed25519',
      signature: 'AAAA',
    }
    const after = judged(terms, [...events.values(), event])
    const code = after.state?.events.ignored.find(({ eventId }) => eventId === idOf(event))?.code
    if (code === undefined) return undefined
    if (code === 'Duplicate' && type === 'sign') return 'AlreadySigned'
    return ['NotAParty', 'TooLate', 'TooWeak'].includes(code) ? code : 'EventRefused'
  }

  closing(observer: Actor): void {
    const { library } = this.#world
    for (const [id, { terms, events }] of this.#stored) {
      const { events: found } = copyIn(library.now(observer.loaded, 'getAgreement', [id])) as Copy
      const lost = [...events.keys()].filter((eventId) => !found.has(eventId))
      if (lost.length > 0) this.#violate('all that was stored', `in the end ${id} misses ${lost}.`)
      const verdict = library.now(observer.loaded, 'verifyAgreement', [id]) as AgreementResult
      const expected = judged(
        terms,
        [...events.values()].map(({ event }) => event),
      )
      const isSame = expected.status === verdict.status && expected.state?.complete === verdict.complete
      if (!isSame)
        this.#violate('the verdict follows', `in the end ${id} is ${verdict.status}, not ${expected.status}.`)
      if (verdict.missing.length > 0) this.#violate('all that was seen', `in the end ${id} misses ${verdict.missing}.`)
    }
  }
}
