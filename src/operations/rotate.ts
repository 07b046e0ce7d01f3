/**
 * Keys over time. A new private key is in a key record before the agent document names it, and that document, whose next
 * version one process alone can put, decides whether it counts. So no moment is without a key that fits, a change of the
 * password carries both along, and whoever comes next finishes (protocol, section 12).
 *
 * @module
 */
import * as core from '#core'
import { letPass } from '../belated.ts'
import { type CoreObject, call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { EXPORT_KEY_OPTIONS, REVOKE_OPTIONS, ROTATE_OPTIONS } from '../option-names.ts'
import { checkPassword, plainOptions } from '../options.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { isCurrent } from '../state/chain.ts'
import { readMade } from '../state/documents.ts'
import type { AgentDocument } from '../state/own-document.ts'
import {
  decideNext,
  derivationOf,
  encryptSecret,
  type KeyAtRest,
  keepSecret,
  pemFor,
  publicOf,
  readKey,
  replaceKey,
  settleKey,
} from '../state/private-key.ts'
import type { ExportKeyOptions, RevokeOptions, RotatedKey, RotateOptions } from '../types.ts'
import { appendOwn, latestOwn, overtaken } from './agents.ts'
import { candidatesOf, settlePublicKeys } from './load.ts'
import { isByPasskey } from './passkey.ts'
import { findOpener, readSaved } from './password.ts'
import { openAtRest, readPresent } from './reencrypt.ts'
import { sign } from './signing.ts'
import { finishCreation } from './staging.ts'

/** `rotateKey`: a new key pair, which the old key vouches for. The next version of the agent document is the moment. */
export function* rotateKey(session: Session, options: RotateOptions = {}): Operation<RotatedKey> {
  const loaded = requireLoaded(session)
  const { algorithm, reason = 'superseded', password } = plainOptions(options, ROTATE_OPTIONS)
  if (password !== undefined) checkPassword(password)
  if (requireSigning(loaded).external !== undefined) {
    throw new SxError('Unsupported', 'The private key is with an external signer, which makes no new one.')
  }
  const { id, place, own } = loaded
  yield* requireAtOnce(loaded)
  const former = yield* latestOwn(loaded)
  const left = yield* finishCreation(place, id)
  if (left !== undefined) throw left.failure
  const random = yield* perform(entropy)
  const kind = text(algorithm ?? former.algorithm, 'algorithm')
  const secret = keepSecret(() => call(() => core.secretGenerate(kind, random)))
  try {
    const { keyId } = publicOf(secret)
    yield* orOvertaken(reserve(loaded, former, secret, password))
    yield* follow(loaded, former, secret, text(reason, 'reason'))
    return Object.freeze({
      keyId,
      formerKeyId: former.keyId,
      algorithm: own.current.algorithm,
      agent: own.current.text,
    })
  } catch (error) {
    if (own.current.version === former.version) secret.dispose()
    throw error
  }
}

/**
 * Refuses a storage that writes behind: the new key would have to be there before the document names it.
 *
 * @throws SxError `SyncStorageUnavailable`
 */
function* requireAtOnce({ documents, place }: Loaded): Operation<void> {
  if ((yield* perform(isCurrent(documents.storage))) && (yield* perform(isCurrent(place.directories.keys)))) return
  throw new SxError('SyncStorageUnavailable', 'This storage is written behind: rotate the key with `rotateKey`.')
}

/** Another process has rotated the key before this one could. */
function* orOvertaken(reserving: Operation<void>): Operation<void> {
  try {
    yield* reserving
  } catch (error) {
    throw error instanceof SxError && error.code === 'KeyRevoked' ? overtaken() : error
  }
}

/** Puts the new key into a key record, beside the one that counts until the agent document names it. */
function* reserve(
  loaded: Loaded,
  former: AgentDocument,
  secret: CoreObject,
  given: string | undefined,
): Operation<void> {
  const { id, options, place } = loaded
  const { keyPlace } = requireSigning(loaded)
  for (;;) {
    const there = yield* readPresent(loaded)
    const opener = given === undefined ? yield* findOpener(options, place, id, pemFor(there, former)) : undefined
    if (given === undefined && opener === undefined) throw new SxError('PasswordRequired')
    const passwords = opener === undefined ? [given ?? ''] : candidatesOf(there, opener)
    const { key, password } = yield* openAtRest(loaded, passwords)
    if (loaded.own.current !== former) throw overtaken() // by another call of this process
    // A passkey belongs to one derivation.
    const present = pemFor(key, former)
    const isPasskeys = yield* perform(isByPasskey(options, place, id, present))
    const pem = yield* encryptSecret(secret, password, isPasskeys ? derivationOf(present) : undefined)
    const next = [...key.next, { keyId: publicOf(secret).keyId, number: former.number + 1, pem }]
    // Of a password that was taken away from where it was saved no copy stays here.
    const isSaved = place.config.password !== null || (yield* readSaved(place)) !== undefined
    if ((yield* replaceKey(keyPlace, key, { pem: key.pem, saved: isSaved ? key.saved : null, next })) !== undefined)
      return
    // Somebody else has changed the password, or is about to rotate the key.
  }
}

/** Has the agent document name the new key, and then all copies follow. */
function* follow(loaded: Loaded, former: AgentDocument, secret: CoreObject, reason: string): Operation<void> {
  const { signer, dates } = requireSigning(loaded)
  const { keyId } = publicOf(secret)
  const at = yield* dates.begin()
  try {
    const random = yield* perform(entropy)
    if (loaded.own.current !== former) throw overtaken()
    const made = readMade(call(() => core.agentRotate(signer.handle, secret.handle, reason, at, random)))
    yield* appendOwn(loaded, made, former.number + 1, secret)
  } catch (error) {
    // Where a storage has failed the version may be there, and then names the new key.
    if (error instanceof SxError && REFUSED.includes(error.code)) yield* withdraw(loaded, keyId)
    throw error
  } finally {
    dates.end(at)
  }
  yield* settle(loaded)
}

/** After these the agent document does not name the new key, and never will. */
const REFUSED: readonly string[] = ['VersionConflict', 'InvalidOption', 'KeyConflict', 'LimitExceeded', 'NoEntropy']

/** Drops a new key that nothing names. What cannot be dropped does no harm; whoever rotates the key later drops it. */
function* withdraw(loaded: Loaded, keyId: string): Operation<void> {
  yield* change(loaded, function* (key) {
    const next = key.next.filter((one) => one.keyId !== keyId)
    const { pem, saved } = key
    if (next.length === key.next.length) return key
    return yield* replaceKey(requireSigning(loaded).keyPlace, key, { pem, saved, next })
  })
}

/** Drops the old key, and brings the copies up to date. What is left undone the next start does. */
function* settle(loaded: Loaded): Operation<void> {
  const { own, place } = loaded
  yield* change(loaded, (key) => decideNext(requireSigning(loaded).keyPlace, key, own.current))
  try {
    yield* settlePublicKeys(place, own.current)
  } catch (error) {
    letPass(error)
  }
}

/** Changes what is at rest, until nobody else has changed it in between. */
function* change(loaded: Loaded, step: (key: KeyAtRest) => Operation<KeyAtRest | undefined>): Operation<void> {
  const { keyPlace } = requireSigning(loaded)
  try {
    for (;;) {
      const key = yield* readKey(keyPlace)
      if (key === undefined) return
      const changed = yield* step(key)
      if (changed === undefined) continue
      yield* settleKey(keyPlace, changed)
      return
    }
  } catch (error) {
    letPass(error)
  }
}

/** `revokeKey`: says of an earlier key why it was revoked. */
export function* revokeKey(session: Session, keyId: unknown, options: RevokeOptions = {}): Operation<string> {
  const loaded = requireLoaded(session)
  const { reason = 'unspecified' } = plainOptions(options, REVOKE_OPTIONS)
  const signing = requireSigning(loaded)
  const [id, why] = [text(keyId, 'keyId'), text(reason, 'reason')]
  const { number, version } = yield* latestOwn(loaded)
  const at = yield* signing.dates.next()
  const random = yield* perform(entropy)
  const revoke = (): string | undefined => {
    if (loaded.own.current.version !== version) throw overtaken()
    return core.agentRevoke(signing.signer.handle, id, why, at, random)
  }
  const answer = yield* sign(signing, revoke)
  if (answer === undefined) return loaded.own.current.text
  const made = readMade(answer)
  yield* appendOwn(loaded, made, number + 1)
  return made.raw
}

/** `exportKey`: the private key, encrypted by a password of the caller's. */
export function* exportKey(session: Session, options: ExportKeyOptions): Operation<string> {
  const loaded = requireLoaded(session)
  const { password } = plainOptions(options, EXPORT_KEY_OPTIONS)
  const checked = checkPassword(password)
  const { secret, external } = requireSigning(loaded)
  if (external !== undefined) throw new SxError('Unsupported', 'The private key is with an external signer.')
  yield* loaded.own.requireCurrentKey()
  return yield* encryptSecret(secret, checked)
}
