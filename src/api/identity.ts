import type { Operation } from '../effects.ts'
import * as agents from '../operations/agents.ts'
import * as loading from '../operations/load.ts'
import { requireLoaded, type Session } from '../session.ts'
import type { AgentInfo } from '../types.ts'
import { asynchronous, direct, twin } from './form.ts'

/**
 * Whether an agent is loaded (specification 3).
 *
 * @example
 * console.log(isLoaded()) // true
 */
export const isLoaded = direct(function isLoaded(session: Session): boolean {
  return session.loaded !== undefined
})

/**
 * What people need to know of the agent; null if none is loaded (specification 3).
 *
 * @example
 * console.log(getAgentInfo()?.name) // Billing
 */
export const getAgentInfo = direct(function getAgentInfo({ loaded }: Session): AgentInfo | null {
  return loaded === undefined ? null : loading.describe(loaded)
})

/**
 * The agent's public key: SPKI PEM (RFC 8410, RFC 9881).
 *
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log(getPublicKey().split('\n')[0]) // -----BEGIN PUBLIC KEY-----
 */
export const getPublicKey = direct(function getPublicKey(session: Session): string {
  return requireLoaded(session).key.pem
})

/**
 * The agent document, which others pass to `trustAgent` (protocol, section 7).
 *
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log(JSON.parse(exportAgent()).sxType) // agent
 */
export const exportAgent = direct(function exportAgent(session: Session): string {
  return requireLoaded(session).own.current.text
})

/**
 * Signs and stores the next version of the agent's own document (protocol, sections 6 and 7).
 *
 * @param newAgentData the complete agent document with its profile changed, as object or JSON text
 * @returns the new version, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; JSON codes;
 *   `InvalidAgent` for a document that is not complete; `KeyMismatch` for another agent's, `KeyConflict`
 *   for a changed key, `ReservedField` for a changed header; `VersionConflict` if another process made
 *   the next version; `Rollback`, `CorruptStore`; storage codes
 * @example
 * const document = JSON.parse(exportAgent())
 * await updateAgent({ ...document, description: 'Sends invoices.' })
 * console.log((await verifySelf()).data.description) // Sends invoices.
 */
export const updateAgent = asynchronous(function updateAgent(
  session: Session,
  newAgentData: object | string,
): Operation<string> {
  return agents.updateAgent(session, newAgentData)
})
/** The synchronous twin of {@link updateAgent}. */
export const updateAgentSync = twin(updateAgent)
