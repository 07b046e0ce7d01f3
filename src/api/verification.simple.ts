import type { Operation } from '../effects.ts'
import * as standalone from '../operations/standalone.ts'
import type { Session } from '../session.ts'
import type { StandaloneOptions, VerificationResult } from '../types.ts'
import { nothing, synchronous } from './form.ts'

/**
 * The verdict on a signed document without an agent: only with the keys that are named here
 * (protocol, sections 8 and 9). An agent that is loaded plays no part.
 *
 * Whom the store in `dataDirectory` trusts is what its latest decisions say, or, where `keyDirectory` is a folder with
 * witnesses, those that these name (protocol, section 12).
 *
 * @param signedDocument its JSON text
 * @param options where the keys are, or `key`, the only one that counts; without any folder `./sx_keys` and `./sx_data` in Node, and no
 *   keys in a page
 * @throws SxError `InvalidOption`, also for any folder in a page; storage codes; nothing because of the
 *   document
 * @example
 * const { raw, agentId } = await signMessage({ amount: 1 })
 * const { valid, trusted } = verifyStandalone(raw, { keyDirectory: { [agentId]: getPublicKey() } })
 * console.log(valid, trusted) // true false
 */
export const verifyStandalone = synchronous(
  {
    needs: nothing,
    options: {
      at: 1,
      names: { keyResolution: true, dataDirectory: true, keyDirectory: true, keys: true, key: true, limits: true },
    },
  },
  function verifyStandalone(
    _: Session,
    signedDocument: string,
    options?: StandaloneOptions,
  ): Operation<VerificationResult> {
    return standalone.verifyStandalone(signedDocument, options)
  },
)
