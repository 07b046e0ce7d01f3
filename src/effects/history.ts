import { isBytes } from '../bytes.ts'
import type { Operation } from '../effects.ts'
import { isPlain } from '../plain.ts'
import { driveSync } from './drive.ts'
import type { Effect } from './kinds.ts'
import { show } from './show.ts'

/** An effect that an operation has asked for, and what came of it. */
export type Happened =
  | { readonly effect: Effect<unknown>; readonly answer: unknown }
  | { readonly effect: Effect<unknown>; readonly error: unknown }

/** Runs the operation and records each effect with its answer. The driver performs the effects as usual. */
export function* recorded<T>(operation: Operation<T>, history: Happened[]): Operation<T> {
  let step = operation.next()
  while (!step.done) {
    const effect = step.value
    let answer: unknown
    try {
      answer = yield effect
    } catch (error) {
      history.push({ effect: copied(effect), error })
      step = operation.throw(error)
      continue
    }
    history.push({ effect: copied(effect), answer: copied(answer) })
    step = operation.next(answer)
  }
  return step.value
}

/**
 * Runs an operation against a history: it is told what was told then, and nothing is read or written.
 *
 * @param look sees that an effect is the one of then; by default that both are shown alike
 * @throws Error where the operation asks for something else, or for less
 */
export function replayed<T>(
  operation: Operation<T>,
  history: readonly Happened[],
  look: (effect: Effect<unknown>, then: Happened) => void = compare,
): T {
  let at = 0
  let fault: Error | undefined
  const next = (effect: Effect<unknown>): Happened => {
    const then = history[at++]
    try {
      if (then === undefined) throw new Error(`The history has ended, and the operation asks for: ${show(effect)}`)
      look(effect, then)
      return then
    } catch (error) {
      fault ??= error as Error
      throw error
    }
  }
  try {
    return driveSync(operation, (effect) => {
      const then = next(effect)
      if ('error' in then) throw then.error
      return copied(then.answer)
    })
  } finally {
    // What the operation has made of it says less.
    if (fault === undefined && at < history.length)
      fault = new Error(`The operation has ended after ${at} of ${history.length} effects.`)
    // oxlint-disable-next-line no-unsafe-finally -- see above
    if (fault !== undefined) throw fault
  }
}

/** A copy of data, because an operation wipes the bytes of a key. Objects of the runtime are not copied. */
function copied<T>(value: T): T {
  if (isBytes(value)) return new Uint8Array(value) as Uint8Array & T
  if (Array.isArray(value)) return value.map(copied) as T
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member as unknown)])) as T
}

function compare(effect: Effect<unknown>, then: Happened): void {
  const [found, expected] = [show(effect), show(then.effect)]
  if (found !== expected) throw new Error(`The operation asks for: ${found}\nThe history has: ${expected}`)
}
