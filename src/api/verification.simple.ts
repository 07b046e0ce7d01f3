import type { Operation } from '../effects.ts'
import * as checking from '../operations/check-schema.ts'
import * as standalone from '../operations/standalone.ts'
import { plainOptions } from '../options.ts'
import type { Session } from '../session.ts'
import type { SchemaOptions, StandaloneOptions, VerificationResult } from '../types.ts'
import { asynchronous, nothing, synchronous, twin } from './form.ts'

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

/**
 * Checks whether a document fits a custom schema (protocol, section 22). It looks at no signature and needs no agent:
 * `verifyStandalone` says who signed a document. With a loaded agent, `verify` does both.
 *
 * @param document its JSON text
 * @param options `schema` and `schemas`, as for `verify`
 * @throws SxError `SchemaViolation` for a document that does not fit, with all that is wrong in `details`; `InvalidSchema`,
 *   `SchemaLimit`, `RefNotAllowed` and `UnsafePattern` for a schema that cannot be used; the JSON codes; `NotFound` for a file
 *   that is not there; `InvalidOption`; storage codes
 * @example
 * const schema = {
 *   $schema: 'http://json-schema.org/draft-07/schema#',
 *   $id: 'https://shop.example.com/schemas/order/v1/order.schema.json',
 *   allOf: [
 *     { $ref: 'urn:sx-agent:schemas/header/v1/header.schema.json' },
 *     { type: 'object', properties: { amount: { type: 'number', minimum: 0 } } },
 *   ],
 * }
 * const order = await createDocument({ amount: 1 }, { schema })
 * await checkSchema(order, { schema })
 * const changed = order.replace('"amount":1', '"amount":-1')
 * const error = await checkSchema(changed, { schema }).catch((cause) => cause)
 * console.log(error.code, error.details[0].path) // SchemaViolation /amount
 */
export const checkSchema = asynchronous(
  { needs: nothing, options: { at: 1, names: { schema: true, schemas: true }, copy: plainOptions } },
  function checkSchema(_: Session, document: string, options: SchemaOptions): Operation<void> {
    return checking.checkSchema(document, options)
  },
)
/** The synchronous twin of {@link checkSchema}. */
export const checkSchemaSync = twin(checkSchema)
