// The forms in which an operation is public. Each operation stands once, in the file of its topic, as a function on
// the one agent of the program: `/simple` exports it as it is, and `methodsOf` makes the method of SxAgent of it.
import { type Operation, runAsync, runSync } from '../effects.ts'
import type { Session } from '../session.ts'

/** Calls a function of the API for the agent whose session it is given. */
type Call<Given extends unknown[], Result> = (session: () => Session, ...given: Given) => Result

const calls = new WeakMap<object, Call<unknown[], unknown>>()
const operations = new WeakMap<object, (session: Session, ...given: unknown[]) => Operation<unknown>>()
const sessions = new WeakMap<object, Session>()

/** The one agent of the program. */
const one: Session = { options: {}, loaded: undefined }

/** Gives an agent its session. */
export function attach(agent: object, session: Session): void {
  sessions.set(agent, session)
}

/** An agent's session. */
export function sessionOf(agent: object): Session {
  const session = sessions.get(agent)
  if (session === undefined) throw new TypeError('A method of SxAgent was called on something else.')
  return session
}

/** Gives a function the name that stack traces show. */
function named<F extends object>(name: string, f: F): F {
  return Object.defineProperty(f, 'name', { value: name, configurable: true })
}

function publish<Given extends unknown[], Result>(
  name: string,
  call: Call<Given, Result>,
): (...given: Given) => Result {
  const f = named(name, (...given: Given): Result => call(() => one, ...given))
  calls.set(f, call as Call<unknown[], unknown>)
  return f
}

/**
 * The asynchronous form of an operation. What the operation does before it returns its generator is done at once, as
 * the caller calls: copying options that may change while the core is loaded.
 */
/* @__NO_SIDE_EFFECTS__ */
export function asynchronous<Given extends unknown[], Result>(
  operation: (session: Session, ...given: Given) => Operation<Result>,
): (...given: Given) => Promise<Result> {
  const f = publish(operation.name, async (session, ...given: Given) => {
    const steps = operation(session(), ...given)
    return runAsync(() => steps)
  })
  operations.set(f, operation as (session: Session, ...given: unknown[]) => Operation<unknown>)
  return f
}

/** The synchronous twin of what `asynchronous` returned. */
/* @__NO_SIDE_EFFECTS__ */
export function twin<Given extends unknown[], Result>(
  f: (...given: Given) => Promise<Result>,
): (...given: Given) => Result {
  const operation = operations.get(f) as (session: Session, ...given: Given) => Operation<Result>
  return publish(`${f.name}Sync`, (session, ...given) => runSync(() => operation(session(), ...given)))
}

/** An operation that has only a synchronous form. */
/* @__NO_SIDE_EFFECTS__ */
export function synchronous<Given extends unknown[], Result>(
  operation: (session: Session, ...given: Given) => Operation<Result>,
): (...given: Given) => Result {
  return publish(operation.name, (session, ...given) => runSync(() => operation(session(), ...given)))
}

/** A function that performs no effects by operations, in the form that it has. */
/* @__NO_SIDE_EFFECTS__ */
export function direct<Given extends unknown[], Result>(
  f: (session: Session, ...given: Given) => Result,
): (...given: Given) => Result {
  return publish(f.name, (session, ...given) => f(session(), ...given))
}

/** The class whose methods are the functions of these topics, each on the agent that it belongs to. */
/* @__NO_SIDE_EFFECTS__ */
export function methodsOf<Methods extends object>(...topics: readonly object[]): new () => Methods {
  class Base {}
  for (const [name, f] of topics.flatMap((topic) => Object.entries(topic) as [string, object][])) {
    const call = calls.get(f) as Call<unknown[], unknown>
    const value = named(name, function method(this: object, ...given: unknown[]) {
      return call(() => sessionOf(this), ...given)
    })
    Object.defineProperty(Base.prototype, name, { value, writable: true, configurable: true })
  }
  return Base as new () => Methods
}
