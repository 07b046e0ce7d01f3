/**
 * Procedures on files, written once as generators that ask for one call after the other, and their two drivers.
 * So the synchronous and the asynchronous form of an operation cannot drift apart.
 *
 * @module
 */
import type { AsyncCalls, Calls, FileSystem } from './seam.ts'

interface Request {
  readonly name: keyof Calls
  readonly args: readonly unknown[]
}

/** Steps on the file system that end in a `T`. */
export type Procedure<T> = Generator<Request, T, unknown>

/** One call of the file system, as a step. */
export function* call<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>): Procedure<ReturnType<Calls[K]>> {
  return (yield { name, args }) as ReturnType<Calls[K]>
}

type Perform = (...args: readonly unknown[]) => unknown

/** Run a procedure to its end without waiting. */
export function runSync<T>(procedure: Procedure<T>, calls: Calls): T {
  let step = procedure.next()
  while (!step.done) {
    const { name, args } = step.value
    let value: unknown
    try {
      value = (calls[name] as Perform)(...args)
    } catch (error) {
      step = procedure.throw(error)
      continue
    }
    step = procedure.next(value)
  }
  return step.value
}

/** Run a procedure to its end, waiting for each call. */
export async function runAsync<T>(procedure: Procedure<T>, calls: AsyncCalls): Promise<T> {
  let step = procedure.next()
  while (!step.done) {
    const { name, args } = step.value
    let value: unknown
    try {
      value = await (calls[name] as Perform)(...args)
    } catch (error) {
      step = procedure.throw(error)
      continue
    }
    step = procedure.next(value)
  }
  return step.value
}

/** A call that takes longer waits for a disk or a network, in milliseconds. */
const SLOW = 2
/** After so many of them the others are waited for as well. */
const MOST_SLOW = 4

/**
 * How fast calls are answered. A file that is in memory is reached many times faster without waiting than with it; on a
 * slow disk other work would stand still meanwhile.
 */
export class Pace {
  #slow = 0

  get isSlow(): boolean {
    return this.#slow >= MOST_SLOW
  }

  /** Does something without waiting, and sees how long that takes. */
  watch<T>(work: () => T): T {
    const since = performance.now()
    try {
      return work()
    } finally {
      if (performance.now() - since > SLOW) this.#slow += 1
    }
  }
}

/** Run a procedure to its end, waiting for flushes alone, so that those of many procedures go together; see {@link Pace}. */
export async function runTogether<T>(procedure: Procedure<T>, fs: FileSystem, pace: Pace): Promise<T> {
  let step = procedure.next()
  while (!step.done) {
    const { name, args } = step.value
    let value: unknown
    try {
      if (name === 'fsync' || pace.isSlow) value = await (fs.async[name] as Perform)(...args)
      else value = pace.watch(() => (fs.sync[name] as Perform)(...args))
    } catch (error) {
      step = procedure.throw(error)
      continue
    }
    step = procedure.next(value)
  }
  return step.value
}
