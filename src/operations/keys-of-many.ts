/** The keys of several agents at once, for a verdict that needs all of them. */
import { encode } from '../bytes.ts'
import type { Operation } from '../effects.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText } from '../limits.ts'
import type { ReadKey } from '../platform.ts'
import type { Loaded } from '../session.ts'
import { type KnownKeys, setKeys } from '../verification/decide.ts'
import { sourcesOf } from './verify.ts'

/** What is known of agents, and whether that includes keys that count for one verdict only. */
export interface KeysOfMany {
  readonly known: ReadonlyMap<string, KnownKeys>
  readonly isNamed: boolean
}

/** Looks up what a loaded agent knows of others. @param named more public keys, for this verdict only */
export function* keysOfMany(loaded: Loaded, agentIds: readonly string[], named?: ReadKey): Operation<KeysOfMany> {
  const find = sourcesOf(loaded, named)
  const known = new Map<string, KnownKeys>()
  for (const id of agentIds) known.set(id, yield* find(id))
  return { known, isNamed: named !== undefined }
}

/** Works with these keys. The ring of the agent is not used for keys that must not count in other verdicts. */
export function withKeys<T>(loaded: Loaded, { known, isNamed }: KeysOfMany, work: (ring: KeyRing) => T): T {
  if (!isNamed) return withAll(loaded.ring, known, work)
  const { id, own, options } = loaded
  const apart = new KeyRing(limitsText(options.limits))
  try {
    apart.set(id, 'own', encode(own.held))
    return withAll(apart, known, work)
  } finally {
    apart.dispose()
  }
}

/** Sets the keys right before the verdict, because others share the ring. */
function withAll<T>(ring: KeyRing, known: KeysOfMany['known'], work: (ring: KeyRing) => T): T {
  return ring.keepingAll(() => {
    for (const [agentId, keys] of known) setKeys(ring, agentId, keys)
    return work(ring)
  })
}
