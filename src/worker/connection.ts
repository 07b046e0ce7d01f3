// Calls between two threads. Each end serves functions and calls those of the other one.
import { isBytes } from '../bytes.ts'
import { isSxError, type SchemaViolation, SxError, type SxErrorCode } from '../errors.ts'

/** A function that one end serves. What it is given and gives back is copied on its way (structured clone). */
type Callable = (...given: never[]) => unknown

interface Call {
  readonly call: number
  readonly name: string
  readonly given: unknown[]
}
/** A failure on its way: errors lose their members when they are copied. */
interface Failed {
  readonly code: SxErrorCode
  readonly found: string
  readonly advice: string
  readonly details?: readonly SchemaViolation[] | undefined
  readonly index?: number | undefined
}
interface Answer {
  readonly answer: number
  readonly value?: unknown
  readonly error?: Failed
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: SxError) => void
}

/**
 * Hands a message to the other end; throws what cannot be copied.
 *
 * @param moved buffers that go there, so that nothing of them stays here
 */
export type Post = (message: unknown, moved: ArrayBuffer[]) => void

const handedOver = /* @__PURE__ */ new WeakSet<object>()

/** Secret bytes that are to go to the other end without leaving a copy, as an argument or a result. */
export function handOver(bytes: Uint8Array): Uint8Array {
  handedOver.add(bytes)
  return bytes
}

const movedOf = (values: readonly unknown[]): ArrayBuffer[] =>
  values.filter(isBytes).flatMap((bytes) => (handedOver.has(bytes) ? (bytes.buffer as ArrayBuffer) : []))

/** One end of a connection; `Theirs` are the functions of the other one. */
export class Connection<Theirs> {
  readonly #post: Post
  readonly #served: Readonly<Record<string, Callable>>
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #ended: SxError | undefined

  /** @param served what the other end may call */
  constructor(post: Post, served: object) {
    this.#post = post
    this.#served = served as Record<string, Callable>
  }

  /** How many calls wait for their answer. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Calls a function of the other end.
   *
   * @throws SxError what that throws; `InvalidOption` for an argument that cannot be copied; what the connection was
   *   ended with
   */
  call<Name extends keyof Theirs & string>(
    name: Name,
    ...given: Theirs[Name] extends (...given: infer Given) => unknown ? Given : never
  ): Promise<Theirs[Name] extends (...given: never[]) => infer Result ? Awaited<Result> : never> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended)
        return
      }
      this.#calls += 1
      const call: Call = { call: this.#calls, name, given }
      this.#waiting.set(call.call, { resolve, reject })
      try {
        this.#post(call, movedOf(given))
      } catch (cause) {
        this.#waiting.delete(call.call)
        reject(
          new SxError(
            'InvalidOption',
            'An argument cannot be passed to a worker. Strings, bytes, Blobs, arrays and plain objects can.',
            { cause },
          ),
        )
      }
    })
  }

  /** Takes what the other end has posted. */
  receive(message: unknown): void {
    if (this.#ended !== undefined) return
    const { answer, value, error, call, name, given } = message as Partial<Call & Answer>
    if (answer !== undefined) {
      const waiting = this.#waiting.get(answer)
      this.#waiting.delete(answer)
      if (error === undefined) waiting?.resolve(value as never)
      else waiting?.reject(errorOf(error))
    } else if (call !== undefined && name !== undefined) void this.#serve(call, name, given ?? [])
  }

  /** Ends it: every call that waits and every later one rejects with this. */
  end(error: SxError): void {
    if (this.#ended !== undefined) return
    this.#ended = error
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(error)
  }

  #answer(answer: Answer): void {
    if (this.#ended === undefined) this.#post(answer, movedOf([answer.value]))
  }

  async #serve(call: number, name: string, given: unknown[]): Promise<void> {
    try {
      const f = Object.hasOwn(this.#served, name) ? this.#served[name] : undefined
      if (f === undefined) throw new SxError('Internal', 'A worker was called for an unknown function.')
      this.#answer({ answer: call, value: await f(...(given as never[])) })
    } catch (error) {
      const { code, found, advice, details, index } = isSxError(error) ? error : new SxError('Internal')
      this.#answer({ answer: call, error: { code, found, advice, details, index } })
    }
  }
}

function errorOf({ code, found, ...more }: Failed): SxError {
  return new SxError(code, found, more)
}
