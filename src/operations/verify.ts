import { encode } from '../bytes.ts'
import { adopt, type Core, call, instanceEpoch, text } from '../core.ts'
import type { Operation } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { KeyRing } from '../key-ring.ts'
import { checkSize, limitsText } from '../limits.ts'
import { type AgentOptions, type Loaded, requireLoaded, type Session } from '../session.ts'
import type { InvalidResult, ValidResult, VerificationResult } from '../types.ts'
import { type FindKeys, keysOf } from './key-sources.ts'

/** What a valid document is. */
export interface Identity {
  readonly id: string
  readonly version: string
  readonly previous: string | null
  readonly type: string
}

/** The core's answer: the result for the caller, and what the document is if it is valid. */
export interface Verdict {
  readonly identity: Identity | null
  readonly result: VerificationResult
}

/** Reads the core's answer: a line of JSON each for identity and result. */
function readVerdict(answer: string): Verdict {
  const end = answer.indexOf('\n')
  const identity = JSON.parse(answer.slice(0, end)) as Identity | null
  const { valid, data, ...rest } = JSON.parse(answer.slice(end + 1)) as ValidResult
  const whole: VerificationResult = { valid, data, ...rest } // `data` is there in every result
  Object.freeze(whole.attachments)
  Object.freeze(whole.errors)
  return { identity, result: Object.freeze(whole) }
}

/** A verdict on something that there is nothing to read of. */
export function refusal(error: SxError): VerificationResult {
  return readVerdict(call((core) => core.verdictOf(error.code, error.found))).result
}

/**
 * Has the core decide about a document, after finding its signer's keys.
 *
 * @param expected the id and version it must be, where it was asked for by them
 */
export function* decide(
  document: unknown,
  ring: KeyRing,
  findKeys: FindKeys,
  limits: AgentOptions['limits'],
  expected?: { id: string; version: string },
): Operation<Verdict> {
  const started = start(document, limits)
  if (started instanceof SxError) return { identity: null, result: refusal(started) }
  const answer = yield* finish(started, 'sxSignature', findKeys, (core, handle) =>
    expected === undefined
      ? core.verifyFinish(handle, ring.handle)
      : core.verifyFinishAs(handle, ring.handle, expected.id, expected.version),
  )
  return readVerdict(answer)
}

/** Begins a verification in the core, finds the keys it needs, and ends it with `work`. */
function* finish<T>(
  begin: () => number,
  field: string,
  findKeys: FindKeys,
  work: (core: Core, handle: number) => T,
): Operation<T> {
  let handle = begin()
  try {
    const epoch = instanceEpoch()
    const signer = call((core) => core.verifySigner(handle, field))
    if (signer !== '') yield* findKeys(signer)
    if (instanceEpoch() !== epoch) handle = begin() // another call trapped while the keys were read
    return call((core) => work(core, handle))
  } finally {
    call((core) => core.free(handle))
  }
}

/** Hands a document to the core; an error if it is not even a text of allowed size. */
function start(document: unknown, limits: AgentOptions['limits']): (() => number) | SxError {
  try {
    const checked = checkSize(text(document, 'signedDocument'), limits)
    return () => adopt(call((core) => core.verifyStart(encode(checked), limitsText(limits))))
  } catch (error) {
    if (error instanceof SxError && (error.code === 'NotJson' || error.code === 'LimitExceeded')) return error
    if (error instanceof SxError && error.code === 'InvalidOption') {
      return new SxError(
        'NotJson',
        'A signed document is passed as JSON text: `raw` of what the signing function returned.',
      )
    }
    throw error
  }
}

/** A loaded agent's verdict on a document. */
export function* verdict(
  loaded: Loaded,
  document: unknown,
  expected?: { id: string; version: string },
): Operation<Verdict> {
  return yield* decide(document, loaded.ring, keysOf(loaded), loaded.options.limits, expected)
}

/** `verify` */
export function* verify(session: Session, document: unknown): Operation<VerificationResult> {
  return (yield* verdict(requireLoaded(session), document)).result
}

/** `verifyOrThrow`: the result of a valid document; the reason as an error for any other. */
export function* verifyOrThrow(session: Session, document: unknown): Operation<ValidResult> {
  return orThrow(yield* verify(session, document))
}

/**
 * The result, if it is a valid one.
 *
 * @throws SxError with the result's code
 */
export function orThrow(result: VerificationResult): ValidResult {
  if (result.valid) return result
  throw new SxError(result.code, sentence(result))
}

/** What an error of a result says happened, without the code before and the advice after it. */
function sentence({ code, errors: [error = ''] }: InvalidResult): string {
  return error.slice(`${code}: `.length, -` ${new SxError(code).advice}`.length)
}

/** `verifySelf` */
export function* verifySelf(session: Session): Operation<VerificationResult> {
  return yield* verify(session, requireLoaded(session).document.text)
}

/** `verifySignature` */
export function* verifySignature(session: Session, document: unknown, field = 'sxSignature'): Operation<boolean> {
  const loaded = requireLoaded(session)
  if (field !== 'sxSignature' && field !== 'sxRegistration') {
    throw new SxError('InvalidOption', "The signature field is neither 'sxSignature' nor 'sxRegistration'.")
  }
  const started = start(document, loaded.options.limits)
  if (started instanceof SxError) return false
  return yield* finish(started, field, keysOf(loaded), (core, handle) =>
    core.verifyFinishSignature(handle, loaded.ring.handle, field),
  )
}
