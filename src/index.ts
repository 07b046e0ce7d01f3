/**
 * Agents that sign and verify documents. The protocol that comments name is `docs/protocol.md` of the package.
 *
 * @module
 */
export { type CreatedAgent, SxAgent } from './agent.ts'
export { SxError, type SxErrorCode } from './errors.ts'
export type { Limits } from './limits.ts'
export type { Environment } from './platform.ts'
export type { Storage, SyncStorage } from './storage/contract.ts'
export type {
  AgentInfo,
  AgentOptions,
  Attachment,
  ByKept,
  ByPasskey,
  Bytes,
  CompiledModule,
  CoreSource,
  CreateDocumentOptions,
  CreatedAgentInfo,
  CreateOptions,
  InvalidResult,
  KeyAlgorithm,
  ListDocumentsOptions,
  QuickstartOptions,
  SignedDocument,
  TextSigner,
  TextSource,
  TextWarning,
  TrustedAgent,
  ValidResult,
  VerificationResult,
  VerifyManyOptions,
  VerifyTextOptions,
  VerifyTextResult,
} from './types.ts'
export { type ConfigOptions, createConfig, hashString, init } from './utilities.ts'
