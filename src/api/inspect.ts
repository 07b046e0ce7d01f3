import type { Operation } from '../effects.ts'
import type { Session } from '../session.ts'
import type { DocumentClaims } from '../types.ts'
import { readClaims } from '../verification/claims.ts'
import { asynchronous, nothing, twin } from './form.ts'

/**
 * Returns what a document says about itself, without verifying it. Anybody can write that: use it to find the signer's
 * key or to file the document, and believe nothing of it. `verify` gives a verdict. No agent has to be loaded.
 *
 * @param signedDocument its JSON text
 * @returns id, version and type of the document, the agent that it names as its signer, and the time of signing that it
 *   gives
 * @throws SxError the JSON codes; `InvalidDocument`, `UnsupportedFormat` or `MissingSignature` if it does not have the form
 *   of a signed document
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * const { agentId, type } = await inspect(raw)
 * console.log(agentId === JSON.parse(raw).sxSignature.agentID, type) // true message
 */
export const inspect = asynchronous(
  { needs: nothing },
  function inspect(session: Session, signedDocument: string): Operation<DocumentClaims> {
    return readClaims(session, signedDocument)
  },
)
/** The synchronous twin of {@link inspect}. */
export const inspectSync = twin(inspect)
