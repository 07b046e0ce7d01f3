import type { Key, PutOptions } from './contract.ts'

/** Name of a key in a map; no segment holds the separator. */
export const nameOf = (key: Key): string => key.join('/')

/** A write on its way to the storage below. */
export interface Write {
  readonly key: Key
  /** What to store; `undefined` deletes. */
  readonly bytes: Uint8Array | undefined
  readonly options: PutOptions
  /** Memory shows it already. */
  readonly isShown: boolean
  /** The writes that it is done with, or not at all: all stand in the queue one after the other. */
  readonly group?: readonly Write[]
  /** The caller that awaits it. Without a caller it is a write behind, whose failure is remembered. */
  readonly caller?: { resolve(done: boolean): void; reject(error: unknown): void }
}

/** A storage that can do several writes in one step. */
export interface Together {
  /**
   * Does all of these writes, in order, or none of them. Hands them over before it waits for anything but microtasks.
   *
   * @returns whether it has; it never rejects
   */
  writeTogether(writes: readonly Pick<Write, 'key' | 'bytes' | 'options'>[]): Promise<boolean>
}

interface Queued {
  readonly write: Write
  next?: Queued
}

/** The writes of one entry that have not ended. */
interface Waiting {
  writes: number
  shown: number
  /** Resolves when the last of them has ended. */
  last: Promise<void>
}

/** Writes in order, counted for each entry until what has become of them shows in memory; every step is O(1). */
export class WriteQueue {
  #first: Queued | undefined
  #last: Queued | undefined
  readonly #waiting = new Map<string, Waiting>()
  readonly #end = new Map<Write, () => void>()
  #allEnded: Promise<void> = Promise.resolve()

  add(write: Write): void {
    const queued: Queued = { write }
    if (this.#last === undefined) this.#first = queued
    else this.#last.next = queued
    this.#last = queued
    const last = new Promise<void>((resolve) => this.#end.set(write, resolve))
    this.#allEnded = last
    const name = nameOf(write.key)
    const { writes = 0, shown = 0 } = this.#waiting.get(name) ?? {}
    this.#waiting.set(name, { writes: writes + 1, shown: shown + Number(write.isShown), last })
  }

  /** Takes the oldest write out; it counts until {@link end}. */
  next(): Write | undefined {
    const first = this.#first
    this.#first = first?.next
    if (this.#first === undefined) this.#last = undefined
    return first?.write
  }

  /**
   * The oldest writes that nobody awaits, at most so many, up to one that somebody does. They stay where they are. A group
   * is among them as a whole, or not.
   */
  behind(most: number): Write[] {
    const found: Write[] = []
    for (let at = this.#first; at !== undefined && found.length < most; at = at.next) {
      const { write } = at
      if (write.caller !== undefined) break
      const isFirst = write.group?.[0] === write
      if (isFirst && found.length > 0 && found.length + (write.group?.length ?? 0) > most) break
      found.push(write)
      for (let left = isFirst ? (write.group?.length ?? 1) : 1; left > 1 && at.next !== undefined; left--) {
        at = at.next
        found.push(at.write)
      }
    }
    return found
  }

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /** A write that was taken out has been done, or was given up. */
  end(write: Write): void {
    const name = nameOf(write.key)
    const waiting = this.#waiting.get(name)
    if (waiting !== undefined) {
      waiting.writes--
      waiting.shown -= Number(write.isShown)
      if (waiting.writes === 0) this.#waiting.delete(name)
    }
    this.#end.get(write)?.()
    this.#end.delete(write)
  }

  /** Whether a write of this entry has not ended. */
  isWaiting(name: string): boolean {
    return this.#waiting.has(name)
  }

  /** Whether memory shows a write of this entry that has not ended. */
  isShown(name: string): boolean {
    return (this.#waiting.get(name)?.shown ?? 0) > 0
  }

  /** Resolves when the writes of this entry that are there now have ended. */
  async ended(name: string): Promise<void> {
    await this.#waiting.get(name)?.last
  }

  /** Resolves when all writes that are there now have ended. */
  allEnded(): Promise<void> {
    return this.#allEnded
  }
}
