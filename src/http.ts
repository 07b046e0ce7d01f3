/**
 * Requests between programs, signed and verified, without any web framework.
 *
 * What the functions call storage codes stands at `SxError`. The protocol that comments name is `docs/protocol.md` of the
 * package.
 *
 * @module
 */

export { type MemoryReplayStoreOptions, memoryReplayStore } from './requests/memory-replay-store.ts'
export { verifyRequest } from './requests/verify-request.ts'
export type * from './types/requests.ts'
