/**
 * How an agent comes into being at one moment: everything is written under names of its own first, then the
 * configuration names it, and then the key moves to where people look for it. Before that moment whoever made the
 * parts removes them if it fails; after it nothing is taken back, and whoever comes next finishes (protocol,
 * section 13).
 *
 * @module
 */
import { encode } from '../bytes.ts'
import { call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { cursor, get, putIfAbsent, remove } from '../home.ts'
import { documentChain, names, publicKeyFile } from '../names.ts'
import type { AgentPlace } from '../session.ts'
import { claim } from '../state/chain.ts'
import type { Made } from '../state/documents.ts'
import type { Key } from '../storage/contract.ts'

/** What makes an agent: the first version of its document, its encrypted private key, its public key. */
export interface Parts {
  readonly made: Made
  readonly pem: string
  readonly publicKey: string
}

/** Where a configuration's staged keys stand: those of other configurations may be beside them. */
function stagedKey({ home }: AgentPlace, agentId: string): Key {
  return [names().staging, call((core) => core.stagedKeyFile(stagePlace(home.configPath), agentId))]
}

const stagePlace = (configPath: string): string => call((core) => core.stagePlace(configPath))

/** Writes the parts under names that nobody else uses. The staged key comes first: by it the others are found again. */
export function* stage(place: AgentPlace, { made, pem, publicKey }: Parts): Operation<void> {
  const { keys, data } = place.directories
  for (const [storage, key, text] of [
    [keys, stagedKey(place, made.id), pem],
    [keys, publicKeyFile(made.id), publicKey],
    [data, documentChain(made.id).entry(1), made.raw],
  ] as const) {
    if (!(yield* claim(storage, key, encode(text)))) {
      throw new SxError('AlreadyExists', `There is another entry at ${key.join('/')}.`)
    }
  }
}

/** Removes the parts of an agent that no configuration names. What cannot be removed now the next start removes. */
export function* unstage(place: AgentPlace, agentId: string): Operation<void> {
  const { keys, data } = place.directories
  try {
    yield* perform(remove(data, documentChain(agentId).entry(1)))
    yield* perform(remove(keys, publicKeyFile(agentId)))
    yield* perform(remove(keys, stagedKey(place, agentId)))
  } catch (error) {
    if (!(error instanceof SxError) || error.code === 'Internal') throw error
    // The staged key is removed last, so it still tells of the rest.
  }
}

/**
 * Finishes the creation of the agent that the configuration names, and clears what others have left that lost.
 *
 * @returns its private key, if that cannot be where the configuration says, because another one is there
 */
export function* finishCreation(place: AgentPlace, agentId: string): Operation<string | undefined> {
  const { keys } = place.directories
  const { home } = place
  let left: string | undefined
  const next = cursor(keys, [names().staging])
  for (;;) {
    const key = yield* perform(next)
    if (key === undefined) return left
    const name = key.at(-1) ?? ''
    const prefix = stagePlace(home.configPath)
    const staged = key.length === 2 ? call((core) => core.readStagedKeyFile(name)) : undefined
    if (staged === undefined || !name.startsWith(prefix)) continue
    if (staged !== agentId) yield* unstage(place, staged)
    else left = yield* moveKey(place, agentId, key)
  }
}

function* moveKey(place: AgentPlace, agentId: string, staged: Key): Operation<string | undefined> {
  const { config, directories } = place
  const { keys } = directories
  const pem = yield* perform(get(keys, staged))
  if (pem === undefined) return undefined // somebody else has just moved it
  const text = new TextDecoder().decode(pem)
  try {
    if (!(yield* claim(keys, [config.privateKeyFilename], pem))) {
      const isStill = (yield* perform(get(keys, staged))) !== undefined
      return isStill ? text : undefined
    }
    const publicKey = yield* perform(get(keys, publicKeyFile(agentId)))
    if (publicKey !== undefined) yield* perform(putIfAbsent(keys, [config.publicKeyFilename], publicKey))
    yield* perform(remove(keys, staged))
    return undefined
  } catch (error) {
    if (!(error instanceof SxError) || error.code === 'Internal') throw error
    return text // a storage that takes no writes: the key is where it is
  }
}
