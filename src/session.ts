import type { CoreObject } from './core.ts'
import { SxError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningKey } from './operations/signing.ts'
import type { Config, Directories, Home } from './platform.ts'
import type { Documents } from './state/documents.ts'
import type { KeyDirectory } from './state/key-directory.ts'
import type { AgentDocument, OwnDocument } from './state/own-document.ts'
import type { KeyPlace } from './state/private-key.ts'
import type { SigningDates } from './state/signing-dates.ts'
import type { TrustStore } from './state/trust-store.ts'
import { type Storage, storageError } from './storage/contract.ts'
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
  /** Takes another private key, which the next version of the agent document has to carry. */
  follow(secret: CoreObject): void
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
  /** The custom schemas that it uses, once there are any. */
  schemas?: { dispose(): void }
  /** Missing where the agent was loaded for verifying only. */
  readonly signing: Signing | undefined
}

/** One agent's state: the options it was made with, and the agent once it is loaded. */
export interface Session {
  options: AgentOptions
  loaded: Loaded | undefined
  /** What an instance of `SxAgent` was made with, and so where it restores backups. */
  readonly storage?: Storage | undefined
  /** Of agents that are being let go of. */
  closing?: Promise<void> | undefined
  /** What else ends with `close`: calls that are open, workers. */
  endings?: Set<() => void>
}

/** Has something done when the session is closed; gives what takes that back. */
export function atClose(session: Session, end: () => void): () => void {
  session.endings ??= new Set()
  const { endings } = session
  endings.add(end)
  return () => endings.delete(end)
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
  loaded.trust.throwFailure()
  return loaded
}

/**
 * The private key of a loaded agent.
 *
 * @throws SxError `PasswordRequired`
 */
export function requireSigning({ signing }: Loaded): Signing {
  if (signing !== undefined) return signing
  throw new SxError(
    'PasswordRequired',
    'The agent was loaded with `verifyOnly`, so its private key is not open: load it without.',
  )
}

/**
 * Resolves when everything written so far is as durable as the storage makes it.
 *
 * @throws SxError what has made a write behind fail
 */
export async function flush({ trust, place }: Loaded): Promise<void> {
  try {
    await trust.flush()
    await place.directories.flush()
  } catch (error) {
    throw storageError(error)
  }
}

/** Lets go of a loaded agent: its key is overwritten at once; what is on its way is written before the storage goes. */
export async function close(session: Session): Promise<void> {
  const { loaded, endings } = session
  if (loaded !== undefined) {
    for (const end of endings ?? []) end()
    endings?.clear()
    session.loaded = undefined
    wipe(loaded)
    session.closing = release(loaded, session.closing)
  }
  const { closing } = session
  try {
    await closing
  } finally {
    if (session.closing === closing) session.closing = undefined
  }
}

async function release(loaded: Loaded, before: Promise<void> | undefined): Promise<void> {
  let failure: SxError | undefined
  const steps = [() => before, () => flush(loaded), () => loaded.trust.close(), () => loaded.place.directories.close()]
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failure ??= storageError(error)
    }
  }
  if (failure !== undefined) throw failure
}

/** Overwrites the private key. */
function wipe({ signing, ring, schemas }: Loaded): void {
  signing?.signer.dispose()
  signing?.secret.dispose()
  ring.dispose()
  schemas?.dispose()
}
