/**
 * Procedures on files, written once as generators that ask for one call after the other, and their two drivers.
 * So the synchronous and the asynchronous form of an operation cannot drift apart.
 *
 * @module
 */
import type { AsyncCalls, Calls } from './seam.ts'

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
