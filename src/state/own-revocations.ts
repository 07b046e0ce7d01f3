import * as core from '#core'
import { decode, encode } from '../bytes.ts'
import { call } from '../core.ts'
import { get, orUnseen } from '../effects/entries.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { documentChain, revocationEntry } from '../names.ts'
import { isSyncStorage, lastingKey, type Storage } from '../storage/contract.ts'
import type { RevocationReason } from '../types.ts'
import { claim } from './chain.ts'

/** A revocation that a key has stated in advance. */
export interface Stated {
  readonly agentId: string
  readonly keyId: string
  readonly reason: RevocationReason
  /** When it was made. */
  readonly date: string
  /** Canonical JSON. */
  readonly text: string
}

/** A revocation that is applied. */
interface Applied {
  /** Canonical JSON. */
  readonly text: string
  /** From when on it counts, if that is before its date: then it was made by a clock that was ahead. */
  readonly applied: string | undefined
}

/**
 * Reads a revocation. Whether its key has signed it is not looked at.
 *
 * @throws SxError `InvalidDocument`, `InvalidOption`, JSON codes
 */
export function readStated(text: string): Stated {
  return JSON.parse(call(() => core.readRevocation(text))) as Stated
}

function readStored(entry: Uint8Array): Stored {
  const { number, applied, ...stated } = JSON.parse(call(() => core.readStoredRevocation(entry))) as Stated & {
    readonly number: string
    readonly applied: string | null
  }
  return { ...stated, entry, number: Number(number), applied: applied ?? undefined }
}

/**
 * What is held of an agent, with a revocation beside its document.
 *
 * @returns nothing if the key is revoked as much already
 * @throws SxError `KeyMismatch`, `BadSignature`, `InvalidDocument`, `InvalidOption`
 */
export function revokedBy(held: Uint8Array, { text, applied }: Applied, limits: string): string | undefined {
  return call(() => core.heldRevoke(held, text, applied, limits))
}

/** A revocation as it is stored. */
interface Stored extends Stated, Applied {
  /** What the storage has. */
  readonly entry: Uint8Array
  /** Of the latest version of the agent document when it was applied. No later one counts if the key signed that. */
  readonly number: number
}

/** Where an agent has ended: the version whose key has stated that it is revoked. */
export interface End {
  readonly number: number
  readonly text: string
}

/** The revocations that keys of the loaded agent have stated, of which its document does not speak: a chain of entries. */
export class OwnRevocations {
  readonly #storage: Storage
  readonly #id: string
  readonly #limits: string
  readonly #known: Stored[] = []
  #next: { readonly number: number; readonly effect: Effect<Uint8Array | undefined> } | undefined

  constructor(storage: Storage, id: string, limits: string) {
    this.#storage = storage
    this.#id = id
    this.#limits = limits
  }

  /** How many there are, as far as known. */
  get count(): number {
    return this.#known.length
  }

  /** Whether a key has stated that it is revoked. */
  has(keyId: string): boolean {
    return this.#known.some((stated) => stated.keyId === keyId)
  }

  /** Reads the entry that would come next. A synchronous look into a storage that has to be awaited finds nothing. */
  get next(): Effect<Uint8Array | undefined> {
    const number = this.count + 1
    if (this.#next?.number !== number) {
      const effect = get(this.#storage, lastingKey(revocationEntry(this.#id, number)))
      this.#next = {
        number,
        effect: isSyncStorage(this.#storage) ? effect : orUnseen(effect, undefined),
      }
    }
    return this.#next.effect
  }

  /**
   * Takes the entry that came next.
   *
   * @param document of the agent
   * @throws SxError `CorruptStore`
   */
  take(bytes: Uint8Array, document: string): void {
    const number = this.count + 1
    try {
      const stated = readStored(bytes)
      if (stated.agentId !== this.#id) throw new SxError('KeyMismatch')
      this.#known.push(stated)
      this.held(document)
    } catch (cause) {
      if (this.count === number) this.#known.pop()
      if (!(cause instanceof SxError) || cause.code === 'Internal') throw cause
      const key = revocationEntry(this.#id, number).join('/')
      throw new SxError('CorruptStore', `The revocation ${key} is damaged.`, { cause })
    }
  }

  /** Up to which version of the agent document others have come before they stated one. */
  get reached(): number {
    return Math.max(0, ...this.#known.map(({ number }) => number))
  }

  /**
   * The agent document as it counts: with what its keys have stated beside it.
   *
   * @param until leaves out what was stated beside later versions than that of this number
   */
  held(document: string, until: number = Number.POSITIVE_INFINITY): string {
    let held = document
    for (const stated of this.#known) {
      if (stated.number > until) continue
      try {
        held = revokedBy(encode(held), stated, this.#limits) ?? held
      } catch (error) {
        // A version that is older than the key, or no longer holds it.
        if (!(error instanceof SxError && error.code === 'KeyMismatch')) throw error
      }
    }
    return held
  }

  /**
   * Puts a revocation.
   *
   * @param number of the latest version of the agent document
   * @returns false if another one has the place
   */
  *put({ text: statement, applied }: Applied, number: number): Operation<boolean> {
    const entry = encode(call(() => core.storeRevocation(number, statement, applied)))
    return yield* claim(this.#storage, revocationEntry(this.#id, this.count + 1), entry)
  }

  /**
   * Puts those again that are known and are gone since: the storage may be an older copy of itself by now.
   *
   * @throws SxError `Rollback` if another one has the place of one
   */
  *restore(): Operation<void> {
    for (const [index, { entry }] of this.#known.entries()) {
      const key = revocationEntry(this.#id, index + 1)
      if (yield* claim(this.#storage, key, entry)) continue
      throw new SxError('Rollback', `The revocation ${key.join('/')} was replaced.`)
    }
  }

  /**
   * The version of the agent document at which the agent has ended, if it has: its key was the current one when it was
   * called revoked. Who has the key may have put later versions, which do not count.
   *
   * @param latest the number of the latest version
   * @param keyIdOf says which key has signed a version
   */
  *end(latest: number, keyIdOf: (text: string) => string): Operation<End | undefined> {
    for (const { number, keyId } of this.#known) {
      if (number >= latest) continue // what follows is refused as it comes
      const bytes = yield* perform(get(this.#storage, documentChain(this.#id).entry(number)))
      const text = bytes && decode(bytes, 'The agent document')
      if (text !== undefined && keyIdOf(text) === keyId) return { number, text }
    }
    return undefined
  }

  /** Reads all that there are. */
  *readAll(document: string): Operation<void> {
    for (;;) {
      const { count } = this
      const bytes = yield* perform(this.next)
      if (bytes === undefined) return
      if (count === this.count) this.take(bytes, document)
    }
  }
}
