import { refreshed } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { requireLoaded, type Session } from '../session.ts'

/** `refresh`: after it what synchronous calls answer from memory is what the storage holds. */
export function* refresh(session: Session): Operation<void> {
  const { own, trust, directory } = requireLoaded(session)
  yield* perform(trust.refreshed)
  yield* perform(refreshed(directory))
  yield* own.follow()
  if (!own.isRevoked) yield* own.look() // whether a rotation is on its way
}
