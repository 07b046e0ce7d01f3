import { type Effect, type Operation, perform } from '../effects.ts'
import { SxError, type SxErrorCode } from '../errors.ts'
import { KeyRing } from '../key-ring.ts'
import { heldLimits, type Limits, limitsText } from '../limits.ts'
import { requireLoaded, type Session } from '../session.ts'
import type { VerifyTextOptions } from '../types.ts'
import type { SourcesOf } from '../verification/decide.ts'
import { findIn, ONE, onlyKey, sourcesIn } from './standalone.ts'
import { sourcesOf } from './verify.ts'

/** With what texts and images are verified. */
export interface Basis {
  readonly limits: Limits | undefined
  /** Has a verdict made with the keys. */
  readonly by: <T>(verdict: (ring: KeyRing, find: SourcesOf) => Operation<T>) => Operation<T>
}

/**
 * What the loaded agent knows, and the keys that are named; these alone where no agent is loaded.
 *
 * @throws SxError `NoAgentLoaded` where there is neither; `InvalidOption`
 */
export function basisOf(session: Session, options: VerifyTextOptions): Basis {
  const { keyDir, keys, dataDirectory } = options
  const limits = session.loaded?.options.limits ?? session.options.limits
  const only = onlyKey(options, { keyDir, keys, dataDirectory })
  if (only !== undefined) return { limits, by: (verdict) => withKeys(limits, verdict, only) }
  if (keys !== undefined && keyDir !== undefined) {
    throw new SxError('InvalidOption', "The options 'keys' and 'keyDir' cannot be used together.", ONE)
  }
  if (dataDirectory !== undefined) {
    const find = sourcesIn(keys ?? keyDir, dataDirectory, true, heldLimits(limits))
    return { limits, by: (verdict) => withKeys(limits, verdict, find) }
  }
  const named = findIn(keys === undefined ? keyDir : keys, true)
  if (session.loaded === undefined && named !== undefined) {
    return { limits, by: (verdict) => withKeys(limits, verdict, (agentId) => namedKey(named, agentId)) }
  }
  if (session.loaded === undefined) {
    throw new SxError('NoAgentLoaded', undefined, {
      advice: 'Load an agent first, or pass `keys`, `key` or `dataDirectory`.',
    })
  }
  const loaded = requireLoaded(session)
  return { limits, by: (verdict) => verdict(loaded.ring, sourcesOf(loaded, named)) }
}

/** What is wrong, if something is, and the result. */
interface Verdict<Result> {
  readonly error?: { readonly code: SxErrorCode; readonly found: string }
  readonly result: Result
}

/**
 * Reads what is to be verified and has a verdict made of it.
 *
 * @param isStrict throws `MissingSignature` where there is no signature
 */
export function* resultOf<Result>(
  { by }: Basis,
  read: Effect<Uint8Array>,
  verdict: (bytes: Uint8Array, ring: KeyRing, find: SourcesOf) => Operation<Verdict<Result>>,
  isStrict: boolean,
): Operation<Result> {
  const bytes = yield* perform(read)
  const { error, result } = yield* by((ring, find) => verdict(bytes, ring, find))
  if (isStrict && error?.code === 'MissingSignature') throw new SxError(error.code, error.found)
  return result
}

function* namedKey(
  named: (agentId: string) => Operation<Uint8Array | undefined>,
  agentId: string,
): ReturnType<SourcesOf> {
  return { named: yield* named(agentId) }
}

function* withKeys<T>(
  limits: Limits | undefined,
  verdict: (ring: KeyRing, find: SourcesOf) => Operation<T>,
  find: SourcesOf,
): Operation<T> {
  const ring = new KeyRing(limitsText(limits))
  try {
    return yield* verdict(ring, find)
  } finally {
    ring.dispose()
  }
}
