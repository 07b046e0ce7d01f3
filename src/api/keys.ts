import type { Operation } from '../effects.ts'
import * as agents from '../operations/agents.ts'
import * as revocation from '../operations/revocation.ts'
import * as rotation from '../operations/rotate.ts'
import { plainOptions } from '../options.ts'
import { requireLoaded, type Session } from '../session.ts'
import type {
  AgentKey,
  ExportKeyOptions,
  RevocationOptions,
  RevokeByStatement,
  RevokeOptions,
  RotatedKey,
  RotateOptions,
} from '../types.ts'
import { asynchronous, direct, loadedAgent, privateKey, twin, unlessOther } from './form.ts'

/**
 * Gives the agent a new key pair (protocol, sections 7 and 12). The old key vouches for the new one and is revoked
 * from then on; what it has signed before stays valid, unless `reason` is `compromised`. The new key is encrypted by
 * the password of the old one, whose file it takes. Who trusts the agent passes `agent` to `trustAgent`.
 *
 * With `signer` the new key is with an external signer, which this agent signs with from then on. The next `load` takes
 * the same `signer`. If it fails, nothing has changed.
 *
 * Other processes that have the agent loaded follow it with their next verdict, and sign no more with the old key: they
 * are told `KeyRevoked`, and load it again. What was stored before stays valid, whatever their clocks say.
 *
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if no password is found or it was loaded with `verifyOnly`;
 *   `WrongPassword`; `InvalidOption` for an unknown algorithm or reason; `ClockBehind` if something that the agent has
 *   signed is dated more than five minutes later than the clock says, unless `force` is set; `VersionConflict` if another
 *   process made the next version of the agent document; `Unsupported` for an agent with an external signer if there is no
 *   `signer`, `SignerFailed`, and `SyncSignerUnavailable` in the synchronous twin; `SyncStorageUnavailable` there where the
 *   storage writes behind; `KeyRevoked`, `KeyMismatch`, `NotFound`, `Rollback`, `CorruptStore`; storage
 *   codes, after which the key is the old or the new one: `load` tells
 * @example
 * const before = await signMessage('signed with the old key')
 * const { keyId, formerKeyId } = await rotateKey({ algorithm: 'ed25519' })
 * console.log(keyId !== formerKeyId, (await verify(before.raw)).valid) // true true
 */
export const rotateKey = asynchronous(
  {
    needs: loadedAgent,
    options: { at: 0, names: { algorithm: true, reason: true, password: true, force: true, signer: true } },
  },
  function rotateKey(session: Session, options?: RotateOptions): Operation<RotatedKey> {
    return rotation.rotateKey(session, options)
  },
)
/** The synchronous twin of {@link rotateKey}. */
export const rotateKeySync = twin(rotateKey)

/**
 * Says of an earlier key of the agent why it was revoked (protocol, section 7). After `compromised` nothing that it has
 * signed counts any more. A revocation is never taken back. The current key is revoked by `rotateKey` with a `reason`.
 *
 * In place of the key id it takes a revocation that {@link createRevocation} made in advance: for a key that is lost or
 * stolen, of this agent or of a trusted one. That needs no private key. If it is the agent's current key, the agent signs
 * nothing any more. One that is not `compromised` and dated more than five minutes later than the clock says is refused
 * (`ClockBehind`), unless `force` is set.
 *
 * If a clock was ahead when the key was rotated, `force` ends the former key now.
 *
 * @param keyId of the key: one of `getAgentInfo().keyIds`; or `{ statement, force? }`
 * @returns the agent document, for those who trust this agent: canonical JSON. After `{ statement }` about the current key
 *   it is the same as before, since the key cannot sign a new one: pass the statement on, too
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidOption` for the
 *   current key, or an unknown reason; `KeyMismatch` for a key that does not belong to the agent; `KeyRevoked` for a
 *   compromised key that is to be less; `VersionConflict`, `Rollback`, `CorruptStore`; storage codes. For a statement
 *   `InvalidDocument` if it is none or older than its key, `BadSignature` if it is damaged or by another key,
 *   `KeyMismatch` for a key that its agent is not known to have, `NotFound` for an agent that is not trusted, `ClockBehind`
 * @example
 * const { formerKeyId } = await rotateKey()
 * const agent = await revokeKey(formerKeyId, { reason: 'compromised' })
 * console.log(JSON.parse(agent).sxPublicKeys[0].revoked.reason) // compromised
 */
export const revokeKey = asynchronous(
  {
    needs: loadedAgent,
    options: [
      { at: 0, names: { statement: true, force: true }, copy: unlessOther },
      { at: 1, names: { reason: true, force: true } },
    ],
  },
  function revokeKey(session: Session, keyId: string | RevokeByStatement, options?: RevokeOptions): Operation<string> {
    return rotation.revokeKey(session, keyId, options)
  },
)
/** The synchronous twin of {@link revokeKey}. */
export const revokeKeySync = twin(revokeKey)

/**
 * A revocation of the agent's current key, made while the key can still sign it. Keep it offline: anyone who has it can
 * revoke the key. If the key is lost or stolen, `revokeKey({ statement })` applies it.
 *
 * With `compromised`, the default, nothing that the key has ever signed counts once it is applied. With any other reason
 * it counts from the moment at which it was made, after all that the agent has stored and this process has signed.
 *
 * @returns canonical JSON
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidOption` for an unknown
 *   reason, and for an earlier key; `KeyMismatch` for a key that does not belong to the agent; `KeyRevoked`; `SignerFailed`;
 *   `ClockBehind` for another reason than `compromised` if something that the agent has signed is dated more than five
 *   minutes later than the clock says, or if its key is valid only from then on; storage codes
 * @example
 * const statement = await createRevocation()
 * const { raw } = await signMessage('signed by a thief')
 * await revokeKey({ statement })
 * console.log((await verify(raw)).code) // KeyRevoked
 */
export const createRevocation = asynchronous(
  { needs: loadedAgent, options: { at: 0, names: { keyId: true, reason: true } } },
  function createRevocation(session: Session, options?: RevocationOptions): Operation<string> {
    return revocation.createRevocation(session, options)
  },
)
/** The synchronous twin of {@link createRevocation}. */
export const createRevocationSync = twin(createRevocation)

/**
 * The agent's private key, encrypted by a password of your choice: PKCS#8 PEM, which `importKey` of `create` takes, and
 * `openssl pkey` (protocol, section 4).
 *
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` for an empty password, and if the agent was loaded with
 *   `verifyOnly`; `InvalidOption`; `KeyRevoked` if another process has rotated the key; storage codes
 * @example
 * const pem = await exportKey({ password: 'another one' })
 * console.log(pem.split('\n')[0]) // -----BEGIN ENCRYPTED PRIVATE KEY-----
 */
export const exportKey = asynchronous(
  { needs: loadedAgent, options: { at: 0, names: { password: true }, copy: plainOptions } },
  function exportKey(session: Session, options: ExportKeyOptions): Operation<string> {
    return rotation.exportKey(session, options)
  },
)
/** The synchronous twin of {@link exportKey}. */
export const exportKeySync = twin(exportKey)

/**
 * The keys of the agent, oldest first; the last one is the current key. They are those that the agent document holds:
 * of more than 64 keys the oldest are not among them, which `getAgentInfo().keyIds` leaves out as well.
 *
 * @returns each key with its id, its algorithm and, once it was revoked, the date and the reason
 * @throws SxError `NoAgentLoaded`
 * @example
 * const { formerKeyId } = await rotateKey()
 * const [former, current] = listKeys()
 * console.log(former.keyId === formerKeyId, former.revoked?.reason, current.revoked) // true superseded undefined
 */
export const listKeys = direct({ needs: loadedAgent }, function listKeys(session: Session): AgentKey[] {
  return requireLoaded(session).own.keys.map((key) => Object.freeze(key))
})

/**
 * Countersigns the agent document of another agent, as its registration (protocol, section 6). Others check that with
 * `verifySignature(document, 'sxRegistration')`, and `verifyAgent` does. One that is there already is replaced.
 *
 * @param agentString the agent document, JSON text
 * @param publicKey the key that you know to be that agent's: SPKI PEM, SPKI DER or raw
 * @param publicKeyEncType its algorithm: `pq2025` or `ML-DSA-87`, `ed25519`, `Ed25519` or `ring-Ed25519`
 * @returns the document with `sxRegistration`: canonical JSON
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; a code of a verdict, or
 *   `InvalidId`, for a document that is not valid under its own key; `KeyMismatch` for a key that is none of the document's,
 *   `InvalidKey` and `WeakPublicKey` for one that is none; `InvalidOption`, `LimitExceeded`
 * @example
 * import { SxAgent } from 'sx-agent'
 * const { agent: warehouse } = await SxAgent.create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const registered = await signAgent(warehouse.exportAgent(), warehouse.getPublicKey(), 'pq2025')
 * console.log(await verifySignature(registered, 'sxRegistration')) // true
 */
export const signAgent = asynchronous(
  { needs: privateKey },
  function signAgent(
    session: Session,
    agentString: string,
    publicKey: Uint8Array | string,
    publicKeyEncType: string,
  ): Operation<string> {
    return agents.signAgent(session, agentString, publicKey, publicKeyEncType)
  },
)
/** The synchronous twin of {@link signAgent}. */
export const signAgentSync = twin(signAgent)
