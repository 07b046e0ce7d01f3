import { equalBytes } from './bytes.ts'
import { CoreObject, call } from './core.ts'

/** Where an agent's keys come from; the core knows what each source counts for. */
export type KeySource = 'own' | 'trust' | 'document' | 'directory'

/** How many foreign signers keep their parsed keys. */
const CAPACITY = 1000
const NOTHING = new Uint8Array(0)

interface Entry {
  agentId: string
  source: KeySource
  bytes: Uint8Array
}

/** The known keys, parsed once in the core and again only where their bytes changed. */
export class KeyRing {
  readonly #entries = new Map<string, Entry>()
  readonly #object: CoreObject
  readonly #limits: string

  constructor(limits: string) {
    this.#limits = limits
    this.#object = new CoreObject(() => {
      const handle = call((core) => core.ringNew())
      for (const entry of this.#entries.values()) this.#write(handle, entry)
      return handle
    })
  }

  /** Its number in the core. */
  get handle(): number {
    return this.#object.handle
  }

  /** Sets what a source holds for an agent: a document or PEM, or nothing. */
  set(agentId: string, source: KeySource, bytes: Uint8Array = NOTHING): void {
    const name = `${source} ${agentId}`
    const known = this.#entries.get(name)
    if (equalBytes(bytes, known?.bytes ?? NOTHING)) return
    const entry = { agentId, source, bytes }
    this.#write(this.handle, entry)
    this.#entries.delete(name)
    if (bytes.length > 0) this.#entries.set(name, entry)
    this.#evict()
  }

  /** Frees it in the core. */
  dispose(): void {
    this.#object.dispose()
  }

  #write(handle: number, { agentId, source, bytes }: Entry): void {
    call((core) => core.ringSet(handle, agentId, source, bytes, this.#limits))
  }

  #evict(): void {
    for (const entry of this.#entries.values()) {
      if (this.#entries.size <= CAPACITY) return
      if (entry.source !== 'own') this.set(entry.agentId, entry.source)
    }
  }
}
