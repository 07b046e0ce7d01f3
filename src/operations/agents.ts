import { platform } from '#platform'
import { decode, encode, equalBytes } from '../bytes.ts'
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
import { readSaved, savedPassword, vaultOf } from './password.ts'
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
      async: async () => {
        if (file.size > maxBytes) throw new SxError('LimitExceeded', `The file is larger than ${maxBytes} bytes.`)
        try {
          return new Uint8Array(await file.arrayBuffer())
        } catch (cause) {
          throw new SxError('StorageUnavailable', 'The file cannot be read; it may have changed.', { cause })
        }
      },
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
  // Whoever relied on the saved password would be locked out. All is read before anything is written, and
  // if a write fails, all of them are undone, also that one: it may have been done nevertheless.
  const changes = [
    { read: get(keys, file), before: bytes, save: put(keys, file, encode(pem)), undo: put(keys, file, bytes) },
    ...(yield* savedPasswords(loaded, password, newPassword)),
  ]
  const tried: Change[] = []
  try {
    for (const change of changes) {
      tried.unshift(change)
      yield* perform(change.save)
    }
  } catch (error) {
    try {
      for (const change of tried) yield* undone(change)
    } catch {
      const found = 'The key or a place where its password is saved has the new password already, and the rest not.'
      throw new SxError('StorageUnavailable', found, { cause: error })
    }
    throw error
  }
}

/** One of the writes that belong together, and how it is taken back. */
interface Change {
  readonly read: Effect<Uint8Array | string | undefined>
  readonly before: Uint8Array | string
  readonly save: Effect<unknown>
  readonly undo: Effect<unknown>
}

function* undone({ read, before, undo }: Change): Operation<void> {
  const there = yield* perform(read)
  const isSame = typeof there === 'object' && typeof before === 'object' ? equalBytes(there, before) : there === before
  if (!isSame) yield* perform(undo)
}

/** How to write the new password wherever the old one is saved: key directory, configuration, vault. */
function* savedPasswords({ places, home, options }: Loaded, old: string, password: string): Operation<Change[]> {
  const changes: Change[] = []
  const file = [names().passwordFile]
  const saved = yield* perform(get(places.keys, file))
  if (saved !== undefined && (yield* readSaved(places)) === old) {
    const save = put(places.keys, file, encode(savedPassword(password)))
    changes.push({ read: get(places.keys, file), before: saved, save, undo: put(places.keys, file, saved) })
  }
  const config = yield* perform(home.readConfig)
  if (config !== undefined && parseConfig(config).password === old) {
    const fields = { ...(JSON.parse(decode(config, 'The configuration')) as object), sxPrivateKeyPassword: password }
    const text = call((core) => core.createConfig(JSON.stringify(fields)))
    const save = home.replaceConfig(encode(text))
    changes.push({ read: home.readConfig, before: config, save, undo: home.replaceConfig(config) })
  }
  const vault = vaultOf({ options, platform })
  if (vault !== undefined && (yield* perform(vault.read(home.configPath))) === old) {
    const [save, undo] = [vault.write(home.configPath, password), vault.write(home.configPath, old)]
    changes.push({ read: vault.read(home.configPath), before: old, save, undo })
  }
  return changes
}
