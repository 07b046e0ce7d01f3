// Runtimes without workers: everything is done in the one thread.
import type { StartedWorker } from './remote.ts'

/** Starts no worker. */
export function startVerifier(): StartedWorker | undefined {
  return undefined
}

/** How many workers are worth starting. */
export function processors(): number {
  return 1
}
