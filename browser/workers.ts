import type { StartedWorker, WorkerEvents } from '../src/worker/remote.ts'
import { scriptPolicy } from '../src/worker/script-policy.ts'

/**
 * Makes a worker; with the policy, if one was passed. Bundlers find the files of workers only where `new Worker(new
 * URL(…))` stands as it is, so the policy is applied behind it: as long as `make` runs, which never waits.
 */
function made(make: () => Worker): Worker {
  const policy = scriptPolicy()
  if (policy === undefined) return make()
  const { Worker } = globalThis
  globalThis.Worker = new Proxy(Worker, {
    construct: (target, [url, options]: [string | URL, WorkerOptions?]) =>
      new target(policy.createScriptURL(String(url)) as string, options),
  })
  try {
    return make()
  } finally {
    globalThis.Worker = Worker
  }
}

/** Why a worker cannot be made. Only for want of a policy, or by one, is it a `TypeError`. */
function refusal(cause: unknown): string {
  if (!(cause instanceof TypeError) || !('trustedTypes' in globalThis)) return 'Workers are not allowed here.'
  return scriptPolicy() === undefined
    ? "This page requires Trusted Types (require-trusted-types-for 'script'), and no policy was passed."
    : 'The passed Trusted Types policy does not allow the address of the worker.'
}

/**
 * Starts a worker of a page or of another worker; `undefined` where there are none or a policy forbids it.
 *
 * A worker may end without an event: by itself, or because the browser ends it. So it holds a lock for as long as it
 * runs, where there are locks, and who gets that lock knows.
 */
export function startWorker(make: () => Worker, events: WorkerEvents): StartedWorker | undefined {
  if (typeof Worker === 'undefined') return undefined
  let worker: Worker
  try {
    worker = made(make)
  } catch (cause) {
    events.ended(cause, refusal(cause))
    return undefined
  }
  const lock = lockName()
  const watching = new AbortController()
  const end = (): void => {
    watching.abort()
    worker.onmessage = null
    worker.onerror = null
    worker.onmessageerror = null
    worker.terminate()
  }
  const ended = (cause?: unknown): void => {
    if (watching.signal.aborted) return
    end()
    events.ended(cause)
  }
  worker.onmessage = ({ data }: MessageEvent<unknown>) => {
    worker.onmessage = (event: MessageEvent<unknown>) => events.message(event.data)
    if (lock !== undefined) void watch(lock, watching.signal, ended)
    events.message(data)
  }
  worker.onerror = (event) => {
    event.preventDefault() // whoever waits for the worker is told; the console need not be
    ended(event.message === undefined ? undefined : new Error(event.message))
  }
  worker.onmessageerror = () => ended()
  worker.postMessage(lock)
  return { post: (message, moved) => worker.postMessage(message, moved), hold: () => {}, end }
}

/** Starts a worker that verifies and derives keys. */
export function startVerifier(events: WorkerEvents): StartedWorker | undefined {
  return startWorker(() => new Worker(new URL('./verify-worker.js', import.meta.url), { type: 'module' }), events)
}

/** How many workers are worth starting. */
export function processors(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 1
}

/** A name for a lock; `undefined` where there are none, as outside of secure contexts. */
function lockName(): string | undefined {
  return globalThis.navigator?.locks === undefined ? undefined : `sx-agent worker ${crypto.randomUUID()}`
}

/** Waits for a worker's lock: whoever gets it says that the worker has ended. */
async function watch(lock: string, signal: AbortSignal, ended: () => void): Promise<void> {
  try {
    await navigator.locks.request(lock, { signal }, () => ended())
  } catch {
    // Nobody waits any more, or locks are not allowed here: then the events of the worker have to do.
  }
}
