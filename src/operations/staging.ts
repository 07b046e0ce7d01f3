/**
 * How an agent comes into being at one moment. All that makes it is staged in one entry, under a name that nobody else
 * uses; then the configuration names the agent; then its parts move to where they belong. Before that moment whoever
 * staged them removes the entry if it fails; after it nothing is taken back, and whoever comes next finishes (protocol,
 * section 12).
 *
 * @module
 */

import * as core from '#core'
import { ownerOf } from '../backup.ts'
import { letPass } from '../belated.ts'
import { decode, encode } from '../bytes.ts'
import { call } from '../core.ts'
import { cursor, get, putIfAbsent, remove } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { limitsText } from '../limits.ts'
import { documentChain, names, publicKeyFile, trustChain } from '../names.ts'
import type { AgentPlace } from '../session.ts'
import { readStoredAgent } from '../state/agent-identity.ts'
import { claim, type Entry } from '../state/chain.ts'
import { markFresh, witnessRestored } from '../state/trust-witness.ts'
import type { Key } from '../storage/contract.ts'
import { savedForm } from './password.ts'

/** What makes an agent, as texts. */
export interface Parts {
  /** The first version of its document. */
  readonly document: string
  /** Its encrypted private key, PKCS#8 PEM, unless that is with an external signer. */
  readonly privateKey?: string
  /** SPKI PEM. */
  readonly publicKey: string
  /** The version of its document with this key, where that is a later one: of a backup whose key was rotated. */
  readonly latest?: string
  /** Its password, where that is to be saved. */
  readonly password?: string
  /** Of a backup: the public keys of other agents, SPKI PEM, by agent. */
  readonly keys?: Readonly<Record<string, string>>
  /** Of a backup: all decisions about other agents, oldest first, by agent. */
  readonly trust?: Readonly<Record<string, readonly string[]>>
}

/** Parts that cannot be where they belong. */
export interface Left {
  readonly privateKey: string | undefined
  readonly password: string | undefined
  /** Why. */
  readonly failure: SxError
}

/** Stands for the configuration and the name of its key file, however the path is written. */
function placeOf({ home, config }: AgentPlace): string {
  const segments = home.realPath.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.')
  return call(() => core.stagePlace(segments.join('/'), config.privateKeyFilename))
}

/** Where the parts of an agent are staged: those for other configurations may be beside them. */
function stagedKey(place: AgentPlace, agentId: string): Key {
  return [names().staging, call(() => core.stagedKeyFile(placeOf(place), agentId))]
}

/** Stages the parts of an agent. Of a backup they are the same texts each time, so it can be imported again. */
export function* stage(place: AgentPlace, agentId: string, parts: Parts): Operation<void> {
  const bytes = encode(JSON.stringify(parts))
  const key = stagedKey(place, agentId)
  if (yield* claim(place.directories.keys, key, bytes)) return
  const path = place.directories.keyPath(key.join('/'))
  const found = `Another backup of this agent is being restored here. Import that backup again, or remove ${path} to abandon it.`
  throw new SxError('AlreadyExists', found)
}

/** What is staged, one key after the other, with the agent's id. */
function* eachStaged({ directories }: AgentPlace, use: (key: Key, id: string) => Operation<boolean>): Operation<void> {
  const next = cursor(directories.keys, [names().staging])
  for (;;) {
    const key = yield* perform(next)
    if (key === undefined) return
    const name = key.at(-1) ?? ''
    const id = key.length === 2 ? call(() => core.readStagedKeyFile(name)) : undefined
    if (id !== undefined && (yield* use(key, id))) return
  }
}

/** The document of an agent whose parts have not been moved yet; for those who may not move them. */
export function* stagedDocument(place: AgentPlace, agentId: string): Operation<string | undefined> {
  let document: string | undefined
  yield* eachStaged(place, function* (key, id) {
    if (id !== agentId) return false
    const bytes = yield* perform(get(place.directories.keys, key))
    document = bytes && readParts(bytes, key, agentId).document
    return document !== undefined
  })
  return document
}

/** Removes what was staged for an agent that no configuration names. If that fails, the next start does it. */
export function* unstage(place: AgentPlace, agentId: string): Operation<void> {
  try {
    yield* perform(remove(place.directories.keys, stagedKey(place, agentId)))
  } catch (error) {
    letPass(error)
  }
}

/**
 * Finishes the creation of the agent that the configuration names, and removes what others have staged that lost.
 *
 * @returns its parts, if they cannot be where the configuration says
 */
export function* finishCreation(place: AgentPlace, agentId: string): Operation<Left | undefined> {
  let left: Left | undefined
  const own = placeOf(place)
  yield* eachStaged(place, function* (key, id) {
    if (id === agentId) left = yield* move(place, agentId, key)
    else if (key.at(-1)?.startsWith(own) === true) yield* unstage(place, id)
    return false
  })
  return left
}

/** Moves the parts of an agent that this process has just created. */
export function* moveCreated(place: AgentPlace, agentId: string, parts: Parts): Operation<void> {
  yield* put(place, agentId, stagedKey(place, agentId), parts)
}

/** Moves parts that are staged; not what somebody else has just moved, or what is damaged beside a whole agent. */
function* move(place: AgentPlace, agentId: string, staged: Key): Operation<Left | undefined> {
  const { config, directories } = place
  const { keys, data } = directories
  const bytes = yield* perform(get(keys, staged))
  if (bytes === undefined) return undefined
  let parts: Parts
  try {
    parts = readParts(bytes, staged, agentId)
  } catch (error) {
    letPass(error)
    const document = yield* perform(get(data, documentChain(agentId).entry(1)))
    const key = yield* perform(get(keys, [config.privateKeyFilename]))
    if (document !== undefined && key !== undefined) return undefined
    throw error
  }
  yield* tidy(place)
  const left = yield* put(place, agentId, staged, parts)
  const isStill = left !== undefined && (yield* perform(get(keys, staged))) !== undefined
  return isStill ? left : undefined
}

/** Whoever staged the parts may have died while it wrote the configuration. What cannot be removed does no harm. */
function* tidy({ home }: AgentPlace): Operation<void> {
  if (home.tidy === undefined) return
  try {
    yield* perform(home.tidy)
  } catch (error) {
    letPass(error)
  }
}

/** Puts the parts where they belong; the staged entry goes last. */
function* put(place: AgentPlace, agentId: string, staged: Key, parts: Parts): Operation<Left | undefined> {
  const { config, directories } = place
  const { document, privateKey, publicKey, password } = parts
  const { keys, data } = directories
  const left = (failure: SxError): Left => ({ privateKey, password, failure })
  const taken = (what: string, path: string): Left =>
    left(new SxError('AlreadyExists', `${what} cannot be moved to ${path}, which already exists.`))
  yield* claim(data, documentChain(agentId).entry(1), encode(document)) // without it there is nothing to load
  try {
    const obstacle = yield* putRestored(place, parts)
    if (obstacle !== undefined) return taken(...obstacle)
    yield* claim(keys, publicKeyFile(agentId), encode(publicKey))
    if (privateKey !== undefined && !(yield* claim(keys, [config.privateKeyFilename], encode(privateKey)))) {
      return taken('The private key', directories.keyPath(config.privateKeyFilename))
    }
    const { passwordFile } = names()
    if (password !== undefined && !(yield* claim(keys, [passwordFile], savedForm(password)))) {
      return taken('The saved password', directories.keyPath(passwordFile))
    }
    yield* perform(putIfAbsent(keys, [config.publicKeyFilename], encode(publicKey)))
    yield* markFresh(directories, yield* hasOthers(place))
    yield* perform(remove(keys, staged))
    return undefined
  } catch (error) {
    letPass(error)
    return left(error as SxError)
  }
}

/**
 * Whether the key directory serves other agents, whose decisions may be from before there were witnesses. Public keys of
 * others do not say so: they are put there to verify with.
 */
function* hasOthers({ config, directories }: AgentPlace): Operation<boolean> {
  const { privateKeyFilename, publicKeyFilename } = config
  const isOwn = (file: string): boolean => file === publicKeyFilename || `${file}.`.startsWith(`${privateKeyFilename}.`)
  const next = cursor(directories.keys, [])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const [file = ''] = key
    if (key.length === 1 && !file.startsWith('.') && !isOwn(file) && ownerOf(file) === undefined) return true
  }
  return false
}

/**
 * Puts what a backup holds about other agents, which counts for whoever is there. Decisions go from the latest one down:
 * until all of them stand, the chain has a gap, and nobody takes an earlier decision for the latest one.
 *
 * @returns what has the place of something, and where
 */
function* putRestored(
  { directories }: AgentPlace,
  { keys: others = {}, trust = {} }: Parts,
): Operation<[what: string, path: string] | undefined> {
  const { keys, data } = directories
  for (const [id, pem] of Object.entries(others)) {
    const [file] = publicKeyFile(id)
    if (!(yield* claim(keys, [file], encode(pem)))) return ['A public key', directories.keyPath(file)]
  }
  const moved: [string, Entry][] = []
  for (const [id, decisions] of Object.entries(trust)) {
    for (let number = decisions.length; number > 0; number--) {
      const [key, bytes] = [trustChain(id).entry(number), encode(decisions[number - 1] ?? '')]
      if (!(yield* claim(data, key, bytes))) return ['A decision', key.join('/')]
      moved.push([id, { number, bytes }])
    }
  }
  if (moved.length > 0) yield* witnessRestored(directories, moved)
  return undefined
}

/**
 * Reads what was staged.
 *
 * @throws SxError `CorruptStore` unless all of it is whole and of this agent
 */
function readParts(bytes: Uint8Array, key: Key, agentId: string): Parts {
  const name = key.join('/')
  let cause: unknown
  try {
    const parts = JSON.parse(decode(bytes, name)) as Parts
    const { document, privateKey, publicKey, password, latest = document, keys = {}, trust = {} } = parts
    const texts = [document, privateKey ?? '', publicKey, latest, password ?? '']
    for (const id of [...Object.keys(keys), ...Object.keys(trust)]) publicKeyFile(id) // refuses what is no id
    texts.push(...Object.values(keys), ...Object.values(trust).flat())
    const isText = texts.every((part) => typeof part === 'string')
    if (isText && (privateKey === undefined || call(() => core.keyDerivation(privateKey)) !== undefined)) {
      const ofAgent = [document, latest].map((version) => readStoredAgent(version, limitsText(undefined)))
      const isWhole = ofAgent.every(({ id }) => id === agentId) && ofAgent[1]?.publicKey === publicKey
      if (isWhole) {
        return {
          document,
          publicKey,
          ...(privateKey !== undefined && { privateKey }),
          ...(password !== undefined && { password }),
          keys,
          trust,
        }
      }
    }
  } catch (error) {
    if (error instanceof SxError) letPass(error)
    cause = error
  }
  throw new SxError('CorruptStore', `${name} is damaged.`, { cause })
}
