import { platform } from '#platform'
import { encode } from '../bytes.ts'
import { type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { get } from '../home.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText } from '../limits.ts'
import { documentChain, publicKeyFile, trustChain } from '../names.ts'
import { STANDALONE_OPTIONS } from '../option-names.ts'
import { agentOptions, checkLimits, ownMembers, plainOptions } from '../options.ts'
import { readLatest } from '../state/chain.ts'
import type { Storage } from '../storage/contract.ts'
import type { StandaloneOptions, VerificationResult } from '../types.ts'
import { decide, refusal } from './verify.ts'

/** `verifyStandalone`: with keys from folders or from the caller, whatever agent is loaded. */
export function* verifyStandalone(document: unknown, options: StandaloneOptions = {}): Operation<VerificationResult> {
  const own = plainOptions(options, STANDALONE_OPTIONS)
  const { keyResolution = 'local', dataDirectory, keys, limits: given } = own
  if (keys !== undefined && own.keyDirectory !== undefined) {
    throw new SxError('InvalidOption', "The options 'keys' and 'keyDirectory' are both there.")
  }
  const keyDirectory = keys === undefined ? own.keyDirectory : ownMembers(keys, 'public keys')
  if (keyResolution !== 'local') throw new SxError('InvalidOption', "The option 'keyResolution' knows only 'local'.")
  const { limits } = agentOptions(given === undefined ? {} : { limits: given })
  checkLimits(limits)
  const standard = dataDirectory === undefined && keyDirectory === undefined ? platform.defaultFolders : undefined
  const isNamed = standard === undefined
  const keyOf = findIn(keyDirectory ?? standard?.keys, isNamed)
  const data = folder(dataDirectory ?? standard?.data, 'dataDirectory', isNamed)
  const ring = new KeyRing(limitsText(limits))
  try {
    const findKeys = function* (agentId: string): Operation<void> {
      ring.set(agentId, 'directory', yield* keyOf(agentId))
      if (data === undefined) return
      ring.set(agentId, 'trust', (yield* readLatest(data, trustChain(agentId)))?.bytes)
      ring.set(agentId, 'document', (yield* readLatest(data, documentChain(agentId)))?.bytes)
    }
    return (yield* decide(document, ring, findKeys, limits)).result
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return refusal(error).result
    throw error
  } finally {
    ring.dispose()
  }
}

function folder(path: unknown, name: string, mustExist: boolean): Storage | undefined {
  if (path === undefined) return undefined
  if (typeof path !== 'string' || path === '') throw new SxError('InvalidOption', `The option '${name}' is not a path.`)
  return platform.folder(path, mustExist)
}

/** Looks an agent's PEM up in a folder or in an object. */
export function findIn(
  keyDirectory: StandaloneOptions['keyDirectory'],
  mustExist: boolean,
): (agentId: string) => Operation<Uint8Array | undefined> {
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
  const keys = folder(keyDirectory, 'keyDirectory', mustExist)
  return function* (agentId) {
    return keys && (yield* perform(get(keys, publicKeyFile(agentId))))
  }
}
