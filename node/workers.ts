import type { Worker } from 'node:worker_threads'
import type { StartedWorker, WorkerEvents } from '../src/worker/remote.ts'
import { isServed } from './paths.ts'

/**
 * Starts a thread with a file of the package; `undefined` where it may not be started.
 *
 * @param name of the file, which stands beside this one
 * @param address says where bundlers have put it; throws in a bundle in a format without `import.meta`
 * @param env the variables that it sees
 */
export function startThread(
  name: string,
  address: () => URL,
  env: NodeJS.ProcessEnv,
  events: WorkerEvents,
): StartedWorker | undefined {
  let worker: Worker
  try {
    // Nothing of how this process was started is for the thread: flags such as `--input-type` would be refused there.
    const threads = process.getBuiltinModule('node:worker_threads')
    const given = address()
    worker = new threads.Worker(isServed(given) ? besideThis(name) : given, { env, execArgv: [] })
  } catch {
    return undefined
  }
  let isOver = false
  const ended = (cause?: unknown): void => {
    if (isOver) return
    isOver = true
    void worker.terminate()
    events.ended(cause)
  }
  worker.on('message', (message: unknown) => {
    if (!isOver) events.message(message)
  })
  worker.on('error', ended)
  worker.on('messageerror', ended)
  worker.on('exit', () => ended())
  return {
    post: (message, moved) => worker.postMessage(message, moved),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    end: () => {
      isOver = true
      void worker.terminate()
    },
  }
}

/** A file beside this one, by an address that no bundler changes. */
function besideThis(name: string): URL {
  const { url } = import.meta
  return new URL(name, url)
}

/** Starts a thread that verifies. */
export function startVerifier(events: WorkerEvents): StartedWorker | undefined {
  return startThread('verify-worker.mjs', () => new URL('./verify-worker.mjs', import.meta.url), {}, events)
}

/** How many threads are worth starting. */
export function processors(): number {
  return process.getBuiltinModule('node:os').availableParallelism()
}
