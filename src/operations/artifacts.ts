import * as core from '#core'
import { call, text } from '../core.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { jsonText } from '../json-text.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import { readMade } from '../state/documents.ts'
import type { ArtifactResult, ValidArtifactResult, ValidResult } from '../types.ts'
import { orThrow, refusal } from '../verification/decide.ts'
import { signedAtOnce } from './current-key.ts'
import { verdict } from './verify.ts'

/** The parents of an artifact, or the items of an array of them, each as its text. */
function parentsIn({ ring }: Loaded, artifact: string, isList: boolean): string[] {
  return JSON.parse(call(() => core.artifactParents(ring.handle, artifact, isList))) as string[]
}

/**
 * The results of artifacts and, within them, of all that they were made from. A text holds each of them once, so the
 * limits of the whole bound how many there are and how deep they stand.
 *
 * @param place what holds them, for people
 * @throws SxError with the code of the first one that is not valid, naming it
 */
function* custody(loaded: Loaded, artifacts: readonly string[], place: string): Operation<ValidArtifactResult[]> {
  const results: ValidArtifactResult[] = []
  for (const [at, artifact] of artifacts.entries()) {
    const name = `${place}[${at}]`
    try {
      const result = orThrow(yield* verdict(loaded, artifact))
      results.push(withParents(result, yield* custody(loaded, parentsIn(loaded, artifact, false), `${name}.parents`)))
    } catch (error) {
      if (!(error instanceof SxError) || error instanceof BrokenChain) throw error
      throw new BrokenChain(error.code, `The artifact's ${name} is not valid. ${error.found}`, { cause: error })
    }
  }
  return results
}

/** Names the parent that it is about. */
class BrokenChain extends SxError {}

function withParents(result: ValidResult, parents: readonly ValidArtifactResult[]): ValidArtifactResult {
  return Object.freeze({ ...result, parents: Object.freeze(parents) })
}

/** `signArtifact`: wraps an artifact, once all that it was made from is verified. Nothing is stored. */
export function* signArtifact(
  session: Session,
  artifactJson: unknown,
  artifactType: unknown,
  parentSignaturesJson: unknown,
): Operation<string> {
  const loaded = requireLoaded(session)
  const { limits } = loaded.options
  const artifact = jsonText(artifactJson, 'artifactJson', limits)
  const type = text(artifactType, 'artifactType', LONGEST_TYPE)
  const isAlone = parentSignaturesJson === undefined || parentSignaturesJson === null
  const parents = isAlone ? undefined : jsonText(parentSignaturesJson, 'parentSignaturesJson', limits)
  if (parents !== undefined) yield* custody(loaded, parentsIn(loaded, parents, true), 'parents')
  const made = yield* signedAtOnce(loaded, (signer, moment) =>
    core.artifactCreate(signer, artifact, type, parents, moment),
  )
  return readMade(made).raw
}

/** In characters; longer than any type. */
const LONGEST_TYPE = 1024

/** `verifyArtifact`: valid only with all that it was made from. */
export function* verifyArtifact(session: Session, document: unknown): Operation<ArtifactResult> {
  const loaded = requireLoaded(session)
  const { result } = yield* verdict(loaded, document)
  if (!result.valid) return refused(result)
  try {
    const parents = parentsIn(loaded, text(document, 'signedArtifact'), false)
    return withParents(result, yield* custody(loaded, parents, 'parents'))
  } catch (error) {
    if (!(error instanceof SxError && isVerdict(error.code))) throw error
    return refused(refusal(error).result)
  }
}

function refused(result: ReturnType<typeof refusal>['result']): ArtifactResult {
  return Object.freeze({ ...result, parents: Object.freeze([]) }) as ArtifactResult
}
