import { ensureReady, isReady } from './core.ts'
import { Turns } from './turns.ts'

/** What an effect reaches for outside the operation. A test that plays a whole world tells them apart by it. */
export type EffectKind = 'storage' | 'clock' | 'entropy' | 'derivation' | 'signer'

/** Something to do outside the operation, in both forms. */
export interface Effect<T> {
  readonly kind: EffectKind
  async(): T | Promise<T>
  sync(): T
}

/**
 * An operation, written once: it yields its effects and is driven by {@link runAsync} or
 * {@link runSync}, so that the two forms of a function cannot drift apart.
 */
export type Operation<T> = Generator<Effect<unknown>, T, unknown>

/** Nothing: between two parts of work, where other work may have its turn. */
export const step: Effect<void> = { kind: 'storage', async: () => {}, sync: () => {} }

/** Yields an effect and gives its result its type. */
export function* perform<T>(effect: Effect<T>): Operation<T> {
  return (yield effect) as T
}

/** Whether it is a promise, also one of another realm: in a test of Jest those of Node are. */
function isAwaited(result: unknown): boolean {
  return typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/**
 * Drives an operation with the asynchronous form of its effects; loads the core first. One that takes long, as what
 * goes through a whole store, lets other work have its turn between two steps: not every storage does that by itself.
 *
 * @param start performs an effect; a test may do it in its own way
 */
export async function runAsync<T>(
  operation: () => Operation<T>,
  start: (effect: Effect<unknown>) => unknown = (effect) => effect.async(),
): Promise<T> {
  if (!isReady()) await ensureReady()
  const turns = new Turns()
  const steps = operation()
  let step = steps.next()
  while (!step.done) {
    let result: unknown
    if (step.value.kind === 'storage' && turns.isOver) await turns.next()
    try {
      result = start(step.value)
      if (isAwaited(result)) result = await result
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(result)
  }
  return step.value
}

/**
 * Drives an operation with the synchronous form of its effects.
 *
 * @param start performs an effect; a test may do it in its own way
 */
export function runSync<T>(
  operation: () => Operation<T>,
  start: (effect: Effect<unknown>) => unknown = (effect) => effect.sync(),
): T {
  const steps = operation()
  let step = steps.next()
  while (!step.done) {
    let result: unknown
    try {
      result = start(step.value)
    } catch (error) {
      step = steps.throw(error)
      continue
    }
    step = steps.next(result)
  }
  return step.value
}
