import { isBelated } from '../belated.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { type Loaded, requireSigning, type Signing } from '../session.ts'
import type { AgentDocument } from '../state/own-document.ts'
import { pause } from './current-key.ts'

/** How often something is begun before the agent document is said to change too often. */
const ATTEMPTS = 3

/** The loaded agent at one moment: its document, and the private key that fits it. */
export interface Moment {
  readonly own: AgentDocument
  readonly secret: Signing['secret']
}

/**
 * Reads or makes what has to fit one version of the agent document, and begins again if the agent has another version,
 * or another key, by the end.
 *
 * @param work `undefined` if it has seen a change itself
 * @throws SxError `KeyRevoked` if another process has rotated the key; `Busy` if the agent changes each time
 */
export function* atOneVersion<T>(loaded: Loaded, work: (moment: Moment) => Operation<T | undefined>): Operation<T> {
  const { own } = loaded
  const { dates } = requireSigning(loaded)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    own.settle()
    yield* own.catchUp()
    const { current } = own
    const isSame = (): boolean => own.current.version === current.version
    try {
      const result = yield* work({ own: current, secret: requireSigning(loaded).secret })
      if (result === undefined || !isSame()) continue
      yield* own.requireCurrentKey()
      if (isSame() && own.latest.version === current.version) return result
      if (own.isRotating) yield* perform(pause) // the new version is stored, and this process is about to follow it
    } catch (error) {
      // A key that was replaced here is gone, and fails whatever still uses it.
      const isTold = !(error instanceof SxError) || error.code === 'Internal' || isBelated(error)
      if (isTold || (isSame() && !dates.isRotating)) throw error
    }
  }
  throw new SxError('Busy', 'The agent changed each time it was read.')
}
