import type { Operation } from '../effects.ts'
import { fileWork } from '../file-options.ts'
import type { FileSource, VerifyFileOptions, VerifyFileResult } from '../file-types.ts'
import { verifyFile as compare } from '../operations/verify-file.ts'
import type { Session } from '../session.ts'
import { asynchronous, nothing, twin } from './form.ts'

/**
 * The verdict on a file: whether it is one that is attached to a document, which has to be valid itself (protocol,
 * sections 6 and 9). Never throws because of the document, or because the file is another one.
 *
 * A file that has the name of an attachment has to be that one. Any other, and bytes without a name, may be any of
 * them: `attachment` says which.
 *
 * @param signedDocument its JSON text
 * @param file its path; a `File`, a `Blob`, bytes, or `{ name, data }` of these
 * @param options `name`: which attachment it has to be; `keyDir`, `keys`, `dataDirectory`, `key`: as for `verifyText`, and with one of
 *   them no agent has to be loaded; `signal` and `onProgress`
 * @throws SxError `NoAgentLoaded` without keys; `NotFound` if there is no file at the path, or no folder; `FileChanged`
 *   if the file changes while it is read; storage codes; `InvalidOption`, also for a path where there are no files, and
 *   from the twin for a blob. The reason of the signal
 * @example
 * const { raw } = await signFile('photo.jpg')
 * const same = await verifyFile(raw, 'photo.jpg')
 * console.log(same.valid, same.attachment?.filename) // true photo.jpg
 *
 * const other = await verifyFile(raw, new TextEncoder().encode('another picture'))
 * console.log(other.valid, other.code) // false FileMismatch
 */
export const verifyFile = asynchronous(
  {
    needs: nothing,
    options: {
      at: 2,
      names: { name: true, keys: true, keyDir: true, dataDirectory: true, key: true, signal: true, onProgress: true },
    },
  },
  function verifyFile(
    session: Session,
    signedDocument: string,
    file: FileSource | Uint8Array | Blob,
    options: VerifyFileOptions = {},
  ): Operation<VerifyFileResult> {
    return compare(session, signedDocument, file, { ...options, ...fileWork(options) })
  },
)
/** The synchronous twin of {@link verifyFile}. */
export const verifyFileSync = twin(verifyFile)
