/**
 * One agent for the whole program, as functions.
 *
 * `quickstart`, `create` and `load` make it, all others use it.
 * Most operations have two forms: `name` returns a Promise, `nameSync` returns directly. Some have one form: what their
 * type says.
 *
 * What the functions call JSON codes, storage codes and codes of a verdict stands at `SxError`.
 * In their examples an agent is loaded. The protocol that comments name is `docs/protocol.md` of the package.
 *
 * @module
 */

export * from './api/agreement-field.simple.ts'
export * from './api/audit.ts'
export * from './api/documents.simple.ts'
export * from './api/identity.simple.ts'
export * from './api/images.simple.ts'
export * from './api/keys.simple.ts'
export * from './api/repair.ts'
export * from './api/trust.simple.ts'
export * from './api/verification.simple.ts'
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
export type { CheckImageOptions, ExtractOptions } from './image-types.ts'
export type * from './public-types.ts'
export * from './topics.ts'
export type * from './types/backups.ts'
export type * from './types/loading.ts'
export type * from './types/repair.ts'
export type * from './types/standalone.ts'
export type { InitOptions, KeptKeys } from './utilities.ts'
export type { ScriptPolicy } from './worker/script-policy.ts'
