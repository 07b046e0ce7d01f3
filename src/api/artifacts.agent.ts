import { signArtifact, signArtifactSync } from './artifacts.ts'
import { deprecated } from './form.ts'

/**
 * The former name of `signArtifact`, which takes and gives the same.
 *
 * @deprecated Use `signArtifact`. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @throws SxError the codes of `signArtifact`
 * @example
 * const signed = await agent.wrapA2aArtifact('{"text":"Done."}', 'result')
 * console.log(JSON.parse(signed).sxType) // result
 */
export const wrapA2aArtifact = deprecated('wrapA2aArtifact', signArtifact, '`signArtifact`')
/** The synchronous twin of {@link wrapA2aArtifact}. */
export const wrapA2aArtifactSync = deprecated('wrapA2aArtifactSync', signArtifactSync, '`signArtifactSync`')
