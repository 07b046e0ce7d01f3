/**
 * The trust store: for each agent a chain of decisions, each its document or the mark that trust was taken back
 * (protocol, sections 11 and 12). A decision is read, decided and appended, or decided again; never overwritten. It
 * counts when its witness stands in the key directory.
 *
 * @module
 */

import * as core from '#core'
import { decode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { flushed, refreshed } from '../effects/entries.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { isVerdict, SxError } from '../errors.ts'
import { Failures } from '../failures.ts'
import type { Storage } from '../storage/contract.ts'
import { isDamage } from '../storage/mirror-view.ts'
import { type AgentIdentity, admitDocument, readHeldAgent } from './agent-identity.ts'
import { revokedBy } from './own-revocations.ts'
import { advised, OF_OTHERS } from './refusals.ts'
import { type Decider, openState, type TrustState, trusted } from './trust-state.ts'

/** Opens the trust store of an agent. It can be read at once, also where the storage has to be awaited. */
export function* openTrust(keys: Storage, data: Storage, limits: string): Operation<TrustStore> {
  return new TrustStore(yield* perform(openState(keys, data)), limits)
}

/** Whom an agent trusts: its part in a state that all agents on the same storage share. */
export class TrustStore {
  readonly #state: TrustState
  readonly #limits: string
  readonly #decider: Decider
  /** What has made decisions of the agent fail; shared with the one whose place this one has taken. */
  #failures = new Failures()
  /** Ends when the decisions of those have ended whose place this one has taken. */
  #before: Promise<void> = Promise.resolve()
  #isReleased = false

  constructor(state: TrustState, limits: string) {
    this.#state = state
    this.#limits = limits
    this.#decider = {
      isDocumentOf: (agentId, bytes) => isDocumentOf(agentId, bytes, limits),
      fail: (error) => this.#failures.note(error),
    }
  }

  /** What counts for an agent: bytes of its document or of a mark; `undefined` if nothing was ever decided. */
  read(agentId: string): Operation<Uint8Array | undefined> {
    return this.#state.read(this.#decider, agentId)
  }

  /**
   * The document of a trusted agent; `undefined` if it is not trusted.
   *
   * @throws SxError `CorruptStore`, `Rollback`
   */
  *document(agentId: string): Operation<string | undefined> {
    const bytes = trusted(yield* this.read(agentId))
    if (bytes === undefined) return undefined
    return call(() => core.heldDocument(bytes, this.#limits)) ?? decode(bytes, `The trusted document of ${agentId}`)
  }

  /** The same, with the revocations beside it that keys of the agent have stated. */
  *held(agentId: string): Operation<string | undefined> {
    const bytes = trusted(yield* this.read(agentId))
    return bytes && decode(bytes, `The trusted document of ${agentId}`)
  }

  /**
   * Counts a key of a trusted agent as revoked, as it has stated itself.
   *
   * @param applied from when on that counts, if that is before its date
   * @throws SxError `NotFound` if the agent is not trusted; `KeyMismatch`, `BadSignature`, `InvalidDocument`
   */
  *revoke(agentId: string, statement: string, applied: string | undefined): Operation<void> {
    for (;;) {
      yield* perform(this.#written)
      const known = trusted(yield* this.read(agentId))
      if (known === undefined) {
        const found = `The revocation is for ${agentId}, which is neither this agent nor trusted.`
        throw new SxError('NotFound', found, {
          advice: 'Trust the agent with trustAgent first, then apply the revocation.',
        })
      }
      const document = revokedBy(known, { text: statement, applied }, this.#limits)
      if (document === undefined) return
      const overtaken = new SxError('Busy', 'Another process made a decision about this agent at the same time.')
      try {
        yield* this.#state.decide(this.#decider, agentId, { document, mark: undefined }, (present) => {
          if (present === undefined || !equalBytes(present, known)) throw overtaken
        })
        return yield* perform(this.#written)
      } catch (error) {
        if (error !== overtaken) throw error
      }
    }
  }

  /** Waits for the decisions that are on their way. */
  get #written(): Effect<void> {
    const refusal = 'This storage writes decisions with a delay. Call `revokeKey`.'
    return flushed(this, this.#state.isBehind ? refusal : undefined)
  }

  /**
   * Trusts an agent, if the core takes its document beside what is known.
   *
   * @returns what the document says
   */
  *admit(agentId: string, document: string): Operation<AgentIdentity> {
    return yield* this.#state.decide(this.#decider, agentId, { document, mark: undefined }, (known) =>
      advised(OF_OTHERS, () =>
        admitDocument(document, known && decode(known, `The trusted document of ${agentId}`), this.#limits),
      ),
    )
  }

  /** Trusts an agent no longer; says whether it was trusted. */
  *remove(agentId: string): Operation<boolean> {
    const random = yield* perform(entropy)
    const mark = call(() => core.trustMark(random))
    return yield* this.#state.decide(
      this.#decider,
      agentId,
      { document: undefined, mark },
      (known) => known !== undefined,
    )
  }

  /** The agents that are trusted, ascending. */
  *list(): Operation<string[]> {
    const found: string[] = []
    for (const id of [...(yield* this.#state.agents())].sort()) if (yield* this.#isListed(id)) found.push(id)
    return found
  }

  /** Whether an agent is trusted. One whose decisions cannot be read is shown, too: its owner should know. */
  *#isListed(agentId: string): Operation<boolean> {
    try {
      return (yield* this.document(agentId)) !== undefined
    } catch (error) {
      if (error instanceof SxError && (isVerdict(error.code) || isDamage(error))) return true
      throw error
    }
  }

  /** Has synchronous calls show what the storage holds now. */
  get refreshed(): Effect<void> {
    return refreshed(this.#state)
  }

  /** What has made decisions of this agent fail that were on their way, and what else its next call has to tell. */
  get failures(): Failures {
    return this.#failures
  }

  /**
   * Resolves when all decisions are where they last; rejects if one of this agent's failed. Calls that run at the same time
   * are all told.
   */
  async flush(): Promise<void> {
    const failures = this.#failures.take()
    await this.settled()
    failures.throw()
  }

  /** Resolves when all decisions are where they last, or have failed. */
  async settled(): Promise<void> {
    await this.#before
    await this.#state.settled()
  }

  /** Takes the place of another one in its session: what that still has to tell is told here. */
  follow(other: TrustStore): void {
    if (other === this) return
    this.#failures = other.#failures
    this.#before = Promise.all([this.#before, other.#before, other.#release(false)]).then(() => {})
  }

  /** Lets go of the state, which is closed with its last agent. */
  async close(): Promise<void> {
    await this.#release(true)
  }

  async #release(isClosing: boolean): Promise<void> {
    if (this.#isReleased) return
    this.#isReleased = true
    await this.#state.release(isClosing)
  }
}

function isDocumentOf(agentId: string, bytes: Uint8Array, limits: string): boolean {
  try {
    return readHeldAgent(decode(bytes, 'The trusted document'), limits).id === agentId
  } catch {
    return false // whoever uses it is told why
  }
}
