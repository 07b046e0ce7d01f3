import type { Operation } from '../effects.ts'
import { fileWork } from '../file-options.ts'
import * as batch from '../operations/batch.ts'
import { copyOfList, flag } from '../options.ts'
import { schemaOf } from '../schemas/source.ts'
import type { Session } from '../session.ts'
import type { CreateDocumentsOptions, SignedDocument, SignMessagesOptions } from '../types.ts'
import { asynchronous, nullable, privateKey, twin } from './form.ts'

/**
 * Signs many values as messages and stores them: what `signMessage` does of each, in the order of the list, with one date
 * and one flush. All are stored or none is. A storage of one's own writes them one after the other: if it fails in the
 * middle, those that it has written stay, and the error says how many; a program that is killed may leave some in any case.
 *
 * @param list the values, each as `signMessage` takes one
 * @param options `noSave` signs without storing; `signal` and `onProgress`
 * @returns the documents, in the order of the values
 * @throws SxError those of `signMessage`; `index` says which value is refused. The reason of the signal, once that is
 *   aborted
 * @example
 * const signed = await signMessages([{ amount: 1 }, { amount: 2 }])
 * console.log(signed.length, (await verifyOrThrow(signed[1].raw)).data) // 2 { amount: 2 }
 */
export const signMessages = asynchronous(
  {
    needs: privateKey,
    options: { at: 1, names: { noSave: true, signal: true, onProgress: true }, copy: nullable },
    data: 'values',
    isWhole: true,
  },
  function signMessages(
    session: Session,
    list: readonly unknown[],
    options: SignMessagesOptions = {},
  ): Operation<SignedDocument[]> {
    const { noSave, ...work } = options
    const how = { noSave: flag('noSave', noSave), work: fileWork(work) }
    return batch.signMessages(session, copyOfList('list', list), how)
  },
)
/** The synchronous twin of {@link signMessages}. */
export const signMessagesSync = twin(signMessages)

/**
 * Signs many JSON objects as first versions of documents and stores them: what `createDocument` does of each, in the order
 * of the list, with one date and one flush. All are stored or none is. A storage of one's own writes them one after the
 * other: if it fails in the middle, those that it has written stay, and the error says how many; a program that is killed
 * may leave some in any case.
 *
 * @param list the objects, or their JSON texts, each as `createDocument` takes one
 * @param options `type`, and `schema` with `schemas`, for all of them; `noSave`; `signal` and `onProgress`
 * @returns the signed documents, canonical JSON (RFC 8785), in the order of the list
 * @throws SxError those of `createDocument`; `index` says which document is refused. The reason of the signal, once that
 *   is aborted
 * @example
 * const [first] = await createDocuments([{ amount: 1 }, { amount: 2 }], { type: 'invoice' })
 * console.log(JSON.parse(first).amount, (await listDocuments({ type: 'invoice' })).length) // 1 2
 */
export const createDocuments = asynchronous(
  {
    needs: privateKey,
    options: {
      at: 1,
      names: { schema: true, schemas: true, noSave: true, type: true, signal: true, onProgress: true },
      copy: nullable,
    },
    data: 'documents',
    isWhole: true,
  },
  function createDocuments(
    session: Session,
    list: readonly (object | string)[],
    options: CreateDocumentsOptions = {},
  ): Operation<string[]> {
    const { noSave, type, schema, schemas, ...work } = options
    const how = { noSave: flag('noSave', noSave), work: fileWork(work), type, schema: schemaOf({ schema, schemas }) }
    return batch.createDocuments(session, copyOfList('list', list), how)
  },
)
/** The synchronous twin of {@link createDocuments}. */
export const createDocumentsSync = twin(createDocuments)
