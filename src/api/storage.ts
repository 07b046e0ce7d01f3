import { requireLoaded, type Session, settle } from '../session.ts'
import { direct } from './form.ts'

/**
 * Resolves when everything written so far is as durable as the storage makes it; rejects if a write
 * behind failed. Changes of the trust store and what `Sync` twins write are written behind, and only
 * where the storage itself has to be awaited, as in a page.
 *
 * @throws SxError `NoAgentLoaded`; storage codes; `VersionConflict` if another page wrote the same in the
 *   meantime
 * @example
 * await signMessage({ amount: 1 })
 * await flush()
 */
export const flush = direct(async function flush(session: Session): Promise<void> {
  const loaded = requireLoaded(session)
  const { trust, places } = loaded
  await trust.flush()
  await places.data.flush()
  await places.keys.flush()
  settle(loaded)
})
