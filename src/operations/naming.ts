// Where an agent stands: its configuration, and the agent that this names.
import * as core from '#core'
import { platform } from '#platform'
import { letPass } from '../belated.ts'
import { call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { storageHome } from '../home.ts'
import type { Config, Home } from '../platform.ts'
import type { AgentOptions } from '../types.ts'

/** The home at a configuration path. */
export function* openHome(options: AgentOptions, configPath: unknown): Operation<Home> {
  if (typeof configPath !== 'string' || configPath === '') {
    throw new SxError('InvalidOption', 'The configuration path is empty or not a string.')
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
  // Since the first look an agent may have been written into it. Its claim is removed then, and one that is found was put
  // too late: it counts only while the configuration still names nobody.
  const again = yield* perform(home.readConfig)
  const now = again && namingOf(again)
  if (now === undefined || now.agent !== undefined || claim === undefined) return now
  const claimed = namingOf(claim)
  return claimed.agent === undefined ? now : claimed
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
