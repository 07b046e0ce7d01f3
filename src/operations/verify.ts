import * as core from '#core'
import { encode } from '../bytes.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText, raised } from '../limits.ts'
import type { ReadKey } from '../platform.ts'
import { type CompiledSchema, schemasOf } from '../schemas/cache.ts'
import type { PendingSchema } from '../schemas/source.ts'
import type { CheckData } from '../schemas/standard.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { ValidResult, VerificationResult } from '../types.ts'
import {
  decide,
  type FindKeys,
  finish,
  type KnownKeys,
  orThrow,
  refusal,
  type SourcesOf,
  setKeys,
  start,
  type Verdict,
} from '../verification/decide.ts'

/** Looks up what a loaded agent knows of another one: in its trust store, in its key directory. */
export function* knownKeys({ trust, directory }: Loaded, agentId: string): Operation<KnownKeys> {
  const pem = yield* directory.read(agentId)
  return { trust: yield* trust.read(agentId), directory: pem }
}

/** What a loaded agent knows of others, and the keys that were named to it; its own are in its ring. */
export function sourcesOf(loaded: Loaded, named?: ReadKey): SourcesOf {
  return function* (agentId) {
    const known = yield* keysKnown(loaded, agentId)
    return { ...known, named: named && (yield* named(agentId)) }
  }
}

/** The keys of others. Its own are in the ring, once it has followed what other processes have made of them. */
function* keysKnown(loaded: Loaded, agentId: string): Operation<KnownKeys | undefined> {
  if (agentId !== loaded.id) return yield* knownKeys(loaded, agentId)
  yield* loaded.own.follow()
  return undefined
}

/** Finds keys where a loaded agent does. */
const keysOf =
  (loaded: Loaded): FindKeys =>
  (agentId) =>
    findKeys(loaded, agentId)

function* findKeys(loaded: Loaded, agentId: string): Operation<void> {
  const known = yield* keysKnown(loaded, agentId)
  if (known !== undefined) setKeys(loaded.ring, agentId, known)
}

/** A loaded agent's verdict on a document. What is wrong with what is known of its signer is a verdict too. */
export function* verdict(
  loaded: Loaded,
  document: unknown,
  expected?: { id: string; version: string },
): Operation<Verdict> {
  try {
    return ofOwn(loaded, yield* decide(document, loaded.ring, keysOf(loaded), loaded.options.limits, expected))
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error)
    throw error
  }
}

/** The same verdict; of a document that a revoked key of this agent has signed it says what its owner does. */
export function ofOwn(loaded: Loaded, verdict: Verdict): Verdict {
  const { result } = verdict
  if (result.code !== 'KeyRevoked' || result.signerId !== loaded.id) return verdict
  const found = 'This agent signed the document with a key that is revoked.'
  const again = loaded.own.isRevoked ? 'a new agent, because this agent no longer has a key' : 'the current key'
  const advice = `If the content is correct, sign it again with ${again}.`
  const errors = Object.freeze([`${result.code}: ${found} ${advice}`])
  return { ...verdict, error: { code: result.code, found, advice }, result: Object.freeze({ ...result, errors }) }
}

/**
 * The verdict on a stored version of the loaded agent's own document. The agent reads its own chain with the default limits
 * at least: the caller's are about what is offered.
 */
export function* ownVerdict(
  loaded: Loaded,
  document: string,
  expected?: { id: string; version: string },
): Operation<Verdict> {
  const { id, own, options } = loaded
  if (options.limits === undefined) return yield* verdict(loaded, document, expected)
  const limits = raised(options.limits)
  const ring = new KeyRing(limitsText(limits))
  const findKeys = function* (agentId: string): Operation<void> {
    yield* own.follow()
    if (agentId === id) ring.set(id, 'own', encode(own.held))
  }
  try {
    return yield* decide(document, ring, findKeys, limits, expected)
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error)
    throw error
  } finally {
    ring.dispose()
  }
}

/** `verify` */
export function* verify(
  session: Session,
  document: unknown,
  schema?: PendingSchema,
  check?: CheckData,
): Operation<VerificationResult> {
  if (schema === undefined && check === undefined) return (yield* verdict(requireLoaded(session), document)).result
  const found = yield* fittingVerdict(session, document, schema, check)
  return 'misfit' in found ? violated(found) : found.result
}

/** Why a valid document does not fit, and what stands between a place in it and what is wrong there. */
interface Misfit {
  readonly misfit: SxError
  readonly between: ' ' | ': '
}

/** The verdict on a document, or why a valid one does not fit what it has to fit beside. */
function* fittingVerdict(
  session: Session,
  document: unknown,
  schema: PendingSchema | undefined,
  check: CheckData | undefined,
): Operation<Verdict | Misfit> {
  const loaded = requireLoaded(session)
  const fitting = schema && (yield* schemasOf(loaded).compile(yield* schema()))
  const found = yield* verdict(loaded, document)
  const violation = fitting && brokenBy(fitting, loaded, document, found)
  if (violation !== undefined) return { misfit: violation, between: ' ' }
  if (check === undefined || !found.result.valid) return found
  try {
    const data = yield* check(found.result.data)
    return { ...found, result: Object.freeze({ ...found.result, data }) }
  } catch (error) {
    if (error instanceof SxError && error.code === 'SchemaViolation') return { misfit: error, between: ': ' }
    throw error
  }
}

/** The verdict on a document that does not fit its schema: after the reason all that is wrong, a sentence each. */
function violated({ misfit, between }: Misfit): VerificationResult {
  const { result } = refusal(misfit)
  const each = (misfit.details ?? []).map(
    ({ path, keyword, message }) => `${path || 'The document'}${between}${message} (${keyword}).`,
  )
  return Object.freeze({ ...result, errors: Object.freeze([...result.errors, ...each]) })
}

/** `verifyOrThrow`: the result of a valid document; the reason as an error for any other. */
export function* verifyOrThrow(
  session: Session,
  document: unknown,
  schema?: PendingSchema,
  check?: CheckData,
): Operation<ValidResult> {
  const found = yield* fittingVerdict(session, document, schema, check)
  if ('misfit' in found) throw found.misfit
  return orThrow(found)
}

/** Why a valid document does not fit a schema. */
function brokenBy(
  schema: CompiledSchema,
  { options }: Loaded,
  document: unknown,
  { result }: Verdict,
): SxError | undefined {
  if (!result.valid) return undefined
  try {
    schema.check(document as string, options.limits)
    return undefined
  } catch (error) {
    if (error instanceof SxError && error.code === 'SchemaViolation') return error
    throw error
  }
}

/** `verifySelf` */
export function* verifySelf(session: Session): Operation<VerificationResult> {
  const loaded = requireLoaded(session)
  yield* loaded.own.follow()
  return (yield* ownVerdict(loaded, loaded.own.latest.text)).result
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
    return yield* finish(started, field, keysOf(loaded), (handle) =>
      core.verifyFinishSignature(handle, ring.handle, field),
    )
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return false
    throw error
  }
}
