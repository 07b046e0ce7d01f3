import * as core from '#core'
import { platform } from '#platform'
import { storedAlgorithm } from '../algorithms.ts'
import { letPass } from '../belated.ts'
import { decode, encode } from '../bytes.ts'
import { type CoreObject, call, isWellFormed } from '../core.ts'
import { again, get } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { blankMoment, entropy, momentAt, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { CLAIM_SUFFIX, DEFAULT_CONFIG_PATH, DIRECTORY_FIELDS } from '../home.ts'
import { limitsText } from '../limits.ts'
import { agentOptions, checkLimits, checkPassword, flag, IMPORT_OPTIONS, plainOptions } from '../options.ts'
import { alone } from '../plain.ts'
import type { Config, Directories, Home } from '../platform.ts'
import {
  type AgentPlace,
  agentClosed,
  type Entrance,
  isShut,
  type Loaded,
  type Signing,
  wipe,
  wipeSigning,
} from '../session.ts'
import { verifyAgentDocument } from '../state/agent-identity.ts'
import { type Made, readMade } from '../state/documents.ts'
import { encryptSecret, generateSecret, importSecret, publicOf } from '../state/private-key.ts'
import type { AgentInfo, CreatedAgentInfo, CreateOptions, ExternalSigner, QuickstartOptions } from '../types.ts'
import { warn } from '../warnings.ts'
import { Beginning } from './beginnings.ts'
import { assemble, describe, drop, enter, loadAt } from './load.ts'
import { lostError, markedAt, markLoaded } from './marker.ts'
import { checkStorage, type NamedAgent, openHome, parseConfig, readNaming, settleClaim } from './naming.ts'
import { openSigner, openStores } from './opening.ts'
import { forgetPasskeys, passkeysFor } from './passkey.ts'
import { GENERATED_NOTICE, GENERATED_WARNING, makePassword, type NewPassword } from './password.ts'
import { externalKey, type SigningKey, sign } from './signing.ts'
import { finishCreation, moveCreated, type Parts, stage, unstage } from './staging.ts'

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
  ...DIRECTORY_FIELDS,
  algorithm: 'sxAgentKeyAlgorithm',
} as const

/** Options with few values. The core refuses another text as `agentType`, in the same words. */
const KINDS: Readonly<Partial<Record<keyof CreateOptions, string>>> = {
  algorithm: 'not one of pq2025, ML-DSA-87, ed25519, Ed25519',
  agentType: 'not one of human, human-org, hybrid, ai',
}

function checkOptions(options: CreateOptions, required: readonly (keyof QuickstartOptions)[]): void {
  const own = agentOptions(options)
  const { verifyOnly } = own
  if (verifyOnly === true)
    throw new SxError('InvalidOption', "The option 'verifyOnly' is only for loading an agent. Omit it.")
  flag('startAnew', options.startAnew)
  checkLimits(options.limits)
  passkeysFor(own)
  if (own.signer !== undefined) checkSigner(options, own.signer)
  for (const name of TEXTS) {
    const value: unknown = options[name]
    if (typeof value !== 'string') {
      if (value === undefined && !required.includes(name)) continue
      if (value === undefined) throw missing(name)
      throw new SxError('InvalidOption', `The option '${name}' is ${KINDS[name] ?? 'not a string'}.`)
    }
    checkLength(value, name)
    if (!isWellFormed(value)) throw new SxError('InvalidOption', `The option '${name}' contains a lone surrogate.`)
    if (name === 'algorithm' && storedAlgorithm(value) === undefined) {
      throw new SxError('InvalidOption', `The option '${name}' is ${KINDS[name]}.`)
    }
  }
  if (options.importKey === undefined) return
  const { pem, password } = plainOptions(options.importKey, IMPORT_OPTIONS, 'parts of the imported key')
  if (typeof pem !== 'string') throw new SxError('InvalidOption', "The option 'importKey.pem' is not a string.")
  checkLength(pem, 'importKey.pem')
  if (password !== undefined) checkPassword(password)
}

/** What is said of an option that has to be there. */
function missing(name: keyof CreateOptions): SxError {
  const advice = name === 'domain' ? "Pass the host name of the agent, such as 'example.com'." : 'Pass a name.'
  return new SxError('InvalidOption', `The option '${name}' is missing.`, { advice })
}

/** Refuses what would name another key than that of an external signer. */
function checkSigner({ importKey, algorithm }: CreateOptions, signer: ExternalSigner): void {
  if (importKey !== undefined) {
    throw new SxError('InvalidOption', "The options 'signer' and 'importKey' cannot be used together.")
  }
  for (const named of [signer.algorithm, algorithm ?? signer.algorithm]) {
    externalKey({ ...signer, algorithm: named }).secret.dispose() // which refuses the key of another algorithm
  }
}

/** In characters. Longer ones are mistakes, such as a whole file, and may not even fit into the texts they become part of. */
const LONGEST_OPTION: number = 1 << 20

function checkLength(value: string, name: string): void {
  if (value.length <= LONGEST_OPTION) return
  throw new SxError('InvalidOption', `The option '${name}' has more than ${LONGEST_OPTION} characters.`)
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
    return call(() => core.createConfig(JSON.stringify({ ...fields, ...more })))
  } catch (error) {
    throw asOption(error, options)
  }
}

/** What is wrong with a field that is given as an option, by the option's name. */
function asOption(error: unknown, options: CreateOptions): unknown {
  if (!(error instanceof SxError && error.code === 'InvalidConfig')) return error
  for (const [option, field] of Object.entries(FIELDS)) {
    const named = `configuration field '${field}'`
    if (options[option as keyof typeof FIELDS] === undefined || !error.found.includes(named)) continue
    return new SxError('InvalidOption', error.found.replace(named, `option '${option}'`))
  }
  return error
}

/** The directories of a configuration that is to be written. */
function openDirectories(home: Home, config: Config, options: CreateOptions): Directories {
  try {
    return home.open(config)
  } catch (error) {
    throw asOption(error, options)
  }
}

/** Where an agent is to be created. */
interface Site extends AgentPlace {
  /** The configuration that stands there already, without an agent. */
  readonly prepared: Prepared | undefined
}

/** What stands at the place of a configuration: an agent, or room for one. */
function* survey(options: CreateOptions): Operation<{ site: Site; agent: NamedAgent | undefined }> {
  const configPath = options.configPath ?? DEFAULT_CONFIG_PATH
  const home = yield* openHome(options, configPath)
  if (/[^/\\]*$/.exec(home.realPath.replace(/[/\\.]+$/, ''))?.[0].endsWith(CLAIM_SUFFIX)) {
    throw new SxError('InvalidOption', `The option 'configPath' ends with ${CLAIM_SUFFIX}, which is reserved.`)
  }
  const there = yield* readNaming(home, home.probeConfig)
  if (there?.agent !== undefined) {
    const { config, agent } = there
    return { site: { home, config, directories: home.open(config), prepared: undefined }, agent }
  }
  if (there !== undefined) checkStorage(options, there.config)
  const prepared = there && alone(JSON.parse(decode(there.bytes, 'The configuration')) as Prepared)
  for (const [option, field] of Object.entries(FIELDS)) {
    const value: unknown = options[option as keyof typeof FIELDS]
    const held = prepared?.[field]
    if (value === undefined || held === undefined || held === value) continue
    if (option === 'algorithm' && isSameAlgorithm(held, value)) continue
    throw new SxError('InvalidOption', `The option '${option}' differs from '${field}' in the configuration. Omit it.`)
  }
  const config = parseConfig(encode(writeConfig(options, prepared ?? {})))
  return { site: { home, config, directories: openDirectories(home, config, options), prepared }, agent: undefined }
}

function isSameAlgorithm(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false
  return storedAlgorithm(one) === storedAlgorithm(other)
}

/** `create`: a new agent. Nothing that exists is overwritten, but for a configuration that was prepared for it. */
export function* create(at: Entrance, options: CreateOptions): Operation<CreatedAgentInfo> {
  checkOptions(options, ['name'])
  const { site, agent } = yield* survey(options)
  if (agent !== undefined) throw occupied(site)
  const lost = yield* lostAt(options, site)
  const info = yield* createAt(at, options, { ...site, lost })
  if (info === undefined) throw occupied(site)
  return info
}

function occupied({ home }: AgentPlace): SxError {
  return new SxError('AlreadyExists', `There is already an agent at ${home.configPath}. Open it with load().`)
}

/**
 * The id of the agent that was here and is gone, where the program says that another one takes its place.
 *
 * @throws SxError `AgentLost` where it does not say so
 */
function* lostAt(options: CreateOptions, { home }: AgentPlace): Operation<string | undefined> {
  const marker = yield* markedAt(options, home)
  if (marker === undefined || (yield* readNaming(home))?.agent !== undefined) return undefined
  if (options.startAnew !== true) throw lostError(home, marker)
  return marker.agentId
}

/** `quickstart`: loads the agent at the configuration's path, or creates it. */
export function* quickstart(at: Entrance, options: QuickstartOptions): Operation<CreatedAgentInfo> {
  checkOptions(options, ['name', 'domain'])
  const beginning = new Beginning()
  try {
    return yield* start(at, options, beginning)
  } finally {
    beginning.end()
  }
}

function* start(at: Entrance, options: QuickstartOptions, beginning: Beginning): Operation<CreatedAgentInfo> {
  let { site, agent } = yield* survey(options)
  if (agent === undefined) {
    const lost = yield* lostAt(options, site)
    try {
      const info = yield* createAt(at, options, { ...site, lost }, beginning)
      if (info !== undefined) return info
    } catch (error) {
      // A key without an agent: the agent may have come between two looks.
      if (!(error instanceof SxError && error.code === 'AlreadyExists')) throw error
      if ((yield* survey(options)).agent === undefined) throw error
    }
    ;({ site, agent } = yield* survey(options))
    if (agent === undefined) throw occupied(site)
  }
  checkStorage(options, site.config)
  const shared = beginning.passwordOf(agent.id)
  const own = agentOptions(options)
  const loaded = yield* loadAt(at, shared === undefined ? own : alone({ ...own, password: shared }), site, agent)
  const info = describe(loaded)
  const notice = otherAlgorithm(options, info)
  return Object.freeze({ ...info, created: false, ...(notice !== undefined && { notice }) })
}

/** Says that an agent which is there has a key of another algorithm than its options ask for. */
function otherAlgorithm({ algorithm }: CreateOptions, { algorithm: own, configPath }: AgentInfo): string | undefined {
  const asked = algorithm && storedAlgorithm(algorithm)
  if (asked === undefined || asked === own) return undefined
  const there = `The agent of ${configPath} was loaded unchanged. Its key is ${own}, not ${asked}.`
  return `${there} Call rotateKey({ algorithm: '${asked}' }) to change that.`
}

/** Creates an agent; `undefined` if another one was faster. */
function* createAt(
  at: Entrance,
  options: CreateOptions,
  site: Site & { readonly lost: string | undefined },
  beginning?: Beginning,
): Operation<CreatedAgentInfo | undefined> {
  yield* refuseKeys(site)
  const { signer } = agentOptions(options)
  const key = signer === undefined ? yield* makeKey(site.config, options) : externalKey(signer)
  let made: MadeAgent | undefined
  try {
    made = yield* makeAt(at, options, site, key, beginning)
  } finally {
    if (made === undefined) key.secret.dispose()
  }
  if (made === undefined) return undefined
  const { loaded } = made
  // The agent exists, so this is reported even if the caller no longer uses it.
  if (isShut(at)) yield* drop(loaded)
  else enter(at.session, loaded)
  const info = { ...describe(loaded), created: true }
  if (!made.chosen?.isLost) return Object.freeze(info)
  warn('GENERATED_PASSWORD', GENERATED_WARNING)
  return Object.freeze({ ...info, generatedPassword: made.chosen.password, notice: GENERATED_NOTICE })
}

interface MadeAgent {
  readonly loaded: Loaded
  readonly chosen: NewPassword | undefined
}

/** Makes the agent of a key and stores it; `undefined` if another one was faster. */
function* makeAt(
  entrance: Entrance,
  options: CreateOptions,
  site: Site & { readonly lost: string | undefined },
  key: SigningKey,
  beginning?: Beginning,
): Operation<MadeAgent | undefined> {
  const profile = JSON.stringify({
    name: options.name,
    domain: options.domain,
    description: options.description,
    agentType: options.agentType,
  })
  const { secret, external } = key
  const moment = momentAt(yield* perform(now), yield* perform(blankMoment))
  const made = readMade(yield* sign(key, () => core.agentCreate(secret.handle, profile, moment)))
  const chosen =
    external === undefined
      ? yield* makePassword(options, site, made.id, { name: options.name, lost: site.lost })
      : undefined
  let place: AgentPlace
  let parts: Parts
  let loaded: Loaded | undefined
  try {
    const { algorithm, pem: publicKey } = publicOf(secret)
    parts = { document: made.raw, publicKey, ...(chosen && (yield* atRest(secret, chosen))) }
    const text = writeConfig(options, site.prepared ?? {}, {
      sxAgentKeyAlgorithm: algorithm,
      sxAgentIdAndVersion: `${made.id}:${made.version}`,
    })
    place = { ...site, config: parseConfig(encode(text)) }
    yield* stage(site, made.id, parts)
    const { probeData } = site.directories
    if (probeData !== undefined) yield* perform(probeData) // the document is written there when nothing is taken back
    loaded = yield* openCreated(agentOptions(options), place, made, publicKey, key)
    yield* refuseKeys(site) // once more, right before it counts
    if (isShut(entrance)) throw agentClosed()
    if (chosen?.isLost) beginning?.share(made.id, chosen.password)
    if (!(yield* commit(site, made.id, encode(text)))) {
      wipe(loaded)
      yield* takeBack(options, site, made.id)
      return undefined
    }
  } catch (error) {
    if (loaded !== undefined) wipe(loaded)
    if (error instanceof OutcomeUnknown) throw error.reason
    yield* takeBack(options, site, made.id)
    throw error
  }
  yield* settle(place, made.id, parts)
  yield* markLoaded(loaded)
  loaded.documents.remember(made.id, 1, made.version)
  return { loaded, chosen }
}

/** A private key as it is stored, and its password where that is to be saved. */
function* atRest(
  secret: CoreObject,
  { password, derivation, isToSave }: NewPassword,
): Operation<Pick<Parts, 'privateKey' | 'password'>> {
  const privateKey = yield* encryptSecret(secret, password, derivation)
  return { privateKey, ...(isToSave && { password }) }
}

/** Removes what an agent that no configuration names has left. */
function* takeBack(options: CreateOptions, site: Site, agentId: string): Operation<void> {
  yield* unstage(site, agentId)
  if (options.passkey === true) yield* forgetPasskeys(options, site, (passkey) => passkey.agentId === agentId)
}

/** Moves the parts. The agent is there already, so what cannot be done now is left to the next start. */
export function* settle(place: AgentPlace, agentId: string, parts: Parts): Operation<void> {
  try {
    yield* moveCreated(place, agentId, parts)
    yield* finishCreation(place, agentId) // what others have left
  } catch (error) {
    letPass(error)
  }
}

/** Opens the agent that is being created, before anything names it: what does not open is not created. */
function* openCreated(
  options: ReturnType<typeof agentOptions>,
  place: AgentPlace,
  made: Made,
  publicKey: string,
  key: SigningKey,
): Operation<Loaded> {
  const document = { number: 1, text: made.raw, ...verifyAgentDocument(made.raw, limitsText(undefined)) }
  const stores = openStores(options, place)
  let signing: Signing | undefined
  try {
    signing = yield* openSigner(options, place, document, key, publicKey)
    return yield* assemble(options, place, stores, made.id, document, signing)
  } catch (error) {
    if (signing !== undefined) wipeSigning(signing)
    stores.ring.dispose()
    throw error
  }
}

/** Refuses a key directory where there is a key already. */
function* refuseKeys({ config, directories, home }: AgentPlace): Operation<void> {
  for (const [file, kind] of [
    [config.privateKeyFilename, 'private'],
    [config.publicKeyFilename, 'public'],
  ] as const) {
    if ((yield* perform(get(directories.keys, [file]))) === undefined) continue
    const found = `There is a ${kind} key at ${directories.keyPath(file)}, but no agent at ${home.configPath}.`
    const how = 'If the configuration was deleted, restore it. For another agent, use another key directory.'
    throw new SxError('AlreadyExists', `${found} ${how}`)
  }
}

function* makeKey(config: Config, options: CreateOptions): Operation<SigningKey> {
  return { secret: yield* makeSecret(config, options), external: undefined }
}

function* makeSecret({ algorithm }: Config, options: CreateOptions): Operation<CoreObject> {
  if (options.importKey === undefined) return generateSecret(algorithm, yield* perform(entropy))
  const { pem, password } = options.importKey
  const secret = yield* importSecret(pem, password)
  if (options.algorithm !== undefined && publicOf(secret).algorithm !== algorithm) {
    const found = `The imported key is for ${publicOf(secret).algorithm}, but the option 'algorithm' is ${algorithm}.`
    secret.dispose()
    throw new SxError('InvalidOption', found)
  }
  return secret
}

/** It is not known whether the configuration names the agent now, so nothing may be removed. */
export class OutcomeUnknown extends Error {
  readonly reason: SxError

  constructor(reason: SxError) {
    super(reason.message)
    this.reason = reason
  }
}

/** Has the configuration name the agent. Says whether it does: what is put if absent, the first one wins. */
export function* commit({ home, prepared }: Site, agentId: string, config: Uint8Array): Operation<boolean> {
  const put = prepared === undefined ? home.writeConfig(config) : home.claimConfig(config)
  let failure: SxError | undefined
  try {
    // Once more if it fails: "taken" is said only of what lasts.
    if ((yield* perform(again(put))) && prepared === undefined) return true
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    failure = error // it may have been done
  }
  const winner = yield* winnerAt(home, failure)
  if (winner === undefined) {
    throw failure ?? new SxError('StorageUnavailable', `The configuration at ${home.configPath} cannot be read.`)
  }
  if (prepared !== undefined) yield* settleClaim(home)
  return winner === agentId
}

/** The agent that the configuration, or the claim beside it, names now. */
function* winnerAt(home: Home, failure: SxError | undefined): Operation<string | undefined> {
  try {
    return (yield* readNaming(home))?.agent?.id
  } catch (error) {
    letPass(error)
    throw new OutcomeUnknown(failure ?? (error as SxError))
  }
}
