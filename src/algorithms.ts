import type { KeyAlgorithm } from './types.ts'

const ALGORITHMS: Readonly<Record<KeyAlgorithm, 'pq2025' | 'ed25519'>> = {
  pq2025: 'pq2025',
  'ML-DSA-87': 'pq2025',
  ed25519: 'ed25519',
  Ed25519: 'ed25519',
  'ring-Ed25519': 'ed25519',
}

/** The name that is stored of an algorithm that callers name; `undefined` for any other name. */
export function storedAlgorithm(name: string): 'pq2025' | 'ed25519' | undefined {
  return Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name as KeyAlgorithm] : undefined
}
