import * as core from '#core'
import { platform } from '#platform'
import {
  type Backup,
  BackupWriter,
  CONFIG,
  chainEntry,
  compareBackupNames,
  isAgreementName,
  isBackup,
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
import { closed, cursor, flushed, get, isCurrent, work } from '../effects/entries.ts'
import { type Effect, type Operation, perform, runAsync, runSync } from '../effects.ts'
import { blankMoment, momentAt } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { DEFAULT_CONFIG_PATH, DIRECTORY_FIELDS } from '../home.ts'
import { names, publicKeyFile, readWitnessName } from '../names.ts'
import { agentOptions, checkPassword } from '../options.ts'
import { type AgentPlace, type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { agreementNames, agreementTexts } from '../state/agreements.ts'
import { claim, lacking } from '../state/chain.ts'
import { readMade } from '../state/documents.ts'
import { isSchemaName, isSchemaOf, notKept, schemaNames } from '../state/kept-schemas.ts'
import type { AgentDocument } from '../state/own-document.ts'
import { encryptSecret, pemFor, readKey } from '../state/private-key.ts'
import { readDecision } from '../state/trust-witness.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type {
  AgentOptions,
  BackupInfo,
  BackupWarning,
  Bytes,
  ExportOptions,
  ImportOptions,
  RestoredAgent,
} from '../types.ts'
import { checkManifest, configOf, type Fields, type Restored } from './backup-check.ts'
import { flush } from './closing.ts'
import { commit, OutcomeUnknown, settle } from './create.ts'
import { signed } from './current-key.ts'
import { mark } from './marker.ts'
import { openHome, parseConfig } from './naming.ts'
import { atOneVersion, type Moment } from './one-version.ts'
import { isByPasskey, isKept } from './passkey.ts'
import { findPassword, vaultOf } from './password.ts'
import { sign } from './signing.ts'
import { fileOf } from './sources.ts'
import { finishCreation, type Parts, stage, unstage } from './staging.ts'

const FOR_BACKUP = 'Pass a `password` for the backup.'

/** `exportStore`: configuration, private key, keys of others, documents and trust, under a manifest that is signed. */
export function* exportStore(session: Session, { password }: ExportOptions): Operation<Bytes> {
  const loaded = requireLoaded(session)
  if (password !== undefined) checkPassword(password)
  yield* perform(flushed({ flush: () => flush(loaded) })) // a synchronous call reads that already
  return yield* atOneVersion(loaded, (moment) => backupOf(loaded, moment, password))
}

/** A backup of an agent at one version; `undefined` if its private key was encrypted with another password meanwhile. */
function* backupOf(loaded: Loaded, moment: Moment, password: string | undefined): Operation<Bytes | undefined> {
  const { own } = moment
  const { keys, data } = loaded.place.directories
  const signing = requireSigning(loaded)
  const backup = new BackupWriter()
  backup.add({ name: CONFIG, text: yield* configToSave(loaded) })
  let stored: string | undefined
  if (password !== undefined) {
    const text = yield* encryptSecret(moment.secret, password)
    backup.add({ name: PRIVATE_KEY, text })
  } else if (signing.external === undefined) {
    stored = yield* keyToSave(loaded, own)
    backup.add({ name: PRIVATE_KEY, text: stored })
  }
  for (const file of yield* foreignKeys(loaded)) {
    const bytes = yield* perform(get(keys, [file]))
    if (bytes !== undefined) backup.add({ name: `${KEYS}/${file}`, text: decode(bytes, file) })
  }
  yield* saveChains(data, backup, yield* versionsToSave(data, own))
  yield* saveChains(data, backup, yield* decisionsToSave(loaded))
  yield* saveSchemas(data, backup)
  yield* saveAgreements(data, backup)
  if (stored !== undefined && (yield* keyToSave(loaded, own)) !== stored) return undefined
  yield* loaded.own.requireCurrentKey() // a key and a document that do not fit would be no backup
  const { entries, sha256 } = backup.contents
  const manifest = yield* signed(loaded, function* (at) {
    const moment = momentAt(at, yield* perform(blankMoment))
    return yield* sign(signing, () => {
      if (loaded.own.current.version !== own.version) return undefined
      return core.backupManifest(signing.signer.handle, entries, sha256, moment)
    })
  })
  return manifest === undefined ? undefined : backup.finish(readMade(manifest).raw)
}

function* configToSave({ id, place }: Loaded): Operation<string> {
  const bytes = yield* perform(place.home.readConfig)
  if (bytes === undefined || parseConfig(bytes).agentId !== id) {
    throw new SxError('NotFound', `The configuration at ${place.home.configPath} no longer names this agent.`)
  }
  return configOf(JSON.parse(decode(bytes, 'The configuration')) as Fields)
}

/**
 * The private key of a version of the agent document, as it is encrypted now. Key records stay behind: they may hold a
 * password.
 */
function* keyToSave(loaded: Loaded, own: AgentDocument): Operation<string> {
  const { id, options, place } = loaded
  const { config, directories } = place
  const left = yield* finishCreation(place, id)
  const keyPlace = { keys: directories.keys, file: [config.privateKeyFilename] }
  const key = left === undefined ? yield* readKey(keyPlace) : undefined
  const pem = left?.privateKey ?? (key && pemFor(key, own))
  if (pem === undefined) {
    yield* loaded.own.requireCurrentKey() // an external signer may have taken its place
    throw new SxError('NotFound', `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`)
  }
  if (yield* perform(isByPasskey(options, place, id, pem))) {
    const found = 'The private key is protected by a passkey, which a backup cannot contain.'
    throw new SxError('PasswordRequired', found, { advice: FOR_BACKUP })
  }
  if (yield* perform(isByKept(options, place, pem))) {
    const found = 'This page stores the password of the private key, and nobody knows it.'
    throw new SxError('PasswordRequired', found, { advice: FOR_BACKUP })
  }
  return pem
}

/**
 * Whether the page keeps the password of a private key, as it is at rest: then the owner does not know it. Who cannot wait goes by
 * whether another password was given.
 */
function isByKept(options: AgentOptions, place: AgentPlace, pem: string): Effect<boolean> {
  return work(
    'isByKept',
    async () => vaultOf(options) !== undefined && runAsync(() => isKept(place, pem)),
    () => vaultOf(options) !== undefined && runSync(() => findPassword(options, place, 'known')) === undefined,
  )
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

/** Chains that are saved, and how many entries of each. */
interface Lengths {
  readonly isTrust: boolean
  readonly of: ReadonlyMap<string, number>
}

/** The chains below a folder, by id, each with the number of its latest entry. */
function* chainsIn(data: Storage, folder: string): Operation<Map<string, number>> {
  const lengths = new Map<string, number>()
  const next = cursor(data, [folder])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const entry = chainEntry(key.join('/'))
    if (entry !== undefined) lengths.set(entry.id, Math.max(entry.number, lengths.get(entry.id) ?? 0))
  }
  return lengths
}

/** All versions of all documents; of the agent's own up to the one that is saved. */
function* versionsToSave(data: Storage, own: AgentDocument): Operation<Lengths> {
  return { isTrust: false, of: (yield* chainsIn(data, names().documents)).set(own.id, own.number) }
}

/** The decisions about trust, up to the one that counts. */
function* decisionsToSave({ place, trust }: Loaded): Operation<Lengths> {
  const { keys, data } = place.directories
  const lengths = yield* chainsIn(data, names().trust)
  const isWhole = yield* perform(isCurrent(data))
  // What was just decided may not be stored yet, and then waits.
  if (!isWhole) for (const id of yield* trust.list()) if (!lengths.has(id)) throw undecided(id)
  for (const id of lengths.keys()) {
    const counting = yield* readDecision({ keys, data }, id)
    if (!isWhole && !equalBytes(counting?.bytes, yield* trust.read(id))) throw undecided(id)
    lengths.set(id, counting?.number ?? 0)
  }
  return { isTrust: true, of: lengths }
}

function undecided(id: string): SxError {
  return new SxError('SyncStorageUnavailable', `A decision about ${id} is still being written.`)
}

/** Saves chains from their first entries on. */
function* saveChains(data: Storage, backup: BackupWriter, { isTrust, of: lengths }: Lengths): Operation<void> {
  for (const [id, length] of [...lengths].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (let number = 1; number <= length; number++) {
      const name = nameOf({ isTrust, id, number })
      const bytes = yield* perform(get(data, name.split('/')))
      if (bytes === undefined) throw yield* missingIn(data, name)
      backup.add({ name, text: decode(bytes, name) })
    }
  }
}

/** Saves the schemas that updates of documents need. */
function* saveSchemas(data: Storage, backup: BackupWriter): Operation<void> {
  for (const name of yield* schemaNames(data)) {
    const bytes = yield* perform(get(data, name.split('/')))
    if (bytes === undefined) throw yield* missingIn(data, name)
    const text = decode(bytes, name)
    if (!isSchemaOf(name, text)) throw notKept(name)
    backup.add({ name, text })
  }
}

/** Saves the terms and events of all agreements. */
function* saveAgreements(data: Storage, backup: BackupWriter): Operation<void> {
  for (const id of (yield* agreementNames(data)).keys()) {
    const texts = yield* agreementTexts(data, id)
    for (const [name, text] of texts.sort(([one], [other]) => compareBackupNames(one, other)))
      backup.add({ name, text })
  }
}

/** An entry is missing that has later ones. */
const missingIn = (data: Storage, name: string): Operation<SxError> =>
  lacking(data, name, new SxError('CorruptStore', `${name} is missing, although a later one exists.`))

/** `importStore`: all is checked first, and the configuration, which makes it an agent, is written last. */
export function* importStore(session: Session, given: unknown, options: ImportOptions): Operation<RestoredAgent> {
  const { storage, configPath = DEFAULT_CONFIG_PATH, ...directories } = checkOptions(options)
  const target = storage === undefined ? session.storage : storage
  const inside = agentOptions(target === undefined ? {} : { storage: target })
  const found = yield* read(given)
  const { backup, restored } = found
  const { id, parts } = restored
  const home = yield* openHome(inside, configPath)
  const text = configHere(restored.fields, directories)
  const config = parseConfig(encode(text))
  const place: AgentPlace = { home, config, directories: home.open(config) }
  const entries = entriesAt(place, backup)
  try {
    yield* refuseTaken(place, id, parts, entries)
    yield* restore(place, id, parts, entries, text)
    yield* perform(flushed(place.directories))
  } finally {
    yield* perform(closed(place.directories))
  }
  yield* mark(inside, home, { agentId: id, keyId: restored.keyId })
  return described(found, { configPath: home.configPath })
}

/** `verifyBackup`: what is checked before a backup is restored, and what is said of it then. */
export function* verifyBackup(given: unknown): Operation<BackupInfo> {
  return described(yield* read(given), {})
}

/** What people need to know of a backup. */
function described<Where extends object>({ backup, restored }: Verified, where: Where): BackupInfo & Where {
  const { id: agentId, name, keyId, keyIds, savedAt } = restored
  return Object.freeze({
    agentId,
    name,
    keyId,
    ...where,
    keyIds: Object.freeze([...keyIds]),
    savedAt,
    entries: backup.contents.entries,
    warnings: Object.freeze([agedBackup(restored)]),
  })
}

/** A backup, and what it restores. */
interface Verified {
  readonly backup: Backup
  readonly restored: Restored
}

/** Reads a backup that the caller passes. */
function* read(given: unknown): Operation<Verified> {
  if (typeof given === 'string' && /^\s*\{|\n/.test(given)) {
    const advice = 'Pass the content as bytes: new TextEncoder().encode(text).'
    throw new SxError('InvalidOption', 'A string must be the path of a backup, but this looks like its content.', {
      advice,
    })
  }
  return verified(yield* perform(fileOf(given, 'backup', LARGEST_BACKUP)))
}

function verified(bytes: Uint8Array): Verified {
  try {
    const backup = readBackup(bytes)
    return { backup, restored: checkManifest(backup) }
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'CorruptStore')) throw error
    const advice = isBackup(bytes)
      ? 'Use another copy of the backup, or an older one.'
      : 'Pass the bytes that `exportStore` returned.'
    throw new SxError(error.code, error.found, { cause: error.cause, advice })
  }
}

/** A backup does not show whether it is the latest one. */
function agedBackup({ savedAt, keyId, keyIds }: Restored): BackupWarning {
  const key = keyIds.length === 1 ? `its only key, ${keyId}` : `the last of its ${keyIds.length} keys, ${keyId}`
  const message =
    `The backup was made at ${savedAt} with ${key}. If the key was rotated since, this is a former key: agents ` +
    'that know the newer key refuse the signatures and the next rotation of this agent. Then restore a newer backup.'
  return Object.freeze({ code: 'BackupOutdated', message })
}

function checkOptions(options: ImportOptions): ImportOptions {
  for (const [name, value] of Object.entries(options)) {
    if (name === 'storage' || value === undefined) continue
    if (typeof value === 'string' && isWellFormed(value)) continue
    throw new SxError('InvalidOption', `The option '${name}' is not a string.`)
  }
  return options
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
  /** Whether it would count for another agent too, and so comes to its place with the other parts of this one. */
  readonly isStaged: boolean
}

/** What is stored as it is: all but configuration and private key. */
function entriesAt({ directories }: AgentPlace, { entries }: Backup): Map<string, Placed> {
  const placed = new Map<string, Placed>()
  for (const [name, text] of entries) {
    const bytes = encode(text)
    const [owner, entry] = [keyOwner(name), chainEntry(name)]
    if (owner !== undefined) {
      placed.set(name, { storage: directories.keys, key: publicKeyFile(owner), bytes, isStaged: true })
    } else if (entry !== undefined || isSchemaName(name) || isAgreementName(name)) {
      placed.set(name, { storage: directories.data, key: name.split('/'), bytes, isStaged: entry?.isTrust === true })
    }
  }
  return placed
}

function taken(what: string): SxError {
  return new SxError('AlreadyExists', `${what} already exists. A backup can only be restored to an empty location.`)
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
  const witnesses = cursor(keys, [names().trust])
  for (let key = yield* perform(witnesses); key !== undefined; key = yield* perform(witnesses)) {
    if (readWitnessName(key.at(-1)) !== undefined) throw taken(keyPath(key.join('/')))
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
 * Writes all of it. Until the configuration stands nothing of it counts, for this agent or another one; whoever is
 * interrupted imports the same backup again. An import that fails leaves what it has staged: another import of the same
 * backup has staged the same, and may have its agent named by now.
 */
function* restore(
  place: AgentPlace,
  agentId: string,
  parts: Parts,
  entries: ReadonlyMap<string, Placed>,
  config: string,
): Operation<void> {
  yield* stage(place, agentId, parts)
  for (const [name, { storage, key, bytes, isStaged }] of entries) {
    if (!isStaged && !(yield* claim(storage, key, bytes))) throw taken(name)
  }
  try {
    if (!(yield* commit({ ...place, prepared: undefined }, agentId, encode(config)))) {
      yield* unstage(place, agentId) // the place is another agent's
      throw taken(`A configuration at ${place.home.configPath}`)
    }
  } catch (error) {
    throw error instanceof OutcomeUnknown ? error.reason : error
  }
  yield* settle(place, agentId, parts)
}
