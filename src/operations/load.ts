import * as core from '#core'
import { platform } from '#platform'
import { letPass } from '../belated.ts'
import { encode } from '../bytes.ts'
import { CoreObject, call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { get, storageHome } from '../home.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText } from '../limits.ts'
import { checkLimits } from '../options.ts'
import type { Config, Home } from '../platform.ts'
import type { AgentPlace, Loaded, Session, Signing } from '../session.ts'
import { Documents } from '../state/documents.ts'
import { openKeyDirectory } from '../state/key-directory.ts'
import { type AgentDocument, OwnDocument, publicKeyOf, readStoredAgent } from '../state/own-document.ts'
import { type KeyAtRest, type KeyPlace, openWithAny, readKey, settleKey } from '../state/private-key.ts'
import { openTrust } from '../state/trust-store.ts'
import type { AgentInfo, AgentOptions } from '../types.ts'
import { forgetPasskeys, isByPasskey, passkeysFor } from './passkey.ts'
import {
  configWith,
  type FoundPassword,
  findOpener,
  type PasswordSource,
  readSaved,
  vaultOf,
  writeSaved,
} from './password.ts'
import { finishCreation, type Left, stagedDocument } from './staging.ts'

/** Where a configuration stands if no place is named. */
export const DEFAULT_CONFIG_PATH = './sx.config.json'

/** The home at a configuration path. */
export function* openHome(options: AgentOptions, configPath: unknown): Operation<Home> {
  if (typeof configPath !== 'string' || configPath === '') {
    throw new SxError('InvalidOption', 'The path of the configuration is not a text.')
  }
  if (options.storage !== undefined) return storageHome(options.storage, configPath)
  return yield* perform(platform.home(configPath))
}

/** Reads a configuration; the rules are the core's. */
export function parseConfig(bytes: Uint8Array): Config {
  return JSON.parse(call(() => core.parseConfig(bytes))) as Config
}

/**
 * Refuses a configuration that keeps its agent where it cannot be found from here.
 *
 * @throws SxError `Unsupported`
 */
export function checkStorage({ storage }: AgentOptions, config: Config): void {
  if (storage !== undefined || config.storage === platform.defaultStorage) return
  throw new SxError('Unsupported', `The configuration keeps the agent in '${config.storage}', which is not here.`)
}

/** An agent as a configuration names it. */
export interface NamedAgent {
  readonly id: string
  /** A version that its chain has to have. */
  readonly version: string
}

/** A configuration, and the agent that it names. */
export interface Naming {
  readonly bytes: Uint8Array
  readonly config: Config
  readonly agent: NamedAgent | undefined
}

const namingOf = (bytes: Uint8Array): Naming => {
  const config = parseConfig(bytes)
  const { agentId: id, agentVersion: version } = config
  return { bytes, config, agent: id === null || version === null ? undefined : { id, version } }
}

/** The configuration. Of one that was prepared without an agent the claim beside it counts, if there is one. */
export function* readNaming(home: Home, read = home.readConfig): Operation<Naming | undefined> {
  const bytes = yield* perform(read)
  if (bytes === undefined) return undefined
  const naming = namingOf(bytes)
  if (naming.agent !== undefined) return naming
  const claim = yield* perform(home.readClaim)
  if (claim !== undefined) {
    const claimed = namingOf(claim)
    return claimed.agent === undefined ? naming : claimed
  }
  // Between the two looks it may have been written into the configuration and removed.
  const again = yield* perform(home.readConfig)
  return again === undefined ? undefined : namingOf(again)
}

/** Writes the agent that has the claim into the configuration, and removes the claim. Until then the claim counts. */
export function* settleClaim(home: Home): Operation<void> {
  try {
    const claim = yield* perform(home.readClaim)
    if (claim === undefined) return
    const bytes = yield* perform(home.readConfig)
    if (bytes !== undefined && namingOf(bytes).agent === undefined) yield* perform(home.replaceConfig(claim))
    yield* perform(home.dropClaim)
  } catch (error) {
    letPass(error)
    // The claim says the same as the configuration should, and the next start tries again.
  }
}

/** `load`: opens the agent that a configuration names. The session changes only if all succeeds. */
export function* load(session: Session, configPath: unknown, options: AgentOptions): Operation<Loaded> {
  checkLimits(options.limits)
  if (options.verifyOnly !== true) passkeysFor(options)
  const home = yield* openHome(options, configPath)
  const naming = yield* readNaming(home)
  if (naming === undefined) throw new SxError('NotFound', `There is no configuration at ${home.configPath}.`)
  const { config, agent } = naming
  checkStorage(options, config)
  if (agent === undefined) {
    throw new SxError('InvalidConfig', "The configuration names no agent in 'sxAgentIdAndVersion'.")
  }
  return yield* loadAt(session, options, { home, config, directories: home.open(config) }, agent)
}

/** Opens an agent at its place. */
export function* loadAt(
  session: Session,
  options: AgentOptions,
  place: AgentPlace,
  agent: NamedAgent,
): Operation<Loaded> {
  const stores = openStores(options, place)
  if (options.verifyOnly === true) {
    const document = yield* ownDocument(stores.documents, agent, options, place)
    return enter(session, yield* assemble(options, place, stores, agent.id, document))
  }
  yield* settleClaim(place.home)
  const left = yield* finishCreation(place, agent.id)
  const document = yield* ownDocument(stores.documents, agent, options)
  const keyPlace = keyPlaceOf(place)
  const { key, secret, password, source } = yield* openKey(options, place, keyPlace, agent.id, left)
  const beside = left === undefined ? undefined : publicKeyOf(document.text).publicKey // the file is another agent's
  const signing = yield* openSigner(options, place, document, secret, beside)
  const loaded = yield* assemble(options, place, stores, agent.id, document, signing)
  if (left === undefined) {
    yield* tidy(place, keyPlace, key, { password, source })
    if (source !== 'vault') yield* dropKept(options, place, keyPlace, key, password)
  }
  // Others were made for agents that lost this place to this one, or were never finished.
  if (options.passkey === true) yield* forgetPasskeys(options, place, (passkey) => passkey.agentId !== agent.id)
  return enter(session, loaded)
}

/** Where an agent's private key stands. */
function keyPlaceOf({ config, directories }: AgentPlace): KeyPlace {
  return { keys: directories.keys, file: [config.privateKeyFilename] }
}

/** What verifies: the keys that are known, and the documents. */
export interface Stores {
  readonly ring: KeyRing
  readonly documents: Documents
}

/** Opens what an agent needs before its own document is known. */
export function openStores({ limits }: AgentOptions, { directories }: AgentPlace): Stores {
  const ring = new KeyRing(limitsText(limits))
  return { ring, documents: new Documents(directories.data, ring) }
}

/**
 * The verified document of an agent, no older than the version that its configuration names.
 *
 * @param place where it is looked for too, if its parts have not been moved
 */
function* ownDocument(
  documents: Documents,
  { id, version }: NamedAgent,
  { limits }: AgentOptions,
  place?: AgentPlace,
): Operation<AgentDocument> {
  let latest = yield* documents.latest(id)
  if (latest === undefined && place !== undefined) {
    const staged = yield* stagedDocument(place, id)
    // Where it is not, somebody may have moved it meanwhile.
    latest = staged === undefined ? yield* documents.latest(id) : { number: 1, text: staged }
  }
  if (latest === undefined) throw new SxError('NotFound', 'The agent document is not in the data directory.')
  const identity = readStoredAgent(latest.text, limitsText(limits))
  documents.checkPlace(id, latest.number, { ...identity, type: 'agent' })
  documents.remember(id, latest.number, identity.version)
  if (identity.version !== version && (yield* documents.exact(id, version)) === undefined) {
    throw new SxError('Rollback', 'The storage misses the version of the agent document that the configuration names.')
  }
  return { ...latest, version: identity.version, name: identity.name }
}

/** Finds the private key and its password. Both may be changed between the two looks, so they are looked at again. */
function* openKey(
  options: AgentOptions,
  place: AgentPlace,
  keyPlace: KeyPlace,
  agentId: string,
  left: Left | undefined,
): Operation<{ key: KeyAtRest; secret: CoreObject } & UsedPassword> {
  let key = yield* findKey(place, keyPlace, left)
  for (;;) {
    const saved = left?.password
    const found =
      (yield* findOpener(options, place, agentId, key.pem)) ??
      (saved === undefined ? undefined : { source: 'file' as const, candidates: [saved] as const })
    if (found === undefined) {
      if (!(yield* perform(isByPasskey(options, place, agentId, key.pem)))) throw new SxError('PasswordRequired')
      throw new SxError(
        'PasswordRequired',
        'A passkey opens the private key (`passkey: true`), and no password was given.',
      )
    }
    try {
      return { key, source: found.source, ...(yield* openAny(key, found)) }
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
      const { number, pem } = key
      key = yield* findKey(place, keyPlace, left)
      if (key.number !== number || key.pem !== pem) continue
      if (found.source !== 'vault') throw error
      const what = 'What this page keeps does not open the private key'
      throw (yield* perform(isByPasskey(options, place, agentId, pem)))
        ? new SxError('PasswordRequired', `${what} any more: a passkey does (\`passkey: true\`).`, { cause: error })
        : new SxError(
            'PasswordRequired',
            `${what}: its password was changed, or the key file is damaged or another agent's.`,
            { cause: error },
          )
    }
  }
}

function* findKey(
  { directories, config }: AgentPlace,
  keyPlace: KeyPlace,
  left: Left | undefined,
): Operation<KeyAtRest> {
  if (left !== undefined) return { number: 1, pem: left.privateKey, saved: left.password ?? null }
  const key = yield* readKey(keyPlace)
  if (key !== undefined) return key
  throw new SxError('NotFound', `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`)
}

/** Opens a private key with the password that was found, or with the one that a change of it has left for that place. */
function* openAny(
  key: KeyAtRest,
  { source, candidates }: FoundPassword,
): Operation<{ secret: CoreObject; password: string }> {
  const isSaved = source === 'config' || source === 'file'
  const passwords = isSaved && key.saved !== null ? [key.saved] : candidates
  return yield* openWithAny(key.pem, passwords)
}

/** The password that has opened the key, and where it comes from. */
interface UsedPassword {
  readonly password: string
  readonly source: PasswordSource
}

/**
 * Ends what a process that died while it changed the password has left to do. A storage that takes no writes is left
 * as it is: what counts is what the latest record says.
 */
function* tidy(
  place: AgentPlace,
  keyPlace: KeyPlace,
  key: KeyAtRest,
  { password, source }: UsedPassword,
): Operation<void> {
  try {
    yield* settleKey(keyPlace, key)
    if (key.saved !== password) return
    if (source === 'file' && (yield* readSaved(place)) !== password) yield* writeSaved(place, password)
    const { password: configured } = place.config
    if (source !== 'config' || configured === null || configured === password) return
    const config = yield* configWith(place, configured, password)
    if (config !== undefined) yield* perform(place.home.replaceConfig(config))
  } catch (error) {
    letPass(error)
  }
}

/**
 * Drops the passwords that the page keeps and that a change of the password, which broke off, has left: they open
 * nothing. An agent whose password was never changed here may have come from a backup, and they open another one.
 */
function* dropKept(
  options: AgentOptions,
  place: AgentPlace,
  keyPlace: KeyPlace,
  { number, pem }: KeyAtRest,
  password: string,
): Operation<void> {
  const vault = vaultOf(options)
  if (vault === undefined || number === 1) return
  try {
    const kept = yield* perform(vault.read(place.home.configPath))
    if (kept.length === 0 || kept.includes(password)) return // that one may just be followed by another
    if ((yield* readKey(keyPlace))?.pem !== pem) return // they may be those of another key by now
    for (const one of kept) yield* perform(vault.drop(place.home.configPath, one))
  } catch (error) {
    letPass(error)
  }
}

/** The public key file beside the private key; the empty text if there is none. */
function* publicKeyBeside(file: string, directories: AgentPlace['directories']): Operation<string> {
  const bytes = yield* perform(get(directories.keys, [file]))
  if (bytes?.length === 0) throw new SxError('InvalidKey', `The public key file ${directories.keyPath(file)} is empty.`)
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}

/**
 * Puts key, document and limits together for signing, after the core has checked that they belong together.
 *
 * @param publicKey PEM that must be of the same key; what stands beside the private key if left out
 */
export function* openSigner(
  { limits }: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  secret: CoreObject,
  publicKey?: string,
): Operation<Signing> {
  const { config, directories } = place
  const pem = publicKey ?? (yield* publicKeyBeside(config.publicKeyFilename, directories))
  let current = document.text
  const signer = new CoreObject(() => call(() => core.signerNew(secret.handle, current, pem, limitsText(limits))))
  const renew = ({ text }: AgentDocument): void => {
    current = text
    call(() => core.signerRenew(signer.handle, text))
  }
  return { secret, signer, keyPlace: keyPlaceOf(place), renew }
}

/** Puts the parts of a loaded agent together. */
export function* assemble(
  options: AgentOptions,
  place: AgentPlace,
  { ring, documents }: Stores,
  id: string,
  document: AgentDocument,
  signing?: Signing,
): Operation<Loaded> {
  const setOwn = ({ text }: AgentDocument): void => ring.set(id, 'own', encode(text))
  setOwn(document)
  const { algorithm, keyId, publicKey } = publicKeyOf(document.text)
  return {
    id,
    key: { algorithm, keyId, pem: publicKey },
    options,
    place,
    documents,
    own: new OwnDocument(documents, id, document, limitsText(options.limits), (changed) => {
      setOwn(changed)
      signing?.renew(changed)
    }),
    trust: yield* perform(openTrust(place.directories.data, limitsText(options.limits))),
    directory: yield* perform(openKeyDirectory(place.directories.keys)),
    ring,
    signing,
  }
}

/** Makes an agent the session's. */
export function enter(session: Session, loaded: Loaded): Loaded {
  if (session.loaded !== undefined) loaded.trust.follow(session.loaded.trust)
  session.options = loaded.options
  session.loaded = loaded
  return loaded
}

/** What people need to know of a loaded agent. */
export function describe({ id, own, place, key, options }: Loaded): AgentInfo {
  const { config, directories, home } = place
  const persisted = options.storage === undefined ? platform.isPersisted?.() : undefined
  return Object.freeze({
    agentId: id,
    name: own.current.name,
    publicKeyPath: directories.keyPath(config.publicKeyFilename),
    configPath: home.configPath,
    privateKeyPath: directories.keyPath(config.privateKeyFilename),
    keyDirectory: directories.keyDirectory,
    algorithm: key.algorithm,
    keyId: key.keyId,
    ...(persisted !== undefined && { persisted }),
  })
}
