import { call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { requireLoaded, type Session } from '../session.ts'

/** `signString` */
export function* signString(session: Session, data: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const checked = text(data, 'data')
  const random = yield* perform(entropy)
  return call((core) => core.signString(loaded.secret.handle, checked, random))
}

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
  const signed = text(data, 'data')
  const signature = text(signatureBase64, 'signatureBase64')
  const algorithm = text(publicKeyEncType, 'publicKeyEncType')
  if (!(publicKey instanceof Uint8Array)) throw new SxError('InvalidOption', "The argument 'publicKey' is not bytes.")
  return call((core) => core.verifyString(signed, signature, publicKey, algorithm))
}
