/**
 * Agents that sign and verify documents. The protocol that comments name is `docs/protocol.md` of the package.
 *
 * @module
 */
export { type CreatedAgent, SxAgent } from './agent.ts'
export * from './deprecated.ts'
export { type SchemaViolation, SxError, type SxErrorCode } from './errors.ts'
export type {
  FileSource,
  FileWork,
  InvalidFileResult,
  NamedFile,
  SignFileOptions,
  ValidFileResult,
  VerifyFileOptions,
  VerifyFileResult,
} from './file-types.ts'
export type {
  ImageCapacity,
  ImageSource,
  SignImageOptions,
  VerifyImageOptions,
  VerifyImageResult,
} from './image-types.ts'
export type { Limits } from './limits.ts'
export type { Environment } from './platform.ts'
export { SxSimpleAgent } from './simple-agent.ts'
export type { Storage, SyncStorage } from './storage/contract.ts'
export type {
  AgentInfo,
  AgentOptions,
  ArtifactResult,
  Attachment,
  ByKept,
  ByPasskey,
  Bytes,
  CompiledModule,
  CoreSource,
  CreateDocumentOptions,
  CreatedAgentInfo,
  CreateOptions,
  DocumentWarning,
  ExportKeyOptions,
  ExternalSigner,
  InvalidArtifactResult,
  InvalidResult,
  KeyAlgorithm,
  ListDocumentsOptions,
  PublicJwk,
  QuickstartOptions,
  RevocationReason,
  RevokeOptions,
  RotatedKey,
  RotateOptions,
  SchemaOptions,
  SchemaSource,
  SignedDocument,
  TextSigner,
  TextSource,
  TextWarning,
  TrustedAgent,
  UpdateDocumentOptions,
  ValidArtifactResult,
  ValidResult,
  VerificationResult,
  VerifyManyOptions,
  VerifyOptions,
  VerifyTextOptions,
  VerifyTextResult,
  WellKnown,
} from './types.ts'
export { type ConfigOptions, createConfig, hashString, init } from './utilities.ts'
