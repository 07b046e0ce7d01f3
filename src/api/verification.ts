import type { Operation } from '../effects.ts'
import * as documents from '../operations/documents.ts'
import * as verification from '../operations/verify.ts'
import { type PendingSchema, schemaOf } from '../schemas/source.ts'
import { type CheckData, checkBy } from '../schemas/standard.ts'
import type { Session } from '../session.ts'
import type { ValidResult, VerificationResult, VerifyOptions } from '../types.ts'
import { asynchronous, loadedAgent, nullable, twin } from './form.ts'

/**
 * The verdict on a signed document (protocol, section 9). Never throws because of
 * the document.
 *
 * @param signedDocument its JSON text, whatever its white space and the order of its members
 * @param options `schema`, with `schemas`: a custom schema that it has to fit too (protocol, section 22), whatever its
 *   `$schema` says; if it does not, the code is `SchemaViolation`, and `errors` say all that is wrong. Without it no schema is looked at.
 *   `as`: a Standard Schema (zod, valibot, arktype) that checks the data; `data` is what it returns
 * @throws SxError `NoAgentLoaded`, storage codes; `InvalidSchema`, `SchemaLimit`, `RefNotAllowed`, `UnsafePattern` because
 *   of the schema
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * console.log((await verify(raw)).valid) // true
 * console.log((await verify(raw.replace('"amount":1', '"amount":2'))).code) // BadSignature
 */
export const verify = asynchronous(
  { needs: loadedAgent, options: { at: 1, names: { schema: true, schemas: true, as: true }, copy: nullable } },
  function verify(session: Session, signedDocument: string, options?: VerifyOptions): Operation<VerificationResult> {
    return verification.verify(session, signedDocument, ...checksOf(options))
  },
) as <T = unknown>(signedDocument: string, options?: VerifyOptions<T>) => Promise<VerificationResult<T>>
/** The synchronous twin of {@link verify}. */
export const verifySync = twin(verify)

/** What a valid document has to fit beside. */
function checksOf(options: VerifyOptions = {}): [schema: PendingSchema | undefined, check: CheckData | undefined] {
  return [schemaOf(options), checkBy(options.as)]
}

/**
 * The verdict on a stored document (protocol, sections 9 and 12). `NotFound`,
 * `Rollback` and `CorruptStore` are verdicts here.
 *
 * @param id an id, which means the latest version, or `id:version`
 * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * const result = await verifyById(documentId)
 * if (result.valid) console.log(result.data) // { amount: 1 }
 * console.log((await verifyById(crypto.randomUUID())).code) // NotFound
 */
export const verifyById = asynchronous(
  { needs: loadedAgent },
  function verifyById(session: Session, id: string): Operation<VerificationResult> {
    return documents.verifyById(session, id)
  },
)
/** The synchronous twin of {@link verifyById}. */
export const verifyByIdSync = twin(verifyById)

/**
 * The verdict on the agent's own document: on its signature and its hash (protocol, section 9).
 *
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log((await verifySelf()).valid) // true
 */
export const verifySelf = asynchronous(
  { needs: loadedAgent },
  function verifySelf(session: Session): Operation<VerificationResult> {
    return verification.verifySelf(session)
  },
)
/** The synchronous twin of {@link verifySelf}. */
export const verifySelfSync = twin(verifySelf)

/**
 * The verdict on a document, if it is valid (protocol, section 9).
 *
 * @param signedDocument its JSON text
 * @param options as of `verify`
 * @throws SxError with its code of a verdict for any other document, `SchemaViolation` with `details`; `NoAgentLoaded`,
 *   storage codes; those of a schema
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * const { data, trusted } = await verifyOrThrow(raw)
 * console.log(data, trusted) // { amount: 1 } true
 */
export const verifyOrThrow = asynchronous(
  { needs: loadedAgent, options: { at: 1, names: { schema: true, schemas: true, as: true }, copy: nullable } },
  function verifyOrThrow(session: Session, signedDocument: string, options?: VerifyOptions): Operation<ValidResult> {
    return verification.verifyOrThrow(session, signedDocument, ...checksOf(options))
  },
) as <T = unknown>(signedDocument: string, options?: VerifyOptions<T>) => Promise<ValidResult<T>>
/** The synchronous twin of {@link verifyOrThrow}. */
export const verifyOrThrowSync = twin(verifyOrThrow)

/**
 * Whether a document is valid: its signature and its hash are good, under a key that is known for
 * its signer (protocol, section 9). It says neither why not, nor whether the signer is trusted;
 * `verifyOrThrow` does.
 *
 * @param documentString its JSON text; anything else gives false
 * @throws SxError `NoAgentLoaded`, storage codes; nothing because of the document
 * @example
 * const signed = await createDocument({ amount: 1 })
 * console.log(await verifyDocument(signed)) // true
 * console.log(await verifyDocument(signed.replace('"amount":1', '"amount":2'))) // false
 */
export const verifyDocument = asynchronous(
  { needs: loadedAgent },
  function* verifyDocument(session: Session, documentString: string): Operation<boolean> {
    return (yield* verification.verify(session, documentString)).valid
  },
)
/** The synchronous twin of {@link verifyDocument}. */
export const verifyDocumentSync = twin(verifyDocument)

/**
 * Whether one of a document's signatures is good, under a key that is known for who made it. The
 * hash is not looked at (protocol, section 6).
 *
 * @param documentString its JSON text; anything else gives false
 * @param signatureField `sxSignature` (default) or `sxRegistration`; false if the document has none
 * @throws SxError `NoAgentLoaded`; `InvalidOption` for another field; storage codes; nothing because
 *   of the document
 * @example
 * const signed = await createDocument({ amount: 1 })
 * console.log(await verifySignature(signed)) // true
 * console.log(await verifySignature(signed, 'sxRegistration')) // false
 */
export const verifySignature = asynchronous(
  { needs: loadedAgent },
  function verifySignature(session: Session, documentString: string, signatureField?: string): Operation<boolean> {
    return verification.verifySignature(session, documentString, signatureField)
  },
)
/** The synchronous twin of {@link verifySignature}. */
export const verifySignatureSync = twin(verifySignature)
