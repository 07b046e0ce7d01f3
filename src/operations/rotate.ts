/**
 * Keys over time. A new private key is in a key record before the agent document names it, or the record says that an
 * external signer has it. That document, whose next version one process alone can put, decides whether it counts. So no
 * moment is without a key that fits, a change of the password carries both along, and whoever comes next finishes
 * (protocol, section 12).
 *
 * @module
 */
import * as core from '#core'
import { letPass } from '../belated.ts'
import { encode, toBase64 } from '../bytes.ts'
import { type CoreObject, text } from '../core.ts'
import { isCurrent, put, remove } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { blankMoment, entropy, momentAt, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { rotationIntent } from '../names.ts'
import { checkPassword, flag } from '../options.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { claim } from '../state/chain.ts'
import { readMade } from '../state/documents.ts'
import type { AgentDocument } from '../state/own-document.ts'
import {
  derivationOf,
  encryptSecret,
  generateSecret,
  type KeyPlace,
  pemFor,
  publicOf,
  readKey,
  replaceKey,
  settleKey,
} from '../state/private-key.ts'
import type { BegunRotation } from '../state/signing-dates.ts'
import { StoredDates } from '../state/stored-dates.ts'
import type {
  ExportKeyOptions,
  RevokeByStatement,
  RevokeOptions,
  RotatedKey,
  RotateOptions,
  RotationWarning,
} from '../types.ts'
import { appendOwn, changeOwn, latestOwn, overtaken, requireLatest } from './agents.ts'
import { dateAfterAll } from './clocks.ts'
import { isStill, pause } from './current-key.ts'
import { atOneVersion } from './one-version.ts'
import { candidatesOf } from './opening.ts'
import { isByPasskey } from './passkey.ts'
import { findOpener, readSaved } from './password.ts'
import { openAtRest, readPresent } from './reencrypt.ts'
import { revokeByStatement } from './revocation.ts'
import { ASYNCHRONOUS, type Meanwhile, optionsWith, type SigningKey, sign, successorOf } from './signing.ts'
import { finishCreation } from './staging.ts'
import { settleKeys } from './tidy.ts'

/** Between two renewals of an intent, milliseconds. */
const RENEWAL = 1_000
/** So often an intent is renewed at most. */
const MOST_RENEWALS = 300

/** A rotation that loses to a version which changes no key begins again, so often at most. */
const ATTEMPTS = 5

/** `rotateKey`: a new key pair, which the old key vouches for. The next version of the agent document is the moment. */
export function* rotateKey(session: Session, options: RotateOptions = {}): Operation<RotatedKey> {
  const loaded = requireLoaded(session)
  const { algorithm, reason = 'superseded', password, force, signer } = options
  if (password !== undefined) checkPassword(password)
  const given = signer && successorOf(signer, { algorithm, password })
  const { external } = requireLatest(loaded)
  if (external !== undefined && given === undefined) {
    throw new SxError(
      'Unsupported',
      "An external signer has the private key. Pass the new key's `signer`: `rotateKey({ signer })`.",
    )
  }
  if (given !== undefined) yield* perform(ASYNCHRONOUS)
  const { id, place, own } = loaded
  const how: How = { why: text(reason, 'reason'), isForced: flag('force', force) }
  yield* requireAtOnce(loaded)
  let former = yield* latestOwn(loaded)
  const left = yield* finishCreation(place, id)
  if (left !== undefined) throw left.failure
  const random = yield* perform(entropy)
  const kind = text(algorithm ?? former.algorithm, 'algorithm')
  const next: SigningKey = given ?? { secret: generateSecret(kind, random), external: undefined }
  const { secret } = next
  try {
    const { keyId } = publicOf(secret)
    // Two processes may pass the same signer; their intents are two.
    const intent = given === undefined ? keyId : `${keyId} ${toBase64(random)}`
    for (let attempt = 1; ; attempt++) {
      const isReady =
        given !== undefined || (yield* orOvertaken(loaded, former, reserve(loaded, former, secret, password)))
      if (isReady && (yield* follow(loaded, former, next, how, intent))) break
      if (attempt === ATTEMPTS) throw overtaken()
      former = own.current
    }
    if (given !== undefined) session.options = optionsWith(session.options, given)
    return Object.freeze({
      keyId,
      formerKeyId: former.keyId,
      algorithm: own.current.algorithm,
      agent: own.current.text,
      revokedAt: revokedAt(loaded, former.keyId),
      warnings: Object.freeze([BACKUP_OUTDATED]),
    })
  } catch (error) {
    if (own.current.version === former.version) secret.dispose()
    throw error
  }
}

/** From when on a key that was rotated is revoked. */
function revokedAt({ own }: Loaded, keyId: string): string {
  const at = own.keys.find((key) => key.keyId === keyId)?.revoked?.at
  if (at === undefined) throw new SxError('Internal')
  return at
}

const BACKUP_OUTDATED: RotationWarning = /* @__PURE__ */ Object.freeze({
  code: 'BackupOutdated',
  message: 'Earlier backups restore the former key. Make a new backup with exportStore.',
})

/** How the key is rotated. */
interface How {
  readonly why: string
  /** Whether later dates than the present do not matter. */
  readonly isForced: boolean
}

/**
 * Refuses a storage that writes behind: the new key would have to be there before the document names it.
 *
 * @throws SxError `SyncStorageUnavailable`
 */
function* requireAtOnce({ documents, place }: Loaded): Operation<void> {
  if ((yield* perform(isCurrent(documents.storage))) && (yield* perform(isCurrent(place.directories.keys)))) return
  throw new SxError('SyncStorageUnavailable', 'This storage writes with a delay. Rotate the key with `rotateKey`.')
}

/** Another process has rotated the key before this one could, or another call has handed it to an external signer. */
function* orOvertaken<T>({ own }: Loaded, former: AgentDocument, work: Operation<T>): Operation<T> {
  try {
    return yield* work
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    const isHandedOver = error.code === 'Unsupported' && own.current.keyId !== former.keyId
    throw error.code === 'KeyRevoked' || isHandedOver ? overtaken() : error
  }
}

/**
 * Puts the new key into a key record, next to the one that counts until the agent document names it.
 *
 * @returns false if a version has come in between that changes no key
 */
function* reserve(
  loaded: Loaded,
  former: AgentDocument,
  secret: CoreObject,
  given: string | undefined,
): Operation<boolean> {
  const { id, options, own, place } = loaded
  const { keyPlace } = requireSigning(loaded)
  for (;;) {
    const there = yield* readPresent(loaded)
    const opener = given === undefined ? yield* findOpener(options, place, id, there.pem) : undefined
    if (given === undefined && opener === undefined) throw new SxError('PasswordRequired')
    const passwords = opener === undefined ? [given ?? ''] : candidatesOf(there.key, opener)
    const { key, pem: present, password } = yield* openAtRest(loaded, passwords)
    if (own.current !== former) {
      if (own.current.keyId === former.keyId) return false
      throw overtaken() // by another call of this process
    }
    // A passkey belongs to one derivation.
    const isPasskeys = yield* perform(isByPasskey(options, place, id, present))
    const pem = yield* encryptSecret(secret, password, isPasskeys ? derivationOf(present) : undefined)
    const next = [...key.next, { keyId: publicOf(secret).keyId, number: former.number + 1, pem }]
    // Of a password that was taken away from where it was saved no copy stays here.
    const isSaved = place.config.password !== null || (yield* readSaved(place)) !== undefined
    if ((yield* replaceKey(keyPlace, key, { pem: key.pem, saved: isSaved ? key.saved : null, next })) !== undefined)
      return true
    // Somebody else has changed the password, or is about to rotate the key.
  }
}

/**
 * Notes in a key record that an external signer has the new key: where the agent document names it, the private key goes.
 * What its owner has put beside a key that is with a signer already stays.
 */
function* handOver(loaded: Loaded, former: AgentDocument, keyId: string): Operation<void> {
  const { keyPlace, external } = requireSigning(loaded)
  for (;;) {
    const key = yield* readKey(keyPlace)
    if (key?.pem === undefined || (external !== undefined && pemFor(key, former) !== undefined)) return
    const next = [...key.next, { keyId, number: former.number + 1, pem: undefined }]
    if ((yield* replaceKey(keyPlace, key, { pem: key.pem, saved: key.saved, next })) !== undefined) return
  }
}

/**
 * Has the agent document name the new key, and then all copies follow.
 *
 * @returns false if a version has come in between that changes no key
 */
function* follow(
  loaded: Loaded,
  former: AgentDocument,
  next: SigningKey,
  how: How,
  intent: string,
): Operation<boolean> {
  const signing = requireSigning(loaded)
  const { signer, keyPlace, dates } = signing
  const { own, documents } = loaded
  const { secret } = next
  const { keyId } = publicOf(secret)
  const stored = new StoredDates(documents, loaded.id)
  const isCompromised = how.why === 'compromised' // then no date counts
  if (!isCompromised) yield* stored.read() // most of them, while others still sign
  const announced = dates.announce(intent)
  let rotation: BegunRotation
  try {
    if (!(yield* announce(loaded, former, intent))) return false
    rotation = yield* dates.begin(intent)
  } finally {
    announced()
  }
  const end = own.beginRotation()
  try {
    if (!isCompromised) yield* stored.read()
    const at = Math.max(rotation.since, yield* dateOf(loaded, stored.latest, how))
    const moment = momentAt(at, yield* perform(blankMoment))
    const rotate = (): string => {
      if (own.current !== former) throw overtaken()
      return core.agentRotate(signer.handle, secret.handle, how.why, moment)
    }
    const made = readMade(yield* sign(signing, rotate, next, renewing(loaded, former.number + 1, intent)))
    if (next.external !== undefined) yield* handOver(loaded, former, keyId)
    rotation.puts(made.version)
    yield* appendOwn(loaded, made, former.number + 1, next)
  } catch (error) {
    // Where a storage has failed the version may be there, and then names the new key: others wait until it is decided.
    if (error instanceof SxError && REFUSED.includes(error.code)) {
      if (error.code !== 'VersionConflict') yield* renounce(loaded, former.number + 1)
      if (next.external === undefined) yield* withdraw(keyPlace, keyId) // else another process may have put the same one
    }
    throw error
  } finally {
    end()
    rotation.end()
  }
  yield* settleKeys(loaded, keyPlace)
  return true
}

/**
 * Puts the intent to rotate the key in the next version: whoever signs and finds it waits. It stands before the date of
 * the rotation is drawn.
 *
 * @returns false if a version has come in between that changes no key
 */
function* announce(loaded: Loaded, former: AgentDocument, text: string): Operation<boolean> {
  const { own, documents, id } = loaded
  const intent = encode(text)
  while (own.current === former) {
    if (yield* claim(documents.storage, rotationIntent(id, former.number + 1), intent, true)) return true
    if (own.isRotating) yield* perform(pause)
    else {
      yield* orOvertaken(loaded, former, isStill(loaded, former.keyId)) // of another rotation, which comes to its end or is broken off
      yield* own.catchUp() // by a version that somebody else has put
    }
  }
  if (own.current.keyId !== former.keyId) throw overtaken() // by another call of this process
  return false
}

/**
 * Renews the intent while external signers take their time, so that others go on waiting. After five minutes it is left to
 * them to break the rotation off.
 */
function renewing({ documents, id, own }: Loaded, number: number, intent: string): Meanwhile {
  let times = 0
  const work = function* (): Operation<void> {
    if (times === MOST_RENEWALS || own.latest.number >= number) return
    times++
    try {
      yield* perform(put(documents.storage, rotationIntent(id, number), encode(`${intent} ${times}`)))
    } catch (error) {
      letPass(error) // the next time may come in time
    }
  }
  return { every: RENEWAL, work }
}

/**
 * Removes the intent of a version that will not be stored. The intent of a stored version stays: a look reads both in
 * parallel and has to find one of them.
 */
function* renounce({ documents, id }: Loaded, number: number): Operation<void> {
  try {
    yield* perform(remove(documents.storage, rotationIntent(id, number)))
  } catch (error) {
    letPass(error)
  }
}

/**
 * When the old key ends: after all that it has signed, if that matters.
 *
 * @throws SxError `ClockBehind`
 */
function* dateOf(loaded: Loaded, stored: number, { why, isForced }: How): Operation<number> {
  if (why === 'compromised') return (yield* perform(now)) + 1
  const force = 'If this clock is right, rotate with `force: true`. Signatures with a later date become invalid.'
  return yield* dateAfterAll(loaded, stored, isForced ? undefined : force)
}

/** After these the agent document does not name the new key, and never will. */
const REFUSED: readonly string[] = [
  'ClockBehind',
  'VersionConflict',
  'InvalidOption',
  'KeyConflict',
  'LimitExceeded',
  'NoEntropy',
  'SignerFailed',
  'KeyMismatch',
]

/** Drops a new key that nothing names. What cannot be dropped does no harm; whoever rotates the key later drops it. */
function* withdraw(keyPlace: KeyPlace, keyId: string): Operation<void> {
  try {
    for (;;) {
      const key = yield* readKey(keyPlace)
      if (key === undefined || !key.next.some((one) => one.keyId === keyId)) return
      const { pem, saved } = key
      const next = key.next.filter((one) => one.keyId !== keyId)
      const changed = yield* replaceKey(keyPlace, key, { pem, saved, next })
      if (changed !== undefined) return yield* settleKey(keyPlace, changed)
    }
  } catch (error) {
    letPass(error)
  }
}

/** `revokeKey`: says of an earlier key why it was revoked; or takes that from a revocation that was made in advance. */
export function* revokeKey(session: Session, keyId: unknown, options: RevokeOptions = {}): Operation<string> {
  if (typeof keyId === 'object' && keyId !== null) {
    return yield* revokeByStatement(session, keyId as RevokeByStatement)
  }
  const loaded = requireLoaded(session)
  const { reason = 'unspecified', force } = options
  requireLatest(loaded)
  const [id, why, isForced] = [text(keyId, 'keyId'), text(reason, 'reason'), flag('force', force)]
  if (id.trimStart().startsWith('{')) {
    throw new SxError('InvalidOption', 'A revocation statement was passed as the key id.', {
      advice: 'Pass it as `{ statement }`.',
    })
  }
  return yield* changeOwn(loaded, (signing, moment) =>
    core.agentRevoke(signing.signer.handle, id, why, isForced, moment),
  )
}

/** `exportKey`: the private key, encrypted by a password of the caller's. */
export function* exportKey(session: Session, options: ExportKeyOptions): Operation<string> {
  const loaded = requireLoaded(session)
  const checked = checkPassword(options.password)
  const { external } = requireSigning(loaded)
  if (external !== undefined) throw new SxError('Unsupported', 'An external signer has the private key.')
  return yield* atOneVersion(loaded, ({ secret }) => encryptSecret(secret, checked))
}
