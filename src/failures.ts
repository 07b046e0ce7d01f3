import { asBelated } from './belated.ts'
import type { SxError } from './errors.ts'

/**
 * What has made work fail that no call waits for. The first failure is kept until a call throws it. A call that has to
 * wait takes it when it begins: all calls of that time throw it then, and no later one.
 */
export class Failures {
  #untold: { error: SxError | undefined } = { error: undefined }

  /** Keeps a failure, unless there is one already. */
  note(error: SxError): void {
    this.#untold.error ??= error
  }

  /** Throws what has failed; once. */
  throw(): void {
    this.take()()
  }

  /** What throws all that has failed already, or fails before a call throws it. */
  take(): () => void {
    const untold = this.#untold
    return () => {
      if (untold.error === undefined) return
      if (this.#untold === untold) this.#untold = { error: undefined }
      throw asBelated(untold.error)
    }
  }

  /** Gives what was not told yet to another one. */
  moveTo(other: Failures): void {
    const { error } = this.#untold
    this.#untold = { error: undefined }
    if (error !== undefined) other.note(error)
  }
}
