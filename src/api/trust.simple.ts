import * as trust from '../operations/trust.ts'
import type { Session } from '../session.ts'
import type { TrustedAgent } from '../types.ts'
import { direct, nothing } from './form.ts'

/**
 * Says whose an agent document is, without trusting it: what `trustAgent` would return. It is verified under its own keys
 * alone, so it says the truth about the keys, and of the name only what the agent calls itself. Use it to show the key id to a
 * person who compares it. No agent has to be loaded, and nothing is written.
 *
 * @param agentDocument its JSON text
 * @throws SxError a code of a verdict for a document that is not valid under its own keys; `InvalidId`; `InvalidOption`;
 *   `NotInitialized` in a page before `init()`
 * @example
 * const { agentId, keyId } = readAgent(exportAgent())
 * console.log(agentId === getAgentInfo()?.agentId, keyId.length) // true 43
 */
export const readAgent = direct(
  { needs: nothing },
  function readAgent(_: Session, agentDocument: string): TrustedAgent {
    return trust.readAgent(agentDocument)
  },
)
