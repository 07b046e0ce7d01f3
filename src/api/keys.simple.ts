import * as core from '#core'
import { call, text } from '../core.ts'
import type { Session } from '../session.ts'
import { direct, nothing } from './form.ts'

/**
 * The key id of a public key: its thumbprint (RFC 7638) in base64url, 43 characters, which people compare as its fingerprint.
 * Agents, verdicts and `listKeys` name keys by it. No agent has to be loaded.
 *
 * @param publicKey SPKI PEM, such as the content of a file `<agentId>.public.pem`
 * @throws SxError `InvalidKey` for what is no public key, `WeakPublicKey`; `InvalidOption`; `NotInitialized` in a page before
 *   `init()`
 * @example
 * console.log(getKeyId(getPublicKey()) === getAgentInfo()?.keyId) // true
 */
export const getKeyId = direct({ needs: nothing }, function getKeyId(_: Session, publicKey: string): string {
  const pem = text(publicKey, 'publicKey')
  return call(() => core.publicKeyId(pem))
})
