import { call } from '../core.ts'
import { SxError } from '../errors.ts'
import { documentChain } from '../names.ts'
import { isSyncStorage } from '../storage/contract.ts'
import { isPending } from './chain.ts'
import type { Documents } from './documents.ts'

/** A version of the loaded agent's document. */
export interface AgentDocument {
  /** Its number in the chain, from 1. */
  readonly number: number
  readonly version: string
  readonly text: string
  /** What the agent calls itself. */
  readonly name: string
}

/**
 * The loaded agent's own document. A version that is still being written behind is used already; if writing it fails,
 * the one before is the agent's again.
 */
export class OwnDocument {
  readonly #documents: Documents
  readonly #id: string
  /** Told of every change: key ring and signer hold the document too. */
  readonly #changed: (document: AgentDocument) => void
  #lasting: AgentDocument
  #pending: AgentDocument | undefined

  constructor(documents: Documents, id: string, document: AgentDocument, changed: (document: AgentDocument) => void) {
    this.#documents = documents
    this.#id = id
    this.#lasting = document
    this.#changed = changed
  }

  /** The document to sign and verify with. */
  get current(): AgentDocument {
    return this.#pending ?? this.#lasting
  }

  /** Makes a version that was appended the current one. */
  advance(document: AgentDocument): void {
    if (isPending(this.#documents.storage, documentChain(this.#id), document.number)) this.#pending = document
    else {
      this.#lasting = document
      this.#pending = undefined
    }
    this.#changed(document)
  }

  /** Learns what has become of a version that was written behind. */
  settle(): void {
    const pending = this.#pending
    const { storage } = this.#documents
    if (pending === undefined || !isSyncStorage(storage)) return
    const names = documentChain(this.#id)
    if (isPending(storage, names, pending.number)) return
    const bytes = storage.getSync(names.entry(pending.number)) // may throw what has made the write fail
    this.#pending = undefined
    if (bytes !== undefined && new TextDecoder().decode(bytes) === pending.text) {
      this.#lasting = pending
      this.#documents.remember(this.#id, pending.number, pending.version)
    } else {
      this.#changed(this.#lasting)
    }
  }
}

/** An agent document as the core describes it. */
export interface AgentIdentity {
  readonly id: string
  readonly version: string
  readonly previous: string | null
  readonly name: string
  /** RFC 7638 thumbprint of the key that signed it. */
  readonly keyId: string
}

/**
 * What an agent document says, once it was verified under its own key.
 *
 * @throws SxError a code of a verdict
 */
export function verifyAgentDocument(text: string, limits: string): AgentIdentity {
  return JSON.parse(call((core) => core.agentVerify(text, limits))) as AgentIdentity
}

/**
 * What an agent document says that the trust store takes, beside the one it holds of the same agent.
 *
 * @throws SxError see protocol, section 11
 */
export function admitDocument(offered: string, known: string | undefined, limits: string): AgentIdentity {
  return JSON.parse(call((core) => core.trustAdmit(offered, known, limits))) as AgentIdentity
}

/**
 * What the stored document of the agent that is being loaded says.
 *
 * @throws SxError `CorruptStore`, `BadSignature`, `HashMismatch`, `LimitExceeded`
 */
export function readStoredAgent(text: string, limits: string): AgentIdentity {
  return JSON.parse(call((core) => core.agentStored(text, limits))) as AgentIdentity
}

/** The public key of an agent document that was verified. */
export function publicKeyOf(text: string): { algorithm: string; keyId: string; publicKey: string } {
  const { sxPublicKeys } = JSON.parse(text) as {
    sxPublicKeys: { algorithm: string; keyId: string; publicKey: string }[]
  }
  const [key] = sxPublicKeys
  if (key === undefined) throw new SxError('InvalidAgent')
  return key
}
