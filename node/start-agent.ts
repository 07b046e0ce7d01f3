import type { StartedWorker, WorkerEvents } from '../src/worker/remote.ts'
import { startThread } from './workers.ts'

/** Starts a thread with an agent in it. */
export function startAgent(events: WorkerEvents): StartedWorker | undefined {
  const name = 'agent-worker.mjs'
  return startThread(name, () => new URL('./agent-worker.mjs', import.meta.url), process.env, events)
}
