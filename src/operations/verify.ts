import { encode } from '../bytes.ts'
import { type Core, call, instanceEpoch, noteHandle, text } from '../core.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError, type SxErrorCode } from '../errors.ts'
import type { KeyRing } from '../key-ring.ts'
import { checkSize } from '../limits.ts'
import { alone } from '../plain.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { Identity } from '../state/documents.ts'
import type { AgentOptions, ValidResult, VerificationResult } from '../types.ts'

/** Fills a ring with all that is known of an agent's keys. */
export type FindKeys = (agentId: string) => Operation<void>

/** Finds keys where a loaded agent does: its own, its trust store, its key directory. */
function keysOf({ id, ring, trust, directory }: Loaded): FindKeys {
  return function* (agentId) {
    if (agentId === id) return
    const pem = yield* directory.read(agentId)
    const trusted = yield* trust.read(agentId)
    // Together and right before the verdict: other verifications share the ring.
    ring.set(agentId, 'trust', trusted)
    ring.set(agentId, 'directory', pem)
  }
}

/** The core's answer: the result for the caller, and what the document is if it is valid. */
export interface Verdict {
  readonly identity?: Identity
  /** Why it is not valid: a sentence for people, in parts. */
  readonly error?: { readonly code: SxErrorCode; readonly found: string }
  readonly result: VerificationResult
}

/** Reads the core's answer: a line of JSON for what is known of the document, and one for the result. */
function readVerdict(answer: string): Verdict {
  const end = answer.indexOf('\n')
  const known = JSON.parse(answer.slice(0, end)) as Omit<Verdict, 'result'>
  const { valid, data, code, ...rest } = alone(JSON.parse(answer.slice(end + 1)) as ValidResult)
  // `data` and `code` are there in every result, so that nobody reads those of a polluted `Object.prototype`.
  const whole: VerificationResult = { valid, data, code, ...rest }
  Object.freeze(whole.attachments)
  Object.freeze(whole.errors)
  return alone({ ...known, result: Object.freeze(whole) })
}

/** A verdict on something that there is nothing to read of. */
export function refusal({ code, found }: SxError): Verdict {
  return readVerdict(call((core) => core.verdictOf(code, found)))
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
  const started = start(document, ring, limits)
  if (started instanceof SxError) return refusal(started)
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
function start(document: unknown, ring: KeyRing, limits: AgentOptions['limits']): (() => number) | SxError {
  try {
    const checked = checkSize(text(document, 'signedDocument'), limits)
    return () => noteHandle(call((core) => core.verifyStart(ring.handle, encode(checked))))
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

/** A loaded agent's verdict on a document. What is wrong with what is known of its signer is a verdict too. */
export function* verdict(
  loaded: Loaded,
  document: unknown,
  expected?: { id: string; version: string },
): Operation<Verdict> {
  try {
    return yield* decide(document, loaded.ring, keysOf(loaded), loaded.options.limits, expected)
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error)
    throw error
  }
}

/** `verify` */
export function* verify(session: Session, document: unknown): Operation<VerificationResult> {
  return (yield* verdict(requireLoaded(session), document)).result
}

/** `verifyOrThrow`: the result of a valid document; the reason as an error for any other. */
export function* verifyOrThrow(session: Session, document: unknown): Operation<ValidResult> {
  return orThrow(yield* verdict(requireLoaded(session), document))
}

/**
 * The result, if it is a valid one.
 *
 * @throws SxError with the result's code
 */
export function orThrow({ result, error }: Verdict): ValidResult {
  if (result.valid) return result
  throw new SxError(result.code, error?.found)
}

/** `verifySelf` */
export function* verifySelf(session: Session): Operation<VerificationResult> {
  return yield* verify(session, requireLoaded(session).own.current.text)
}

/** `verifySignature` */
export function* verifySignature(session: Session, document: unknown, field = 'sxSignature'): Operation<boolean> {
  const loaded = requireLoaded(session)
  if (field !== 'sxSignature' && field !== 'sxRegistration') {
    throw new SxError('InvalidOption', "The signature field is neither 'sxSignature' nor 'sxRegistration'.")
  }
  const { ring, options } = loaded
  const started = start(document, ring, options.limits)
  if (started instanceof SxError) return false
  try {
    return yield* finish(started, field, keysOf(loaded), (core, handle) =>
      core.verifyFinishSignature(handle, ring.handle, field),
    )
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return false
    throw error
  }
}
