/** Milliseconds of work after which other work gets its turn. A simulation, which has its own order of things, sets it. */
export const turn = { milliseconds: 12 }

/** Work of many steps, in one thread with other work. */
export class Turns {
  #since: number = performance.now()

  /** Whether other work has waited long enough. */
  get isOver(): boolean {
    return performance.now() - this.#since >= turn.milliseconds
  }

  /** Lets timers, events and messages have their turn. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (typeof setImmediate === 'function') setImmediate(resolve)
      else setTimeout(resolve)
    })
    this.#since = performance.now()
  }
}
