import type { CoreObject } from './core.ts'
import type { Operation } from './effects.ts'
import { SxError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningKey } from './operations/signing.ts'
import type { Config, Directories, Home } from './platform.ts'
import * as running from './running.ts'
import type { Behind } from './state/behind.ts'
import type { Documents } from './state/documents.ts'
import type { KeyDirectory } from './state/key-directory.ts'
import { type AgentDocument, type OwnDocument, revoked, rotated } from './state/own-document.ts'
import type { KeyPlace } from './state/private-key.ts'
import type { SigningDates } from './state/signing-dates.ts'
import type { TrustStore } from './state/trust-store.ts'
import type { Storage } from './storage/contract.ts'
import type { AgentOptions } from './types.ts'

/** Where an agent stands: its configuration, and the directories that it names. */
export interface AgentPlace {
  readonly home: Home
  readonly config: Config
  readonly directories: Directories
}

/** The opened private key. */
export interface Signing extends SigningKey {
  /** Key, agent document and limits together, as the core signs with them. */
  readonly signer: CoreObject
  readonly keyPlace: KeyPlace
  readonly dates: SigningDates
  /** Has the core sign with another version of the agent document. */
  renew(document: AgentDocument): void
  /** Takes another private key, which the next version of the agent document has to carry. The former one is released. */
  follow(next: SigningKey): void
  /** Wipes a key that is no longer current; {@link letGo} of the agent's session once there is one. */
  letGo: (wipe: () => void) => void
}

/** A loaded agent. Each of its parts owns its own state. */
export interface Loaded {
  readonly id: string
  /** What it was opened with; another agent loaded later changes nothing of what runs. */
  readonly options: AgentOptions
  readonly place: AgentPlace
  readonly own: OwnDocument
  readonly documents: Documents
  readonly trust: TrustStore
  readonly directory: KeyDirectory
  readonly ring: KeyRing
  /** Shared with the same agent from before it was loaded again. */
  behind: Behind
  /** The custom schemas that it uses, once there are any. */
  schemas?: { dispose(): void }
  /** Other agents, in whose place it was loaded, with documents that are written behind and not judged yet. */
  readonly before: Set<Before>
  /** Missing where the agent was loaded for verifying only. */
  readonly signing: Signing | undefined
}

/** An agent whose place another one has taken. Its documents that are written behind are judged when they are stored. */
export interface Before {
  readonly loaded: Loaded
  /** Frees what that needs. */
  readonly end: () => void
  /** While it is done. */
  judging?: Promise<void> | undefined
}

/** One agent's state: the options it was made with, and the agent once it is loaded. */
export interface Session {
  options: AgentOptions
  loaded: Loaded | undefined
  /**
   * Whether it keeps none of the options when it is closed, the password above all: nothing takes them from it again. An
   * instance of `SxAgent` was made with its options, and loads by them as often as it is told.
   */
  readonly isForgetful?: boolean
  /** What an instance of `SxAgent` was made with, and so where it restores backups. */
  readonly storage?: Storage | undefined
  /** How often it was closed. */
  closings?: number
  /** Of agents that are being closed. */
  closing?: Promise<void> | undefined
  /** What else ends with `close`: calls that are open, workers. */
  endings?: Set<() => void>
  /** What is running, once something has run. */
  running?: running.Running
}

/** Counts an operation as running; returns what ends it. */
export function beginOperation(session: Session): () => void {
  session.running ??= []
  return running.begin(session.running)
}

/** An operation that is counted as running until it ends. */
export function* counted<Result>(session: Session, operation: () => Operation<Result>): Operation<Result> {
  const end = beginOperation(session)
  try {
    return yield* operation()
  } finally {
    end()
  }
}

/**
 * Wipes a former key or a former agent as soon as the operations that are running now have ended: one of them may sign
 * with it. Operations that begin later don't delay it.
 */
export function letGo(session: Session, wipe: () => void): void {
  session.running ??= []
  running.letGo(session.running, wipe)
}

/** Has something done when the session is closed; gives what takes that back. */
export function atClose(session: Session, end: () => void): () => void {
  session.endings ??= new Set()
  const { endings } = session
  endings.add(end)
  return () => endings.delete(end)
}

/** What ends calls that are open when their agent is closed. */
export const agentClosed = (): SxError => new SxError('NoAgentLoaded', 'The agent was closed.')

/** A session in which a call means to load an agent. */
export interface Entrance {
  readonly session: Session
  /** How often it had been closed when the call began. */
  readonly closings: number
}

/** What a call notes when it begins that loads an agent: once the session is closed, the agent must not become its own. */
export const entrance = (session: Session): Entrance => ({ session, closings: session.closings ?? 0 })

/** Whether the session was closed since a call began. */
export const isShut = ({ session, closings }: Entrance): boolean => (session.closings ?? 0) !== closings

/** Has work of a call end when the session is closed: by the signal that it is given, or before it begins. */
export async function untilClosed<T>(at: Entrance, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (isShut(at)) throw agentClosed()
  const controller = new AbortController()
  const stay = atClose(at.session, () => controller.abort(agentClosed()))
  try {
    return await work(controller.signal)
  } finally {
    stay()
  }
}

/**
 * The loaded agent.
 *
 * @throws SxError `NoAgentLoaded`; what has made a write behind fail, once
 */
export function requireLoaded(session: Session): Loaded {
  const { loaded } = session
  if (loaded === undefined) throw new SxError('NoAgentLoaded')
  loaded.own.settle()
  loaded.trust.failures.throw()
  return loaded
}

/**
 * The private key of a loaded agent.
 *
 * @throws SxError `PasswordRequired`; `KeyRevoked` if another process is known to have rotated the key, or it was revoked
 */
export function requireSigning({ own, signing }: Loaded): Signing {
  if (signing !== undefined) {
    if (own.isOvertaken) throw rotated()
    if (own.isRevoked) throw revoked()
    return signing
  }
  throw new SxError(
    'PasswordRequired',
    'The agent was loaded with `verifyOnly` and has no private key. Load it without that option.',
  )
}

/** Overwrites the private key, and frees what the core has of the agent. */
export function wipe({ signing, ring, schemas }: Loaded): void {
  if (signing !== undefined) wipeSigning(signing)
  ring.dispose()
  schemas?.dispose()
}

/** Overwrites the private key, in the core and where it would be restored from after a trap. */
export function wipeSigning({ signer, secret }: Signing): void {
  signer.dispose()
  secret.dispose()
}
