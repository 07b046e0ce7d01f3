import * as core from '#core'
import { decode, encode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { get, getBoth, orUnseen, together } from '../effects/entries.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { documentChain, rotationIntent } from '../names.ts'
import { changesOf } from '../storage/changes.ts'
import { isSyncStorage, lastingKey, requireSync } from '../storage/contract.ts'
import type { AgentKey } from '../types.ts'
import { type AgentIdentity, admitOwnDocument, readStoredAgent } from './agent-identity.ts'
import { isPending } from './chain.ts'
import type { Documents } from './documents.ts'
import { OwnRevocations, revokedBy } from './own-revocations.ts'

/** A version of the loaded agent's document. */
export interface AgentDocument extends AgentIdentity {
  /** Its number in the chain, from 1. */
  readonly number: number
  readonly text: string
}

/** So long a look counts for what is not stored, milliseconds. */
const FRESH = 100

/** Who holds the document too. */
export interface Followers {
  /** Told of every version to sign with, which is one to verify with as well unless a later one was found. */
  readonly sign: (document: AgentDocument) => void
  /** Told of what to verify with, whenever that changes: the document, perhaps with revocations beside it. */
  readonly verify: (held: string) => void
}

/** An intent of a rotation, and the time at which it was seen first, Unix milliseconds. */
interface Sighting {
  readonly bytes: Uint8Array
  since: number | undefined
}

/** What stands after the version to sign with: nothing, the intent of a rotation, or a version with another key. */
export type Standing = 'current' | 'rotating' | 'rotated'

/**
 * The loaded agent's own document. Two versions of it are known: the *current* one, which this process signs with, and the
 * *latest* one that was found in the storage, which decides every verdict on the agent and is what the agent publishes.
 * They differ where another process has made a version. A current version that is still being written behind is used
 * already; if writing it fails, the one before is the agent's again.
 */
export class OwnDocument {
  readonly #documents: Documents
  readonly #id: string
  readonly #limits: string
  readonly #followers: Followers
  /** The document to sign with. */
  #current: AgentDocument
  /** Where the current one is still on its way: the one before it, as far as known. */
  #former: AgentDocument | undefined
  #isPending: boolean
  /** Where the agent has ended, although later versions have come. */
  #ended: AgentDocument | undefined
  /** A version that another process has stored after the current one. */
  #found: AgentDocument | undefined
  /** Where the next version would stand, and the intent to rotate the key in it. */
  #next: { readonly number: number; readonly effects: Next } | undefined
  /** The intent of a rotation that was seen last. */
  #intent: Sighting | undefined
  /** When the last look began that was for something that is not stored and found nothing, Unix milliseconds. */
  #lookedAt = Number.NEGATIVE_INFINITY
  /** How many rotations this process has begun and not ended. */
  #rotations = 0
  /** How often the storage had been changed, if it counts that, before a look that found nothing after {@link latest}. */
  #unchanged: number | undefined
  /** What keys have stated of themselves that the document does not say. */
  readonly #revocations: OwnRevocations
  /** The document of the same agent after it was loaded again. */
  #heir: OwnDocument | undefined

  constructor(documents: Documents, id: string, document: AgentDocument, limits: string, followers: Followers) {
    this.#documents = documents
    this.#id = id
    this.#limits = limits
    this.#revocations = new OwnRevocations(documents.storage, id, limits)
    this.#current = document
    this.#isPending = this.#isOnItsWay(document.number)
    this.#former = this.#isPending ? this.#lastingBefore(document.number) : undefined
    this.#followers = followers
  }

  /** The document to sign with. */
  get current(): AgentDocument {
    return this.#current
  }

  /** The document to verify with, and to publish. */
  get latest(): AgentDocument {
    return this.#ended ?? this.#found ?? this.#current
  }

  /**
   * Whether another process has made another key the agent's, so that this one must not sign any more. What is found while
   * this process itself rotates the key may be its own.
   */
  get isOvertaken(): boolean {
    return !this.isRotating && this.#hasOtherKey
  }

  get #hasOtherKey(): boolean {
    return this.latest.keyId !== this.#current.keyId
  }

  /** The document to verify with, with what its keys have stated of themselves. */
  get held(): string {
    return this.#revocations.held(this.latest.text)
  }

  /** Whether the key to sign with has stated that it is revoked. */
  get isRevoked(): boolean {
    return this.#ended !== undefined || this.#revocations.has(this.#current.keyId)
  }

  /** The version that was there when a key stated its revocation, if it is gone since. */
  get missing(): number | undefined {
    const { reached } = this.#revocations
    const there = [this.#current, this.#found, this.#ended].map((document) => document?.number ?? 0)
    return reached > Math.max(...there) ? reached : undefined
  }

  /** The keys of the document to verify with, oldest first. */
  get keys(): readonly AgentKey[] {
    const { held } = this
    return JSON.parse(call(() => core.heldKeys(encode(held), this.#limits))) as readonly AgentKey[]
  }

  /** When and why the key of that document is revoked, which only a statement can say. */
  get revoked(): AgentKey['revoked'] {
    return this.#revocations.has(this.latest.keyId) ? this.keys.at(-1)?.revoked : undefined
  }

  /**
   * Counts a key as revoked, as it has stated itself.
   *
   * @param applied from when on that counts, if that is before its date
   * @throws SxError `KeyMismatch`, `BadSignature`, `InvalidDocument`, `Rollback`; storage codes
   */
  *revoke(text: string, applied: string | undefined): Operation<void> {
    const statement = { text, applied }
    yield* this.follow()
    yield* this.#revocations.restore()
    while (revokedBy(encode(this.held), statement, this.#limits) !== undefined) {
      yield* this.#revocations.put(statement, this.latest.number)
      yield* this.follow() // finds it, or the one that has its place
    }
  }

  /** Reads what keys have stated of themselves before this process began. */
  *readRevocations(): Operation<void> {
    yield* this.#revocations.readAll(this.latest.text)
    if (this.#revocations.count === 0) return
    yield* this.#findEnd()
    this.#followers.verify(this.held)
    yield* this.#followStated()
  }

  /** Goes back to the version at which the agent ended, if there are later ones. */
  *#findEnd(): Operation<void> {
    const end = yield* this.#revocations.end(this.latest.number, (text) => readStoredAgent(text, this.#limits).keyId)
    if (end !== undefined) this.#ended = { ...end, ...readStoredAgent(end.text, this.#limits) }
  }

  #isOnItsWay(number: number): boolean {
    return isPending(this.#documents.storage, documentChain(this.#id), number)
  }

  /**
   * Finds the versions that others have stored, so that every answer after it counts with them. What stands there and
   * does not continue the agent's document says nothing. One read where there is none. In its synchronous form it cannot
   * look into a storage that has to be awaited, and leaves it at what is known.
   *
   * @throws SxError storage codes; `LimitExceeded`
   */
  *follow(): Operation<void> {
    yield* this.#follow()
    if (this.#heir !== undefined) yield* this.#heir.follow()
  }

  /**
   * Names the document of the same agent after it was loaded again. Calls that began before then update both, because
   * synchronous calls know what the last asynchronous call has read.
   */
  leaveTo(heir: OwnDocument): void {
    this.#heir = heir
  }

  /** Whether this document has a later version or more revocations than another one of the same agent. */
  isAheadOf(other: OwnDocument): boolean {
    return this.latest.number > other.latest.number || this.#revocations.count > other.#revocations.count
  }

  *#follow(): Operation<void> {
    for (;;) {
      const changes = changesOf(this.#documents.storage)
      if (changes !== undefined && changes === this.#unchanged) return
      const { number } = this.latest
      const [bytes, statement] = yield* this.#read(this.#after(number).version)
      if (statement === LATE || number !== this.latest.number) continue // another call was faster
      const isRevoking = yield* this.#state(statement)
      if (this.#ended !== undefined) return
      if ((bytes !== undefined && this.#take(number + 1, bytes)) || isRevoking) continue
      this.#unchanged = changes
      return
    }
  }

  /** Reads what comes next, and at the same time what a key may have stated of itself. */
  *#read<T>(effect: Effect<T>): Operation<readonly [T, Uint8Array | undefined | typeof LATE]> {
    const { count } = this.#revocations
    const [read, statement] = yield* perform(together(effect, this.#revocations.next))
    return [read, count === this.#revocations.count ? statement : LATE]
  }

  /** Takes what a key has stated of itself, if it has. */
  *#state(statement: Uint8Array | undefined): Operation<boolean> {
    if (statement === undefined) return false
    this.#revocations.take(statement, this.latest.text)
    yield* this.#findEnd()
    this.#followers.verify(this.held)
    yield* this.#followStated()
    return true
  }

  /** Follows the versions that were there before a key stated its revocation: it leads to those, not beyond. */
  *#followStated(): Operation<void> {
    while (this.latest.number < this.#revocations.reached && this.#ended === undefined) {
      const { number } = this.latest
      const bytes = yield* perform(this.#after(number).version)
      if (number !== this.latest.number) continue
      if (bytes === undefined || !this.#take(number + 1, bytes)) return
    }
  }

  /**
   * Finds the versions that others have stored, like {@link follow}, and the intent of a rotation. Whoever signs looks
   * after drawing the date: a rotation puts its intent before it draws its own.
   *
   * @throws SxError storage codes; `LimitExceeded`
   */
  *look(): Operation<Standing> {
    for (;;) {
      if (this.isRevoked) throw revoked()
      if (this.#hasOtherKey) return this.isRotating ? 'rotating' : 'rotated'
      const { number } = this.latest
      const [[bytes, intent], statement] = yield* this.#read(this.#after(number).both)
      if (statement === LATE || number !== this.latest.number) continue
      if (yield* this.#state(statement)) continue
      if (bytes !== undefined && this.#take(number + 1, bytes)) continue
      this.#see(intent)
      return intent === undefined ? 'current' : 'rotating'
    }
  }

  /**
   * Whether the last look is so short ago that whoever signs something that is not stored need not look again.
   *
   * @param present the time, Unix milliseconds
   */
  hasLooked(present: number): boolean {
    return present >= this.#lookedAt && present - this.#lookedAt < FRESH
  }

  /** Notes a look that has found nothing, and when it began. */
  noteLook(began: number): void {
    this.#lookedAt = began
  }

  /** The intent of a rotation that the last look has seen. */
  get intent(): string | undefined {
    return this.#intent && new TextDecoder().decode(this.#intent.bytes)
  }

  #see(intent: Uint8Array | undefined): void {
    if (intent === undefined) this.#intent = undefined
    else if (this.#intent === undefined || !equalBytes(this.#intent.bytes, intent)) {
      this.#intent = { bytes: intent, since: undefined }
    }
  }

  /**
   * For how long the intent of a rotation has been seen, in milliseconds.
   *
   * @param present the time, Unix milliseconds
   */
  rotatingFor(present: number): number {
    if (this.#intent === undefined) return 0
    const { since = present } = this.#intent
    this.#intent.since = Math.min(since, present) // a clock that was set back begins again
    return present - this.#intent.since
  }

  /** The intent of a rotation as the last look has seen it: another object when it was put or renewed since. */
  get sighting(): object | undefined {
    return this.#intent
  }

  /** Whether this process itself rotates the key. */
  get isRotating(): boolean {
    return this.#rotations > 0
  }

  /** Begins a rotation; gives what ends it. */
  beginRotation(): () => void {
    this.#rotations++
    return () => this.#rotations--
  }

  #after(number: number): Next {
    if (this.#next?.number !== number + 1) this.#next = { number: number + 1, effects: this.#effects(number + 1) }
    return this.#next.effects
  }

  #effects(number: number): Next {
    const { storage } = this.#documents
    const version = lastingKey(documentChain(this.#id).entry(number))
    const intent = lastingKey(rotationIntent(this.#id, number))
    const [one, both] = [get(storage, version), getBoth(storage, version, intent)]
    if (isSyncStorage(storage)) return { version: one, both }
    return { version: orUnseen(one, undefined), both: orUnseen(both, NEITHER) }
  }

  /** Takes a version that continues the latest one; says whether it does. */
  #take(number: number, bytes: Uint8Array): boolean {
    try {
      const text = decode(bytes, 'The agent document')
      const { text: before, number: until } = this.latest
      const identity = admitOwnDocument(text, this.#revocations.held(before, until), this.#limits)
      if (identity.id !== this.#id || identity.previous !== this.latest.version) return false
      const found = { number, text, ...identity }
      this.#followers.verify(this.#revocations.held(text))
      this.#found = found
      return true
    } catch (error) {
      if (error instanceof SxError && isVerdict(error.code) && error.code !== 'LimitExceeded') return false
      throw error
    }
  }

  /** Follows what others have stored, and goes on with a version that they have made with the same key. */
  *catchUp(): Operation<void> {
    yield* this.follow()
    if (this.#found !== undefined && !this.#hasOtherKey) this.advance(this.#found)
  }

  /**
   * Refuses to go on with a key that is not the agent's any more.
   *
   * @throws SxError `KeyRevoked`
   */
  *requireCurrentKey(): Operation<void> {
    yield* this.follow()
    if (this.isRevoked) throw revoked()
    if (this.isOvertaken) throw rotated()
  }

  /**
   * Refuses to go on with a key that has stated that it is revoked.
   *
   * @throws SxError `KeyRevoked`
   */
  *requireUnrevoked(): Operation<void> {
    yield* this.follow()
    if (this.isRevoked) throw revoked()
  }

  /** Makes a version that was appended, or found, the current one. */
  advance(document: AgentDocument): void {
    const lasting = this.#isPending ? this.#former : this.#current
    this.#isPending = this.#isOnItsWay(document.number)
    this.#former = this.#isPending ? lasting : undefined
    this.#make(document)
  }

  #make(document: AgentDocument): void {
    this.#current = document
    if (this.#found !== undefined && this.#found.number <= document.number) this.#found = undefined
    this.#followers.sign(document)
    this.#followers.verify(this.held)
  }

  /** Learns what has become of a version that was written behind. */
  settle(): void {
    const { number, text, version } = this.#current
    if (!this.#isPending || this.#isOnItsWay(number)) return
    const found = this.#stored(number) // may throw what has made the write fail
    const former = this.#former
    this.#isPending = false
    this.#former = undefined
    if (found?.text === text) this.#documents.remember(this.#id, number, version)
    else if (former !== undefined) {
      this.#make(former)
    }
  }

  #stored(number: number): AgentDocument | undefined {
    const bytes = requireSync(this.#documents.storage).getSync(documentChain(this.#id).entry(number))
    if (bytes === undefined) return undefined
    const text = new TextDecoder().decode(bytes)
    return text === this.#current.text ? this.#current : { number, text, ...readStoredAgent(text, this.#limits) }
  }

  /** The latest version before one that is on its way which is not. */
  #lastingBefore(pending: number): AgentDocument | undefined {
    let number = pending - 1
    while (number > 0 && this.#isOnItsWay(number)) number--
    return number > 0 ? this.#stored(number) : undefined
  }
}

interface Next {
  readonly version: Effect<Uint8Array | undefined>
  readonly both: Effect<readonly [Uint8Array | undefined, Uint8Array | undefined]>
}

const NEITHER = [undefined, undefined] as const

/** In place of what was read where another call has read it, too. */
const LATE = 'late'

/** Another process has made another key the agent's. */
export function rotated(): SxError {
  return ownKeyRevoked("The agent's key was rotated by another process.", 'Load the agent again.')
}

/** The key of this process has stated that it is revoked. */
export function revoked(): SxError {
  const found = 'A revocation statement has revoked the key of this agent.'
  return ownKeyRevoked(found, 'Create a new agent.')
}

/** The agent's own key is revoked, so that its owner is the one to do something. */
export function ownKeyRevoked(found: string, advice: string): SxError {
  return new SxError('KeyRevoked', found, { advice })
}
