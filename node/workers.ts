import type { Worker } from 'node:worker_threads'
import type { StartedWorker, WorkerEvents } from '../src/worker/remote.ts'

/**
 * Starts a thread with a file of the package; `undefined` where it may not be started.
 *
 * @param file says where that is; throws in a bundle in a format without `import.meta`
 * @param env the variables that it sees
 */
export function startThread(file: () => URL, env: NodeJS.ProcessEnv, events: WorkerEvents): StartedWorker | undefined {
  let worker: Worker
  try {
    // Nothing of how this process was started is for the thread: flags such as `--input-type` would be refused there.
    const threads = process.getBuiltinModule('node:worker_threads')
    worker = new threads.Worker(file(), { env, execArgv: [] })
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

/** Starts a thread that verifies. */
export function startVerifier(events: WorkerEvents): StartedWorker | undefined {
  return startThread(() => new URL('./verify-worker.mjs', import.meta.url), {}, events)
}

/** How many threads are worth starting. */
export function processors(): number {
  return process.getBuiltinModule('node:os').availableParallelism()
}
