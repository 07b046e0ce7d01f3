import type { Operation } from '../effects.ts'
import * as agents from '../operations/agents.ts'
import { published, requirePublishable } from '../operations/agents.ts'
import * as loading from '../operations/load.ts'
import * as reencryption from '../operations/reencrypt.ts'
import { requireLoaded, type Session } from '../session.ts'
import type { AgentInfo, ByKept, ByPasskey } from '../types.ts'
import { asynchronous, direct, loadedAgent, nothing, privateKey, twin } from './form.ts'

/**
 * Whether an agent is loaded.
 *
 * @example
 * console.log(isLoaded()) // true
 */
export const isLoaded = direct({ needs: nothing }, function isLoaded(session: Session): boolean {
  return session.loaded !== undefined
})

/**
 * What people need to know of the agent; null if none is loaded.
 *
 * @example
 * console.log(getAgentInfo()?.name) // Billing
 */
export const getAgentInfo = direct({ needs: nothing }, function getAgentInfo({ loaded }: Session): AgentInfo | null {
  return loaded === undefined ? null : loading.describe(loaded)
})

/**
 * The agent's public key: SPKI PEM (RFC 8410, RFC 9881).
 *
 * @throws SxError `NoAgentLoaded`; `KeyRevoked` if a revocation that was made in advance has revoked it
 * @example
 * console.log(getPublicKey().split('\n')[0]) // -----BEGIN PUBLIC KEY-----
 */
export const getPublicKey = direct({ needs: loadedAgent }, function getPublicKey(session: Session): string {
  return requirePublishable(requireLoaded(session)).publicKey
})

/**
 * The agent document, which others pass to `trustAgent` (protocol, section 7). It does not say revocations that were made
 * in advance and that apply to the current key: `getAgentInfo().revoked` does.
 *
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log(JSON.parse(exportAgent()).sxType) // agent
 */
export const exportAgent = direct({ needs: loadedAgent }, function exportAgent(session: Session): string {
  return published(requireLoaded(session)).text
})

/**
 * Signs and stores the next version of the agent's own document (protocol, sections 6 and 7).
 *
 * @param newAgentData the complete agent document with its profile changed, as object or JSON text
 * @returns the new version, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; JSON codes;
 *   `InvalidAgent` for a document that is not complete; `KeyMismatch` for another agent's, `KeyConflict`
 *   for a changed key, `ReservedField` for a changed header; `VersionConflict` for a document of another version,
 *   and if another process made the next one; `Rollback`, `CorruptStore`; storage codes
 * @example
 * const document = JSON.parse(exportAgent())
 * await updateAgent({ ...document, description: 'Sends invoices.' })
 * console.log(JSON.parse(exportAgent()).description) // Sends invoices.
 */
export const updateAgent = asynchronous(
  { needs: loadedAgent, data: 'document' },
  function updateAgent(session: Session, newAgentData: object | string): Operation<string> {
    return agents.updateAgent(session, newAgentData)
  },
)
/** The synchronous twin of {@link updateAgent}. */
export const updateAgentSync = twin(updateAgent)

/**
 * Whether an agent document is valid in itself and, if its agent is known, no older and with no
 * other key than the known one (protocol, section 11). It does not trust the agent: `trustAgent` does.
 *
 * @param agentFile path of a file, or the file itself (`File`, `Blob`) or its bytes; without it the
 *   loaded agent's own document
 * @throws SxError `NoAgentLoaded`, `NotFound`, storage codes; `LimitExceeded` for a file that is larger than
 *   any document; `InvalidOption` for what is none of these, for any path in a page, and for a blob in the
 *   synchronous twin; `Rollback` and `CorruptStore` if what is known of the agent is damaged; nothing
 *   because of what the file holds
 * @example
 * import { writeFileSync } from 'node:fs'
 * writeFileSync('billing.json', exportAgent())
 * console.log(await verifyAgent('billing.json')) // true
 */
export const verifyAgent = asynchronous(
  { needs: loadedAgent },
  function verifyAgent(session: Session, agentFile?: string | Uint8Array | Blob | null): Operation<boolean> {
    return agents.verifyAgent(session, agentFile)
  },
)
/** The synchronous twin of {@link verifyAgent}. */
export const verifyAgentSync: (agentFile?: string | Uint8Array | null) => boolean = twin(verifyAgent)

/**
 * Encrypts the private key with another password (protocol, section 12). Where the
 * old one was saved, in the key directory or in the configuration, the new one is saved
 * instead. One in SX_PRIVATE_KEY_PASSWORD is yours to change. Of two changes at once one wins; the other
 * is told `WrongPassword`.
 *
 * A page keeps a new password only if `oldPassword` is the text of one that it kept. After `{ kept: true }` it keeps none:
 * whoever loads the agent has to pass the new one.
 *
 * In a page `{ passkey: true }` stands for the agent's passkey: as the old one it is asked for, as the new one it is made.
 * What was a passkey opens nothing then, and the page forgets it.
 *
 * @param oldPassword what opens the private key now; `{ kept: true }` for what the page has generated and keeps
 * @param newPassword what is to open it; not empty
 * @throws SxError `NoAgentLoaded`; `WrongPassword`; `PasswordRequired` for an empty one, if the page keeps none or
 *   knows no passkey that opens the key, and if the agent was loaded with `verifyOnly`; `NotFound` without the key file; `InvalidKey`, `KdfOutOfRange` and
 *   `CorruptStore` for one that was damaged, or a record of it; `KeyMismatch` if it is another agent's,
 *   `AlreadyExists` if another agent's key stands in its place; `InvalidOption` for a passkey where there
 *   can be none, `PasskeyUnavailable` and `Unsupported` for one that was not given or made; storage codes
 * @example
 * await reencryptKey('correct horse battery staple', 'another one')
 * console.log((await load({ password: 'another one' })).name) // Billing
 */
export const reencryptKey = asynchronous(
  { needs: privateKey },
  function reencryptKey(
    session: Session,
    oldPassword: string | ByPasskey | ByKept,
    newPassword: string | ByPasskey,
  ): Operation<void> {
    return reencryption.reencryptKey(session, oldPassword, newPassword)
  },
)
/** The synchronous twin of {@link reencryptKey}. */
export const reencryptKeySync = twin(reencryptKey)
