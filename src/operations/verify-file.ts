import * as core from '#core'
import { call } from '../core.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import type { VerifyFileOptions, VerifyFileResult } from '../file-types.ts'
import { composed } from '../names.ts'
import type { Session } from '../session.ts'
import type { Attachment, ValidResult, VerificationResult } from '../types.ts'
import { decide, refusal, setKeys, type Verdict } from '../verification/decide.ts'
import { type Basis, basisOf } from './basis.ts'
import { type GivenFile, givenFile, type ReadFile, readFile } from './files.ts'
import { ofOwn } from './verify.ts'

/** `verifyFile`: with the keys that the agent knows, and those that are named. */
export function verifyFile(
  session: Session,
  document: unknown,
  source: unknown,
  options: VerifyFileOptions,
): Operation<VerifyFileResult> {
  const basis = basisOf(session, options)
  const { name } = options
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw new SxError('InvalidOption', "The option 'name' is not a file name.")
  }
  return verified(session, basis, document, givenFile(source, 'file'), options)
}

function* verified(
  { loaded }: Session,
  basis: Basis,
  document: unknown,
  file: GivenFile,
  options: VerifyFileOptions,
): Operation<VerifyFileResult> {
  const verdict = yield* documentVerdict(basis, document)
  const { result } = loaded === undefined ? verdict : ofOwn(loaded, verdict)
  return yield* fileVerdict(result, file, options)
}

/** The verdict on a file, after that on the document: of one that is not valid it is of no interest. */
function* fileVerdict(
  result: VerificationResult,
  file: GivenFile,
  options: Pick<VerifyFileOptions, 'name' | 'signal' | 'onProgress'>,
): Operation<VerifyFileResult> {
  if (!result.valid) return mismatch(result, '', result)
  const read = yield* readFile(file, options)
  const { sha256 } = read
  try {
    const { name } = options
    return matched(result, sha256, findAttachment(result.attachments, name ?? file.name, name !== undefined, read))
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return mismatch(result, sha256, refusal(error).result)
    throw error
  }
}

/**
 * Which attachment a file is: its position among them. Names are compared in NFC: macOS can write the same one with other
 * code points.
 *
 * @param name the file's own, or with `isAsked` the one that the attachment must have
 * @throws SxError `FileMismatch`; `NotFound` if there are no attachments, or none of the name that was asked for
 */
function findAttachment(
  attachments: readonly Pick<Attachment, 'filename' | 'size' | 'hash'>[],
  name: string,
  isAsked: boolean,
  { size, sha256 }: ReadFile,
): number {
  const known = JSON.stringify(
    attachments.map(({ filename, size: length, hash }) => ({ filename: composed(filename), size: length, hash })),
  )
  return call(() => core.fileFind(known, composed(name), isAsked, size, sha256))
}

function* documentVerdict({ by, limits }: Basis, document: unknown): Operation<Verdict> {
  try {
    return yield* by(function* (ring, find) {
      let signer: string | undefined
      const findKeys = function* (agentId: string): Operation<void> {
        const known = yield* find(agentId)
        signer = agentId
        setKeys(ring, agentId, known)
      }
      try {
        return yield* decide(document, ring, findKeys, limits)
      } finally {
        if (signer !== undefined) ring.set(signer, 'named', undefined)
      }
    })
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error)
    throw error
  }
}

function matched(document: ValidResult, hash: string, at: number): VerifyFileResult {
  const attachment = document.attachments[at]
  if (attachment === undefined) throw new SxError('Internal')
  return Object.freeze({ valid: true, attachment, hash, document, errors: Object.freeze([]), code: undefined })
}

/** @param why the reason, as in the verdict on a document */
function mismatch(document: VerificationResult, hash: string, why: VerificationResult): VerifyFileResult {
  const { errors, code = 'Internal' } = why
  return Object.freeze({ valid: false, attachment: undefined, hash, document, errors, code })
}
