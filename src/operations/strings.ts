import * as core from '#core'
import { isBytes } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { ownBytes } from '../storage/contract.ts'
import { signed } from './current-key.ts'
import { sign } from './signing.ts'

/** `signString` */
export function* signString(session: Session, data: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const checked = text(data, 'data')
  return yield* signed(loaded, () => signText(loaded, checked))
}

/** Signs a string, which is not dated. */
function* signText(loaded: Loaded, data: string): Operation<string> {
  const signing = requireSigning(loaded)
  const random = yield* perform(entropy)
  return yield* sign(signing, () => core.signString(signing.signer.handle, data, random))
}

/** More than the longest signature in base64 and the longest public key in PEM. */
const LARGEST = 16 * 1024

/** `verifyString` */
// oxlint-disable-next-line require-yield -- an operation without effects
export function* verifyString(
  session: Session,
  data: unknown,
  signatureBase64: unknown,
  publicKey: unknown,
  publicKeyEncType: unknown,
): Operation<boolean> {
  requireLoaded(session)
  const checked = text(data, 'data')
  const signature = text(signatureBase64, 'signatureBase64')
  const algorithm = text(publicKeyEncType, 'publicKeyEncType')
  // What cannot be a signature or key is not copied into the core, whose memory never shrinks again.
  if (signature.length > LARGEST || algorithm.length > LARGEST) return false
  if (!isBytes(publicKey)) throw new SxError('InvalidOption', "The argument 'publicKey' is not bytes.")
  const key = ownBytes(publicKey)
  if (key.length > LARGEST) return false
  return call(() => core.verifyString(checked, signature, key, algorithm))
}
