import { SxError } from '../errors.ts'
import type { Found } from './below.ts'
import type { Key, ListOptions, PutOptions } from './contract.ts'
import { memoryStorage } from './memory.ts'
import { nameOf, type WriteQueue } from './write-queue.ts'

const NOTHING = new Uint8Array()

/** An entry that could not be read. */
interface Unknown {
  readonly key: Key
  readonly error: SxError
}

/** What a mirror shows: what the storage below holds, plus the writes on their way to it. */
export class MirrorView {
  readonly #queue: WriteQueue
  readonly #memory = memoryStorage()
  /** Entries that memory may be wrong about, by name. */
  readonly #unknown = new Map<string, Unknown>()

  constructor(queue: WriteQueue) {
    this.#queue = queue
  }

  /** @throws SxError `StorageUnavailable`, `CorruptStore` or `LinkRefused` if the entry could not be read */
  get(key: Key): Uint8Array | undefined {
    this.#refuseUnknown(key)
    return this.#memory.getSync(key)
  }

  /** Shows a write, or refuses it as {@link get} does. */
  put(key: Key, bytes: Uint8Array, options: PutOptions): boolean {
    this.#refuseUnknown(key)
    return this.#memory.putSync(key, bytes, options)
  }

  /** Likewise. */
  delete(key: Key): void {
    this.#refuseUnknown(key)
    this.#memory.deleteSync(key)
  }

  /** Shows a write of which the storage below is asked first, so that nothing has to be known. */
  show(key: Key, bytes: Uint8Array | undefined): void {
    if (bytes) this.#memory.putSync(key, bytes)
    else this.#memory.deleteSync(key)
  }

  /** @throws SxError `StorageUnavailable` if of an entry below the prefix it is not known whether it is there */
  list(prefix: Key, options: ListOptions): Iterable<Key> {
    for (const unknown of this.#unknownsBelow(prefix)) throw unknownError(unknown)
    return this.#memory.listSync(prefix, options)
  }

  /** Shows what the storage below holds, unless a write is shown that is on its way there. */
  know(key: Key, found: Found): void {
    const name = nameOf(key)
    if (this.#queue.isShown(name)) return
    this.#unknown.delete(name)
    if (found.error === undefined) {
      this.show(key, found.bytes)
      return
    }
    this.#unknown.set(name, { key, error: found.error })
    if (isDamage(found.error)) this.#memory.putSync(key, NOTHING) // so that lists name it
  }

  /** Whether it is known what the storage below holds of an entry, apart from writes on their way there. */
  isKnown(key: Key): boolean {
    return !this.#unknown.has(nameOf(key))
  }

  /** Whether the entry is known, and not there. */
  lacks(key: Key): boolean {
    return this.isKnown(key) && this.#memory.getSync(key) === undefined
  }

  /** The entries below a prefix that could not be read, though nothing is wrong with them. */
  unknownBelow(prefix: Key): Key[] {
    return [...this.#unknownsBelow(prefix)].map(({ key }) => key)
  }

  isPending(key: Key): boolean {
    const name = nameOf(key)
    const unknown = this.#unknown.get(name)
    return this.#queue.isShown(name) || (unknown !== undefined && !isDamage(unknown.error))
  }

  close(): Promise<void> {
    return this.#memory.close()
  }

  #refuseUnknown(key: Key): void {
    const unknown = this.#unknown.get(nameOf(key))
    if (unknown) throw unknownError(unknown)
  }

  *#unknownsBelow(prefix: Key): Generator<Unknown> {
    for (const unknown of this.#unknown.values()) {
      const isBelow = unknown.key.length > prefix.length && prefix.every((segment, at) => segment === unknown.key[at])
      if (isBelow && !isDamage(unknown.error)) yield unknown
    }
  }
}

/** The entry is there and cannot be used, while the storage itself answers. */
export function isDamage({ code }: SxError): boolean {
  return code === 'CorruptStore' || code === 'LinkRefused'
}

function unknownError({ key, error }: Unknown): SxError {
  if (isDamage(error)) return error
  const found = `${nameOf(key)} could not be read again after a change.`
  return new SxError('StorageUnavailable', found, { cause: error })
}
