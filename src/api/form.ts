// The forms in which an operation is public. It stands once, in the file of its topic, as a function on the one agent
// of the program: `/simple` exports that, and `methodsOf` makes the method of SxAgent of it. What it needs, the names of
// its options and how it goes to a worker stand there too, and are seen to here.
import { type Operation, runAsync, runSync } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { Names } from '../option-names.ts'
import { isRecord, plainOptions } from '../options.ts'
import { isPlain } from '../plain.ts'
import { beginOperation, counted, requireLoaded, requireSigning, type Session } from '../session.ts'
import { warnDeprecated } from '../warnings.ts'

/** What has to be there before an operation begins: {@link nothing}, {@link loadedAgent} or {@link privateKey}. */
type Needs = (session: Session) => void

/** It works without an agent. */
export const nothing: Needs = () => {}

/** Without an agent it is `NoAgentLoaded`. */
export const loadedAgent: Needs = (session) => {
  requireLoaded(session)
}

/** It signs: `PasswordRequired` for an agent that was loaded with `verifyOnly`, `KeyRevoked` once its key is. */
export const privateKey: Needs = (session) => {
  requireSigning(requireLoaded(session))
}

/** Copies options; refuses others than those of the names. */
type Copy = (given: never, names: Names) => unknown

const none = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ Object.create(null) as object)

/** Options that may be left out. The operation gets an empty object then. */
const optional: Copy = (given: object | undefined, names) => (given === undefined ? none : plainOptions(given, names))

/** Options that null leaves out, as undefined does. */
export const nullable: Copy = (given: object | null | undefined, names) => plainOptions(given ?? {}, names)

/** Options in whose place a text, a flag or null may stand, which the operation gets as it is. */
export const unlessOther: Copy = (given: unknown, names) =>
  typeof given === 'object' && given !== null ? plainOptions(given, names) : given

/** An argument that is options. They are copied before anything is awaited, without a prototype. */
interface OptionsAt<At, NamesOf> {
  /** Which argument it is, from 0. */
  readonly at: At
  /** All names of its type. The compiler compares them with the type of the argument. */
  readonly names: NamesOf
  /** What else it may be, and whether it may be left out: by default it may. `plainOptions` is for what is required. */
  readonly copy?: Copy
}

/** The names of an object of options; of several that an argument may be, those of one. */
type NamesIn<Argument> = Argument extends object ? { readonly [Name in keyof Argument]-?: true } : never
type OptionsAmong<Given extends readonly unknown[]> = {
  [At in keyof Given & `${number}`]: OptionsAt<
    At extends `${infer Index extends number}` ? Index : never,
    NamesIn<Given[At]>
  >
}[keyof Given & `${number}`]

/** How an operation goes to an agent in a worker, as far as copying its arguments is not enough. */
export interface Crossing {
  /**
   * Its first argument is data. An object of a class would arrive as a plain one, so it goes as JSON text: a `value`, or
   * a `document`, which may be such a text already; or a list of these.
   */
  readonly data?: 'value' | 'values' | 'document' | 'documents' | undefined
  /** Its first argument is a text or an image: what cannot be copied is read in the page. */
  readonly source?: 'text' | 'image' | undefined
  /** It stores everything or nothing. Where a signal stops it, its end is waited for, which says which of both it was. */
  readonly isWhole?: boolean
}

/** What an operation says of itself. */
interface Shape<Given extends readonly unknown[]> extends Crossing {
  readonly needs: Needs
  readonly options?: OptionsAmong<Required<Given>> | readonly OptionsAmong<Required<Given>>[]
}
interface AnyShape extends Crossing {
  readonly needs: Needs
  readonly options?: OptionsAt<number, Names> | readonly OptionsAt<number, Names>[]
}

type Operating<Given extends unknown[], Result> = (session: Session, ...given: Given) => Operation<Result>

/** Checks what an operation needs, and puts copies of its options in their place; gives the session. */
type Begin = () => Session

interface KnownShape extends AnyShape {
  readonly options: readonly OptionsAt<number, Names>[]
  /** The function and how many arguments it takes. */
  readonly name: string
  readonly count: number
}

/** What is known of a function or method of the API. */
interface Known {
  readonly shape: KnownShape
  /** Does what the function does, for the agent whose session it is given. */
  readonly work: (session: () => Session, given: unknown[]) => unknown
  readonly operation: Operating<unknown[], unknown> | undefined
}

const known = new WeakMap<object, Known>()
const sessions = new WeakMap<object, Session>()

/** The one agent of the program. */
const program: Session = { options: {}, loaded: undefined, isForgetful: true }

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

/** The session of an agent that was passed. @throws SxError `InvalidOption` for another object */
export function sessionOfPassed(agent: unknown, what: string): Session {
  const session = typeof agent === 'object' && agent !== null ? sessions.get(agent) : undefined
  if (session === undefined) throw new SxError('InvalidOption', `${what} is not an SxAgent.`)
  return session
}

/** What is known of a function of the API, or of a method of SxAgent. */
export function knownOf(f: object): Known {
  const found = known.get(f)
  if (found === undefined) throw new TypeError(`${(f as { name?: string }).name} is not a function of the API.`)
  return found
}

/** Gives a function the name that stack traces show. */
function named<F extends object>(name: string, f: F): F {
  return Object.defineProperty(f, 'name', { value: name, configurable: true })
}

/**
 * Makes a function of the API of what runs it once it may begin: what it needs is there, and its options are copied, which
 * the caller may change later.
 *
 * @param length of the function behind it, whose first parameter is the session
 * @throws SxError what its `needs` say; `InvalidOption` for what is no options, or an option that nobody reads
 */
function publish<Given extends unknown[], Result>(
  name: string,
  shape: AnyShape,
  length: number,
  run: (begin: Begin, given: Given) => Result,
  operation?: Operating<Given, unknown>,
): (...given: Given) => Result {
  const options = [shape.options ?? []].flat()
  const count = Math.max(length - 1, ...options.map(({ at }) => at + 1))
  const own = { ...shape, options, name, count }
  const work = (session: () => Session, given: Given): Result => run(() => begin(own, session(), given), given)
  return expose(name, { shape: own, work, operation } as unknown as Known)
}

function begin({ needs, options, name, count }: KnownShape, session: Session, given: unknown[]): Session {
  needs(session)
  if (isLost(given[count])) {
    const what = options.length > 0 ? 'was passed an object after its last argument' : 'has no options'
    throw new SxError('InvalidOption', `\`${name}\` ${what}.`)
  }
  for (const { at, names, copy = optional } of options) given[at] = copy(given[at] as never, names)
  return session
}

/** Whether an argument behind the last one is options, which nobody would read. `map` passes numbers and arrays there. */
function isLost(more: unknown): boolean {
  try {
    return isRecord(more) && isPlain(more)
  } catch {
    return true // a proxy that cannot be read
  }
}

/** Begins what a function or method of the API does; its effects are the caller's to perform. */
export function beginning(f: object, session: Session, given: unknown[]): Operation<unknown> {
  const { shape, operation } = knownOf(f)
  if (operation === undefined) throw new TypeError('It is not an operation.')
  begin(shape, session, given)
  return counted(session, () => operation(session, ...given))
}

/** Whether a function or method of the API is an operation. */
export const isOperation = (f: object): boolean => known.get(f)?.operation !== undefined

function expose<F extends (...given: never[]) => unknown>(name: string, one: Known): F {
  const f = named(name, (...given: unknown[]) => one.work(() => program, given))
  known.set(f, one)
  return f as unknown as F
}

// Bundlers leave out what is not used of all that these six and `methodsOf` make: hence their annotations.

/**
 * The asynchronous form of an operation, under the operation's name. What it does before it returns its steps is done
 * at once: copying arguments that the caller may change while the core is loaded.
 */
/* @__NO_SIDE_EFFECTS__ */
export function asynchronous<Given extends unknown[], Result>(
  shape: Shape<NoInfer<Given>>,
  operation: Operating<Given, Result>,
): (...given: Given) => Promise<Result> {
  const run = async (begin: Begin, given: Given): Promise<Result> => {
    const session = begin()
    const steps = operation(session, ...given)
    const end = beginOperation(session)
    try {
      return await runAsync(() => steps)
    } finally {
      end()
    }
  }
  return publish(operation.name, shape as AnyShape, operation.length, run, operation)
}

/** The synchronous twin of what {@link asynchronous} has made. */
/* @__NO_SIDE_EFFECTS__ */
export function twin<Given extends unknown[], Result>(
  f: (...given: Given) => Promise<Result>,
): (...given: Given) => Result {
  const { shape, operation } = knownOf(f)
  return atOnce(`${f.name}Sync`, shape, operation as Operating<Given, Result>)
}

/** The only form of an operation that has no asynchronous one. */
/* @__NO_SIDE_EFFECTS__ */
export function synchronous<Given extends unknown[], Result>(
  shape: Shape<NoInfer<Given>>,
  operation: Operating<Given, Result>,
): (...given: Given) => Result {
  return atOnce(operation.name, shape as AnyShape, operation)
}

function atOnce<Given extends unknown[], Result>(
  name: string,
  shape: AnyShape,
  operation: Operating<Given, Result>,
): (...given: Given) => Result {
  const run = (begin: Begin, given: Given): Result => {
    const session = begin()
    const end = beginOperation(session)
    try {
      return runSync(() => operation(session, ...given))
    } finally {
      end()
    }
  }
  return publish(name, shape, operation.length, run, operation)
}

/** A function that is no operation, as it is. */
/* @__NO_SIDE_EFFECTS__ */
export function direct<Given extends unknown[], Result>(
  shape: Shape<NoInfer<Given>>,
  f: (session: Session, ...given: Given) => Result,
): (...given: Given) => Result {
  return publish(f.name, shape as AnyShape, f.length, (begin: Begin, given: Given) => f(begin(), ...given))
}

/** The same of one that returns a Promise, which rejects with what is wrong with the arguments too. */
/* @__NO_SIDE_EFFECTS__ */
export function awaited<Given extends unknown[], Result>(
  shape: Shape<NoInfer<Given>>,
  f: (session: Session, ...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return publish(f.name, shape as AnyShape, f.length, async (begin: Begin, given: Given) => f(begin(), ...given))
}

/**
 * A function under a name that is to be given up: it does the same, and warns of that where it is asked to.
 *
 * @param instead what to use in its place, as a warning names it
 */
/* @__NO_SIDE_EFFECTS__ */
export function deprecated<F extends (...given: never[]) => unknown>(name: string, f: F, instead: string): F {
  const one = knownOf(f)
  const work: Known['work'] = (session, given) => {
    warnDeprecated(session(), name, instead)
    return one.work(session, given)
  }
  return expose(name, { ...one, work })
}

/**
 * A class with the functions of these topics as methods, each on the agent that it is called on, and one by which `using`
 * closes it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function methodsOf<Methods extends object>(...topics: readonly object[]): new () => Methods {
  class Base {}
  for (const [name, f] of topics.flatMap((topic) => Object.entries(topic) as [string, object][])) {
    const found = knownOf(f)
    const value = named(name, function method(this: object, ...given: unknown[]) {
      return found.work(() => sessionOf(this), given)
    })
    known.set(value, found)
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
