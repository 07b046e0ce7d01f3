/**
 * One agent for the whole program, as functions.
 *
 * `quickstart`, `create` and `load` make it, all others use it.
 * Every operation comes twice: `name` returns a Promise, `nameSync` returns directly; those
 * without a twin return directly.
 *
 * What the functions call JSON codes, storage codes and codes of a verdict stands at `SxError`.
 * In their examples an agent is loaded. The protocol that comments name is `docs/protocol.md` of the package.
 *
 * @module
 */

export * from './api/backup.ts'
export * from './api/documents.simple.ts'
export * from './api/documents.ts'
export * from './api/identity.simple.ts'
export * from './api/identity.ts'
export * from './api/many.ts'
export * from './api/storage.ts'
export * from './api/strings.ts'
export * from './api/text.ts'
export * from './api/trust.ts'
export * from './api/verification.simple.ts'
export * from './api/verification.ts'
export { SxError, type SxErrorCode } from './errors.ts'
export type {
  AgentInfo,
  ByKept,
  ByPasskey,
  Bytes,
  CreateDocumentOptions,
  CreatedAgentInfo,
  CreateOptions,
  ExportOptions,
  ImportOptions,
  InvalidResult,
  ListDocumentsOptions,
  LoadOptions,
  QuickstartOptions,
  RestoredAgent,
  SignedDocument,
  StandaloneOptions,
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
export { init } from './utilities.ts'
