/**
 * Procedures on files, written once as generators whose steps are effects on the file system. The table that performs
 * them is a file system itself: its call of a kind, synchronous or asynchronous.
 *
 * @module
 */
import { driveAsync, driveSync } from '../../src/effects/drive.ts'
import type { AsyncCalls, Calls, FileSystem } from './seam.ts'

/** One call of the file system. */
interface Step {
  readonly kind: keyof Calls
  readonly args: readonly unknown[]
}

/** Steps on the file system that end in a `T`. */
export type Procedure<T> = Generator<Step, T, unknown>

/** One call of the file system, as a step. */
export function* call<K extends keyof Calls>(kind: K, ...args: Parameters<Calls[K]>): Procedure<ReturnType<Calls[K]>> {
  return (yield { kind, args }) as ReturnType<Calls[K]>
}

type Perform = (...args: readonly unknown[]) => unknown

const start = (calls: Calls | AsyncCalls, { kind, args }: Step): unknown => (calls[kind] as Perform)(...args)

/** Run a procedure to its end without waiting. */
export function runSync<T>(procedure: Procedure<T>, calls: Calls): T {
  return driveSync(procedure, (step) => start(calls, step))
}

/** Run a procedure to its end, waiting for each call. */
export function runAsync<T>(procedure: Procedure<T>, calls: AsyncCalls): Promise<T> {
  return driveAsync(
    () => procedure,
    (step) => start(calls, step),
  )
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
export function runTogether<T>(procedure: Procedure<T>, fs: FileSystem, pace: Pace): Promise<T> {
  return driveAsync(
    () => procedure,
    (step) => (step.kind === 'fsync' || pace.isSlow ? start(fs.async, step) : pace.watch(() => start(fs.sync, step))),
  )
}
