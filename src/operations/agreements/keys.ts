import * as core from '#core'
import { encode } from '../../bytes.ts'
import { call, text } from '../../core.ts'
import { isVerdict, SxError } from '../../errors.ts'
import { ownMembers } from '../../options.ts'
import type { ReadKey } from '../../platform.ts'

/**
 * Keys that the caller names, if any.
 *
 * @throws SxError `InvalidKey`, `WeakPublicKey` which name the agent of the invalid key
 */
export function keysIn(keys: Readonly<Record<string, string>> | undefined): ReadKey | undefined {
  if (keys === undefined) return undefined
  const pems = new Map(
    Object.entries(ownMembers(keys, 'public keys')).map(([id, pem]) => [id, keyOf(id, text(pem, id))]),
  )
  // oxlint-disable-next-line require-yield -- an operation without effects
  return function* (agentId) {
    return pems.get(agentId)
  }
}

function keyOf(agentId: string, pem: string): Uint8Array {
  try {
    call(() => core.publicKeyId(pem))
  } catch (error) {
    if (!(error instanceof SxError && isVerdict(error.code))) throw error
    throw new SxError(error.code, `The option 'keys' has no usable key of ${agentId}. ${error.found}`, { cause: error })
  }
  return encode(pem)
}
