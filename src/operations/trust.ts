import { text } from '../core.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { refuseMistaken } from '../json-text.ts'
import { checkSize, limitsText } from '../limits.ts'
import { parseId } from '../names.ts'
import { requireLoaded, type Session } from '../session.ts'
import { readStoredAgent, verifyAgentDocument } from '../state/agent-identity.ts'
import { advised, OF_OWN } from '../state/refusals.ts'
import type { TrustedAgent } from '../types.ts'
import { admitOwn } from './agents.ts'

/** `trustAgent`: the core decides whether the document is taken. */
export function* trustAgent(session: Session, json: unknown): Operation<TrustedAgent> {
  const loaded = requireLoaded(session)
  const limits = limitsText(loaded.options.limits)
  const offered = refuseNoAgent(checkSize(text(json, 'json'), loaded.options.limits))
  const { id } = verifyAgentDocument(offered, limits)
  // The agent's own document is trusted without being in the store; one that is put there still has to fit it.
  if (id === loaded.id) {
    yield* loaded.own.follow()
    advised(OF_OWN, () => admitOwn(loaded, offered))
  }
  const { name, keyId, keyIds } = yield* loaded.trust.admit(id, offered)
  return Object.freeze({ agentId: id, name, keyId, keyIds: Object.freeze(keyIds) })
}

/** `readAgent`: whose an agent document is by its own keys, trusted or not. */
export function readAgent(json: unknown): TrustedAgent {
  const offered = refuseNoAgent(checkSize(text(json, 'agentDocument'), undefined))
  const { id: agentId, name, keyId, keyIds } = verifyAgentDocument(offered, limitsText(undefined))
  return Object.freeze({ agentId, name, keyId, keyIds: Object.freeze([...keyIds]) })
}

/** Refuses what callers pass by mistake for an agent document. */
function refuseNoAgent(offered: string): string {
  if (!offered.trimStart().startsWith('-----BEGIN ')) return refuseMistaken(offered)
  const found = 'The input is a PEM key, not an agent document. A key does not name its owner.'
  const advice =
    "Pass the document that the agent's exportAgent returned. To verify with only a key, pass it as the option `key`."
  throw new SxError('InvalidAgent', found, { advice })
}

/** `listTrustedAgents`, ascending. */
export function* listTrustedAgents(session: Session): Operation<string[]> {
  return yield* requireLoaded(session).trust.list()
}

/** `untrustAgent`: says whether the agent was trusted. */
export function* untrustAgent(session: Session, agentId: unknown): Operation<boolean> {
  const { trust } = requireLoaded(session)
  return yield* trust.remove(parseId(agentId))
}

/** `isTrusted` */
export function* isTrusted(session: Session, agentId: unknown): Operation<boolean> {
  const { trust } = requireLoaded(session)
  return (yield* trust.document(parseId(agentId))) !== undefined
}

/** `getTrustedAgent` */
export function* getTrustedAgent(session: Session, agentId: unknown): Operation<string> {
  const { trust, options } = requireLoaded(session)
  const id = parseId(agentId)
  const document = yield* trust.document(id)
  if (document === undefined) throw new SxError('NotFound', 'The agent is not in the trust store.')
  checkTrusted(id, document, limitsText(options.limits))
  return document
}

/** Refuses what cannot be the document of a trusted agent. */
function checkTrusted(agentId: string, document: string, limits: string): void {
  let cause: unknown
  try {
    if (readStoredAgent(document, limits).id === agentId) return
  } catch (error) {
    if (!(error instanceof SxError && isVerdict(error.code)) || error.code === 'LimitExceeded') throw error
    cause = error
  }
  throw new SxError('CorruptStore', `The trusted document of ${agentId} is damaged.`, { cause })
}
