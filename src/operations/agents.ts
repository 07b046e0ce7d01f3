import { platform } from '#platform'
import { decode, encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { get, put } from '../home.ts'
import { toJsonText } from '../json.ts'
import { checkSize, defaultLimits, limitsText } from '../limits.ts'
import { checkPassword } from '../options.ts'
import { adoptDocument, type Loaded, requireLoaded, type Session } from '../session.ts'
import { hasSuccessor, isStored, readMade, storeNext } from './history.ts'
import { knownDocument } from './key-sources.ts'
import { openSecret, parseConfig } from './load.ts'
import { names } from './names.ts'
import { savedPassword, vaultOf } from './password.ts'
import { verifySelf } from './verify.ts'

/** `updateAgent`: signs and stores the next version of the loaded agent's document. */
export function* updateAgent(session: Session, agent: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const { limits } = loaded.options
  const json = checkSize(typeof agent === 'string' ? text(agent, 'newAgentData') : toJsonText(agent, limits), limits)
  const { data } = loaded.places
  const { version, text: current } = loaded.document
  if (!(yield* isStored(data, loaded.id, version))) {
    throw new SxError('Rollback', 'The storage misses the version of the agent document that was loaded.')
  }
  if (yield* hasSuccessor(data, loaded.id, version)) {
    throw new SxError('VersionConflict', 'The agent document was updated by another process; load the agent again.')
  }
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const made = readMade(
    call((core) => core.agentUpdate(loaded.secret.handle, current, json, at, random, limitsText(limits))),
  )
  const { name } = JSON.parse(call((core) => core.agentVerify(made.raw, limitsText(limits)))) as { name: string }
  yield* storeNext(data, made)
  adoptDocument(loaded, { version: made.version, text: made.raw, name })
  return made.raw
}

/** Refusals of an agent document that say nothing of the document offered. */
const NOT_ABOUT_THE_DOCUMENT: readonly string[] = ['CorruptStore', 'Internal', 'StorageUnavailable']

/** `verifyAgent`: whether a file holds a valid agent document; without one, whether the loaded agent's is. */
export function* verifyAgent(session: Session, agentFile: unknown): Operation<boolean> {
  const loaded = requireLoaded(session)
  if (agentFile === undefined || agentFile === null) return (yield* verifySelf(session)).valid
  const { limits } = loaded.options
  const bytes = yield* perform(contentOf(agentFile, limits?.bytes ?? defaultLimits().bytes))
  let document: string
  try {
    document = decode(bytes, 'The agent file')
  } catch {
    return false // no text
  }
  checkSize(document, limits)
  try {
    const { id } = JSON.parse(call((core) => core.agentVerify(document, limitsText(limits)))) as { id: string }
    // A document that the trust store would refuse is not the known agent's.
    const known = knownDocument(loaded, id)
    call((core) => core.trustAdmit(document, known, limitsText(limits)))
    return true
  } catch (error) {
    if (error instanceof SxError && !NOT_ABOUT_THE_DOCUMENT.includes(error.code)) return false
    throw error
  }
}

/** The content of a file that the caller names or hands over. */
function contentOf(file: unknown, maxBytes: number): Effect<Uint8Array> {
  if (typeof file === 'string' && file !== '') return platform.readFile(file, maxBytes)
  if (file instanceof Uint8Array) return { async: () => file, sync: () => file }
  if (file instanceof Blob) {
    return {
      async: async () => new Uint8Array(await file.arrayBuffer()),
      sync: () => {
        throw new SxError('InvalidOption', 'A Blob can only be read by the asynchronous function.')
      },
    }
  }
  throw new SxError('InvalidOption', "The argument 'agentFile' is no path, bytes, Blob or File.")
}

/** `reencryptKey`: encrypts the private key with another password. */
export function* reencryptKey(session: Session, old: unknown, next: unknown): Operation<void> {
  const loaded = requireLoaded(session)
  const password = checkPassword(old)
  const newPassword = checkPassword(next)
  const { keys } = loaded.places
  const file = [loaded.privateKeyFile]
  const bytes = yield* perform(get(keys, file))
  if (bytes === undefined) throw new SxError('NotFound', `There is no private key at ${loaded.privateKeyPath}.`)
  const secret = openSecret(decode(bytes, 'The key file'), password)
  let pem: string
  try {
    call((core) =>
      core.agentOpen(secret.handle, loaded.document.text, loaded.publicKeyPem, limitsText(loaded.options.limits)),
    )
    const random = yield* perform(entropy)
    pem = call((core) => core.secretEncrypt(secret.handle, encode(newPassword), random))
  } finally {
    secret.dispose()
  }
  // Whoever relied on a saved password would be locked out. All is read before anything is written,
  // and if saving fails, the key has its old password again.
  const saves = yield* savedPasswords(loaded, newPassword)
  yield* perform(put(keys, file, encode(pem)))
  try {
    for (const save of saves) yield* perform(save)
  } catch (error) {
    try {
      yield* perform(put(keys, file, bytes))
    } catch {
      const found = 'The key has the new password, but where the old one is saved it could not be replaced.'
      throw new SxError('StorageUnavailable', found, { cause: error })
    }
    throw error
  }
}

/** Writes the new password wherever the present one is saved: key directory, configuration, vault. */
function* savedPasswords({ places, home, options }: Loaded, password: string): Operation<Effect<unknown>[]> {
  const saves: Effect<unknown>[] = []
  const saved = [names().passwordFile]
  if ((yield* perform(get(places.keys, saved))) !== undefined)
    saves.push(put(places.keys, saved, encode(savedPassword(password))))
  const config = yield* perform(home.readConfig)
  if (config !== undefined && parseConfig(config).password !== null) {
    const fields = { ...(JSON.parse(decode(config, 'The configuration')) as object), sxPrivateKeyPassword: password }
    saves.push(home.replaceConfig(encode(call((core) => core.createConfig(JSON.stringify(fields))))))
  }
  const vault = vaultOf({ options, platform })
  if (vault !== undefined && (yield* perform(vault.read(home.configPath))) !== undefined)
    saves.push(vault.write(home.configPath, password))
  return saves
}
