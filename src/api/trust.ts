import type { Operation } from '../effects.ts'
import * as trust from '../operations/trust.ts'
import type { Session } from '../session.ts'
import type { TrustedAgent } from '../types.ts'
import { loadedAgent, synchronous } from './form.ts'

/**
 * Adds another agent to the trust store, or puts a later version of its document there (protocol,
 * section 11). What it signs is trusted from the next verdict on, so make sure first whose document it
 * is. Where the storage has to be awaited it is written behind, and decided again on what is there then;
 * see `flush`. The decision counts by an entry in the key directory, which has to take writes.
 *
 * @param json its agent document, JSON text
 * @returns who is trusted now; a frozen object
 * @throws SxError `NoAgentLoaded`; a code of a verdict, or `InvalidId`, for a document that is not valid
 *   under its own key; against the known document `KeyConflict` for another key, `KeyRevoked` if it takes
 *   back a revocation, `Rollback` for an older version, `VersionConflict` for another history;
 *   `CorruptStore` and `Rollback` if what is known was damaged or is missing; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * console.log(trustAgent(billing).name) // Billing
 */
export const trustAgent = synchronous(
  { needs: loadedAgent },
  function trustAgent(session: Session, json: string): Operation<TrustedAgent> {
    return trust.trustAgent(session, json)
  },
)

/**
 * Ids of the agents in the trust store, ascending. The agent itself is trusted
 * without being listed. An agent with damaged or lost entries is listed: `getTrustedAgent` and verdicts report it.
 *
 * Reads what is stored now; where the storage has to be awaited, what the last awaited verdict on the agent,
 * `refresh` or decision of this program saw, so that decisions of other processes may be missing until then.
 *
 * @throws SxError `NoAgentLoaded`; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(listTrustedAgents().includes(agentId)) // true
 */
export const listTrustedAgents = synchronous(
  { needs: loadedAgent },
  function listTrustedAgents(session: Session): Operation<string[]> {
    return trust.listTrustedAgents(session)
  },
)

/**
 * Removes an agent from the trust store (protocol, sections 11 and 12). The next verdict uses this decision. To trust
 * the agent again is a new decision, which also accepts an older document. If the storage has to be awaited, the
 * decision is written behind, and the answer comes from memory; see `flush`.
 *
 * @param id its `sxId`
 * @returns whether it was there
 * @throws SxError `NoAgentLoaded`, `InvalidId`; `CorruptStore` and `Rollback` if a decision is missing;
 *   storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(untrustAgent(agentId), isTrusted(agentId)) // true false
 */
export const untrustAgent = synchronous(
  { needs: loadedAgent },
  function untrustAgent(session: Session, id: string): Operation<boolean> {
    return trust.untrustAgent(session, id)
  },
)

/**
 * Whether an agent is in the trust store. The agent itself is trusted without
 * being there.
 *
 * Reads what is stored now; where the storage has to be awaited, what the last awaited verdict on the agent,
 * `refresh` or decision of this program saw, so that decisions of other processes may be missing until then.
 *
 * @param id its `sxId`
 * @throws SxError `NoAgentLoaded`, `InvalidId`; `CorruptStore` and `Rollback` as from
 *   {@link untrustAgent}; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(isTrusted(agentId)) // true
 */
export const isTrusted = synchronous(
  { needs: loadedAgent },
  function isTrusted(session: Session, id: string): Operation<boolean> {
    return trust.isTrusted(session, id)
  },
)

/**
 * The document of a trusted agent, as {@link trustAgent} took it.
 *
 * Reads what is stored now; where the storage has to be awaited, what the last awaited verdict on the agent,
 * `refresh` or decision of this program saw, so that decisions of other processes may be missing until then.
 *
 * @param id its `sxId`
 * @throws SxError `NoAgentLoaded`, `InvalidId`; `NotFound` if it is not in the trust store; `CorruptStore` if its
 *   document is damaged, `Rollback` if the store has lost it, `LimitExceeded`; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(getTrustedAgent(agentId) === billing) // true
 */
export const getTrustedAgent = synchronous(
  { needs: loadedAgent },
  function getTrustedAgent(session: Session, id: string): Operation<string> {
    return trust.getTrustedAgent(session, id)
  },
)
