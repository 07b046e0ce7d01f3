import { decode, encode } from '../bytes.ts'
import { type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { documentChain } from '../names.ts'
import type { Storage } from '../storage/contract.ts'
import { readStoredAgent } from './agent-identity.ts'
import { readLatest } from './chain.ts'
import { OwnRevocations } from './own-revocations.ts'

/**
 * What a data directory holds of an agent, as that agent itself counts it: the latest version of its document, with what
 * its keys have stated beside it. Where the agent has ended, it is the version at which it has.
 *
 * @returns nothing if there is no document; a document that cannot be used as it is
 * @throws SxError `Rollback`; `CorruptStore`, also for a revocation that is damaged
 */
export function* readHeld(data: Storage, agentId: string, limits: string): Operation<Uint8Array | undefined> {
  const revocations = new OwnRevocations(data, agentId, limits)
  for (let attempt = 1; ; attempt++) {
    const latest = yield* readLatest(data, documentChain(agentId))
    if (latest === undefined || (yield* perform(revocations.next)) === undefined) return latest?.bytes
    const text = usable(latest.bytes, agentId, limits)
    if (text === undefined) return latest.bytes // whoever uses it says why
    yield* revocations.readAll(text)
    if (revocations.reached > latest.number && attempt === 1) continue // both have come since the document was read
    const end = yield* revocations.end(latest.number, (version) => readStoredAgent(version, limits).keyId)
    return encode(revocations.held(end?.text ?? text))
  }
}

function usable(bytes: Uint8Array, agentId: string, limits: string): string | undefined {
  try {
    const text = decode(bytes, 'The agent document')
    return readStoredAgent(text, limits).id === agentId ? text : undefined
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return undefined
    throw error
  }
}
