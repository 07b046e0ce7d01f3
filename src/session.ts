import type { CoreObject } from './core.ts'
import { SxError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { Limits } from './limits.ts'
import type { Environment, Places } from './platform.ts'
import type { Storage, SyncStorage } from './storage/contract.ts'

/** What an agent can be given beside its configuration. */
export interface AgentOptions {
  /** Keeps configuration, keys and documents here instead of in the runtime's own storage. */
  storage?: Storage
  /** Opens the private key; wins over every other source of a password. */
  password?: string
  /** Variables to use instead of the process's, where a runtime hands them in. */
  env?: Environment
  /** How much a document may hold. */
  limits?: Limits
}

/** A loaded agent. */
export interface Loaded {
  readonly id: string
  name: string
  readonly algorithm: string
  readonly keyId: string
  readonly publicKeyPem: string
  readonly configPath: string
  readonly publicKeyPath: string
  readonly privateKeyPath: string
  readonly privateKeyFile: string
  readonly places: Places
  /** The trust store, in its synchronous form on every storage. */
  readonly trust: SyncStorage
  readonly secret: CoreObject
  readonly ring: KeyRing
  /** The latest version seen of each document, so that an older one does not pass for it. */
  readonly seen: Map<string, string>
  /** The agent document: its version and text. */
  document: { version: string; text: string }
}

/** One agent's state: the options it was made with, and the agent once it is loaded. */
export interface Session {
  options: AgentOptions
  loaded: Loaded | undefined
}

/**
 * The loaded agent.
 *
 * @throws SxError `NoAgentLoaded`
 */
export function requireLoaded(session: Session): Loaded {
  if (session.loaded === undefined) throw new SxError('NoAgentLoaded')
  return session.loaded
}
