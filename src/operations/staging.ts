/**
 * How an agent comes into being at one moment. All that makes it is staged in one entry, under a name that nobody else
 * uses; then the configuration names the agent; then its parts move to where they belong. Before that moment whoever
 * staged them removes the entry if it fails; after it nothing is taken back, and whoever comes next finishes (protocol,
 * section 12).
 *
 * @module
 */

import { letPass } from '../belated.ts'
import { decode, encode } from '../bytes.ts'
import { call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { cursor, get, putIfAbsent, remove } from '../home.ts'
import { documentChain, names, publicKeyFile } from '../names.ts'
import type { AgentPlace } from '../session.ts'
import { claim } from '../state/chain.ts'
import type { Key } from '../storage/contract.ts'

/** What makes an agent, as texts. */
export interface Parts {
  /** The first version of its document. */
  readonly document: string
  /** Its encrypted private key: PKCS#8 PEM. */
  readonly privateKey: string
  /** SPKI PEM. */
  readonly publicKey: string
}

/** Stands for the configuration, however its path is written. */
function placeOf({ home }: AgentPlace): string {
  const segments = home.configPath.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.')
  return call((core) => core.stagePlace(segments.join('/')))
}

/** Where the parts of an agent are staged: those for other configurations may be beside them. */
function stagedKey(place: AgentPlace, agentId: string): Key {
  return [names().staging, call((core) => core.stagedKeyFile(placeOf(place), agentId))]
}

/** Stages the parts of an agent. */
export function* stage(place: AgentPlace, agentId: string, parts: Parts): Operation<void> {
  const bytes = encode(JSON.stringify(parts))
  if (yield* claim(place.directories.keys, stagedKey(place, agentId), bytes)) return
  throw new SxError('AlreadyExists', 'An agent of this id is being created already.')
}

/** The document of an agent whose parts have not been moved yet; for those who may not move them. */
export function* stagedDocument(place: AgentPlace, agentId: string): Operation<string | undefined> {
  const key = stagedKey(place, agentId)
  const bytes = yield* perform(get(place.directories.keys, key))
  return bytes && readParts(bytes, key).document
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
 * @returns its private key, if that cannot be where the configuration says: another one is there, or the storage takes
 *   no writes
 */
export function* finishCreation(place: AgentPlace, agentId: string): Operation<string | undefined> {
  let left: string | undefined
  const own = placeOf(place)
  const next = cursor(place.directories.keys, [names().staging])
  for (;;) {
    const key = yield* perform(next)
    if (key === undefined) return left
    const name = key.at(-1) ?? ''
    const staged = key.length === 2 ? call((core) => core.readStagedKeyFile(name)) : undefined
    if (staged === agentId) left = yield* move(place, agentId, key)
    else if (staged !== undefined && name.startsWith(own)) yield* unstage(place, staged)
  }
}

/** Puts the parts where they belong; the staged entry goes last. */
function* move(place: AgentPlace, agentId: string, staged: Key): Operation<string | undefined> {
  const { config, directories } = place
  const { keys, data } = directories
  const bytes = yield* perform(get(keys, staged))
  if (bytes === undefined) return undefined // somebody else has just moved them
  const { document, privateKey, publicKey } = readParts(bytes, staged)
  yield* claim(data, documentChain(agentId).entry(1), encode(document)) // without it there is nothing to load
  try {
    yield* claim(keys, publicKeyFile(agentId), encode(publicKey))
    if (!(yield* claim(keys, [config.privateKeyFilename], encode(privateKey)))) {
      const isStill = (yield* perform(get(keys, staged))) !== undefined
      return isStill ? privateKey : undefined
    }
    yield* perform(putIfAbsent(keys, [config.publicKeyFilename], encode(publicKey)))
    yield* perform(remove(keys, staged))
    return undefined
  } catch (error) {
    letPass(error)
    return privateKey
  }
}

function readParts(bytes: Uint8Array, key: Key): Parts {
  const name = key.join('/')
  try {
    const parts = JSON.parse(decode(bytes, name)) as Partial<Parts> | null
    const { document, privateKey, publicKey } = parts ?? {}
    if (document !== undefined && privateKey !== undefined && publicKey !== undefined) {
      return { document: String(document), privateKey: String(privateKey), publicKey: String(publicKey) }
    }
  } catch (cause) {
    throw new SxError('CorruptStore', `${name} is damaged.`, { cause })
  }
  throw new SxError('CorruptStore', `${name} is damaged.`)
}
