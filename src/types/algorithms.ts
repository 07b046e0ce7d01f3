/**
 * Key algorithms (protocol, section 4): `pq2025`, or `ML-DSA-87`, is ML-DSA-87 (FIPS 204); `ed25519`, `Ed25519` or
 * `ring-Ed25519` is Ed25519 (RFC 8032). Results and what is stored have `pq2025` and `ed25519`.
 */
export type KeyAlgorithm = 'pq2025' | 'ML-DSA-87' | 'ed25519' | 'Ed25519' | 'ring-Ed25519'
