/** Lets a bounded number of works run at a time, so that a burst of calls does not use up the file descriptors. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []
  readonly #running = new Set<Promise<unknown>>()

  constructor(places: number) {
    this.#free = places
  }

  /** The result of `work`, begun as soon as there is a place; in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#placed(work)
    const forget = (): void => {
      this.#running.delete(result)
    }
    this.#running.add(result)
    result.then(forget, forget)
    return result
  }

  /** Resolves when all that was begun before has ended, well or not; each caller has its own result. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  async #placed<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
