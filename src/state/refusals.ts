/** Advice on agent documents that the trust store, or the loaded agent, refuses. */
import { type Advice, SxError } from '../errors.ts'

const COMPARE = "If the agent's owner confirms the new key id, call untrustAgent, then trustAgent."

/** Advice on a document that conflicts with the trusted one of the same agent. */
export const OF_OTHERS: Advice = {
  KeyConflict: COMPARE,
  KeyRevoked: COMPARE,
  Rollback: "The trust store keeps the newer document. Ask the agent's owner for the latest one.",
  VersionConflict: "Ask the agent's owner which document is genuine. The trusted document was not changed.",
}

const COPY =
  "Pass what exportAgent returns. If you copied the agent, use only one of the copies. If you did not, someone else has the private key: call rotateKey({ reason: 'compromised' })."

/** Advice on a document that conflicts with the loaded agent's own one. */
export const OF_OWN: Advice = {
  KeyConflict: COPY,
  KeyRevoked: COPY,
  Rollback: 'Pass what exportAgent returns.',
  VersionConflict: COPY,
}

/**
 * Calls `work`. An error with one of these codes gets the advice.
 *
 * @throws SxError what `work` throws
 */
export function advised<T>(advice: Advice, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    const then = cause instanceof SxError ? advice[cause.code] : undefined
    if (!(cause instanceof SxError) || then === undefined) throw cause
    throw new SxError(cause.code, cause.found, { cause, advice: then })
  }
}
