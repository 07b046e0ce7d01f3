import { get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { publicKeyFile } from '../../names.ts'
import type { Loaded } from '../../session.ts'
import { verifySignature } from '../verify.ts'
import type { Report } from './report.ts'

/**
 * Whether the registration of an agent document that is valid verifies, where the agent that registered it is known. Of
 * another one nothing can be said.
 */
export function* checkRegistration(report: Report, loaded: Loaded, text: string, subject: string): Operation<void> {
  const { sxRegistration } = JSON.parse(text) as { readonly sxRegistration?: { readonly agentID: string } }
  if (sxRegistration === undefined) return
  const { agentID } = sxRegistration
  if (!(yield* isKnown(loaded, agentID))) return
  if (yield* verifySignature({ options: {}, loaded }, text, 'sxRegistration')) return
  const found = `The registration of ${subject} by the agent ${agentID} is not valid: it was changed, or its key does not count.`
  report.risk('medium', 'BadSignature', subject, `${found} If you need it, have the document registered again.`)
}

/** Whether it is known which keys an agent has. */
function* isKnown({ id, trust, place }: Loaded, agentId: string): Operation<boolean> {
  if (agentId === id) return true
  try {
    if ((yield* trust.document(agentId)) !== undefined) return true
    const isDecided = (yield* trust.read(agentId)) !== undefined // then it is trusted no more
    return !isDecided && (yield* perform(get(place.directories.keys, publicKeyFile(agentId)))) !== undefined
  } catch (error) {
    if (error instanceof SxError && error.code !== 'Internal') return false // whoever looks at that says why
    throw error
  }
}
