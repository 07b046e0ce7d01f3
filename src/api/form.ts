// The forms in which an operation is public. It stands once, in the file of its topic, as a function on the one agent
// of the program: `/simple` exports that, and `methodsOf` makes the method of SxAgent of it.
import { type Operation, runAsync, runSync } from '../effects.ts'
import { counted, type Session } from '../session.ts'
import { warnDeprecated } from '../warnings.ts'

/** Does what a function does, for the agent whose session it is given. */
type Work<Given extends unknown[], Result> = (session: () => Session, ...given: Given) => Result
type Operating<Given extends unknown[], Result> = (session: Session, ...given: Given) => Operation<Result>

const works = new WeakMap<object, Work<unknown[], unknown>>()
const operations = new WeakMap<object, Operating<unknown[], unknown>>()
const sessions = new WeakMap<object, Session>()

/** The one agent of the program. */
const one: Session = { options: {}, loaded: undefined, isForgetful: true }

/** Gives an agent its session. */
export function attach(agent: object, session: Session): void {
  sessions.set(agent, session)
}

/** An agent's session. */
export function sessionOf(agent: object): Session {
  const session = sessions.get(agent)
  // A method that was taken off its agent must not sign as another one, not even as the one of the program.
  if (session === undefined) throw new TypeError('A method of SxAgent was called without an SxAgent as `this`.')
  return session
}

/** Gives a function the name that stack traces show. */
function named<F extends object>(name: string, f: F): F {
  return Object.defineProperty(f, 'name', { value: name, configurable: true })
}

function publish<Given extends unknown[], Result>(
  name: string,
  work: Work<Given, Result>,
): (...given: Given) => Result {
  const f = named(name, (...given: Given): Result => work(() => one, ...given))
  works.set(f, work as Work<unknown[], unknown>)
  return f
}

// Bundlers leave out what is not used of all that these five and `methodsOf` make: hence their annotations.

/**
 * The asynchronous form of an operation, under the operation's name. What it does before it returns its steps is done
 * at once: copying options that the caller may change while the core is loaded.
 */
/* @__NO_SIDE_EFFECTS__ */
export function asynchronous<Given extends unknown[], Result>(
  operation: Operating<Given, Result>,
): (...given: Given) => Promise<Result> {
  const f = publish(operation.name, async (session, ...given: Given) => {
    const own = session()
    const steps = operation(own, ...given)
    return runAsync(() => counted(own, () => steps))
  })
  operations.set(f, operation as Operating<unknown[], unknown>)
  return f
}

/** The synchronous twin of what {@link asynchronous} has made. */
/* @__NO_SIDE_EFFECTS__ */
export function twin<Given extends unknown[], Result>(
  f: (...given: Given) => Promise<Result>,
): (...given: Given) => Result {
  const operation = operations.get(f) as Operating<Given, Result>
  return publish(`${f.name}Sync`, (session, ...given) => runNow(session(), operation, given))
}

/** The only form of an operation that has no asynchronous one. */
/* @__NO_SIDE_EFFECTS__ */
export function synchronous<Given extends unknown[], Result>(
  operation: Operating<Given, Result>,
): (...given: Given) => Result {
  return publish(operation.name, (session, ...given) => runNow(session(), operation, given))
}

function runNow<Given extends unknown[], Result>(
  session: Session,
  operation: Operating<Given, Result>,
  given: Given,
): Result {
  return runSync(() => counted(session, () => operation(session, ...given)))
}

/** A function that is no operation, as it is. */
/* @__NO_SIDE_EFFECTS__ */
export function direct<Given extends unknown[], Result>(
  f: (session: Session, ...given: Given) => Result,
): (...given: Given) => Result {
  return publish(f.name, (session, ...given) => f(session(), ...given))
}

/**
 * A function under a name that is to be given up: it does the same, and warns of that where it is asked to.
 *
 * @param instead what to use in its place, as a warning names it
 */
/* @__NO_SIDE_EFFECTS__ */
export function deprecated<F extends (...given: never[]) => unknown>(name: string, f: F, instead: string): F {
  const work = works.get(f) as Work<unknown[], unknown>
  return publish(name, (session, ...given: unknown[]) => {
    warnDeprecated(session(), name, instead)
    return work(session, ...given)
  }) as unknown as F
}

/**
 * A class with the functions of these topics as methods, each on the agent that it is called on, and one by which `using`
 * closes it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function methodsOf<Methods extends object>(...topics: readonly object[]): new () => Methods {
  class Base {}
  for (const [name, f] of topics.flatMap((topic) => Object.entries(topic) as [string, object][])) {
    const work = works.get(f)
    if (work === undefined) throw new TypeError(`${name} is not a function of the API.`)
    const value = named(name, function method(this: object, ...given: unknown[]) {
      return work(() => sessionOf(this), ...given)
    })
    Object.defineProperty(Base.prototype, name, { value, writable: true, configurable: true })
  }
  // WebKit has no `Symbol.dispose` yet.
  if ('dispose' in Symbol) {
    const value = named('[Symbol.dispose]', function dispose(this: { close(): Promise<void> }) {
      this.close().catch(() => {}) // nobody is there who could be told of a failure
    })
    Object.defineProperty(Base.prototype, Symbol.dispose, { value, writable: true, configurable: true })
  }
  return Base as new () => Methods
}
