import type { InvalidResult, ValidResult } from './verification.ts'

/** The verdict on an artifact that is valid with all that it was made from. */
export interface ValidArtifactResult extends ValidResult {
  /** The verdicts on the artifacts that it was made from, in their order. */
  readonly parents: readonly ValidArtifactResult[]
}

/** The verdict on any other artifact, also on one that is good itself and was made from one that is not. */
export interface InvalidArtifactResult extends InvalidResult {
  /** Always empty. */
  readonly parents: readonly []
}

/** A verdict on an artifact and its chain of custody (protocol, section 6). The object is frozen. */
export type ArtifactResult = ValidArtifactResult | InvalidArtifactResult
