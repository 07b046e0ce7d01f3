/**
 * Agents that sign and verify documents.
 *
 * @module
 */
export { SxAgent } from './agent.ts'
export type { CoreSource } from './core.ts'
export { SxError, type SxErrorCode } from './errors.ts'
export type { Limits } from './limits.ts'
export type { TrustedAgent } from './operations/trust.ts'
export type { Environment } from './platform.ts'
export type { AgentOptions } from './session.ts'
export type { Storage, SyncStorage } from './storage/contract.ts'
export type {
  AgentInfo,
  Attachment,
  InvalidResult,
  KeyAlgorithm,
  ListDocumentsOptions,
  ValidResult,
  VerificationResult,
  VerifyManyOptions,
} from './types.ts'
export { type ConfigOptions, createConfig, hashString, init } from './utilities.ts'
