import type { Operation } from '../effects.ts'
import { fileWork } from '../file-options.ts'
import type { FileSource, FileWork, SignFileOptions } from '../file-types.ts'
import { describeFile as describe } from '../operations/describe-file.ts'
import { signFile as sign } from '../operations/documents.ts'
import { namedFile } from '../operations/files.ts'
import { flag } from '../options.ts'
import type { Session } from '../session.ts'
import type { AgreementAttachment, SignedDocument } from '../types.ts'
import { asynchronous, nothing, privateKey, twin, unlessOther } from './form.ts'

/**
 * Signs a file: makes a document with its name, MIME type, size and SHA-256, and stores it (protocol, section 6). The
 * file itself stays as it is. It is read once and may have any size, unless it is embedded.
 *
 * @param file its path; a `File`; or `{ name, data, mimeType? }` of bytes or a `Blob`
 * @param embed whether the document holds the file itself, so that it can be taken out of it again; default false. Or
 *   the options `embed`, `noSave`, `signal` and `onProgress`
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `NotFound` if there is no
 *   file at the path; `FileChanged` if it changes while it is read; `LimitExceeded` for a file to embed that the
 *   document has no room for, of the default 32 MiB about 24 (protocol, section 14); storage codes, also for a path
 *   that leads to something else than a file; `InvalidOption`, also for a path where there are no files, and from the
 *   twin for a blob. The reason of the signal
 * @example
 * const { raw } = await signFile('photo.jpg')
 * const { attachments } = await verifyOrThrow(raw)
 * console.log(attachments[0].filename, attachments[0].mimeType, attachments[0].embedded) // photo.jpg image/jpeg false
 *
 * const data = new TextEncoder().encode('Hello')
 * const whole = await signFile({ name: 'hello.txt', data }, true)
 * const [hello] = (await verifyOrThrow(whole.raw)).attachments
 * console.log(new TextDecoder().decode(hello.content)) // Hello
 */
export const signFile = asynchronous(
  {
    needs: privateKey,
    options: { at: 1, names: { embed: true, noSave: true, signal: true, onProgress: true }, copy: unlessOther },
  },
  function signFile(
    session: Session,
    file: FileSource,
    embed: boolean | SignFileOptions | null = false,
  ): Operation<SignedDocument> {
    const options: SignFileOptions = typeof embed === 'object' && embed !== null ? embed : { embed: embed ?? false }
    const { embed: isEmbedded, noSave, ...work } = options
    const files = { files: [namedFile(file, 'file')], embed: flag('embed', isEmbedded), work: fileWork(work) }
    return sign(session, files, flag('noSave', noSave))
  },
)
/** The synchronous twin of {@link signFile}. */
export const signFileSync = twin(signFile)

/**
 * Describes a file as agreements have it: for `attachments` of terms, for `attachToAgreement`, and to compare a file
 * with an attachment. The file is read once and may have any size. Nothing is signed or stored.
 *
 * @param file its path; a `File`; or `{ name, data, mimeType? }` of bytes or a `Blob`
 * @param options `signal` and `onProgress`
 * @returns the name without folders and unsafe characters, the MIME type, the size, and the SHA-256
 * @throws SxError `NotFound` if there is no file at the path; `FileChanged` if it changes while it is read; storage codes,
 *   also for a path that leads to something else than a file; `InvalidOption`, also for a path where there are no files, and
 *   from the twin for a blob. The reason of the signal
 * @example
 * const data = new TextEncoder().encode('Hello')
 * const { name, mediaType, size } = await describeFile({ name: 'docs/hello.txt', data })
 * console.log(name, mediaType, size) // hello.txt text/plain 5
 */
export const describeFile = asynchronous(
  { needs: nothing, options: { at: 1, names: { signal: true, onProgress: true } } },
  function describeFile(_: Session, file: FileSource, options: FileWork = {}): Operation<AgreementAttachment> {
    return describe(file, fileWork(options))
  },
)
/** The synchronous twin of {@link describeFile}. */
export const describeFileSync = twin(describeFile)
