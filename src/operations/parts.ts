/**
 * What makes an agent beside its configuration: its document, its private key, its public key twice. Finding what
 * a process that died has left of that, taking it back, putting it back.
 *
 * @module
 */
import { equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { cursor, get, putIfAbsent, remove } from '../home.ts'
import type { Config, Home, Places } from '../platform.ts'
import type { Key } from '../storage/contract.ts'
import type { CreateOptions } from '../types.ts'
import { isStored, type Made, readLatest, removeFirst, storeFirst, type Version } from './history.ts'
import { isId } from './ids.ts'
import { parseConfig } from './load.ts'

/** Where an agent is created. */
export interface Place {
  readonly home: Home
  readonly config: Config
  readonly places: Places
  /** The configuration that stands there already, without an agent. */
  readonly prepared: Readonly<Record<string, unknown>> | undefined
}

/** What makes an agent: the first version of its document, its encrypted private key, its public key. */
export interface Parts {
  readonly made: Made
  readonly pem: Uint8Array
  readonly publicKey: Uint8Array
  /** Whether this call has written the public key file; another one of the same key would be the same bytes. */
  wroteShared: boolean
}

/** Where the parts stand in the key directory. */
export function files({ config }: Place, { made }: Parts): Record<'named' | 'secret' | 'shared', [string]> {
  return {
    named: [call((core) => core.publicKeyFile(made.id))],
    secret: [config.privateKeyFilename],
    shared: [config.publicKeyFilename],
  }
}

/** The agent that a configuration names, if there is one. */
export function* configuredAgent(home: Home): Operation<string | undefined> {
  const bytes = yield* perform(home.readConfig)
  return bytes === undefined ? undefined : (parseConfig(bytes).agentId ?? undefined)
}

/**
 * Removes the parts of an agent whose creation failed, unless a configuration names it: another process may have
 * found the key and finished. If it does so meanwhile, one of both sees what the other did and puts all back.
 */
export function* takeBack(place: Place, parts: Parts): Operation<void> {
  const { home, places } = place
  const { named, secret, shared } = files(place, parts)
  try {
    if ((yield* configuredAgent(home)) === parts.made.id) return
    if (parts.wroteShared) yield* removeSame(places, shared, parts.publicKey)
    yield* removeSame(places, secret, parts.pem)
    yield* removeSame(places, named, parts.publicKey)
    yield* removeFirst(places.data, parts.made)
    if ((yield* configuredAgent(home)) === parts.made.id) yield* restore(place, parts)
  } catch {
    // Whatever made the creation fail may stand in the way here too. Its error is the one to report;
    // what is left is finished or named by the next `quickstart`.
  }
}

function* removeSame({ keys }: Places, key: Key, bytes: Uint8Array): Operation<void> {
  const there = yield* perform(get(keys, key))
  if (there !== undefined && equalBytes(there, bytes)) yield* perform(remove(keys, key))
}

/** Puts back what is missing of an agent. */
export function* restore(place: Place, parts: Parts): Operation<void> {
  const { keys, data } = place.places
  const { named, secret, shared } = files(place, parts)
  if (!(yield* isStored(data, parts.made.id, parts.made.version))) yield* storeFirst(data, parts.made)
  yield* perform(putIfAbsent(keys, named, parts.publicKey))
  yield* perform(putIfAbsent(keys, shared, parts.publicKey))
  yield* perform(putIfAbsent(keys, secret, parts.pem))
}

/** A public key in the key directory, and the stored first version of its agent's document. */
export interface Candidate {
  readonly publicKey: Uint8Array
  readonly made: Made
}

/** The agents of this name and domain that are stored and have a public key in the key directory. */
export function* unfinished({ places }: Place, { name, domain }: CreateOptions): Operation<Candidate[]> {
  const found: Candidate[] = []
  const next = cursor(places.keys, [])
  for (;;) {
    const key = yield* perform(next)
    if (key === undefined) return found
    const id = key.length === 1 ? idOf(key[0] ?? '') : undefined
    if (id === undefined) continue // private keys and passwords are not even read
    const document = yield* latestOf(places, id)
    if (document === undefined) continue
    const publicKey = yield* perform(get(places.keys, key))
    if (publicKey === undefined) continue
    const is = agentOf(document.text)
    const isSame = is?.id === id && is.name === name && is.domain === domain && is.previous === undefined
    if (!isSame) continue
    const made = { id, version: document.version, previous: null, date: is.date, raw: document.text }
    found.push({ publicKey, made })
  }
}

/** The latest version of an agent's document; nothing of one that is damaged, which nobody was just creating. */
function* latestOf({ data }: Places, id: string): Operation<Version | undefined> {
  try {
    return yield* readLatest(data, id, undefined, '')
  } catch (error) {
    if (error instanceof SxError && (error.code === 'CorruptStore' || error.code === 'Rollback')) return undefined
    throw error
  }
}

/** The id in the name of a public key file. */
function idOf(file: string): string | undefined {
  const [id = ''] = file.split('.')
  return isId(id) && file === call((core) => core.publicKeyFile(id)) ? id : undefined
}

interface Profile {
  readonly id: string
  readonly name: string
  readonly domain: string | undefined
  readonly previous: string | undefined
  readonly date: string
}

/** What an agent document says, if it is a valid one. */
function agentOf(text: string): Profile | undefined {
  try {
    call((core) => core.agentVerify(text, ''))
  } catch (error) {
    if (error instanceof SxError && error.code !== 'Internal') return undefined
    throw error
  }
  const is = JSON.parse(text) as Record<string, string | undefined>
  return {
    id: is['sxId'] ?? '',
    name: is['name'] ?? '',
    domain: is['sxAgentDomain'],
    previous: is['sxPreviousVersion'],
    date: is['sxVersionDate'] ?? '',
  }
}

/** The one of the agents whose key this is. */
export function agentOfKey(candidates: readonly Candidate[], publicKey: Uint8Array): Made | undefined {
  return candidates.find((candidate) => equalBytes(candidate.publicKey, publicKey))?.made
}
