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

export * from './api/artifacts.ts'
export * from './api/attachments.ts'
export * from './api/audit.ts'
export * from './api/backup.ts'
export * from './api/batch.ts'
export * from './api/discovery.ts'
export * from './api/documents.simple.ts'
export * from './api/documents.ts'
export * from './api/files.ts'
export * from './api/identity.simple.ts'
export * from './api/identity.ts'
export * from './api/images.simple.ts'
export * from './api/images.ts'
export * from './api/init.ts'
export * from './api/inspect.ts'
export * from './api/keys.ts'
export * from './api/many.ts'
export * from './api/refresh.ts'
export * from './api/repair.ts'
export * from './api/requests.ts'
export * from './api/storage.ts'
export * from './api/strings.ts'
export * from './api/text.ts'
export * from './api/trust.ts'
export * from './api/verification.simple.ts'
export * from './api/verification.ts'
export type {
  AuditCheck,
  AuditHealthCheck,
  AuditOptions,
  AuditResult,
  AuditRisk,
  AuditRiskCode,
  AuditSeverity,
} from './audit-types.ts'
export { type SchemaViolation, SxError, type SxErrorCode } from './errors.ts'
export type { ExtractOptions } from './image-types.ts'
export type * from './public-types.ts'
export type {
  BackupWarning,
  ExportOptions,
  ImportOptions,
  LoadOptions,
  RepairedChain,
  RepairOptions,
  RepairResult,
  RestoredAgent,
  StandaloneOptions,
  StoreProblem,
} from './types.ts'
export type { InitOptions, KeptKeys } from './utilities.ts'
export type { ScriptPolicy } from './worker/script-policy.ts'
