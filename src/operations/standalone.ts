import { defaultFolders, documentsIn, keysIn } from '#folders'
import { encode } from '../bytes.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { KeyRing } from '../key-ring.ts'
import { heldLimits, limitsText } from '../limits.ts'
import { checkLimits, ownLimits, ownMembers } from '../options.ts'
import type { ReadKey } from '../platform.ts'
import type { StandaloneOptions, VerificationResult } from '../types.ts'
import { decide, findKeysIn, refusal, type SourcesOf } from '../verification/decide.ts'

/** Advice on options of which only one can be passed. */
export const ONE = { advice: 'Pass one of them.' }

/** `verifyStandalone`: with keys from folders or from the caller, whatever agent is loaded. */
export function* verifyStandalone(document: unknown, options: StandaloneOptions = {}): Operation<VerificationResult> {
  const { keyResolution = 'local', dataDirectory, keys, limits: given } = options
  if (keys !== undefined && options.keyDirectory !== undefined) {
    throw new SxError('InvalidOption', "The options 'keys' and 'keyDirectory' cannot be used together.", ONE)
  }
  const only = onlyKey(options, { keyDirectory: options.keyDirectory, keys, dataDirectory })
  const keyDirectory = keys === undefined ? options.keyDirectory : ownMembers(keys, 'public keys')
  if (keyResolution !== 'local') throw new SxError('InvalidOption', "The option 'keyResolution' must be 'local'.")
  const limits = given === undefined ? undefined : ownLimits(given)
  checkLimits(limits)
  const standard = dataDirectory === undefined && keyDirectory === undefined ? defaultFolders : undefined
  const isNamed = standard === undefined
  const sources =
    only ?? sourcesIn(keyDirectory ?? standard?.keys, dataDirectory ?? standard?.data, isNamed, heldLimits(limits))
  const ring = new KeyRing(limitsText(limits))
  try {
    return (yield* decide(document, ring, findKeysIn(ring, sources), limits)).result
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error).result
    throw error
  } finally {
    ring.dispose()
  }
}

/**
 * The one key that counts, whoever a signature names, if that is asked for. An option that is there and undefined is an
 * error: where a setting is missing, other keys would count.
 *
 * @param others the options that it cannot stand beside
 */
export function onlyKey(
  options: { readonly key?: unknown },
  others: Readonly<Record<string, unknown>>,
): SourcesOf | undefined {
  if (!Object.hasOwn(options, 'key')) return undefined
  const { key } = options
  if (typeof key !== 'string') {
    const advice = 'Pass the public key, or omit the option.'
    throw new SxError('InvalidOption', "The option 'key' is not PEM text.", { advice })
  }
  const other = Object.keys(others).find((name) => others[name] !== undefined)
  if (other !== undefined) {
    throw new SxError('InvalidOption', `The options 'key' and '${other}' cannot be used together.`, ONE)
  }
  const directory = encode(key)
  // oxlint-disable-next-line require-yield -- an operation without effects
  return function* () {
    return { directory }
  }
}

/**
 * What folders hold of an agent's keys.
 *
 * @param mustExist whether a folder that is not there is an error, `NotFound`
 * @param limits for agent documents that are held; the default ones if left out
 */
export function sourcesIn(
  keyDirectory: StandaloneOptions['keyDirectory'],
  dataDirectory: string | undefined,
  mustExist: boolean,
  limits: string = '',
): SourcesOf {
  const keyOf = findIn(keyDirectory, mustExist)
  const data = path(dataDirectory, 'dataDirectory')
  const keys = typeof keyDirectory === 'string' ? keyDirectory : undefined
  const documentsOf = data === undefined ? undefined : documentsIn(data, mustExist, keys, limits)
  return function* (agentId) {
    const directory = keyOf && (yield* keyOf(agentId))
    if (documentsOf === undefined) return { directory }
    return { directory, trust: yield* documentsOf.trust(agentId), document: yield* documentsOf.document(agentId) }
  }
}

function path(given: unknown, name: string): string | undefined {
  if (given === undefined || (typeof given === 'string' && given !== '')) return given
  const wanted = name === 'keyDirectory' ? 'neither a path nor an object {agentId: PEM}' : 'not a path'
  throw new SxError('InvalidOption', `The option '${name}' is ${wanted}.`)
}

/** Looks an agent's PEM up in a folder or in an object. */
export function findIn(keyDirectory: StandaloneOptions['keyDirectory'], mustExist: boolean): ReadKey | undefined {
  if (typeof keyDirectory === 'object') {
    const pems = ownMembers(keyDirectory, 'public keys')
    // oxlint-disable-next-line require-yield -- an operation without effects
    return function* (agentId) {
      const pem: unknown = Object.hasOwn(pems, agentId) ? pems[agentId] : undefined
      if (pem !== undefined && typeof pem !== 'string')
        throw new SxError('InvalidOption', 'A public key is not PEM text.')
      return pem === undefined ? undefined : encode(pem)
    }
  }
  const folder = path(keyDirectory, 'keyDirectory')
  return folder === undefined ? undefined : keysIn(folder, mustExist)
}
