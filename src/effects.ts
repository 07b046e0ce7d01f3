import { ensureReady, isReady } from './core.ts'
import { SxError } from './errors.ts'

/** Something to do outside the core, in both forms. */
export interface Effect<T> {
  async(): T | Promise<T>
  sync(): T
}

/**
 * An operation, written once: it yields its effects and is driven by {@link runAsync} or
 * {@link runSync}, so that the two forms of a function cannot drift apart.
 */
export type Operation<T> = Generator<Effect<unknown>, T, unknown>

/** Yields an effect and gives its result its type. */
export function* perform<T>(effect: Effect<T>): Operation<T> {
  return (yield effect) as T
}

/** Drives an operation with the asynchronous form of its effects; loads the core first. */
export async function runAsync<T>(operation: () => Operation<T>): Promise<T> {
  if (!isReady()) await ensureReady()
  const steps = operation()
  let step = steps.next()
  while (!step.done) {
    let result: unknown
    try {
      result = step.value.async()
      if (result instanceof Promise) result = await result
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(result)
  }
  return step.value
}

/** Drives an operation with the synchronous form of its effects. */
export function runSync<T>(operation: () => Operation<T>): T {
  const steps = operation()
  let step = steps.next()
  while (!step.done) {
    let result: unknown
    try {
      result = step.value.sync()
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(result)
  }
  return step.value
}

/** Waits. In its synchronous form the thread sleeps; a page lets none, which is `Busy`. */
export function sleep(milliseconds: number): Effect<void> {
  return {
    async: () => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    sync: () => {
      try {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
      } catch (cause) {
        throw new SxError('Busy', undefined, { cause })
      }
    },
  }
}
