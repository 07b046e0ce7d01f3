/** The algorithms of keys, as options name them. */
import type { KeyAlgorithm } from '../../src/index.ts'

/** Those that are offered, with the name that is stored of each. */
const STORED = {
  pq2025: 'pq2025',
  ed25519: 'ed25519',
  'ML-DSA-87': 'pq2025',
  Ed25519: 'ed25519',
} as const satisfies Partial<Record<KeyAlgorithm, string>>

/** The names that are offered. */
export const ALGORITHM_NAMES: readonly string[] = Object.keys(STORED)

/** The name that is stored of one of them. */
export function storedAlgorithm(name: KeyAlgorithm): string {
  return { ...STORED, 'ring-Ed25519': STORED.Ed25519 }[name]
}
