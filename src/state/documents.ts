/**
 * The stored documents: each is a chain of versions (protocol, section 12). What was seen of them, and so what is
 * `Rollback`, is remembered here and nowhere else.
 *
 * @module
 */

import * as core from '#core'
import { encode } from '../bytes.ts'
import { call } from '../core.ts'
import { isCurrent } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import type { KeyRing } from '../key-ring.ts'
import { type ChainNames, documentChain } from '../names.ts'
import type { Found } from '../storage/below.ts'
import type { Key, Storage } from '../storage/contract.ts'
import {
  append,
  claimAll,
  type Entry,
  hole,
  isPending,
  isUnhinted,
  missing,
  readEntry,
  readHint,
  readLatest,
  textOf,
} from './chain.ts'
import { putRecent } from './recent.ts'

/** How many documents' latest versions are remembered. */
const SEEN_CAPACITY = 10_000

/** So many entries are read sooner than what is there is listed. */
const FEW = 5

/** Of how many documents the versions are remembered that a search has found. */
const SEARCHED_CAPACITY = 100

/** What a document's header says it is. */
export interface Identity {
  readonly id: string
  readonly version: string
  readonly previous: string | null
  readonly type: string
}

/** Where a signed document stands, as the core says when it makes one, and its text. */
export interface Made {
  readonly id: string
  readonly version: string
  readonly previous: string | null
  readonly date: string
  readonly raw: string
}

/** Reads what the core answers when it makes a document: a line for each of four names, then the text. */
export function readMade(answer: string): Made {
  const date = answer.indexOf('\n')
  const id = answer.indexOf('\n', date + 1)
  const previous = answer.indexOf('\n', id + 1)
  const version = answer.indexOf('\n', previous + 1)
  return {
    id: answer.slice(date + 1, id),
    version: answer.slice(previous + 1, version),
    previous: answer.slice(id + 1, previous) || null,
    date: answer.slice(0, date),
    raw: answer.slice(version + 1),
  }
}

/** A stored version that nothing was verified of yet. */
export interface StoredVersion {
  /** Its number in the chain, from 1. */
  readonly number: number
  readonly text: string
}

/** What names of a document a list has shown. */
export interface Named {
  readonly id: string
  /** Of its entries, at least one. */
  readonly numbers: readonly number[]
  /** Whether there is a hint where the latest one is. */
  readonly isHinted: boolean
}

interface Seen {
  readonly number: number
  readonly version: string
}

/** The documents of a data directory. */
export class Documents {
  readonly storage: Storage
  /** The latest version of each document that was found to be good, and lasts. */
  readonly #seen = new Map<string, Seen>()
  /** Versions that were found to be good where another one waits to be written. */
  readonly #hidden = new Map<string, string>()
  /** Versions by number, of documents that were searched for a version that no hint names. Entries never change. */
  readonly #searched = new Map<string, Map<number, string>>()
  /** Reads identities. Its limits are those of the agent. */
  readonly #ring: KeyRing

  constructor(storage: Storage, ring: KeyRing) {
    this.storage = storage
    this.#ring = ring
  }

  /**
   * The latest version of a document; `undefined` if there is no such document.
   *
   * @throws SxError `Rollback`, `CorruptStore`
   */
  *latest(id: string): Operation<StoredVersion | undefined> {
    const names = documentChain(id)
    const known = this.#seen.get(id)?.number
    const entry = yield* readLatest(this.storage, names, known)
    if (entry === undefined) return undefined
    yield* this.#checkLinks(names, id, entry)
    return { number: entry.number, text: textOf(entry, names) }
  }

  /**
   * The entries that tell the latest version of a document by the names that were listed of it; none where the names do
   * not: one is missing, or more is known.
   */
  keysFor(named: Named): Key[] {
    const reads = this.#readsFor(named)
    if (reads === 0) return []
    const { id, numbers, isHinted } = named
    const names = documentChain(id)
    const keys = [names.entry(numbers.length)]
    if (isHinted) keys.push(names.latest())
    if (keys.length < reads) keys.push(names.entry(numbers.length - 1))
    return keys
  }

  /** How many entries that are. */
  #readsFor({ id, numbers, isHinted }: Named): number {
    const { length } = numbers
    const seen = this.#seen.get(id)?.number
    const greatest = numbers.reduce((most, number) => Math.max(most, number))
    if (greatest !== length || (seen !== undefined && seen !== length && seen !== length - 1)) return 0
    return 1 + Number(isHinted) + Number(length > 1 && seen === undefined)
  }

  /**
   * What the latest version says it is, going by these entries; `undefined` where something is not as it should be, which
   * {@link latest} decides.
   *
   * @param found what was found of the entries of {@link keysFor}
   */
  identifyListed(named: Named, found: readonly Found[]): Identity | undefined {
    const { id, numbers, isHinted } = named
    const [latest, ...others] = found
    const isSame = this.#readsFor(named) === found.length // more may be known by now
    if (latest?.bytes === undefined || !isSame || others.some(({ error }) => error !== undefined)) return undefined
    const names = documentChain(id)
    try {
      const hint = isHinted ? others.shift()?.bytes : undefined
      if (hint !== undefined && call(() => core.readNumber(hint)) > numbers.length) return undefined
      const identity = this.identify(names, id, { number: numbers.length, bytes: latest.bytes })
      const [before] = others
      if (before === undefined) return identity
      if (before.bytes === undefined) return undefined
      const { version } = this.identify(names, id, { number: numbers.length - 1, bytes: before.bytes })
      return version === identity.previous ? identity : undefined
    } catch (error) {
      if (error instanceof SxError && isVerdict(error.code)) return undefined
      throw error
    }
  }

  /**
   * A version of a document; `undefined` if it is no part of the chain.
   *
   * @throws SxError `CorruptStore` naming the entry, if the chain does not hold together there; `Rollback` if another
   *   version was seen before it
   */
  *exact(id: string, version: string): Operation<StoredVersion | undefined> {
    const names = documentChain(id)
    const found = yield* this.#find(names, id, version)
    if (found === undefined) return undefined
    const next = yield* readEntry(this.storage, names, found.number + 1)
    if (next === undefined) yield* this.#checkEnd(names, found.number)
    else if (this.identify(names, id, next).previous !== version) throw broken(names, next.number)
    yield* this.#checkSeen(names, id, found.number)
    return { number: found.number, text: textOf(found, names) }
  }

  /**
   * All versions of a document, oldest first; none if there is no such document.
   *
   * @throws SxError `Rollback`, `CorruptStore`; `SyncStorageUnavailable` if memory has some of them only
   */
  *versions(id: string): Operation<string[]> {
    const names = documentChain(id)
    const latest = yield* this.latest(id)
    const versions: string[] = []
    for (let number = 1; number <= (latest?.number ?? 0); number++) {
      const entry = yield* this.#entry(names, number)
      if (entry === undefined) throw new SxError('SyncStorageUnavailable')
      const { version, previous } = this.identify(names, id, entry)
      if (previous !== (versions.at(-1) ?? null)) throw broken(names, number)
      versions.push(version)
    }
    return versions
  }

  /** Refuses a latest entry that does not continue what was seen, or the entry before it. */
  *#checkLinks(names: ChainNames, id: string, latest: Entry): Operation<void> {
    const seen = this.#seen.get(id)?.number
    if (latest.number - (seen ?? 1) < 1) return // the first one, or the one that was seen
    if (!(yield* perform(isCurrent(this.storage)))) return // what waits to be written may hide what is stored
    const { previous } = this.identify(names, id, latest)
    if (seen === latest.number - 1) return // compared with what was seen
    const before = yield* this.#entry(names, latest.number - 1)
    if (before !== undefined && this.identify(names, id, before).version !== previous)
      throw broken(names, latest.number)
    yield* this.#checkSeen(names, id, latest.number)
  }

  /** Refuses an entry after another one than was seen: what follows that would pass for its continuation from then on. */
  *#checkSeen(names: ChainNames, id: string, number: number): Operation<void> {
    const seen = this.#seen.get(id)?.number
    if (seen === undefined || number <= seen + 1) return // the next one is compared with what was seen
    if (!(yield* perform(isCurrent(this.storage)))) return // what waits to be written may hide what is stored
    const known = yield* this.#entry(names, seen)
    if (known !== undefined) this.identify(names, id, known)
  }

  /** Refuses a hole right after an entry; that later ones are missing altogether is no matter of this one. */
  *#checkEnd(names: ChainNames, number: number): Operation<void> {
    if (!(yield* perform(isCurrent(this.storage)))) return
    if ((yield* readEntry(this.storage, names, number + 2)) === undefined) return
    if ((yield* readEntry(this.storage, names, number + 1)) === undefined) throw hole(names, number + 1)
  }

  /**
   * The entry of a version. What the index says is checked. A version that the index does not have is not there if all
   * others have a hint; only where some are missing, all entries are looked at, once. A version that is there is found
   * also where later ones are missing: it was asked for by its key.
   */
  *#find(names: ChainNames, id: string, version: string): Operation<Entry | undefined> {
    const seen = this.#seen.get(id)
    const index = names.index?.(version)
    const hinted = seen?.version === version ? seen.number : index && (yield* readHint(this.storage, index))
    const likely = yield* readEntry(this.storage, names, hinted || 1)
    if (likely !== undefined && this.identify(names, id, likely).version === version) return likely
    const latest = yield* readLatest(this.storage, names, seen?.number)
    if (latest === undefined) return undefined
    if (this.identify(names, id, latest).version === version) return latest
    const isToSearch = latest.number <= FEW || (hinted ?? 0) > 0
    if (!isToSearch && (yield* isUnhinted(this.storage, names, version, latest.number))) return undefined
    const known = this.#known(id)
    for (let number = latest.number - 1; number > 0; number--) {
      const before = known.get(number)
      if (before !== undefined && before !== version) continue
      const entry = yield* this.#entry(names, number)
      if (entry === undefined) continue
      const found = this.identify(names, id, entry)
      known.set(number, found.version)
      if (found.version === version) return entry
    }
    const isWhole = yield* perform(isCurrent(this.storage))
    if ((hinted ?? 0) > latest.number && isWhole) throw missing(names, hinted ?? 0)
    if (this.#hidden.get(id) === version && !isWhole && isPending(this.storage, names, latest.number)) {
      throw new SxError('SyncStorageUnavailable', 'Another version is waiting to be written in its place.')
    }
    return undefined
  }

  /** The versions of a document whose entries were looked at one by one. */
  #known(id: string): Map<number, string> {
    const known = this.#searched.get(id) ?? new Map<number, string>()
    putRecent(this.#searched, id, known, SEARCHED_CAPACITY)
    return known
  }

  /** An entry that has to be there, since a later one is; but not in a copy in memory, which may have no more than some. */
  *#entry(names: ChainNames, number: number): Operation<Entry | undefined> {
    const entry = yield* readEntry(this.storage, names, number)
    if (entry === undefined && (yield* perform(isCurrent(this.storage)))) throw hole(names, number)
    return entry
  }

  /**
   * What an entry says it is; its signature is not verified.
   *
   * @throws SxError `CorruptStore` if it cannot be read, or is another document or another place's
   */
  identify(names: ChainNames, id: string, entry: Entry): Identity {
    let identity: Identity
    try {
      identity = JSON.parse(call(() => core.documentIdentity(this.#ring.handle, entry.bytes))) as Identity
    } catch (cause) {
      if (!(cause instanceof SxError && isVerdict(cause.code)) || cause.code === 'LimitExceeded') throw cause
      const found = `Entry ${entry.number} of ${names.label} is damaged.`
      throw new SxError('CorruptStore', found, { cause })
    }
    this.checkPlace(id, entry.number, identity)
    return identity
  }

  /** What a stored version says it is; see {@link identify}. */
  identifyText(id: string, { number, text }: StoredVersion): Identity {
    return this.identify(documentChain(id), id, { number, bytes: encode(text) })
  }

  /**
   * Refuses what cannot stand at a place of a chain.
   *
   * @throws SxError `CorruptStore`; `Rollback` if another version was seen there
   */
  checkPlace(id: string, number: number, { id: own, version, previous }: Identity): void {
    const { label } = documentChain(id)
    if (own !== id) throw new SxError('CorruptStore', `Entry ${number} of ${label} is a different document.`)
    if ((number === 1) !== (previous === null))
      throw new SxError('CorruptStore', `Entry ${number} of ${label} is a version with another number.`)
    const seen = this.#seen.get(id)
    if (seen?.number === number && seen.version !== version)
      throw new SxError('Rollback', `Entry ${number} of ${label} is a different version than before.`)
    if (seen?.number === number - 1 && seen.version !== previous) throw broken({ label }, number)
  }

  /**
   * Appends a version.
   *
   * @returns whether it is the document's version of this number now; false if that is another's
   */
  *append(made: Made, number: number): Operation<boolean> {
    const names = documentChain(made.id)
    const isOurs = yield* append(this.storage, names, { number, bytes: encode(made.raw) }, made.version)
    if (isOurs) this.remember(made.id, number, made.version)
    return isOurs
  }

  /**
   * Puts the first versions of documents, all or none; see {@link claimAll}.
   *
   * @throws SxError `AlreadyExists`, storage codes
   */
  *appendFirst(made: readonly Made[]): Operation<void> {
    const entries = made.map(({ id, raw }) => ({ key: documentChain(id).entry(1), bytes: encode(raw) }))
    yield* claimAll(this.storage, entries)
    for (const { id, version } of made) this.remember(id, 1, version)
  }

  /** Remembers a version that was found to be good, if it lasts: what may still be lost would pass for lost later. */
  remember(id: string, number: number, version: string): void {
    const known = this.#seen.get(id)
    if (known !== undefined && known.number > number) return
    if (isPending(this.storage, documentChain(id), number)) {
      putRecent(this.#hidden, id, version, SEARCHED_CAPACITY)
      return
    }
    this.#hidden.delete(id)
    putRecent(this.#seen, id, { number, version }, SEEN_CAPACITY)
  }
}

function broken({ label }: Pick<ChainNames, 'label'>, number: number): SxError {
  return new SxError('CorruptStore', `Entry ${number} of ${label} does not refer to the previous entry.`)
}
