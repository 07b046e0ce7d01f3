import * as core from '#core'
import { equalBytes } from './bytes.ts'
import { CoreObject, call } from './core.ts'

/** Where an agent's keys come from; the core knows what each source counts for. */
export type KeySource = 'own' | 'trust' | 'document' | 'directory' | 'named'

/** How many foreign signers keep their parsed keys. */
export const RING_CAPACITY = 1000

type Sources = Map<KeySource, Uint8Array>

/** The known keys, parsed once in the core and again only where their bytes changed. */
export class KeyRing {
  /** What each agent's sources hold; the agent that was set last comes last. */
  readonly #agents = new Map<string, Sources>()
  readonly #object: CoreObject
  readonly #capacity: number
  #keepsAll = false

  /**
   * @param limits of the documents that are verified with it, as the core reads them
   * @param capacity how many foreign signers it keeps
   */
  constructor(limits: string, capacity: number = RING_CAPACITY) {
    this.#capacity = capacity
    this.#object = new CoreObject(() => {
      const handle = call(() => core.ringNew(limits))
      for (const [agentId, sources] of this.#agents) {
        for (const [source, bytes] of sources) this.#write(handle, agentId, source, bytes)
      }
      return handle
    })
  }

  /** Its number in the core. */
  get handle(): number {
    return this.#object.handle
  }

  /** Sets what a source holds for an agent: a document or PEM, or nothing. Empty bytes are a damaged file. */
  set(agentId: string, source: KeySource, bytes: Uint8Array | undefined): void {
    const sources = this.#agents.get(agentId) ?? new Map<KeySource, Uint8Array>()
    this.#agents.delete(agentId)
    this.#agents.set(agentId, sources)
    const known = sources.get(source)
    if (!equalBytes(bytes, known)) {
      this.#write(this.handle, agentId, source, bytes)
      if (bytes === undefined) sources.delete(source)
      else sources.set(source, bytes)
    }
    this.#evict()
  }

  /** Keeps all agents that are set while `work` runs, and then again only as many as it has room for. */
  keepingAll<T>(work: () => T): T {
    this.#keepsAll = true
    try {
      return work()
    } finally {
      this.#keepsAll = false
      this.#evict()
    }
  }

  /** Frees it in the core. */
  dispose(): void {
    this.#object.dispose()
  }

  #write(handle: number, agentId: string, source: KeySource, bytes: Uint8Array | undefined): void {
    call(() => core.ringSet(handle, agentId, source, bytes))
  }

  /** Forgets the agents that were set longest ago, each whole: half of what is known of one is another verdict. */
  #evict(): void {
    if (this.#keepsAll) return
    for (const [agentId, sources] of this.#agents) {
      if (this.#agents.size <= this.#capacity) return
      if (sources.has('own')) continue
      for (const source of sources.keys()) this.#write(this.handle, agentId, source, undefined)
      this.#agents.delete(agentId)
    }
  }
}
