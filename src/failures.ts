import { asBelated } from './belated.ts'
import type { SxError } from './errors.ts'

/**
 * What has made work fail that no call waits for. Each failure is kept until a call throws it, one call after the other.
 * A call that has to wait takes them when it begins. All such calls throw the first failure, and no later call does.
 */
export class Failures {
  #untold: SxError[] = []

  /** Keeps a failure, unless there is one that says the same. */
  note(error: SxError): void {
    const isSame = (other: SxError): boolean =>
      other.message === error.message && String(other.cause) === String(error.cause)
    if (!this.#untold.some(isSame)) this.#untold.push(error)
  }

  /** Throws what has failed; once. */
  throw(): void {
    if (this.#untold.length > 0) this.take().throw()
  }

  /** All that has failed already, or fails before a call throws it. */
  take(): Taken {
    const untold = this.#untold
    return {
      get areAny() {
        return untold.length > 0
      },
      throw: () => {
        const [first, ...others] = untold
        if (first === undefined) return
        if (this.#untold === untold) this.#untold = others
        throw asBelated(first)
      },
    }
  }
}

/** Failures that a call will throw. */
export interface Taken {
  readonly areAny: boolean
  /** Throws the first of them; the others are left to the next call. */
  throw(): void
}
