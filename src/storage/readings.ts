import { below } from './below.ts'
import { foundBytes, type Key, type Storage } from './contract.ts'
import type { MirrorView } from './mirror-view.ts'
import { nameOf, type WriteQueue } from './write-queue.ts'

/** An entry being read, or about to be. */
interface Reading {
  hasBegun: boolean
  /** A write came after it was asked for; what is read may be older than what is shown. */
  isOvertaken: boolean
  /** The one that has to end first. */
  before: Reading | undefined
  result: Promise<Uint8Array | undefined>
}

/** Reads entries of the storage below into what is shown; one at a time of each entry, so that none is shown late. */
export class Readings {
  readonly #inner: Storage
  readonly #queue: WriteQueue
  readonly #view: MirrorView
  readonly #readings = new Map<string, Reading>()

  constructor(inner: Storage, queue: WriteQueue, view: MirrorView) {
    this.#inner = inner
    this.#queue = queue
    this.#view = view
  }

  /**
   * The entry in the storage below, after the writes of it that wait now. Those who ask before a reading has begun share
   * it; who asks later may know of something that it misses.
   */
  read(key: Key): Promise<Uint8Array | undefined> {
    const name = nameOf(key)
    const before = this.#readings.get(name)
    if (before !== undefined && !before.hasBegun && !before.isOvertaken) return before.result
    const ready = Promise.all([this.#queue.ended(name), before?.result.catch(() => {})])
    const reading: Reading = {
      hasBegun: false,
      isOvertaken: false,
      before,
      result: ready.then(async () => {
        reading.hasBegun = true
        reading.before = undefined
        try {
          for (;;) {
            reading.isOvertaken = this.#queue.isWaiting(name) // those that came before this have ended
            const bytes = foundBytes(await below(() => this.#inner.get(key)))
            if (reading.isOvertaken && this.#isNews(key, bytes)) {
              // A write that failed meanwhile has found nothing, or a removal was done: which is right, the storage knows.
              if (!this.#queue.isWaiting(name)) continue
              reading.isOvertaken = false
            }
            if (!reading.isOvertaken) this.#view.know(key, { bytes, error: undefined })
            return bytes
          }
        } finally {
          if (this.#readings.get(name) === reading) this.#readings.delete(name)
        }
      }),
    }
    this.#readings.set(name, reading)
    return reading.result
  }

  /**
   * Whether memory lacks what was read. The caller of `get` knows of the entry from now on, so that the synchronous form
   * has to show it; a write that goes on corrects memory when it ends.
   */
  #isNews(key: Key, bytes: Uint8Array | undefined): boolean {
    return bytes !== undefined && this.#view.lacks(key)
  }

  /** Whether the entry is being read, or about to be. */
  isReading(key: Key): boolean {
    return this.#readings.has(nameOf(key))
  }

  /** A write of this entry has come. */
  overtake(name: string): void {
    let reading = this.#readings.get(name)
    for (; reading && !reading.isOvertaken; reading = reading.before) reading.isOvertaken = true
  }
}
