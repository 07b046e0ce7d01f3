import type { Operation } from '../effects.ts'
import * as artifacts from '../operations/artifacts.ts'
import type { Session } from '../session.ts'
import type { ArtifactResult } from '../types.ts'
import { asynchronous, loadedAgent, privateKey, twin } from './form.ts'

/**
 * Signs something that an agent has made, with the signed artifacts that it was made from, each whole (protocol,
 * section 6). These are verified before, with all that they were made from in their turn: under the keys that this
 * agent knows. Nothing is stored.
 *
 * @param artifactJson any JSON, which becomes `content`
 * @param artifactType becomes `sxType`: 1 to 64 letters, digits, hyphens, underscores, and dots between them, such as `result` or
 *   `com.example.result`
 * @param parentSignaturesJson JSON array of signed artifacts; default none
 * @returns the signed artifact, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; JSON codes;
 *   `InvalidDocument` for an invalid type, for parents that are not an array, and for a parent that is not an artifact;
 *   `ReservedField` for `agent` and types that begin with `sx-`; the code of a verdict on a parent, which it names;
 *   storage codes
 * @example
 * const draft = await signArtifact('{"text":"…"}', 'draft')
 * const report = await signArtifact('{"text":"Done."}', 'report', `[${draft}]`)
 * const { type, parents } = await verifyArtifact(report)
 * console.log(type, parents.map((parent) => parent.type)) // report [ 'draft' ]
 */
export const signArtifact = asynchronous(
  { needs: privateKey },
  function signArtifact(
    session: Session,
    artifactJson: string,
    artifactType: string,
    parentSignaturesJson?: string | null,
  ): Operation<string> {
    return artifacts.signArtifact(session, artifactJson, artifactType, parentSignaturesJson)
  },
)
/** The synchronous twin of {@link signArtifact}. */
export const signArtifactSync = twin(signArtifact)

/**
 * The verdict on a signed artifact and on its chain of custody: it is valid only if all that it was made from is, up to
 * the first ones (protocol, section 6). `verify` looks at the artifact's own signature alone. Whether the signers are
 * trusted each result says for itself.
 *
 * @param signedArtifact its JSON text
 * @returns the verdict, with those on its `parents`; if it is not valid, `errors` name which one is not
 * @throws SxError `NoAgentLoaded`, storage codes; nothing because of the artifact
 * @example
 * const draft = await signArtifact('1', 'draft')
 * const report = await signArtifact('2', 'report', `[${draft}]`)
 * const { valid, parents } = await verifyArtifact(report)
 * console.log(valid, parents[0].trusted) // true true
 * console.log((await verifyArtifact((await signMessage(1)).raw)).code) // InvalidDocument
 */
export const verifyArtifact = asynchronous(
  { needs: loadedAgent },
  function verifyArtifact(session: Session, signedArtifact: string): Operation<ArtifactResult> {
    return artifacts.verifyArtifact(session, signedArtifact)
  },
)
/** The synchronous twin of {@link verifyArtifact}. */
export const verifyArtifactSync = twin(verifyArtifact)
