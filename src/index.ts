/**
 * Agents that sign and verify documents. The protocol that comments name is `docs/protocol.md` of the package.
 *
 * @module
 */

export { type CreatedAgent, SxAgent } from './agent.ts'
export { init } from './api/init.ts'
export * from './deprecated.ts'
export { type SchemaViolation, SxError, type SxErrorCode } from './errors.ts'
export type { Limits } from './limits.ts'
export type * from './public-types.ts'
export { SxSimpleAgent } from './simple-agent.ts'
export type { Storage, SyncStorage } from './storage/contract.ts'
export type * from './types/algorithms.ts'
export type * from './types/modules.ts'
export type * from './types/settings.ts'
export { type ConfigOptions, createConfig, hashString, type InitOptions, type KeptKeys } from './utilities.ts'
export type { ScriptPolicy } from './worker/script-policy.ts'
