import { platform } from '#platform'
import { decode, encode, equalBytes } from '../bytes.ts'
import { type CoreObject, call, isWellFormed } from '../core.ts'
import { type Operation, perform, sleep } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { get, put, putIfAbsent } from '../home.ts'
import { agentOptions, checkLimits, checkPassword, plainOptions } from '../options.ts'
import type { Config } from '../platform.ts'
import type { Loaded, Session } from '../session.ts'
import type { CreatedAgentInfo, CreateOptions, QuickstartOptions } from '../types.ts'
import { readMade, storeFirst } from './history.ts'
import {
  DEFAULT_CONFIG_PATH,
  describe,
  enter,
  type KeyInfo,
  keepSecret,
  load,
  open,
  openHome,
  openSecret,
  parseConfig,
} from './load.ts'
import {
  agentOfKey,
  type Candidate,
  configuredAgent,
  files,
  type Parts,
  type Place,
  restore,
  takeBack,
  unfinished,
} from './parts.ts'
import { findPassword, GENERATED_NOTICE, makePassword } from './password.ts'

/** How long `quickstart` waits for another process that is creating the same agent. */
const PATIENCE = { steps: 100, milliseconds: 50 }

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

/** The options that become fields of the configuration. */
const FIELDS = {
  dataDirectory: 'sxDataDirectory',
  keyDirectory: 'sxKeyDirectory',
  algorithm: 'sxAgentKeyAlgorithm',
} as const

function checkOptions(options: CreateOptions, required: readonly (keyof QuickstartOptions)[]): void {
  agentOptions(options)
  checkLimits(options.limits)
  for (const name of TEXTS) {
    const value: unknown = options[name]
    if (typeof value !== 'string') {
      if (value === undefined && !required.includes(name)) continue
      throw new SxError('InvalidOption', `The option '${name}' is not a text.`)
    }
    if (!isWellFormed(value)) throw new SxError('InvalidOption', `The option '${name}' holds half a surrogate pair.`)
  }
  if (options.importKey === undefined) return
  const { pem, password } = plainOptions(options.importKey, 'parts of the imported key')
  if (typeof pem !== 'string') throw new SxError('InvalidOption', "The option 'importKey.pem' is not a text.")
  if (password !== undefined) checkPassword(password)
}

/** The fields of a configuration that was prepared for a new agent: all but the agent's name. */
type Prepared = Readonly<Record<string, unknown>>

function writeConfig(options: CreateOptions, prepared: Prepared, more: Prepared = {}): string {
  const fields: Record<string, unknown> = { sxDefaultStorage: platform.defaultStorage, ...prepared }
  for (const [option, field] of Object.entries(FIELDS)) {
    const value: unknown = options[option as keyof typeof FIELDS]
    if (value !== undefined) fields[field] = value
  }
  try {
    return call((core) => core.createConfig(JSON.stringify({ ...fields, ...more })))
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'InvalidConfig')) throw error
    const found = Object.entries(FIELDS).reduce(
      (text, [option, field]) => text.replace(`configuration field '${field}'`, `option '${option}'`),
      error.found,
    )
    throw new SxError('InvalidOption', found)
  }
}

function* openPlace(options: CreateOptions): Operation<Place> {
  const home = yield* openHome(options, options.configPath ?? DEFAULT_CONFIG_PATH)
  const there = yield* perform(home.probeConfig)
  const isPrepared = there !== undefined && parseConfig(there).agentId === null
  const prepared: Prepared = isPrepared ? (JSON.parse(decode(there, 'The configuration')) as Prepared) : {}
  for (const [option, field] of Object.entries(FIELDS)) {
    const value: unknown = options[option as keyof typeof FIELDS]
    if (value === undefined || prepared[field] === undefined || prepared[field] === value) continue
    throw new SxError('InvalidOption', `The option '${option}' is another than '${field}' of the configuration.`)
  }
  const config = parseConfig(encode(writeConfig(options, prepared)))
  return { home, config, places: home.open(config), prepared: isPrepared ? prepared : undefined }
}

/** `create`: a new agent. Nothing that exists is overwritten, but for a configuration that was prepared for it. */
export function* create(session: Session, options: CreateOptions): Operation<CreatedAgentInfo> {
  checkOptions(options, ['name'])
  return yield* createAt(session, options, yield* openPlace(options))
}

function* createAt(session: Session, options: CreateOptions, place: Place): Operation<CreatedAgentInfo> {
  const { home, config, places } = place
  if (place.prepared === undefined && (yield* perform(home.probeConfig)) !== undefined) {
    throw new SxError('AlreadyExists', `There is a configuration at ${home.configPath} already.`)
  }
  yield* refuseKey(place)
  const profile = JSON.stringify({
    name: options.name,
    domain: options.domain,
    description: options.description,
    agentType: options.agentType,
  })
  const secret = yield* makeSecret(config, options)
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const made = readMade(call((core) => core.agentCreate(secret.handle, profile, at, random)))
  const { password, lost } = yield* makePassword({ platform, options, ...place })
  const salt = yield* perform(entropy)
  const parts: Parts = {
    made,
    pem: encode(call((core) => core.secretEncrypt(secret.handle, encode(password), salt))),
    publicKey: encode(keyOf(secret).pem),
    wroteShared: false,
  }
  try {
    // The private key comes after all that is needed to find its agent again, and the configuration
    // last: a process that dies in between leaves either nothing that counts or what `adopt` finishes.
    const { named, secret: file } = files(place, parts)
    yield* storeFirst(places.data, made)
    yield* perform(put(places.keys, named, parts.publicKey))
    if (!(yield* perform(putIfAbsent(places.keys, file, parts.pem)))) yield* refuseKey(place)
    const loaded = yield* finish(session, options, place, secret, parts)
    const info = { ...describe(loaded), created: true }
    return Object.freeze(lost ? { ...info, generatedPassword: password, notice: GENERATED_NOTICE } : info)
  } catch (error) {
    yield* takeBack(place, parts)
    throw error
  }
}

/** Refuses a place where there is a key already. */
function* refuseKey(place: Place): Operation<void> {
  const { config, places } = place
  for (const [file, kind] of [
    [config.privateKeyFilename, 'private'],
    [config.publicKeyFilename, 'public'],
  ] as const) {
    if ((yield* perform(get(places.keys, [file]))) === undefined) continue
    throw occupied(place, kind, file)
  }
}

function occupied({ home, places, config }: Place, kind = 'private', file = config.privateKeyFilename): SxError {
  const found = `There is a ${kind} key at ${places.keyPath(file)}, but no agent at ${home.configPath};`
  return new SxError('AlreadyExists', `${found} another agent needs another key directory.`)
}

function keyOf(secret: CoreObject): KeyInfo {
  return JSON.parse(call((core) => core.publicOf(secret.handle))) as KeyInfo
}

function* makeSecret({ algorithm }: Config, options: CreateOptions): Operation<CoreObject> {
  const random = yield* perform(entropy)
  if (options.importKey === undefined) return keepSecret(() => call((core) => core.secretGenerate(algorithm, random)))
  const { pem, password } = options.importKey
  const secret = keepSecret(() =>
    call((core) => core.secretImport(pem, password === undefined ? undefined : encode(password))),
  )
  if (options.algorithm !== undefined && keyOf(secret).algorithm !== algorithm) {
    secret.dispose()
    throw new SxError('InvalidOption', "The imported key is of another algorithm than the option 'algorithm' says.")
  }
  return secret
}

/** Writes what comes after the private key: the public key file and the configuration. Then the agent is there. */
function* finish(
  session: Session,
  options: CreateOptions,
  place: Place,
  secret: CoreObject,
  parts: Parts,
): Operation<Loaded> {
  const { home, places, prepared } = place
  const { made, publicKey } = parts
  const { shared } = files(place, parts)
  parts.wroteShared = true // before it is known: a write that fails may have been done
  if (!(yield* perform(putIfAbsent(places.keys, shared, publicKey)))) {
    parts.wroteShared = false
    const there = yield* perform(get(places.keys, shared))
    if (there === undefined || !equalBytes(there, publicKey)) {
      throw new SxError('AlreadyExists', `There is another public key at ${places.keyPath(shared[0])}.`)
    }
  }
  const text = writeConfig(options, prepared ?? {}, {
    sxAgentKeyAlgorithm: keyOf(secret).algorithm,
    sxAgentIdAndVersion: `${made.id}:${made.version}`,
  })
  const config = encode(text)
  const document = { version: made.version, text: made.raw }
  const agent = { home, config: parseConfig(config), places, document, agentId: made.id, secret }
  const loaded = yield* open(agentOptions(options), agent)
  if (prepared !== undefined && (yield* configuredAgent(home)) !== undefined) throw overtaken(place)
  // Last, because with it the agent is there. Another process may have found the key and written the same; and a
  // write that failed may have been done.
  let failure: SxError | undefined
  try {
    if (prepared !== undefined) yield* perform(home.replaceConfig(config))
    else if (yield* perform(home.writeConfig(config))) return enter(session, loaded)
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    failure = error
  }
  if ((yield* configuredAgent(home)) === made.id) return enter(session, loaded)
  throw failure ?? overtaken(place)
}

function overtaken({ home }: Place): SxError {
  return new SxError('AlreadyExists', `Another process has just written a configuration at ${home.configPath}.`)
}

/** `quickstart`: loads the agent at the configuration's path, or creates it. */
export function* quickstart(session: Session, options: QuickstartOptions): Operation<CreatedAgentInfo> {
  checkOptions(options, ['name', 'domain'])
  const path = options.configPath ?? DEFAULT_CONFIG_PATH
  const place = yield* openPlace(options)
  for (let step = 0; ; step++) {
    const config = yield* perform(place.home.readConfig)
    if (config !== undefined && parseConfig(config).agentId !== null) {
      const loaded = yield* load(session, path, agentOptions(options))
      return Object.freeze({ ...describe(loaded), created: false })
    }
    const left = yield* leftovers(options, place)
    // Documents come before keys, so nobody is creating this agent now; the key may just have been taken back.
    if (left?.candidates.length === 0) yield* refuseKey(place)
    try {
      if (left === undefined) return yield* createAt(session, options, place)
      const adopted = yield* adopt(session, options, place, left)
      if (adopted !== undefined) return adopted
    } catch (error) {
      const isRace = error instanceof SxError && error.code === 'AlreadyExists'
      if (!isRace || step === PATIENCE.steps) throw error
      yield* perform(sleep(PATIENCE.milliseconds))
      continue
    }
    throw occupied(place)
  }
}

interface Leftovers {
  readonly pem: Uint8Array
  readonly candidates: readonly Candidate[]
}

/** The private key that is there without a configuration, and the agents of this name that it may belong to. */
function* leftovers(options: QuickstartOptions, place: Place): Operation<Leftovers | undefined> {
  const pem = yield* perform(get(place.places.keys, [place.config.privateKeyFilename]))
  if (pem === undefined) return undefined
  return { pem, candidates: options.importKey === undefined ? yield* unfinished(place, options) : [] }
}

/** Finishes what a process began that died while creating this agent; nothing if the key is another agent's. */
function* adopt(
  session: Session,
  options: QuickstartOptions,
  place: Place,
  { pem, candidates }: Leftovers,
): Operation<CreatedAgentInfo | undefined> {
  const { config, places } = place
  const password = yield* findPassword({ platform, options, ...place })
  if (password === undefined) throw occupied(place) // perhaps only the process that creates it knows it
  const secret = openSecret(decode(pem, 'The key file'), password)
  const { pem: publicPem, algorithm } = keyOf(secret)
  const publicKey = encode(publicPem)
  const made = agentOfKey(candidates, publicKey)
  if (made === undefined || (options.algorithm !== undefined && algorithm !== config.algorithm)) {
    secret.dispose()
    return undefined
  }
  const parts: Parts = { made, pem, publicKey, wroteShared: false }
  const loaded = yield* finish(session, options, place, secret, parts)
  // Whoever began may have failed and taken the key back in the meantime.
  if ((yield* perform(get(places.keys, [config.privateKeyFilename]))) === undefined) yield* restore(place, parts)
  return Object.freeze({ ...describe(loaded), created: true })
}
