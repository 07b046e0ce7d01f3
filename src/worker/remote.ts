import { SxError } from '../errors.ts'
import { Connection, type Post } from './connection.ts'
import { LONGEST_START } from './starts.ts'

/** What a worker says and what becomes of it, as the thread that started it is told. */
export interface WorkerEvents {
  message(message: unknown): void
  /** It cannot be started, has failed or has ended. Nothing comes after that. */
  ended(cause?: unknown, found?: string): void
}

/** A worker that was started. */
export interface StartedWorker {
  readonly post: Post
  /** Whether the program goes on as long as it runs. It does at first. */
  hold(isHeld: boolean): void
  /** Ends it at once. */
  end(): void
}

/** Starts a worker; `undefined` where there are none. */
export type StartWorker = (events: WorkerEvents) => StartedWorker | undefined

/** The first message of a worker: it runs. */
export const HELLO = 'sx-agent'

/** The functions of a worker, called from the thread that started it. */
export class Remote<Theirs> {
  readonly #connection: Connection<Theirs>
  readonly #worker: StartedWorker | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isEnded = false
  /** Resolves when it runs. */
  readonly ready: Promise<void>
  #settle: (error?: SxError) => void = () => {}

  /**
   * @param served what the worker may call here
   * @param longestStart milliseconds that it may take to run
   */
  constructor(start: StartWorker, served: object, longestStart: number = LONGEST_START) {
    this.ready = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error))
    })
    this.ready.catch(() => {}) // every call rejects with the same
    this.#connection = new Connection((message, moved) => this.#worker?.post(message, moved), served)
    this.#worker = start({
      message: (message) => {
        if (message === HELLO) this.#begin()
        else {
          this.#connection.receive(message)
          this.#release()
        }
      },
      ended: (cause, found) => this.end(new SxError('WorkerUnavailable', found, { cause })),
    })
    if (this.#worker === undefined) {
      this.end(new SxError('WorkerUnavailable', 'Workers are not available or not allowed.'))
    } else if (!this.#isEnded) {
      const found = `The worker did not start within ${longestStart / 1000} seconds.`
      this.#timer = setTimeout(() => {
        // It may have been this thread that was busy: then the message is there already.
        this.#timer = setTimeout(() => this.end(new SxError('WorkerUnavailable', found)), 100)
      }, longestStart)
    }
  }

  /** Whether it has ended. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Calls one of its functions. Until it answers the program goes on.
   *
   * @throws SxError what that throws; `WorkerUnavailable` if it ends before
   */
  call: Connection<Theirs>['call'] = (name, ...given) => {
    this.#worker?.hold(true)
    const answer = this.#connection.call(name, ...given)
    answer.catch(() => {}).finally(() => this.#release())
    return answer
  }

  /** Ends it. Calls that wait reject. */
  end(error: SxError = new SxError('WorkerUnavailable')): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#settle(error)
    this.#connection.end(error)
    this.#worker?.end()
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#settle()
    this.#release()
  }

  #release(): void {
    if (!this.#isEnded && this.#connection.waiting === 0) this.#worker?.hold(false)
  }
}
