/**
 * The stored agreements: each is a set, the terms and the events, which are put if absent and never change (protocol,
 * section 24). So parties that share a store never conflict.
 *
 * @module
 */
import type { AgreementModule, Opened } from '../agreements/module.ts'
import { decode, encode } from '../bytes.ts'
import { cursor, getAll, isCurrent } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { agreementEntry, names } from '../names.ts'
import type { Key, Storage } from '../storage/contract.ts'
import { claim, lacking } from './chain.ts'

/** So many events are read together. */
const AT_ONCE = 256

/**
 * Reads an agreement with all its events.
 *
 * @returns `undefined` if neither its terms nor any event is there
 * @throws SxError `CorruptStore`, which names the entry; `SyncStorageUnavailable` if a copy in memory lacks it; storage
 *   codes
 */
export function* readAgreement(storage: Storage, module: AgreementModule, id: string): Operation<Opened | undefined> {
  const entries = yield* readEntries(storage, id)
  if (entries === undefined) return undefined
  const { text, events } = entries
  try {
    const opened = module.open([copyOf(text, events)])
    if (isWhole(opened, id, text, events)) return opened
  } catch (error) {
    if (!(error instanceof SxError) || error.code === 'Internal' || error.code === 'LimitExceeded') throw error
  }
  throw whichIsDamaged(module, id, text, events)
}

/**
 * The names and texts of all entries of an agreement, to save them.
 *
 * @throws SxError `CorruptStore`, which names the entry; `SyncStorageUnavailable` if a copy in memory lacks it, or an event
 *   that another one has seen, which the storage may lack as well; storage codes
 */
export function* agreementTexts(storage: Storage, id: string): Operation<[name: string, text: string][]> {
  const entries = yield* readEntries(storage, id)
  if (entries === undefined) return []
  const { text: terms, events } = entries
  const unseen = unseenIn(events)
  if (unseen !== undefined && !(yield* perform(isCurrent(storage)))) {
    throw yield* absent(storage, agreementEntry(id, unseen))
  }
  const texts = events.map(({ key, text }): [string, string] => [key.join('/'), text])
  return [[agreementEntry(id).join('/'), terms], ...texts]
}

/** What is stored of an agreement. */
interface Entries {
  /** The terms. */
  readonly text: string
  readonly events: readonly StoredEvent[]
}

function* readEntries(storage: Storage, id: string): Operation<Entries | undefined> {
  const key = agreementEntry(id)
  const before = yield* readTerms(storage, key)
  const events = yield* readEvents(storage, id)
  // Another process may have stored it in the meantime. It stores the terms first.
  const terms = before ?? (events.length > 0 ? yield* readTerms(storage, key) : undefined)
  if (terms !== undefined) return { text: decode(terms, key.join('/')), events }
  if (events.length === 0) return undefined
  throw yield* absent(storage, key)
}

function* readTerms(storage: Storage, key: Key): Operation<Uint8Array | undefined> {
  const [stored] = yield* perform(getAll(storage, [key]))
  if (stored?.error !== undefined) throw stored.error
  return stored?.bytes
}

interface StoredEvent {
  readonly key: Key
  readonly id: string
  readonly text: string
}

/** The events with all that they have seen, as far as it is stored: a list does not show what came behind its place. */
function* readEvents(storage: Storage, id: string): Operation<StoredEvent[]> {
  const events = new Map<string, StoredEvent>()
  for (;;) {
    const keys: Key[] = []
    const next = cursor(storage, eventFolder(id))
    for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
      const eventId = eventIn(key)
      if (eventId !== undefined && !events.has(eventId)) keys.push(key)
    }
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const some = keys.slice(at, at + AT_ONCE)
      const found = yield* perform(getAll(storage, some))
      for (const [index, key] of some.entries()) {
        const { bytes, error } = found[index] ?? {}
        if (error !== undefined) throw error
        if (bytes === undefined) throw yield* absent(storage, key)
        const eventId = eventIn(key) ?? ''
        events.set(eventId, { key, id: eventId, text: decode(bytes, key.join('/')) })
      }
    }
    const all = [...events.values()]
    if (keys.length === 0 || unseenIn(all) === undefined) return all
  }
}

/** An event that one of these has seen, and that is not among them. */
function unseenIn(events: readonly StoredEvent[]): string | undefined {
  const ids = new Set(events.map(({ id }) => id))
  for (const { text } of events) for (const seen of seenBy(text)) if (!ids.has(seen)) return seen
  return undefined
}

/** The ids of the events that an event has seen. Within a string the quotes would be escaped. */
function seenBy(text: string): readonly string[] {
  return /"seen":\[([^\]]*)\]/.exec(text)?.[1]?.match(/[0-9a-f]{64}/g) ?? []
}

const eventFolder = (id: string): Key => agreementEntry(id, '0'.repeat(64)).slice(0, -1)

/** The id of an event that an entry has in its name. People may keep other things there. */
const eventIn = (key: Key): string | undefined => /^([0-9a-f]{64})\.json$/.exec(key.at(-1) ?? '')?.[1]

const copyOf = (terms: string, events: readonly StoredEvent[]): string =>
  `{"events":[${events.map(({ text }) => text).join(',')}],"terms":${terms}}`

/** Whether each event stands under its id and names these terms, and all texts are as they were stored: canonical. */
function isWhole(
  { id, hash, events, raw }: Opened,
  asked: string,
  terms: string,
  stored: readonly StoredEvent[],
): boolean {
  const sorted = [...stored].sort((one, other) => (one.id < other.id ? -1 : 1))
  const isNamed = events.length === stored.length && sorted.every((event, at) => event.id === events[at])
  const texts = sorted.map(({ text }) => text).join(',')
  const isOfTerms = stored.every((event) => namesTerms(event, hash))
  return id === asked && isNamed && isOfTerms && raw.includes(`[${texts}]`) && raw.endsWith(`:${terms}}`)
}

/** Whether an event names the terms with this hash. Within a string the quotes would be escaped. */
const namesTerms = ({ text }: StoredEvent, hash: string): boolean => text.includes(`"agreementHash":"${hash}"`)

function whichIsDamaged(module: AgreementModule, id: string, terms: string, events: readonly StoredEvent[]): SxError {
  for (const event of [undefined, ...events]) {
    const some = event === undefined ? [] : [event]
    try {
      const opened = module.open([copyOf(terms, some)])
      if (events.length > 0 && !events.some((one) => namesTerms(one, opened.hash))) break
      if (isWhole(opened, id, terms, some)) continue
    } catch {
      // What is wrong with it does not matter: it is not what was stored.
    }
    return damaged(event?.key ?? agreementEntry(id), 'is damaged')
  }
  return damaged(agreementEntry(id), 'is damaged')
}

/** The error for an entry that is missing although others need it. */
const absent = (storage: Storage, key: Key): Operation<SxError> =>
  lacking(storage, key.join('/'), damaged(key, 'is missing'))

function damaged(key: Key, how: string): SxError {
  return new SxError('CorruptStore', `The stored entry ${key.join('/')} ${how}.`)
}

/** Events by id and text, each behind those that it has seen. */
function inOrder(entries: readonly string[]): [id: string, text: string][] {
  const left = new Map<string, string>()
  for (let at = 0; at < entries.length; at += 2) left.set(entries[at] ?? '', entries[at + 1] ?? '')
  const ordered: [id: string, text: string][] = []
  const begun = new Set<string>()
  for (const first of left.keys()) {
    const stack = [first]
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const text = left.get(id)
      const isNew = text !== undefined && !begun.has(id)
      begun.add(id)
      if (isNew) stack.push(...seenBy(text).filter((seen) => left.has(seen) && !begun.has(seen)))
      else {
        stack.pop()
        if (text !== undefined && left.delete(id)) ordered.push([id, text])
      }
    }
  }
  return ordered
}

/**
 * Stores the terms and events of an agreement, each if it is not there yet: the terms first, then each event behind those
 * that it has seen, so that others find nothing that lacks something, even if this process dies. Of two texts of one event
 * the first one stays.
 *
 * @param entries ids and texts of events whose signatures are valid, in turn
 * @throws SxError storage codes
 */
export function* storeAgreement(
  storage: Storage,
  id: string,
  terms: string,
  entries: readonly string[],
): Operation<void> {
  if (!(yield* claim(storage, agreementEntry(id), encode(terms)))) throw damaged(agreementEntry(id), 'has other terms')
  for (const [eventId, text] of inOrder(entries)) yield* claim(storage, agreementEntry(id, eventId), encode(text))
}

const NAME = /^[a-z]+\/[0-9a-f]{2}\/([0-9a-f-]{36})\/(?:terms|events\/([0-9a-f]{64}))\.json$/

/** The agreement that an entry of this name belongs to, if it is one of ours. People may keep other things there. */
export function agreementIn(name: string): string | undefined {
  const [, id, event] = NAME.exec(name) ?? []
  if (id === undefined) return undefined
  try {
    return agreementEntry(id, event).join('/') === name ? id : undefined
  } catch (error) {
    if (error instanceof SxError && error.code === 'InvalidId') return undefined
    throw error
  }
}

/** The names of all entries of agreements, by agreement, both ascending. */
export function* agreementNames(storage: Storage, after?: string): Operation<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const next = cursor(storage, [names().agreements])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const name = key.join('/')
    const id = agreementIn(name)
    if (id === undefined || (after !== undefined && id <= after)) continue
    const own = found.get(id)
    if (own === undefined) found.set(id, [name])
    else own.push(name)
  }
  return found
}
