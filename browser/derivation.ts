import type { PlatformDerivation } from '../src/platform.ts'
import { handOver } from '../src/worker/connection.ts'
import { type StartedVerifier, startedVerifier } from '../src/worker/started.ts'
import { LONGEST_START_TO_DERIVE } from '../src/worker/starts.ts'

/** The worker that derives, and how many wait for it. */
let present: (StartedVerifier & { waiting: number }) | undefined
/** Whether one could not be started: then none is tried again, so that nobody waits for that twice. */
let isRefused = false

/** A worker holds up nobody but itself, and workers of workers are not what every browser is good at. */
const isPage = 'document' in globalThis

/**
 * The core's derivation, from a page in a worker of its own. It is ended with the last derivation that waits, and what the core
 * needed for it, 16 MB and more, is given back.
 */
export const derivation: PlatformDerivation = {
  async: async (parameters, password) => {
    if (isRefused || !isPage) return undefined
    if (present === undefined || present.remote.isEnded)
      present = { ...startedVerifier({}, LONGEST_START_TO_DERIVE), waiting: 0 }
    const worker = present
    worker.waiting += 1
    try {
      return await deriveBy(worker, parameters, password)
    } catch {
      return undefined // whatever it is, it shows here again, or not at all
    } finally {
      worker.waiting -= 1
      if (worker.waiting === 0) end(worker)
    }
  },
}

/** Nothing of it is kept: what its calls have failed with holds on to what they were given. */
function end(worker: NonNullable<typeof present>): void {
  if (present === worker) present = undefined
  worker.remote.end()
}

async function deriveBy(
  { remote, begun }: StartedVerifier,
  parameters: string,
  password: Uint8Array,
): Promise<Uint8Array> {
  try {
    await begun
  } catch (error) {
    isRefused = true
    throw error
  }
  const copy = password.slice()
  try {
    return await remote.call('derive', parameters, handOver(copy))
  } finally {
    if (copy.length > 0) copy.fill(0) // it was not handed over
  }
}
