import * as core from '#core'
import { platform } from '#platform'
import { letPass } from '../belated.ts'
import { encode } from '../bytes.ts'
import { CoreObject, call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { get, storageHome } from '../home.ts'
import { KeyRing } from '../key-ring.ts'
import { heldLimits, limitsText } from '../limits.ts'
import { documentChain } from '../names.ts'
import { checkLimits } from '../options.ts'
import type { Config, Home } from '../platform.ts'
import {
  type AgentPlace,
  agentClosed,
  type Entrance,
  isShut,
  type Loaded,
  letGo,
  type Session,
  type Signing,
  wipe,
  wipeSigning,
} from '../session.ts'
import { Documents } from '../state/documents.ts'
import { openKeyDirectory } from '../state/key-directory.ts'
import { type AgentDocument, OwnDocument, readStoredAgent } from '../state/own-document.ts'
import { type KeyAtRest, type KeyPlace, openWithAny, pemFor, readKey } from '../state/private-key.ts'
import { signingDates } from '../state/signing-dates.ts'
import { openTrust } from '../state/trust-store.ts'
import type { AgentInfo, AgentOptions } from '../types.ts'
import { lostError, markedAt, markLoaded } from './marker.ts'
import { forgetPasskeys, isByPasskey, passkeysFor } from './passkey.ts'
import { type FoundPassword, findOpener, vaultOf } from './password.ts'
import { externalKey, type SigningKey } from './signing.ts'
import { finishCreation, type Left, stagedDocument } from './staging.ts'
import { dropKept, settleKeys, tidy, type UsedPassword } from './tidy.ts'

/** The home at a configuration path. */
export function* openHome(options: AgentOptions, configPath: unknown): Operation<Home> {
  if (typeof configPath !== 'string' || configPath === '') {
    throw new SxError('InvalidOption', 'The path of the configuration is not a string.')
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
  throw new SxError(
    'Unsupported',
    `The configuration stores the agent in '${config.storage}', which this runtime does not have.`,
  )
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

/** `load`: opens the agent that a configuration names. The session changes only if all succeeds, and it is not closed. */
export function* load(at: Entrance, configPath: unknown, options: AgentOptions): Operation<Loaded> {
  checkLimits(options.limits)
  if (options.verifyOnly !== true) passkeysFor(options)
  const home = yield* openHome(options, configPath)
  let naming = yield* readNaming(home)
  if (naming === undefined) {
    const marker = yield* markedAt(options, home)
    if (marker !== undefined) naming = yield* readNaming(home)
    if (naming === undefined) throw marker === undefined ? missingError(home) : lostError(home, marker)
  }
  const { config, agent } = naming
  checkStorage(options, config)
  if (agent === undefined) {
    throw new SxError('InvalidConfig', "The configuration names no agent in 'sxAgentIdAndVersion'.")
  }
  return yield* loadAt(at, options, { home, config, directories: home.open(config) }, agent)
}

function missingError({ configPath }: Home): SxError {
  const advice = 'Create an agent there with quickstart, or restore a backup with importStore.'
  return new SxError('NotFound', `There is no configuration at ${configPath}.`, { advice })
}

/** Opens an agent at its place. */
export function* loadAt(at: Entrance, options: AgentOptions, place: AgentPlace, agent: NamedAgent): Operation<Loaded> {
  const { session } = at
  const stores = openStores(options, place)
  let loaded: Loaded | undefined
  try {
    loaded = yield* openAt(options, place, stores, agent)
    // Another call may have followed a later version since this one has read its own.
    const known = session.loaded?.id === loaded.id ? session.loaded.own.latest.number : 0
    if (known > loaded.own.latest.number) yield* loaded.own.follow()
    if (isShut(at)) throw agentClosed()
    return enter(session, loaded)
  } catch (error) {
    if (loaded === undefined) stores.ring.dispose()
    else yield* drop(loaded)
    throw error
  }
}

/** Wipes an agent that was opened and does not become a session's. */
export function* drop(loaded: Loaded): Operation<void> {
  wipe(loaded)
  const { trust } = loaded
  yield* perform({ kind: 'storage', async: () => trust.close(), sync: () => void trust.close().catch(() => {}) })
}

function* openAt(options: AgentOptions, place: AgentPlace, stores: Stores, agent: NamedAgent): Operation<Loaded> {
  if (options.verifyOnly === true) {
    const document = yield* ownDocument(stores.documents, agent, options, place, true)
    return yield* assemble(options, place, stores, agent.id, document)
  }
  yield* settleClaim(place.home)
  const left = yield* finishCreation(place, agent.id)
  const keyPlace = keyPlaceOf(place)
  const { document, opened, signing } = yield* openOwn(options, place, stores.documents, agent, left)
  try {
    const loaded = yield* assemble(options, place, stores, agent.id, document, signing)
    if (left === undefined && opened === undefined) yield* settleKeys(loaded, keyPlace)
    if (left === undefined && opened !== undefined) {
      const { atRest, password, source } = opened
      yield* tidy(loaded, keyPlace, atRest, { password, source })
      if (source !== 'vault') yield* dropKept(options, place, keyPlace, atRest, password)
    }
    // Others were made for agents that lost this place to this one, or were never finished.
    if (options.passkey === true) yield* forgetPasskeys(options, place, (passkey) => passkey.agentId !== agent.id)
    yield* markLoaded(loaded)
    return loaded
  } catch (error) {
    wipeSigning(signing)
    throw error
  }
}

/** An agent's document, and the key that fits it. */
interface Opened {
  readonly document: AgentDocument
  /** The private key at rest, where it is not with an external signer. */
  readonly opened: OpenedKey | undefined
  readonly signing: Signing
}

/** Opens the agent's document and the private key that fits it. Both may be rotated between the two looks. */
function* openOwn(
  options: AgentOptions,
  place: AgentPlace,
  documents: Documents,
  agent: NamedAgent,
  left: Left | undefined,
): Operation<Opened> {
  const { signer } = options
  for (;;) {
    const document = yield* ownDocument(documents, agent, options, place)
    const beside = left === undefined ? undefined : document.publicKey // the file is another agent's
    try {
      let opened: OpenedKey | undefined
      let key = signer && externalKey(signer)
      if (key === undefined) {
        opened = yield* openKey(options, place, document, left)
        key = opened
      }
      const signing = yield* openSignerOrWipe(options, place, document, key, beside)
      return { document, opened, signing }
    } catch (error) {
      if (!(error instanceof SxError && ROTATED.includes(error.code))) throw error
      const next = documentChain(agent.id).entry(document.number + 1)
      if ((yield* perform(get(documents.storage, next))) === undefined) throw error
    }
  }
}

/** What is said of a key that does not fit a version of the agent document, which a later one may name. */
const ROTATED: readonly string[] = ['WrongPassword', 'KeyMismatch', 'NotFound']

/** {@link openSigner}; wipes a key that is not the agent's. */
function* openSignerOrWipe(
  options: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  key: SigningKey,
  publicKey: string | undefined,
): Operation<Signing> {
  try {
    return yield* openSigner(options, place, document, key, publicKey)
  } catch (error) {
    key.secret.dispose()
    throw error
  }
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
 * @param isMaybeStaged whether it is looked for where it was created, too, if its parts have not been moved
 */
function* ownDocument(
  documents: Documents,
  { id, version }: NamedAgent,
  { limits }: AgentOptions,
  place: AgentPlace,
  isMaybeStaged = false,
): Operation<AgentDocument> {
  let latest = yield* documents.latest(id)
  if (latest === undefined && isMaybeStaged) {
    const staged = yield* stagedDocument(place, id)
    // Where it is not, somebody may have moved it meanwhile.
    latest = staged === undefined ? yield* documents.latest(id) : { number: 1, text: staged }
  }
  if (latest === undefined) {
    const { home, config } = place
    const found = `The data directory '${config.dataDirectory}' of ${home.configPath} does not contain the agent ${id}.`
    const advice = 'Restore what was deleted or moved, or restore a backup with importStore in another place.'
    throw new SxError('NotFound', found, { advice })
  }
  const identity = readStoredAgent(latest.text, limitsText(limits))
  documents.checkPlace(id, latest.number, { ...identity, type: 'agent' })
  documents.remember(id, latest.number, identity.version)
  if (identity.version !== version && (yield* documents.exact(id, version)) === undefined) {
    throw new SxError(
      'Rollback',
      'The version of the agent document that the configuration names is missing from the storage.',
    )
  }
  return { ...latest, ...identity }
}

/** Finds the private key and its password. Both may be changed between the two looks, so they are looked at again. */
function* openKey(
  options: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  left: Left | undefined,
): Operation<OpenedKey> {
  const agentId = document.id
  let key = yield* findKey(place, left)
  for (;;) {
    const pem = pemFor(key, document)
    if (pem === undefined) throw new SxError('NotFound', 'An external signer has the private key. Pass it as `signer`.')
    const saved = left?.password
    const found =
      (yield* findOpener(options, place, agentId, pem)) ??
      (saved === undefined ? undefined : { source: 'file' as const, candidates: [saved] as const })
    if (found === undefined) {
      if (!(yield* perform(isByPasskey(options, place, agentId, pem)))) throw passwordError(options)
      throw new SxError(
        'PasswordRequired',
        'The private key is protected by a passkey, and no password was given. Pass `passkey: true`.',
      )
    }
    try {
      const opened = yield* openWithAny(pem, candidatesOf(key, found))
      return { atRest: key, external: undefined, source: found.source, ...opened }
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
      const { number } = key
      key = yield* findKey(place, left)
      if (key.number !== number || pemFor(key, document) !== pem) continue
      if (found.source !== 'vault') throw error
      const what = 'The password stored in this page does not decrypt the private key'
      throw (yield* perform(isByPasskey(options, place, agentId, pem)))
        ? new SxError('PasswordRequired', `${what} any more. A passkey does: pass \`passkey: true\`.`, { cause: error })
        : new SxError(
            'PasswordRequired',
            `${what}: the password was changed, or the key file is damaged or belongs to another agent.`,
            { cause: error },
          )
    }
  }
}

/** Nothing opens the key. Of a page that keeps passwords, the one of this key may be gone. */
function passwordError(options: AgentOptions): SxError {
  if (vaultOf(options) === undefined) return new SxError('PasswordRequired')
  const found = 'This page has no stored password for the private key: it was never stored, or was deleted.'
  return new SxError(
    'PasswordRequired',
    `${found} If the password is lost, restore a backup, which has its own password.`,
  )
}

/** Opens the private key as `load` would, sees whether it is the agent's, and lets go of it. Nothing is written. */
export function* openKeyToSee(options: AgentOptions, place: AgentPlace, document: AgentDocument): Operation<void> {
  const key = yield* openKey(options, place, document, undefined)
  try {
    const { signer } = yield* openSigner(options, place, document, key)
    signer.dispose()
  } finally {
    key.secret.dispose()
  }
}

function* findKey(place: AgentPlace, left?: Left): Operation<KeyAtRest> {
  const { directories, config } = place
  if (left?.privateKey !== undefined) {
    return { number: 1, pem: left.privateKey, saved: left.password ?? null, next: [] }
  }
  const key = yield* readKey(keyPlaceOf(place))
  if (key !== undefined) return key
  const found = `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`
  throw new SxError('NotFound', `${found} If an external signer has it, pass it as \`signer\`.`)
}

/** The passwords to try: those that were found, or the one that a change of it has left for that place. */
export function candidatesOf({ saved }: KeyAtRest, { source, candidates }: FoundPassword): readonly string[] {
  const isSaved = source === 'config' || source === 'file'
  return isSaved && saved !== null ? [saved] : candidates
}

/** A private key that was opened, and what is at rest. */
type OpenedKey = { readonly atRest: KeyAtRest } & SigningKey & UsedPassword

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
  { limits, storage }: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  { secret, external }: SigningKey,
  publicKey?: string,
): Operation<Signing> {
  const { config, directories } = place
  const pem = publicKey ?? (yield* publicKeyBeside(config.publicKeyFilename, directories))
  let current = document.text
  let [key, who] = [secret, external]
  const open = (): number => call(() => core.signerNew(key.handle, current, pem, limitsText(limits)))
  const signer = new CoreObject(external === undefined ? open : () => ofExternal(open))
  const signing: Signing = {
    get secret() {
      return key
    },
    get external() {
      return who
    },
    signer,
    keyPlace: keyPlaceOf(place),
    dates: signingDates(storage ?? place.home.realPath, document.id),
    renew({ text }) {
      call(() => core.signerRenew(signer.handle, key.handle, text))
      current = text
    },
    follow(next) {
      const former = key
      key = next.secret
      who = next.external
      signing.letGo(() => former.dispose())
    },
    letGo: (wipe) => wipe(),
  }
  return signing
}

/** A key that is not the agent's comes from no file and no password where an external signer has it. */
function ofExternal<T>(open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (!(cause instanceof SxError && cause.code === 'WrongPassword')) throw cause
    throw new SxError('KeyMismatch', "The external signer does not have the agent's current key.", { cause })
  }
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
  const verify = (held: string): void => ring.set(id, 'own', encode(held))
  const sign = (changed: AgentDocument): void => signing?.renew(changed)
  verify(document.text)
  const own = new OwnDocument(documents, id, document, heldLimits(options.limits), { sign, verify })
  yield* own.readRevocations()
  return {
    id,
    options,
    place,
    documents,
    own,
    trust: yield* openTrust(place.directories.keys, place.directories.data, limitsText(options.limits)),
    directory: yield* perform(openKeyDirectory(place.directories.keys)),
    ring,
    signing,
    before: new Set(),
  }
}

/** Makes an agent the session's. */
export function enter(session: Session, loaded: Loaded): Loaded {
  const former = session.loaded
  if (former !== undefined) {
    loaded.trust.follow(former.trust)
    for (const one of former.before) loaded.before.add(one)
    const end = (): void => letGo(session, () => wipe(former))
    if (former.id === loaded.id) loaded.own.noteBehind(former.own.takeBehind())
    if (former.own.isBehind) {
      const { signing } = former
      if (signing !== undefined) letGo(session, () => wipeSigning(signing))
      loaded.before.add({ loaded: former, end })
    } else end()
  }
  if (loaded.signing !== undefined) loaded.signing.letGo = (wiping) => letGo(session, wiping)
  session.options = loaded.options
  session.loaded = loaded
  return loaded
}

/** What people need to know of a loaded agent. */
export function describe({ id, own, place, options }: Loaded): AgentInfo {
  const { config, directories, home } = place
  const persisted = options.storage === undefined ? platform.isPersisted?.() : undefined
  const { revoked } = own
  return Object.freeze({
    agentId: id,
    name: own.latest.name,
    publicKeyPath: directories.keyPath(config.publicKeyFilename),
    configPath: home.configPath,
    privateKeyPath: directories.keyPath(config.privateKeyFilename),
    keyDirectory: directories.keyDirectory,
    algorithm: own.latest.algorithm,
    keyId: own.latest.keyId,
    keyIds: Object.freeze([...own.latest.keyIds]),
    ...(revoked !== undefined && { revoked: Object.freeze(revoked) }),
    ...(persisted !== undefined && { persisted }),
  })
}
