import { type Effect, perform, runAsync, runSync } from '../src/effects.ts'

/** Performs an effect in its asynchronous form. */
export function later<T>(effect: Effect<T>): Promise<T> {
  return runAsync(() => perform(effect))
}

/** Performs an effect in its synchronous form. */
export function now<T>(effect: Effect<T>): T {
  return runSync(() => perform(effect))
}
