import { letPass } from '../belated.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { checkPassword } from '../options.ts'
import { type AgentPlace, type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { encryptSecret, type KeyAtRest, openSecret, readKey, replaceKey, settleKey } from '../state/private-key.ts'
import { openSigner } from './load.ts'
import { configWith, readSaved, vaultOf, writeSaved } from './password.ts'
import { finishCreation } from './staging.ts'

/**
 * `reencryptKey`: encrypts the private key with another password. The new key record is the moment at which the old
 * password counts no more; the copies are written after it, and by the next start if that fails.
 */
export function* reencryptKey(session: Session, old: unknown, next: unknown): Operation<void> {
  const loaded = requireLoaded(session)
  const { keyPlace, secret } = requireSigning(loaded)
  const password = checkPassword(old)
  const newPassword = checkPassword(next)
  const { place } = loaded
  const left = yield* finishCreation(place, loaded.id)
  if (left !== undefined) throw left.failure
  const path = place.directories.keyPath(place.config.privateKeyFilename)
  for (;;) {
    const key = yield* readKey(keyPlace)
    if (key === undefined) throw new SxError('NotFound', `There is no private key at ${path}.`)
    const opened = yield* openSecret(key.pem, password)
    try {
      const { signer } = yield* openSigner(loaded.options, place, loaded.own.current, opened) // whose key is it?
      signer.dispose()
    } finally {
      opened.dispose()
    }
    const pem = yield* encryptSecret(secret, newPassword)
    const change = { key, pem, old: password, password: newPassword }
    if (yield* apply(loaded, change)) return
    // Somebody else has changed it meanwhile; whether the old password still opens it shows when it is tried again.
  }
}

interface Change {
  readonly key: KeyAtRest
  readonly pem: string
  readonly old: string
  readonly password: string
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

function* apply(loaded: Loaded, { key, pem, old, password }: Change): Operation<boolean> {
  const { place, options } = loaded
  const { keyPlace } = requireSigning(loaded)
  const { configPath } = place.home
  const vault = vaultOf(options)
  const kept = vault === undefined ? [] : yield* perform(vault.read(configPath))
  const config = yield* configWith(place, old, password)
  const file = yield* savedOrNone(place)
  // Where a change before this one has not come to its end, its record says what the file should hold.
  const isInFile = file === old || (file !== undefined && key.saved === old)
  const isSaved = isInFile || config !== undefined || key.saved === old
  if (vault !== undefined && kept.includes(old)) yield* perform(vault.insert(configPath, password))
  // Who loses leaves the new password in the vault: the winner may have chosen the same one.
  if (!(yield* replaceKey(keyPlace, key, pem, isSaved ? password : undefined))) return false
  try {
    yield* settleKey(keyPlace, { number: key.number + 1, pem, saved: null })
    if (isInFile) yield* writeSaved(place, password)
    if (config !== undefined) yield* perform(place.home.replaceConfig(config))
    for (const former of kept) {
      if (vault !== undefined && former !== password) yield* perform(vault.drop(configPath, former))
    }
  } catch (error) {
    letPass(error)
    // The new password counts already, and the next start writes the copies.
  }
  return true
}
