import { encode } from '../../bytes.ts'
import { text } from '../../core.ts'
import { ownMembers } from '../../options.ts'
import type { ReadKey } from '../../platform.ts'

/** Keys that the caller names, if any. */
export function keysIn(keys: Readonly<Record<string, string>> | undefined): ReadKey | undefined {
  if (keys === undefined) return undefined
  const pems = new Map(Object.entries(ownMembers(keys, 'public keys')).map(([id, pem]) => [id, encode(text(pem, id))]))
  // oxlint-disable-next-line require-yield -- an operation without effects
  return function* (agentId) {
    return pems.get(agentId)
  }
}
