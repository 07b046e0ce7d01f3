import { startVerifier } from '#workers'
import { coreModule } from '../core.ts'
import { SxError } from '../errors.ts'
import { Remote } from './remote.ts'
import type { Verifier } from './verifier.ts'

/** A worker that verifies and derives keys, from its start on. */
export interface StartedVerifier {
  readonly remote: Remote<Verifier>
  /** Resolves when it has the core; rejects, with the worker ended, where it cannot have it. */
  readonly begun: Promise<void>
}

/**
 * Starts a worker and gives it the core that is loaded here.
 *
 * @param served what it may call here
 * @param longestStart milliseconds that it may take to run
 */
export function startedVerifier(served: object, longestStart?: number): StartedVerifier {
  const remote = new Remote<Verifier>(startVerifier, served, longestStart)
  const begun = begin(remote).catch((error: unknown) => {
    remote.end()
    throw error
  })
  begun.catch(() => {}) // who uses it is told
  return { remote, begun }
}

async function begin(remote: Remote<Verifier>): Promise<void> {
  await remote.ready
  try {
    await remote.call('begin', coreModule())
  } catch (error) {
    // Not every runtime copies compiled modules.
    if (!(error instanceof SxError && error.code === 'InvalidOption')) throw error
    await remote.call('begin', undefined)
  }
}
