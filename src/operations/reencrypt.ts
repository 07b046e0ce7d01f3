import { letPass } from '../belated.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { checkPassword, plainOptions } from '../options.ts'
import { type AgentPlace, type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
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
import { openSigner } from './load.ts'
import { askForPasskey, forgetPasskeys, knownPasskeys, makePasskey, requirePasskeys } from './passkey.ts'
import { configWith, readSaved, vaultOf, writeSaved } from './password.ts'
import { finishCreation } from './staging.ts'

/** What opened a private key, or is to open it. */
type Opener = 'kept' | 'passkey' | { readonly password: string }

/** What the caller names as a password, or in its place. */
function openerOf(given: unknown, forms: readonly ('kept' | 'passkey')[]): Opener {
  if (typeof given !== 'object' || given === null) return { password: checkPassword(given) }
  const own = plainOptions<Partial<Record<string, unknown>>>(given, forms, 'password')
  const form = forms.find((name) => own[name] === true)
  if (form !== undefined) return form
  throw new SxError('InvalidOption', `In place of a password stands {${forms.join(': true} or {')}: true}.`)
}

/**
 * `reencryptKey`: encrypts the private key with another password. The new key record is the moment at which the old
 * password counts no more; the copies are written after it, and by the next start if that fails.
 */
export function* reencryptKey(session: Session, old: unknown, next: unknown): Operation<void> {
  const loaded = requireLoaded(session)
  if (requireSigning(loaded).external !== undefined) {
    throw new SxError('Unsupported', 'The private key is with an external signer.')
  }
  const from = openerOf(old, ['passkey', 'kept'])
  const to = openerOf(next, ['passkey'])
  const { id, options, place } = loaded
  const passkeys = from === 'passkey' || to === 'passkey' ? requirePasskeys(options) : undefined
  if (from === to) throw new SxError('InvalidOption', 'A passkey opens the private key already.')
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
    const pem = yield* encryptAgain(key.pem, again)
    const next: NextKey[] = []
    for (const one of key.next) next.push({ ...one, pem: yield* encryptAgain(one.pem, again) })
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
  if (from === 'passkey')
    return [yield* askForPasskey(options, place, id, pemFor(yield* readPresent(loaded), loaded.own.current))]
  const vault = vaultOf(options)
  const kept = vault === undefined ? [] : yield* perform(vault.read(place.home.configPath))
  if (kept.length > 0) return kept
  throw new SxError('PasswordRequired', 'No password of this agent is kept here.')
}

/** The private key as it is at rest. */
export function* readPresent(loaded: Loaded): Operation<KeyAtRest> {
  const key = yield* readKey(requireSigning(loaded).keyPlace)
  if (key !== undefined) return key
  const { config, directories } = loaded.place
  throw new SxError('NotFound', `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`)
}

/** The private key as it is at rest, which one of the passwords opens. It has to be the loaded agent's. */
export function* openAtRest(
  loaded: Loaded,
  candidates: readonly string[],
): Operation<{ key: KeyAtRest; password: string }> {
  const { place, options, own } = loaded
  for (;;) {
    const { current } = own
    const key = yield* readPresent(loaded)
    try {
      const { secret, password } = yield* openWithAny(pemFor(key, current), candidates)
      try {
        const { signer } = yield* openSigner(options, place, current, { secret, external: undefined }) // whose key is it?
        signer.dispose()
      } finally {
        secret.dispose()
      }
      return { key, password }
    } catch (error) {
      letPass(error)
      if (own.current !== current) continue // rotated by another call of this process
      yield* own.requireCurrentKey() // what is there may be its successor
      throw error
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
  readonly pem: string
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
