import { SxError } from './errors.ts'
import type { VerifyManyOptions } from './types.ts'

/** Whether it has what is used of an AbortSignal. Getters and proxies may throw. */
export function isSignal(value: unknown): boolean {
  try {
    const given = value as Readonly<Record<keyof AbortSignal, unknown>>
    const kinds = [typeof given.aborted, typeof given.addEventListener, typeof given.removeEventListener]
    return kinds.join() === 'boolean,function,function'
  } catch {
    return false
  }
}

/**
 * The options of `verifyMany`.
 *
 * @throws SxError `InvalidOption`
 */
export function manyOptions(options: VerifyManyOptions): VerifyManyOptions {
  const { concurrency, signal, onProgress } = options
  const refuse = (found: string): never => {
    throw new SxError('InvalidOption', found)
  }
  if (concurrency !== undefined && !(Number.isSafeInteger(concurrency) && concurrency >= 1))
    refuse("The option 'concurrency' is not a positive integer.")
  if (signal !== undefined && !isSignal(signal)) refuse("The option 'signal' is not an AbortSignal.")
  if (onProgress !== undefined && typeof onProgress !== 'function') refuse("The option 'onProgress' is not a function.")
  return options
}
