import * as core from '#core'
import { call, ensureReady } from '../core.ts'
import { type EffectOf, kind, type Operation, perform, runAsync } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { KeyRing } from '../key-ring.ts'
import { type Limits, limitsText } from '../limits.ts'
import { answer, type FindKeys, type KnownKeys, refused, setKeys } from '../verification/decide.ts'
import { Connection, handOver, type Post } from './connection.ts'

/** What a worker that verifies serves: it has nothing but the core and what it is given and asks for. */
export interface Verifier {
  /** Loads the core: this module, or the file of the package. */
  begin(module: WebAssembly.Module | undefined): Promise<void>
  /** The core's answers about documents; `batch` names the call that they belong to. */
  verify(batch: number, limits: Limits | undefined, documents: readonly string[]): Promise<string[]>
  /** Forgets the keys of a call. */
  forget(batch: number): void
  /** The key that the core derives from a password, which is overwritten. Both are handed over. */
  derive(parameters: string, password: Uint8Array): Uint8Array
}

/** What it asks for. */
export interface KeySupply {
  /** All that is known of a signer in a call. */
  keysOf(batch: number, agentId: string): Promise<KnownKeys>
}

/** The keys of one call: known to no other one. */
interface Batch {
  readonly ring: KeyRing
  readonly findKeys: FindKeys
}

/** Serves the functions of {@link Verifier}. */
export function verifier(post: Post): Connection<KeySupply> {
  const batches = new Map<number, Batch>()
  const connection = new Connection<KeySupply>(post, {
    begin: (module) => ensureReady(module),
    verify: async (batch, limits, documents) => {
      let known = batches.get(batch)
      if (known === undefined) {
        known = newBatch(limits, (agentId) => connection.call('keysOf', batch, agentId))
        batches.set(batch, known)
      }
      const { ring, findKeys } = known
      const answers: string[] = []
      for (const document of documents) answers.push(await runAsync(() => answerOf(document, ring, findKeys, limits)))
      return answers
    },
    forget: (batch) => {
      batches.get(batch)?.ring.dispose()
      batches.delete(batch)
    },
    derive: (parameters, password) => {
      try {
        return handOver(call(() => core.deriveKey(parameters, password)))
      } finally {
        password.fill(0)
      }
    },
  } satisfies Verifier)
  return connection
}

const KEYS_OF = /* @__PURE__ */ kind('keysOf', {
  async: ({ ask, agentId }) => ask(agentId),
  sync: () => {
    throw new SxError('SyncStorageUnavailable')
  },
})

function keysFrom(ask: (agentId: string) => Promise<KnownKeys>, agentId: string): EffectOf<'keysOf'> {
  return { kind: KEYS_OF, ask, agentId }
}

function newBatch(limits: Limits | undefined, keysOf: (agentId: string) => Promise<KnownKeys>): Batch {
  const ring = new KeyRing(limitsText(limits))
  const asked = new Map<string, Promise<KnownKeys>>()
  const ask = (agentId: string): Promise<KnownKeys> => {
    const known = asked.get(agentId) ?? keysOf(agentId)
    asked.set(agentId, known)
    return known
  }
  const findKeys = function* (agentId: string): Operation<void> {
    setKeys(ring, agentId, yield* perform(keysFrom(ask, agentId)))
  }
  return { ring, findKeys }
}

/** The core's answer. What is wrong with what is known of a signer is a verdict too. */
function* answerOf(...given: Parameters<typeof answer>): Operation<string> {
  try {
    return yield* answer(...given)
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refused(error)
    throw error
  }
}
