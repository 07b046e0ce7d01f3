import * as core from '#core'
import { platform } from '#platform'
import {
  type Backup,
  BackupWriter,
  CONFIG,
  chainEntry,
  compareBackupNames,
  isId,
  KEYS,
  keyOwner,
  LARGEST_BACKUP,
  nameOf,
  ownerOf,
  PRIVATE_KEY,
  readBackup,
} from '../backup.ts'
import { decode, encode, equalBytes } from '../bytes.ts'
import { call, isWellFormed } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { cursor, DEFAULT_CONFIG_PATH, DIRECTORY_FIELDS, get } from '../home.ts'
import { names, publicKeyFile } from '../names.ts'
import { EXPORT_OPTIONS, IMPORT_STORE_OPTIONS } from '../option-names.ts'
import { agentOptions, checkPassword, plainOptions } from '../options.ts'
import { type AgentPlace, flush, type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { claim } from '../state/chain.ts'
import { readMade } from '../state/documents.ts'
import { encryptSecret, pemFor, readKey } from '../state/private-key.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type { Bytes, ExportOptions, ImportOptions, RestoredAgent } from '../types.ts'
import { configOf, type Fields, verifyBackup } from './backup-check.ts'
import { commit, OutcomeUnknown, settle } from './create.ts'
import { openHome, parseConfig } from './load.ts'
import { isByPasskey } from './passkey.ts'
import { sign } from './signing.ts'
import { fileOf } from './sources.ts'
import { finishCreation, type Parts, stage, unstage } from './staging.ts'

/** `exportStore`: configuration, private key, keys of others, documents and trust, under a manifest that is signed. */
export function* exportStore(session: Session, options: ExportOptions): Operation<Bytes> {
  const { password } = plainOptions(options, EXPORT_OPTIONS)
  if (password !== undefined) checkPassword(password)
  const loaded = requireLoaded(session)
  const signing = requireSigning(loaded)
  yield* perform(settled(loaded))
  const { keys, data } = loaded.place.directories
  const backup = new BackupWriter()
  backup.add({ name: CONFIG, text: yield* configToSave(loaded) })
  if (signing.external === undefined || password !== undefined) {
    backup.add({ name: PRIVATE_KEY, text: yield* keyToSave(loaded, password) })
  }
  for (const file of yield* foreignKeys(loaded)) {
    const bytes = yield* perform(get(keys, [file]))
    if (bytes !== undefined) backup.add({ name: `${KEYS}/${file}`, text: decode(bytes, file) })
  }
  for (const folder of [names().documents, names().trust]) yield* saveChains(data, folder, backup)
  yield* loaded.own.requireCurrentKey() // a key and a document that do not fit would be no backup
  const { entries, sha256 } = backup.contents
  const at = yield* signing.dates.next()
  const random = yield* perform(entropy)
  const manifest = yield* sign(signing, () => core.backupManifest(signing.signer.handle, entries, sha256, at, random))
  return backup.finish(readMade(manifest).raw)
}

/** Waits for what is written behind; a synchronous call reads that already. */
function settled(loaded: Loaded): Effect<void> {
  return { kind: 'storage', async: () => flush(loaded), sync: () => {} }
}

function* configToSave({ id, place }: Loaded): Operation<string> {
  const bytes = yield* perform(place.home.readConfig)
  if (bytes === undefined || parseConfig(bytes).agentId !== id) {
    throw new SxError('NotFound', `The configuration at ${place.home.configPath} names this agent no more.`)
  }
  return configOf(JSON.parse(decode(bytes, 'The configuration')) as Fields)
}

/** The private key, encrypted anew or as it is now. Key records stay behind: they may hold a password. */
function* keyToSave(loaded: Loaded, password: string | undefined): Operation<string> {
  if (password !== undefined) return yield* encryptSecret(requireSigning(loaded).secret, password)
  const { id, options, place } = loaded
  const { config, directories } = place
  const left = yield* finishCreation(place, id)
  const keyPlace = { keys: directories.keys, file: [config.privateKeyFilename] }
  const key = left === undefined ? yield* readKey(keyPlace) : undefined
  const pem = left?.privateKey ?? (key && pemFor(key, loaded.own.current))
  if (pem === undefined) {
    throw new SxError('NotFound', `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`)
  }
  if (!(yield* perform(isByPasskey(options, place, id, pem)))) return pem
  const found = 'A passkey opens the private key, and no backup can hold that: the backup needs a `password`.'
  throw new SxError('PasswordRequired', found)
}

/** Files of other agents' public keys, in order. */
function* foreignKeys({ id, place: { config, directories } }: Loaded): Operation<string[]> {
  const own = [config.privateKeyFilename, config.publicKeyFilename, publicKeyFile(id)[0]]
  const found: string[] = []
  const next = cursor(directories.keys, [])
  for (;;) {
    const key = yield* perform(next)
    if (key === undefined) return found.sort(compareBackupNames)
    const [file = ''] = key
    if (key.length === 1 && ownerOf(file) !== undefined && !own.includes(file)) found.push(file)
  }
}

/** All entries of all chains below a folder of the data directory. */
function* saveChains(data: Storage, folder: string, backup: BackupWriter): Operation<void> {
  const lengths = new Map<string, number>()
  const next = cursor(data, [folder])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const entry = chainEntry(key.join('/'))
    if (entry !== undefined) lengths.set(entry.id, Math.max(entry.number, lengths.get(entry.id) ?? 0))
  }
  const isTrust = folder === names().trust
  for (const [id, length] of [...lengths].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (let number = 1; number <= length; number++) {
      const name = nameOf({ isTrust, id, number })
      const bytes = yield* perform(get(data, name.split('/')))
      if (bytes === undefined) throw new SxError('CorruptStore', `${name} is missing, although a later one is there.`)
      backup.add({ name, text: decode(bytes, name) })
    }
  }
}

/** `importStore`: all is checked first, and the configuration, which makes it an agent, is written last. */
export function* importStore(session: Session, given: unknown, options: ImportOptions): Operation<RestoredAgent> {
  const { storage, configPath = DEFAULT_CONFIG_PATH, ...directories } = checkOptions(options)
  const target = storage === undefined ? session.storage : storage
  const inside = agentOptions(target === undefined ? {} : { storage: target })
  const backup = readBackup(yield* perform(fileOf(given, 'backup', LARGEST_BACKUP)))
  const restored = yield* verifyBackup(backup)
  const { id, parts } = restored
  const home = yield* openHome(inside, configPath)
  const text = configHere(restored.fields, directories)
  const config = parseConfig(encode(text))
  const place: AgentPlace = { home, config, directories: home.open(config) }
  const entries = entriesAt(place, backup)
  try {
    yield* refuseTaken(place, id, parts, entries)
    yield* restore(place, id, parts, entries, text)
    yield* perform(flushed(place))
  } finally {
    yield* perform(released(place))
  }
  const { name, keyId } = restored
  return Object.freeze({
    agentId: id,
    name,
    keyId,
    configPath: home.configPath,
    savedAt: restored.savedAt,
    entries: backup.contents.entries,
  })
}

function checkOptions(options: ImportOptions): ImportOptions {
  const own = plainOptions(options, IMPORT_STORE_OPTIONS)
  for (const [name, value] of Object.entries(own)) {
    if (name === 'storage' || value === undefined) continue
    if (typeof value === 'string' && isWellFormed(value)) continue
    throw new SxError('InvalidOption', `The option '${name}' is not a text.`)
  }
  return own
}

/** The configuration as it is written here. */
function configHere(fields: Fields, directories: Pick<ImportOptions, keyof typeof DIRECTORY_FIELDS>): string {
  const own = { ...fields, sxDefaultStorage: platform.defaultStorage }
  for (const [option, field] of Object.entries(DIRECTORY_FIELDS)) {
    const directory = directories[option as keyof typeof DIRECTORY_FIELDS]
    if (directory === undefined) continue
    Object.assign(own, { [field]: directory })
    try {
      parseConfig(encode(JSON.stringify({ [field]: directory })))
    } catch (cause) {
      if (!(cause instanceof SxError && cause.code === 'InvalidConfig')) throw cause
      throw new SxError('InvalidOption', cause.found.replace(`configuration field '${field}'`, `option '${option}'`))
    }
  }
  return call(() => core.createConfig(JSON.stringify(own)))
}

/** An entry, and where it belongs. */
interface Placed {
  readonly storage: Storage
  readonly key: Key
  readonly bytes: Uint8Array
}

/** What is written as it is: all but configuration and private key. */
function entriesAt({ directories }: AgentPlace, { entries }: Backup): Map<string, Placed> {
  const placed = new Map<string, Placed>()
  for (const [name, text] of entries) {
    const bytes = encode(text)
    const owner = keyOwner(name)
    if (owner !== undefined) placed.set(name, { storage: directories.keys, key: publicKeyFile(owner), bytes })
    else if (chainEntry(name) !== undefined) {
      placed.set(name, { storage: directories.data, key: name.split('/'), bytes })
    }
  }
  return placed
}

function taken(what: string): SxError {
  return new SxError('AlreadyExists', `${what} is there already: a backup is restored beside nothing else.`)
}

/** Refuses a place where anything stands that is not of the same backup. */
function* refuseTaken(
  { home, config, directories }: AgentPlace,
  agentId: string,
  { publicKey }: Parts,
  entries: ReadonlyMap<string, Placed>,
): Operation<void> {
  const { keys, data } = directories
  const keyPath = (file: string): string => directories.keyPath(file)
  const there = (yield* perform(home.probeConfig)) ?? (yield* perform(home.readClaim))
  if (there !== undefined) throw taken(`A configuration at ${home.configPath}`)
  if ((yield* readKey({ keys, file: [config.privateKeyFilename] })) !== undefined) {
    throw taken(`A private key at ${keyPath(config.privateKeyFilename)}`)
  }
  for (const [file] of [[config.publicKeyFilename], publicKeyFile(agentId)] as const) {
    const bytes = yield* perform(get(keys, [file]))
    if (bytes !== undefined && !equalBytes(bytes, encode(publicKey))) throw taken(keyPath(file))
  }
  for (const { storage, key, bytes } of entries.values()) {
    if (storage !== keys) continue
    const found = yield* perform(get(keys, key))
    if (found !== undefined && !equalBytes(found, bytes)) throw taken(keyPath(key[0] ?? ''))
  }
  for (const folder of [names().documents, names().trust]) {
    const next = cursor(data, [folder])
    for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
      const [id = ''] = key.at(-1)?.split('.') ?? []
      if (!isId(id)) continue // nothing of ours
      const own = entries.get(key.join('/'))
      const found = own && (yield* perform(get(data, key)))
      if (own === undefined || (found !== undefined && !equalBytes(found, own.bytes))) throw taken(key.join('/'))
    }
  }
}

/**
 * Writes all of it. Until the configuration stands nothing of it is taken for an agent; whoever is interrupted imports
 * the same backup again.
 */
function* restore(
  place: AgentPlace,
  agentId: string,
  parts: Parts,
  entries: ReadonlyMap<string, Placed>,
  config: string,
): Operation<void> {
  try {
    yield* stage(place, agentId, parts)
    for (const [name, { storage, key, bytes }] of entries) {
      if (!(yield* claim(storage, key, bytes))) throw taken(name)
    }
    if (!(yield* commit({ ...place, prepared: undefined }, agentId, encode(config)))) {
      throw taken(`A configuration at ${place.home.configPath}`)
    }
  } catch (error) {
    if (error instanceof OutcomeUnknown) throw error.reason
    yield* unstage(place, agentId)
    throw error
  }
  yield* settle(place, agentId, parts)
}

function flushed({ directories }: AgentPlace): Effect<void> {
  return { kind: 'storage', async: () => directories.flush(), sync: () => {} }
}

/** What was opened for the import alone. */
function released({ directories }: AgentPlace): Effect<void> {
  return { kind: 'storage', async: () => directories.close(), sync: () => void directories.close().catch(() => {}) }
}
