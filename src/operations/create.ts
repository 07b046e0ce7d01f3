import { platform } from '#platform'
import { decode, encode, equalBytes } from '../bytes.ts'
import { type CoreObject, call } from '../core.ts'
import { type Effect, type Operation, perform, sleep } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { cursor, get, put, putIfAbsent, remove } from '../home.ts'
import { agentOptions, checkLimits, checkPassword, plainOptions } from '../options.ts'
import type { Config, Home, Places } from '../platform.ts'
import type { Loaded, Session } from '../session.ts'
import type { CreatedAgentInfo, CreateOptions, QuickstartOptions } from '../types.ts'
import { type Made, readLatest, readMade, removeFirst, storeFirst } from './history.ts'
import {
  DEFAULT_CONFIG_PATH,
  describe,
  enter,
  type KeyInfo,
  keepSecret,
  load,
  openHome,
  openSecret,
  parseConfig,
} from './load.ts'
import { findPassword, GENERATED_NOTICE, makePassword } from './password.ts'

/** How long `quickstart` waits for another process that is creating the same agent. */
const PATIENCE = { steps: 100, milliseconds: 50 }

interface Place {
  readonly home: Home
  readonly config: Config
  readonly places: Places
}

/** Options that must be texts where they are given. */
const TEXTS = [
  'name',
  'domain',
  'description',
  'agentType',
  'algorithm',
  'configPath',
  'dataDirectory',
  'keyDirectory',
] as const

function checkOptions(options: CreateOptions, required: readonly (keyof QuickstartOptions)[]): void {
  agentOptions(options)
  checkLimits(options.limits)
  for (const name of TEXTS) {
    const value: unknown = options[name]
    if (value === undefined ? required.includes(name) : typeof value !== 'string') {
      throw new SxError('InvalidOption', `The option '${name}' is not a text.`)
    }
  }
  if (options.importKey === undefined) return
  const { pem, password } = plainOptions(options.importKey, 'parts of the imported key')
  if (typeof pem !== 'string') throw new SxError('InvalidOption', "The option 'importKey.pem' is not a text.")
  if (password !== undefined) checkPassword(password)
}

/** The configuration of a new agent, without or with its name. */
function writeConfig(options: CreateOptions, agent?: { id: string; version: string }): string {
  const fields = {
    sxDataDirectory: options.dataDirectory,
    sxKeyDirectory: options.keyDirectory,
    sxAgentKeyAlgorithm: options.algorithm,
    sxAgentIdAndVersion: agent && `${agent.id}:${agent.version}`,
    sxDefaultStorage: platform.defaultStorage,
  }
  return call((core) => core.createConfig(JSON.stringify(fields)))
}

function* openPlace(options: CreateOptions): Operation<Place> {
  const home = yield* openHome(options, options.configPath ?? DEFAULT_CONFIG_PATH)
  const config = parseConfig(encode(writeConfig(options)))
  return { home, config, places: home.open(config) }
}

/** `create`: a new agent. Nothing that exists is overwritten. */
export function* create(session: Session, options: CreateOptions): Operation<CreatedAgentInfo> {
  checkOptions(options, ['name'])
  const place = yield* openPlace(options)
  const { home, config, places } = place
  if ((yield* perform(home.probeConfig)) !== undefined) {
    throw new SxError('AlreadyExists', `There is a configuration at ${home.configPath} already.`)
  }
  yield* refuseKey(place)
  const profile = JSON.stringify({
    name: options.name,
    domain: options.domain,
    description: options.description,
    agentType: options.agentType,
  })
  const secret = yield* makeSecret(config.algorithm, options)
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const made = readMade(call((core) => core.agentCreate(secret.handle, profile, at, random)))
  const { password, lost } = yield* makePassword({ platform, options, ...place })
  const salt = yield* perform(entropy)
  const pem = encode(call((core) => core.secretEncrypt(secret.handle, encode(password), salt)))
  const publicKey = encode((JSON.parse(call((core) => core.publicOf(secret.handle))) as KeyInfo).pem)
  const written: Effect<unknown>[] = []
  try {
    // The private key comes after all that is needed to find its agent again, and the configuration
    // last: a process that dies in between leaves either nothing that counts or what `adopt` finishes.
    yield* storeFirst(places.data, made)
    const named = [call((core) => core.publicKeyFile(made.id))]
    written.push(remove(places.keys, named))
    yield* perform(put(places.keys, named, publicKey))
    const file = [config.privateKeyFilename]
    if (!(yield* perform(putIfAbsent(places.keys, file, pem)))) yield* refuseKey(place)
    written.push(remove(places.keys, file), remove(places.keys, [config.publicKeyFilename]))
    const document = { version: made.version, text: made.raw }
    const loaded = yield* finish(session, options, place, secret, made.id, document, publicKey)
    const info = { ...describe(loaded), created: true }
    return Object.freeze(lost ? { ...info, generatedPassword: password, notice: GENERATED_NOTICE } : info)
  } catch (error) {
    yield* takeBack(place, made, written)
    throw error
  }
}

/** Removes what a failed `create` has written, unless a configuration names it. */
function* takeBack({ home, places }: Place, made: Made, written: readonly Effect<unknown>[]): Operation<void> {
  try {
    if ((yield* configuredAgent(home)) === made.id) return
    for (const undo of written.slice().reverse()) yield* perform(undo)
    yield* removeFirst(places.data, made)
  } catch {
    // Whatever made `create` fail may stand in the way here too. Its error is the one to report;
    // what is left is finished or named by the next `quickstart`.
  }
}

/** The agent that the configuration names, if there is one. */
function* configuredAgent(home: Home): Operation<string | undefined> {
  const bytes = yield* perform(home.readConfig)
  return bytes === undefined ? undefined : (parseConfig(bytes).agentId ?? undefined)
}

function* refuseKey({ config, places }: Place): Operation<undefined> {
  if ((yield* perform(get(places.keys, [config.privateKeyFilename]))) === undefined) return undefined
  throw new SxError(
    'AlreadyExists',
    `There is a private key at ${places.keyPath(config.privateKeyFilename)}, but no configuration for it.`,
  )
}

function* makeSecret(algorithm: string, { importKey }: CreateOptions): Operation<CoreObject> {
  const random = yield* perform(entropy)
  if (importKey === undefined) return keepSecret(() => call((core) => core.secretGenerate(algorithm, random)))
  const { pem, password } = importKey
  return keepSecret(() => call((core) => core.secretImport(pem, password === undefined ? undefined : encode(password))))
}

function* finish(
  session: Session,
  options: CreateOptions,
  { home, config, places }: Place,
  secret: CoreObject,
  agentId: string,
  document: { version: string; text: string },
  publicKey: Uint8Array,
): Operation<Loaded> {
  yield* perform(put(places.keys, [config.publicKeyFilename], publicKey))
  const text = writeConfig(options, { id: agentId, version: document.version })
  const isWritten = yield* perform(home.writeConfig(encode(text)))
  // Another process may have found the key and finished what this one began.
  if (!isWritten && (yield* configuredAgent(home)) !== agentId) {
    throw new SxError('AlreadyExists', `Another process has just written a configuration at ${home.configPath}.`)
  }
  return yield* enter(session, agentOptions(options), { home, config, places, document, agentId, secret })
}

/** `quickstart`: loads the agent at the configuration's path, or creates it. */
export function* quickstart(session: Session, options: QuickstartOptions): Operation<CreatedAgentInfo> {
  checkOptions(options, ['name', 'domain'])
  const path = options.configPath ?? DEFAULT_CONFIG_PATH
  const place = yield* openPlace(options)
  for (let step = 0; ; step++) {
    if ((yield* perform(place.home.readConfig)) !== undefined) {
      const loaded = yield* load(session, path, agentOptions(options))
      return Object.freeze({ ...describe(loaded), created: false })
    }
    try {
      return (yield* adopt(session, options, place)) ?? (yield* create(session, options))
    } catch (error) {
      const isRace = error instanceof SxError && error.code === 'AlreadyExists'
      if (!isRace || step === PATIENCE.steps) throw error
      yield* perform(sleep(PATIENCE.milliseconds))
    }
  }
}

/**
 * Finishes what a process began that died while creating an agent: the private key is there, and
 * beside it the public key that names its agent, but no configuration.
 */
function* adopt(session: Session, options: QuickstartOptions, place: Place): Operation<CreatedAgentInfo | undefined> {
  const { config, places } = place
  const pem = yield* perform(get(places.keys, [config.privateKeyFilename]))
  if (pem === undefined) return undefined
  const password = yield* findPassword({ platform, options, ...place })
  if (password === undefined) return yield* refuseKey(place)
  const secret = openSecret(decode(pem, 'The key file'), password)
  const publicKey = encode((JSON.parse(call((core) => core.publicOf(secret.handle))) as KeyInfo).pem)
  const agentId = yield* agentOfKey(places, publicKey)
  const document = agentId && (yield* readLatest(places.data, agentId, undefined, ''))
  if (agentId === undefined || !document) return yield* refuseKey(place)
  const loaded = yield* finish(session, options, place, secret, agentId, { ...document }, publicKey)
  return Object.freeze({ ...describe(loaded), created: true })
}

/** The agent whose public key file in the key directory holds this key. */
function* agentOfKey(places: Places, publicKey: Uint8Array): Operation<string | undefined> {
  const next = cursor(places.keys, [])
  for (;;) {
    const key = yield* perform(next)
    if (key === undefined) return undefined
    const [file = ''] = key
    const [, agentId] = /^([0-9a-f-]{36})\.public\.pem$/.exec(file) ?? []
    if (agentId === undefined || key.length !== 1) continue
    const bytes = yield* perform(get(places.keys, key))
    if (bytes !== undefined && equalBytes(bytes, publicKey)) return agentId
  }
}
