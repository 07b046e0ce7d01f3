import type { StartedWorker, WorkerEvents } from '../src/worker/remote.ts'
import { startWorker } from './workers.ts'

/** Starts a worker with an agent in it. */
export function startAgent(events: WorkerEvents): StartedWorker | undefined {
  return startWorker(() => new Worker(new URL('./agent-worker.js', import.meta.url), { type: 'module' }), events)
}
