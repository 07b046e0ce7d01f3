import { platform } from '#platform'
import { decode, encode } from '../bytes.ts'
import { adopt, CoreObject, call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { get, storageHome } from '../home.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText } from '../limits.ts'
import { checkLimits } from '../options.ts'
import type { Config, Home, Places } from '../platform.ts'
import { type AgentOptions, type Loaded, type Session, writesBehind } from '../session.ts'
import type { AgentInfo } from '../types.ts'
import { readLatest } from './history.ts'
import { openDirectory, openTrust } from './key-sources.ts'
import { findPassword } from './password.ts'

/** Where a configuration stands if no place is named (specification 2.1). */
export const DEFAULT_CONFIG_PATH = './sx.config.json'

/** A key as the core describes it. */
export interface KeyInfo {
  readonly algorithm: string
  readonly keyId: string
  readonly pem: string
}

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
  return JSON.parse(call((core) => core.parseConfig(bytes))) as Config
}

/** `load`: opens the agent that a configuration names. The session changes only if all succeeds. */
export function* load(session: Session, configPath: unknown, options: AgentOptions): Operation<Loaded> {
  checkLimits(options.limits)
  const home = yield* openHome(options, configPath)
  const bytes = yield* perform(home.readConfig)
  if (bytes === undefined) throw new SxError('NotFound', `There is no configuration at ${home.configPath}.`)
  const config = parseConfig(bytes)
  if (options.storage === undefined && config.storage !== platform.defaultStorage) {
    throw new SxError('Unsupported', `The configuration keeps the agent in '${config.storage}', which is not here.`)
  }
  const places = home.open(config)
  const { agentId, agentVersion } = config
  if (agentId === null || agentVersion === null) {
    throw new SxError('InvalidConfig', "The configuration names no agent in 'sxAgentIdAndVersion'.")
  }
  const document = yield* readLatest(places.data, agentId, agentVersion, limitsText(options.limits))
  if (document === undefined) throw new SxError('NotFound', 'The agent document is not in the data directory.')
  const pem = yield* perform(get(places.keys, [config.privateKeyFilename]))
  if (pem === undefined) {
    throw new SxError('NotFound', `There is no private key at ${places.keyPath(config.privateKeyFilename)}.`)
  }
  const password = yield* findPassword({ platform, options, config, home, places })
  if (password === undefined) throw new SxError('PasswordRequired')
  const secret = openSecret(decodeKey(pem), password)
  return enter(session, yield* open(options, { home, config, places, document, agentId, secret }))
}

function decodeKey(bytes: Uint8Array): string {
  try {
    return decode(bytes, 'The key file')
  } catch (cause) {
    throw new SxError('InvalidKey', 'The private key file is not PEM text.', { cause })
  }
}

/** Opens an encrypted private key. */
export function openSecret(pem: string, password: string): CoreObject {
  return keepSecret(() => call((core) => core.secretOpen(pem, encode(password))))
}

/**
 * Keeps a private key in the core for as long as it is reachable, and the bytes to restore it
 * after a trap, which are overwritten when it is not.
 *
 * @param make opens or makes it
 */
export function keepSecret(make: () => number): CoreObject {
  const first = adopt(make())
  const exported = call((core) => core.secretBytes(first))
  // Small typed arrays may live inside the JavaScript heap, where the collector copies them.
  const bytes = new Uint8Array(new ArrayBuffer(exported.length))
  bytes.set(exported)
  exported.fill(0)
  let present: number | undefined = first
  const restore = (): number => {
    const handle = present ?? call((core) => core.secretRestore(bytes))
    present = undefined
    return handle
  }
  return new CoreObject(restore, () => bytes.fill(0))
}

/** What is known of an agent that is about to be the loaded one. */
export interface Entering {
  readonly home: Home
  readonly config: Config
  readonly places: Places
  readonly document: { version: string; text: string }
  readonly agentId: string
  readonly secret: CoreObject
}

/** Opens an agent, after the core has checked that its document and key belong together. */
export function* open(options: AgentOptions, agent: Entering): Operation<Loaded> {
  const { places, document, secret, config, agentId } = agent
  const beside = yield* perform(get(places.keys, [config.publicKeyFilename]))
  const limits = limitsText(options.limits)
  const publicKeyPath = places.keyPath(config.publicKeyFilename)
  if (beside?.length === 0) throw new SxError('InvalidKey', `The public key file ${publicKeyPath} is empty.`)
  const publicPem = beside ? new TextDecoder().decode(beside) : ''
  const identity = JSON.parse(call((core) => core.agentOpen(secret.handle, document.text, publicPem, limits))) as {
    id: string
    version: string
    name: string
  }
  if (identity.id !== agentId || identity.version !== document.version) {
    throw new SxError('CorruptStore', 'The data directory holds another agent under this id.')
  }
  const key = JSON.parse(call((core) => core.publicOf(secret.handle))) as KeyInfo
  const ring = new KeyRing(limits)
  ring.set(agentId, 'own', encode(document.text))
  return {
    id: agentId,
    algorithm: key.algorithm,
    keyId: key.keyId,
    publicKeyPem: key.pem,
    publicKeyPath,
    privateKeyPath: places.keyPath(config.privateKeyFilename),
    privateKeyFile: config.privateKeyFilename,
    options,
    home: agent.home,
    places,
    trust: yield* perform(openTrust(places)),
    directory: yield* perform(openDirectory(places)),
    secret,
    ring,
    seen: new Map([[agentId, document.version]]),
    document: { ...document, name: identity.name },
    unsettled: { seen: new Map(), setbacks: writesBehind({ places }) ?? 0 },
  }
}

/** Makes an agent the session's. */
export function enter(session: Session, loaded: Loaded): Loaded {
  session.options = loaded.options
  session.loaded = loaded
  return loaded
}

/** What people need to know of a loaded agent. */
export function describe(loaded: Loaded): AgentInfo {
  return Object.freeze({
    agentId: loaded.id,
    name: loaded.document.name,
    publicKeyPath: loaded.publicKeyPath,
    configPath: loaded.home.configPath,
    privateKeyPath: loaded.privateKeyPath,
    keyDirectory: loaded.places.keyDirectory,
    algorithm: loaded.algorithm,
    keyId: loaded.keyId,
  })
}
