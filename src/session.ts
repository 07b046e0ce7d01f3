import { encode } from './bytes.ts'
import type { CoreObject } from './core.ts'
import { SxError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { Limits } from './limits.ts'
import type { Environment, Home, Places } from './platform.ts'
import { isSyncStorage, type Storage, type SyncStorage } from './storage/contract.ts'
import type { MirroredStorage } from './storage/mirror.ts'

/** How many documents' latest versions are remembered. */
const SEEN_CAPACITY = 10_000

/** What an agent can be given beside its configuration. What cannot be used is `InvalidOption`. */
export interface AgentOptions {
  /** Keeps configuration, keys and documents here instead of in the runtime's own storage. */
  storage?: Storage
  /** Opens the private key; wins over every other source of a password (protocol, section 13). Not empty. */
  password?: string
  /** Variables to use instead of the process's, where a runtime hands them in. */
  env?: Environment
  /** How much a document may hold (protocol, section 14). */
  limits?: Limits
}

/** An agent document: its version, its text and the name in it. */
export interface AgentDocument {
  readonly version: string
  readonly text: string
  readonly name: string
}

/** A loaded agent. */
export interface Loaded {
  readonly id: string
  readonly algorithm: string
  readonly keyId: string
  readonly publicKeyPem: string
  readonly publicKeyPath: string
  readonly privateKeyPath: string
  readonly privateKeyFile: string
  /** What it was opened with; another agent loaded later changes nothing of what runs. */
  readonly options: AgentOptions
  readonly home: Home
  readonly places: Places
  /** The trust store, in its synchronous form on every storage. */
  readonly trust: SyncStorage & Partial<Pick<MirroredStorage, 'invalidate'>>
  /** The key directory, likewise; of one that cannot be read at once, what it held when it was read last. */
  readonly directory: SyncStorage
  readonly secret: CoreObject
  readonly ring: KeyRing
  /** The agent document. */
  document: AgentDocument
  /** The latest version seen of each document, so that an older one does not pass for it. */
  readonly seen: Map<string, string>
  /** What was known before writes that may still fail behind, in storages that write behind. */
  readonly unsettled: { readonly seen: Map<string, string | undefined>; document?: AgentDocument; setbacks: number }
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
  takeBack(session.loaded)
  return session.loaded
}

/** Remembers the latest version of a document. */
export function remember(loaded: Loaded, id: string, version: string): void {
  const { seen, unsettled } = loaded
  if (writesBehind(loaded) !== undefined && !unsettled.seen.has(id)) unsettled.seen.set(id, seen.get(id))
  if (id !== loaded.id) seen.delete(id)
  seen.set(id, version)
  for (const oldest of seen.keys()) {
    if (seen.size <= SEEN_CAPACITY) return
    if (oldest !== loaded.id) seen.delete(oldest)
  }
}

/** Makes a new version of the agent document the agent's. */
export function adoptDocument(loaded: Loaded, document: AgentDocument): void {
  if (writesBehind(loaded) !== undefined) loaded.unsettled.document ??= loaded.document
  remember(loaded, loaded.id, document.version)
  setDocument(loaded, document)
}

function setDocument(loaded: Loaded, document: AgentDocument): void {
  loaded.document = document
  loaded.ring.set(loaded.id, 'own', encode(document.text))
}

/** How often writing behind has failed; `undefined` where nothing is written behind. */
export function writesBehind({ places: { data } }: Pick<Loaded, 'places'>): number | undefined {
  return isSyncStorage(data) ? data.setbacks : undefined
}

/** All that was written is stored now. */
export function settle({ unsettled }: Loaded): void {
  unsettled.seen.clear()
  delete unsettled.document
}

/** Forgets what writes have shown that failed behind: it would pass for versions that the storage has lost. */
function takeBack(loaded: Loaded): void {
  const { unsettled, seen } = loaded
  const setbacks = writesBehind(loaded) ?? 0
  if (setbacks === unsettled.setbacks) return
  unsettled.setbacks = setbacks
  for (const [id, version] of unsettled.seen) {
    if (version === undefined) seen.delete(id)
    else seen.set(id, version)
  }
  if (unsettled.document !== undefined) setDocument(loaded, unsettled.document)
  settle(loaded)
}
