import * as core from '#core'
import { decode } from '../bytes.ts'
import { call } from '../core.ts'
import { cursor, get, together } from '../effects/entries.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { documentChain, names, readEntryName } from '../names.ts'
import { agreementNames } from './agreements.ts'
import type { Documents } from './documents.ts'

/** Who signed a stored version, and when. */
interface Signing {
  readonly agentId: string
  readonly date: string
}

/** So many entries are read at the same time. */
const BATCH = 32

/**
 * The dates of what an agent has signed and stored: documents, and events of agreements. Dates grow along a chain, so the
 * latest version that the agent has signed of a document tells for it.
 */
export class StoredDates {
  readonly #documents: Documents
  readonly #agentId: string
  /** Up to which version each document was looked at. */
  readonly #seen = new Map<string, number>()
  /** The names of the entries of agreements that were looked at. */
  readonly #events = new Set<string>()
  #latest = 0

  constructor(documents: Documents, agentId: string) {
    this.#documents = documents
    this.#agentId = agentId
  }

  /** The latest date that was found, Unix milliseconds; 0 if there is none. */
  get latest(): number {
    return this.#latest
  }

  /** Looks at what has come since the last time. */
  *read(): Operation<void> {
    const found = new Map<string, number>()
    const next = cursor(this.#documents.storage, [names().documents])
    for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
      const entry = key.length === 3 ? readEntryName(key[2]) : undefined
      if (entry === undefined || entry.number <= (this.#seen.get(entry.id) ?? 0)) continue
      found.set(entry.id, Math.max(entry.number, found.get(entry.id) ?? 0))
      if (found.size === BATCH) yield* this.#readAll(found)
    }
    yield* this.#readAll(found)
    yield* this.#readEvents()
  }

  /** Events of agreements stand for themselves: each is looked at once. */
  *#readEvents(): Operation<void> {
    const { storage } = this.#documents
    for (const entries of (yield* agreementNames(storage)).values()) {
      const fresh = entries.filter((name) => !this.#events.has(name))
      for (let at = 0; at < fresh.length; at += BATCH) {
        const some = fresh.slice(at, at + BATCH)
        const texts = yield* perform(together(...some.map((name) => get(storage, name.split('/')))))
        for (const [index, name] of some.entries()) {
          this.#events.add(name)
          const event = texts[index] && eventIn(texts[index])
          if (event?.agentId === this.#agentId) this.#latest = Math.max(this.#latest, Date.parse(event.date))
        }
      }
    }
  }

  *#readAll(found: Map<string, number>): Operation<void> {
    const entries = [...found]
    found.clear()
    const texts = yield* perform(together(...entries.map(([id, number]) => this.#entry(id, number))))
    for (const [at, [id, number]] of entries.entries()) yield* this.#note(id, number, texts[at])
  }

  #entry(id: string, number: number): Effect<Uint8Array | undefined> {
    return get(this.#documents.storage, documentChain(id).entry(number))
  }

  /** Notes the date of the latest version that is the agent's, from a version downwards to what was seen. */
  *#note(id: string, latest: number, text: Uint8Array | undefined): Operation<void> {
    const seen = this.#seen.get(id) ?? 0
    this.#seen.set(id, Math.max(latest, seen))
    for (let number = latest; number > seen; number--) {
      const bytes = number === latest ? text : yield* perform(this.#entry(id, number))
      const signing = bytes && signingOf(bytes)
      if (signing === undefined) continue
      const date = Date.parse(signing.date)
      if (date <= this.#latest) return // and so are those before it
      if (signing.agentId !== this.#agentId) continue
      this.#latest = date
      return
    }
  }
}

/** Who made an event, and when. Terms and damaged entries are ignored. */
function eventIn(bytes: Uint8Array): Signing | undefined {
  try {
    const { actor, at } = JSON.parse(decode(bytes, '')) as { actor?: { agentId?: unknown }; at?: unknown }
    const agentId = actor?.agentId
    if (typeof agentId !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return undefined
    return { agentId, date: at }
  } catch {
    return undefined
  }
}

/** Damaged documents are ignored. */
function signingOf(bytes: Uint8Array): Signing | undefined {
  try {
    return JSON.parse(call(() => core.documentSigning(bytes))) as Signing
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return undefined
    throw error
  }
}
