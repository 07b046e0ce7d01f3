// The two loops that bring a generator of steps to its end, whatever its steps are.

/** Whether it is a promise, also one of another realm: in a test of Jest those of Node are. */
function isAwaited(result: unknown): boolean {
  return typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/** Brings steps to their end, waiting for what has to be awaited. What `begin` throws is a rejection, too. */
export async function driveAsync<Step, T>(
  begin: () => Generator<Step, T, unknown>,
  start: (step: Step) => unknown,
): Promise<T> {
  const steps = begin()
  let step = steps.next()
  while (!step.done) {
    let result: unknown
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

/** Brings steps to their end without waiting. */
export function driveSync<Step, T>(steps: Generator<Step, T, unknown>, start: (step: Step) => unknown): T {
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
