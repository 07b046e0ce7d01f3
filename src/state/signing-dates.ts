import { type Operation, perform } from '../effects.ts'
import { now } from '../entropy.ts'
import { SxError } from '../errors.ts'

/**
 * When a loaded agent signs. A key that is followed by another one counts for what is dated before that (protocol,
 * section 9). So a rotation is dated after all that was signed here, and while it is on its way nothing is signed here
 * that is dated after it.
 */
export class SigningDates {
  #latest = 0
  /** Dates of the rotations that are on their way. */
  readonly #rotations = new Set<number>()

  /** Whether this process is about to make another key the current one. */
  get isRotating(): boolean {
    return this.#rotations.size > 0
  }

  /** The date of what is signed now, Unix milliseconds. */
  *next(): Operation<number> {
    const present = yield* perform(now)
    const date = this.isRotating ? Math.min(present, Math.min(...this.#rotations) - 1) : present
    this.#latest = Math.max(this.#latest, date)
    return date
  }

  /**
   * Learns the date of what was signed, which is later than it was to be where it follows something that is.
   *
   * @throws SxError `Busy` if it would not count after the rotation that is on its way
   */
  note(date: string): void {
    const at = Date.parse(date)
    if (at >= Math.min(...this.#rotations)) throw new SxError('Busy', "The agent's key is being rotated.")
    this.#latest = Math.max(this.#latest, at)
  }

  /** The date of a rotation that begins, which has to be ended whatever becomes of it. */
  *begin(): Operation<number> {
    const date = Math.max(yield* perform(now), this.#latest + 1)
    this.#rotations.add(date)
    return date
  }

  /** Ends a rotation. */
  end(date: number): void {
    this.#rotations.delete(date)
  }
}
