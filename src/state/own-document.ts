import * as core from '#core'
import { call } from '../core.ts'
import { SxError } from '../errors.ts'
import { documentChain } from '../names.ts'
import { requireSync } from '../storage/contract.ts'
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
  readonly #limits: string
  /** Told of every change: key ring and signer hold the document too. */
  readonly #changed: (document: AgentDocument) => void
  /** The document to sign and verify with. */
  #current: AgentDocument
  /** Where the current one is still on its way: the one before it, as far as known. */
  #former: AgentDocument | undefined
  #isPending: boolean

  constructor(
    documents: Documents,
    id: string,
    document: AgentDocument,
    limits: string,
    changed: (document: AgentDocument) => void,
  ) {
    this.#documents = documents
    this.#id = id
    this.#limits = limits
    this.#current = document
    this.#isPending = this.#isOnItsWay(document.number)
    this.#former = this.#isPending ? this.#lastingBefore(document.number) : undefined
    this.#changed = changed
  }

  /** The document to sign and verify with. */
  get current(): AgentDocument {
    return this.#current
  }

  #isOnItsWay(number: number): boolean {
    return isPending(this.#documents.storage, documentChain(this.#id), number)
  }

  /** Makes a version that was appended the current one. */
  advance(document: AgentDocument): void {
    const lasting = this.#isPending ? this.#former : this.#current
    this.#isPending = this.#isOnItsWay(document.number)
    this.#former = this.#isPending ? lasting : undefined
    this.#current = document
    this.#changed(document)
  }

  /** Learns what has become of a version that was written behind. */
  settle(): void {
    const { number, text, version } = this.#current
    if (!this.#isPending || this.#isOnItsWay(number)) return
    const found = this.#stored(number) // may throw what has made the write fail
    const former = this.#former
    this.#isPending = false
    this.#former = undefined
    if (found?.text === text) this.#documents.remember(this.#id, number, version)
    else if (former !== undefined) {
      this.#current = former
      this.#changed(former)
    }
  }

  #stored(number: number): AgentDocument | undefined {
    const bytes = requireSync(this.#documents.storage).getSync(documentChain(this.#id).entry(number))
    if (bytes === undefined) return undefined
    const text = new TextDecoder().decode(bytes)
    return text === this.#current.text ? this.#current : { number, text, ...readStoredAgent(text, this.#limits) }
  }

  /** The latest version before one that is on its way which is not. */
  #lastingBefore(pending: number): AgentDocument | undefined {
    let number = pending - 1
    while (number > 0 && this.#isOnItsWay(number)) number--
    return number > 0 ? this.#stored(number) : undefined
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
  return JSON.parse(call(() => core.agentVerify(text, limits))) as AgentIdentity
}

/**
 * What an agent document says that the trust store takes, beside the one it holds of the same agent.
 *
 * @throws SxError see protocol, section 11
 */
export function admitDocument(offered: string, known: string | undefined, limits: string): AgentIdentity {
  return JSON.parse(call(() => core.trustAdmit(offered, known, limits))) as AgentIdentity
}

/**
 * What the stored document of the agent that is being loaded says.
 *
 * @throws SxError `CorruptStore`, `BadSignature`, `HashMismatch`, `LimitExceeded`
 */
export function readStoredAgent(text: string, limits: string): AgentIdentity {
  return JSON.parse(call(() => core.agentStored(text, limits))) as AgentIdentity
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
