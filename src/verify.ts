/**
 * Verifying, for programs that do nothing else: with the public keys that are named, without an agent. These are functions
 * of `/simple`, and nothing of agents, storages or signing is loaded with them.
 *
 * What the functions call JSON codes, storage codes and codes of a verdict stands at `SxError`.
 * The protocol that comments name is `docs/protocol.md` of the package.
 *
 * @module
 */

export { verifyFile, verifyFileSync } from './api/attachments.ts'
export { extractMediaSignature } from './api/images.simple.ts'
export { verifyImage } from './api/images.ts'
export { init } from './api/init.ts'
export { inspect, inspectSync } from './api/inspect.ts'
export { verifyText } from './api/text.ts'
export { verifyStandalone } from './api/verification.simple.ts'
export { type SchemaViolation, SxError, type SxErrorCode } from './errors.ts'
export type {
  FileSource,
  InvalidFileResult,
  ValidFileResult,
  VerifyFileOptions,
  VerifyFileResult,
} from './file-types.ts'
export type { ExtractOptions, ImageSource, VerifyImageOptions, VerifyImageResult } from './image-types.ts'
export type {
  Attachment,
  CoreSource,
  DocumentClaims,
  StandaloneOptions,
  TextSource,
  VerificationResult,
  VerifyTextOptions,
  VerifyTextResult,
} from './types.ts'
export { hashString, type InitOptions, type KeptKeys } from './utilities.ts'
export type { ScriptPolicy } from './worker/script-policy.ts'
