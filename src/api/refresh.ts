import type { Operation } from '../effects.ts'
import * as refreshing from '../operations/refresh.ts'
import type { Session } from '../session.ts'
import { asynchronous, loadedAgent, twin } from './form.ts'

/**
 * Reads again what synchronous functions answer from memory: decisions about trust, public keys of others and
 * the own agent document, and whether another process rotates its key. After it
 * `isTrusted`, `listTrustedAgents`, `getTrustedAgent`, `verifySync` and the like are as of this moment. Files and
 * storages that answer at once are read by each call anyway. Where a storage has to be awaited, what other processes
 * decide is otherwise seen when an awaited verdict on that agent has looked.
 *
 * @throws SxError `NoAgentLoaded`; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * await refresh()
 * console.log(isTrusted(agentId)) // true
 */
export const refresh = asynchronous({ needs: loadedAgent }, function refresh(session: Session): Operation<void> {
  return refreshing.refresh(session)
})
/** The synchronous twin of {@link refresh}. */
export const refreshSync = twin(refresh)
