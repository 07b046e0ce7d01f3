import * as core from '#core'
import { call } from '../core.ts'

/** An agent document as the core describes it. */
export interface AgentIdentity {
  readonly id: string
  readonly version: string
  readonly previous: string | null
  readonly name: string
  /** RFC 7638 thumbprint of the key that signed it. */
  readonly keyId: string
  /** Those of the keys that it holds, oldest first. */
  readonly keyIds: readonly string[]
  /** How many keys the agent has had. */
  readonly keyCount: number
  /** Of the key that signed it. */
  readonly algorithm: string
  /** The key that signed it, SPKI PEM. */
  readonly publicKey: string
}

/**
 * What an agent document says, once it was verified under its own key.
 *
 * @throws SxError a code of a verdict
 */
export function verifyAgentDocument(text: string, limits: string): AgentIdentity {
  return readIdentity(call(() => core.agentVerify(text, limits)))
}

/**
 * What an agent document says that the trust store takes, beside the one it holds of the same agent.
 *
 * @throws SxError see protocol, section 11
 */
export function admitDocument(offered: string, known: string | undefined, limits: string): AgentIdentity {
  return readIdentity(call(() => core.trustAdmit(offered, known, limits)))
}

/**
 * What a document of the loaded agent says that fits what is held of it.
 *
 * @throws SxError see protocol, section 11
 */
export function admitOwnDocument(offered: string, held: string, limits: string): AgentIdentity {
  return readIdentity(call(() => core.ownAdmit(offered, held, limits)))
}

/**
 * What is held of an agent says: its document, perhaps with revocations beside it.
 *
 * @throws SxError `CorruptStore`, `LimitExceeded`
 */
export function readHeldAgent(text: string, limits: string): AgentIdentity {
  return readIdentity(call(() => core.agentHeld(text, limits)))
}

/**
 * What the stored document of the agent that is being loaded says.
 *
 * @throws SxError `CorruptStore`, `BadSignature`, `HashMismatch`, `LimitExceeded`
 */
export function readStoredAgent(text: string, limits: string): AgentIdentity {
  return readIdentity(call(() => core.agentStored(text, limits)))
}

function readIdentity(answer: string): AgentIdentity {
  const identity = JSON.parse(answer) as Omit<AgentIdentity, 'keyIds' | 'keyCount'> &
    Record<'keyIds' | 'keyCount', string>
  return { ...identity, keyIds: identity.keyIds.split(' '), keyCount: Number(identity.keyCount) }
}
