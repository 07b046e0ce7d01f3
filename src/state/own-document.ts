import * as core from '#core'
import { decode } from '../bytes.ts'
import { call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { get } from '../home.ts'
import { documentChain } from '../names.ts'
import { requireSync } from '../storage/contract.ts'
import { isPending } from './chain.ts'
import type { Documents } from './documents.ts'

/** A version of the loaded agent's document. */
export interface AgentDocument extends AgentIdentity {
  /** Its number in the chain, from 1. */
  readonly number: number
  readonly text: string
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
  /** Up to this number the stored versions are known to be signed by the key of the current one. */
  #followed = 0

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

  /**
   * Refuses to go on with a key that is not the stored agent document's any more. What is stored there and is no valid
   * document of the agent says nothing.
   *
   * @param isRotating whether this process itself is about to follow another key, which may be stored already
   * @throws SxError `KeyRevoked`
   */
  *requireCurrentKey(isRotating: () => boolean = () => false): Operation<void> {
    const { number, keyId } = this.#current
    for (let next = Math.max(number, this.#followed) + 1; ; next++) {
      const bytes = yield* perform(get(this.#documents.storage, documentChain(this.#id).entry(next)))
      if (bytes === undefined || this.#current.keyId !== keyId) return
      const signed = this.#keyOf(bytes)
      if (signed === undefined || isRotating()) return
      if (signed !== keyId) {
        throw new SxError('KeyRevoked', "The agent's key was rotated meanwhile: load the agent again.")
      }
      this.#followed = next
    }
  }

  #keyOf(bytes: Uint8Array): string | undefined {
    try {
      const { id, keyId } = readStoredAgent(decode(bytes, 'The agent document'), this.#limits)
      return id === this.#id ? keyId : undefined
    } catch (error) {
      if (error instanceof SxError && error.code !== 'Internal') return undefined
      throw error
    }
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
  /** Those of all its keys, oldest first. */
  readonly keyIds: readonly string[]
  /** Of the key that signed it. */
  readonly algorithm: string
  /** The key that signed it, SPKI PEM. */
  readonly publicKey: string
}

/**
 * What an agent document says, once it was verified under its own key.
 *
 * @throws SxError a code of a verdict
 */
export function verifyAgentDocument(text: string, limits: string): AgentIdentity {
  return readIdentity(call(() => core.agentVerify(text, limits)))
}

/**
 * What an agent document says that the trust store takes, beside the one it holds of the same agent.
 *
 * @throws SxError see protocol, section 11
 */
export function admitDocument(offered: string, known: string | undefined, limits: string): AgentIdentity {
  return readIdentity(call(() => core.trustAdmit(offered, known, limits)))
}

/**
 * What the stored document of the agent that is being loaded says.
 *
 * @throws SxError `CorruptStore`, `BadSignature`, `HashMismatch`, `LimitExceeded`
 */
export function readStoredAgent(text: string, limits: string): AgentIdentity {
  return readIdentity(call(() => core.agentStored(text, limits)))
}

function readIdentity(answer: string): AgentIdentity {
  const identity = JSON.parse(answer) as Omit<AgentIdentity, 'keyIds'> & { keyIds: string }
  return { ...identity, keyIds: identity.keyIds.split(' ') }
}
