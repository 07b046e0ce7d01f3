import type { Operation } from '../effects.ts'
import * as strings from '../operations/strings.ts'
import type { Session } from '../session.ts'
import type { KeyAlgorithm } from '../types.ts'
import { asynchronous, loadedAgent, privateKey, twin } from './form.ts'

/**
 * Signs the UTF-8 bytes of a text as they are, so that other programs can check the signature
 * (protocol, section 10).
 *
 * @returns base64 (RFC 4648, section 4) of 64 bytes for `ed25519`, of 4627 for `pq2025`
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `ReservedPrefix`
 *   for a text that begins with `SXv2 `; `NotJson` for half a surrogate pair, which has no UTF-8
 * @example
 * const signature = await signString('hello')
 * console.log(atob(signature).length) // 4627
 */
export const signString = asynchronous(
  { needs: privateKey },
  function signString(session: Session, data: string): Operation<string> {
    return strings.signString(session, data)
  },
)
/** The synchronous twin of {@link signString}. */
export const signStringSync = twin(signString)

/**
 * Whether a signature of {@link signString} is valid. Only the key decides; its owner does not matter.
 *
 * @param signatureBase64 base64 (RFC 4648, section 4); anything else gives false
 * @param publicKey bytes of SPKI PEM, of SPKI DER (RFC 8410, RFC 9881), or of the raw key; false for
 *   others, and for a weak key
 * @param publicKeyEncType `pq2025` or `ML-DSA-87`, `ed25519`, `Ed25519` or `ring-Ed25519`; false if the key is of another kind
 * @throws SxError `NoAgentLoaded`; `InvalidOption` if the key is not bytes; `NotJson` for half a
 *   surrogate pair
 * @example
 * const signature = await signString('hello')
 * const key = new TextEncoder().encode(getPublicKey())
 * console.log(await verifyString('hello', signature, key, 'pq2025')) // true
 */
export const verifyString = asynchronous(
  { needs: loadedAgent },
  function verifyString(
    session: Session,
    data: string,
    signatureBase64: string,
    publicKey: Uint8Array,
    publicKeyEncType: KeyAlgorithm | (string & {}),
  ): Operation<boolean> {
    return strings.verifyString(session, data, signatureBase64, publicKey, publicKeyEncType)
  },
)
/** The synchronous twin of {@link verifyString}. */
export const verifyStringSync = twin(verifyString)
