import * as closing from '../operations/closing.ts'
import { beginOperation, requireLoaded, type Session } from '../session.ts'
import { awaited, loadedAgent, nothing } from './form.ts'

/**
 * Resolves when everything written so far is as durable as the storage makes it; rejects if a write
 * behind failed that no other call has reported yet. Changes of the trust store and what `Sync` twins
 * write are written behind, and only where the storage itself has to be awaited, as in a page.
 *
 * @throws SxError `NoAgentLoaded`; storage codes; `VersionConflict` if another page wrote the same in the
 *   meantime; the codes of `trustAgent` if another page has decided in the meantime; `KeyRevoked` if another page rotated
 *   the key before documents were stored, `Busy` if it is about to; so too of an agent in whose place this one was loaded
 * @example
 * await signMessage({ amount: 1 })
 * await flush()
 */
export const flush = awaited({ needs: loadedAgent }, async function flush(session: Session): Promise<void> {
  const end = beginOperation(session) // who loads the agent meanwhile wipes it only after this
  try {
    await closing.flush(requireLoaded(session))
  } finally {
    end()
  }
})

/**
 * Lets go of the agent: its private key is overwritten at once, what is on its way is written, and then
 * what was opened for it is closed; a storage that was passed in stays open. After it no agent is
 * loaded. Where none is, nothing happens. `using` does it too, without waiting for what is written. Forgets the password
 * of the agent of `/simple`. An `SxAgent` keeps the options that it was made or loaded with, so that it can load again:
 * their password is in memory for as long as the object is. A `load` or `quickstart` that is running ends in
 * `NoAgentLoaded`; a `create` too, unless it has stored its agent, which it returns then without loading it.
 *
 * @throws SxError what {@link flush} rejects with
 * @example
 * await close()
 * console.log(isLoaded()) // false
 */
export const close = awaited({ needs: nothing }, async function close(session: Session): Promise<void> {
  await closing.close(session)
})
