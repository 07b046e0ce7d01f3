import { letPass } from '../belated.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { checkPassword, plainOptions } from '../options.ts'
import { type AgentPlace, type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import type { AgentDocument } from '../state/own-document.ts'
import {
  encryptSecret,
  type KeyAtRest,
  type NextKey,
  openWithAny,
  pemFor,
  readKey,
  replaceKey,
  settleKey,
} from '../state/private-key.ts'
import { pause } from './current-key.ts'
import { openSigner } from './opening.ts'
import { askForPasskey, forgetPasskeys, knownPasskeys, makePasskey, requirePasskeys } from './passkey.ts'
import { configWith, readSaved, vaultOf, writeSaved } from './password.ts'
import { finishCreation } from './staging.ts'

/** What opened a private key, or is to open it. */
type Opener = 'kept' | 'passkey' | { readonly password: string }

/** What the caller names as a password, or in its place. */
function openerOf(given: unknown, forms: readonly ('kept' | 'passkey')[]): Opener {
  if (typeof given !== 'object' || given === null) return { password: checkPassword(given) }
  const own = plainOptions<Partial<Record<string, unknown>>>(
    given,
    Object.fromEntries(forms.map((form) => [form, true])),
    'password',
  )
  const form = forms.find((name) => own[name] === true)
  if (form !== undefined) return form
  throw new SxError('InvalidOption', `Instead of a password, pass {${forms.join(': true} or {')}: true}.`)
}

/**
 * `reencryptKey`: encrypts the private key with another password. The new key record is the moment at which the old
 * password counts no more; the copies are written after it, and by the next start if that fails.
 */
export function* reencryptKey(session: Session, old: unknown, next: unknown): Operation<void> {
  const loaded = requireLoaded(session)
  if (requireSigning(loaded).external !== undefined) {
    throw new SxError('Unsupported', 'An external signer has the private key.')
  }
  const from = openerOf(old, ['passkey', 'kept'])
  const to = openerOf(next, ['passkey'])
  const { id, options, place } = loaded
  const passkeys = from === 'passkey' || to === 'passkey' ? requirePasskeys(options) : undefined
  if (from === to) throw new SxError('InvalidOption', 'The private key already has a passkey.')
  const left = yield* finishCreation(place, id)
  if (left !== undefined) throw left.failure
  const candidates = yield* passwordsOf(loaded, from)
  const before = yield* knownPasskeys(options, place, id)
  for (;;) {
    const { key, password } = yield* openAtRest(loaded, candidates)
    const made =
      passkeys !== undefined && to === 'passkey'
        ? yield* makePasskey(passkeys, place, id, loaded.own.current.name)
        : undefined
    const newPassword = made?.password ?? (typeof to === 'object' ? to.password : '')
    const again = { old: password, password: newPassword, derivation: made?.derivation }
    const pem = key.pem && (yield* encryptAgain(key.pem, again))
    const next: NextKey[] = []
    for (const one of key.next) next.push({ ...one, pem: one.pem && (yield* encryptAgain(one.pem, again)) })
    const isTyped = typeof from === 'object'
    const change = { key, pem, next, old: password, password: newPassword, isTyped, isByPasskey: made !== undefined }
    // If this throws, the change may have been made: then no passkey is forgotten.
    const isDone = yield* apply(loaded, change)
    const useless = isDone ? before : [made?.id]
    yield* forgetPasskeys(options, place, (passkey) => useless.includes(passkey.id))
    if (isDone) return
    // Somebody else has changed it meanwhile; whether the old password still opens it shows when it is tried again.
  }
}

/** The passwords that may be the old one, the likeliest first. */
function* passwordsOf(loaded: Loaded, from: Opener): Operation<readonly string[]> {
  if (typeof from === 'object') return [from.password]
  const { id, options, place } = loaded
  if (from === 'passkey') return [yield* askForPasskey(options, place, id, (yield* readPresent(loaded)).pem)]
  const vault = vaultOf(options)
  const kept = vault === undefined ? [] : yield* perform(vault.read(place.home.configPath))
  if (kept.length > 0) return kept
  throw new SxError('PasswordRequired', 'No password of this agent is stored here.')
}

/** What is at rest, and in it the private key that fits the loaded agent's document. */
export interface Present {
  readonly key: KeyAtRest
  readonly own: AgentDocument
  readonly pem: string
}

/**
 * The private key as it is at rest.
 *
 * @throws SxError `Unsupported`, `KeyRevoked` if an external signer has taken its place; `NotFound`
 */
export function* readPresent(loaded: Loaded): Operation<Present> {
  const { own, place } = loaded
  for (;;) {
    const { keyPlace, external } = requireSigning(loaded)
    if (external !== undefined) throw new SxError('Unsupported', 'An external signer has the private key.')
    const { current } = own
    const key = yield* readKey(keyPlace)
    const pem = key && pemFor(key, current)
    if (key !== undefined && pem !== undefined) return { key, own: current, pem }
    if (yield* isRotated(loaded, current)) continue
    const { config, directories } = place
    throw new SxError('NotFound', `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`)
  }
}

/**
 * Whether what does not fit a version of the agent document may fit the next one: another call of this process rotates
 * the key, or has done so.
 *
 * @throws SxError `KeyRevoked` if another process has; `Busy`
 */
function* isRotated({ own }: Loaded, document: AgentDocument): Operation<boolean> {
  if (own.current === document) yield* own.requireCurrentKey()
  if (own.current !== document) return true
  if (!own.isRotating) return false
  yield* perform(pause)
  return true
}

/** The private key as it is at rest, which one of the passwords opens. It has to be the loaded agent's. */
export function* openAtRest(
  loaded: Loaded,
  candidates: readonly string[],
): Operation<{ key: KeyAtRest; pem: string; password: string }> {
  const { place, options } = loaded
  for (;;) {
    const { key, own, pem } = yield* readPresent(loaded)
    try {
      const { secret, password } = yield* openWithAny(pem, candidates)
      try {
        const { signer } = yield* openSigner(options, place, own, { secret, external: undefined }) // whose key is it?
        signer.dispose()
      } finally {
        secret.dispose()
      }
      return { key, pem, password }
    } catch (error) {
      letPass(error)
      if (!(yield* isRotated(loaded, own))) throw error
    }
  }
}

interface Again {
  readonly old: string
  readonly password: string
  readonly derivation: string | undefined
}

/** An encrypted private key, encrypted by another password. */
function* encryptAgain(pem: string, { old, password, derivation }: Again): Operation<string> {
  const { secret } = yield* openWithAny(pem, [old])
  try {
    return yield* encryptSecret(secret, password, derivation)
  } finally {
    secret.dispose()
  }
}

interface Change {
  readonly key: KeyAtRest
  readonly pem: string | undefined
  readonly next: readonly NextKey[]
  readonly old: string
  readonly password: string
  /** Whether somebody knows the old password. */
  readonly isTyped: boolean
  /** Whether the new password is a passkey's, and so is written nowhere. */
  readonly isByPasskey: boolean
}

/** The saved password; none where the file says none. */
function* savedOrNone(place: AgentPlace): Operation<string | undefined> {
  try {
    return yield* readSaved(place)
  } catch (error) {
    if (error instanceof SxError && error.code === 'PasswordRequired') return undefined
    throw error
  }
}

function* apply(loaded: Loaded, { key, pem, next, old, password, isTyped, isByPasskey }: Change): Operation<boolean> {
  const { place, options } = loaded
  const { keyPlace } = requireSigning(loaded)
  const { configPath } = place.home
  const vault = vaultOf(options)
  const kept = vault === undefined ? [] : yield* perform(vault.read(configPath))
  const config = isByPasskey ? undefined : yield* configWith(place, old, password)
  const file = yield* savedOrNone(place)
  // Where a change before this one has not come to its end, its record says what the file should hold.
  const isInFile = !isByPasskey && (file === old || (file !== undefined && key.saved === old))
  const isSaved =
    isInFile || config !== undefined || (!isByPasskey && key.saved === old && place.config.password !== null)
  // Who names the kept one as `{ kept: true }` wants it to be asked for; who passes it goes on being asked for nothing.
  const isToKeep = isTyped && !isByPasskey && kept.includes(old)
  if (vault !== undefined && isToKeep) yield* perform(vault.insert(configPath, password))
  // Who loses leaves the new password in the vault: the winner may have chosen the same one.
  const changed = yield* replaceKey(keyPlace, key, { pem, saved: isSaved ? password : null, next })
  if (changed === undefined) return false
  try {
    yield* settleKey(keyPlace, changed)
    if (isInFile) yield* writeSaved(place, password)
    if (config !== undefined) yield* perform(place.home.replaceConfig(config))
    for (const former of kept) {
      if (vault !== undefined && !(isToKeep && former === password)) yield* perform(vault.drop(configPath, former))
    }
  } catch (error) {
    letPass(error)
    // The new password counts already, and the next start writes the copies.
  }
  return true
}
