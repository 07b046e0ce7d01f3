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
    if (!this.#untold.some(({ message }) => message === error.message)) this.#untold.push(error)
  }

  /** Throws what has failed; once. */
  throw(): void {
    if (this.#untold.length > 0) this.take()()
  }

  /** What throws all that has failed already, or fails before a call throws it. */
  take(): () => void {
    const untold = this.#untold
    return () => {
      const [first, ...others] = untold
      if (first === undefined) return
      if (this.#untold === untold) this.#untold = others
      throw asBelated(first)
    }
  }
}
