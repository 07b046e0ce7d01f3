/** What errors of the file system mean to the library. */
import { isSxError, SxError } from '../../src/errors.ts'
import type { Procedure } from './procedure.ts'

const fs = process.getBuiltinModule('node:fs')

const FULL = new Set(['ENOSPC', 'EDQUOT'])
/** A symbolic link met with `O_NOFOLLOW` is `ELOOP`, on FreeBSD `EMLINK`. */
const LINK = new Set(['ELOOP', 'EMLINK'])
const BUSY = new Set(['EBUSY', 'ETXTBSY'])

/**
 * The code of an error of the system (`ENOENT`, …), `undefined` for any other error. It is told by its members: in a test
 * of Jest, which has globals of its own, an error of Node is no instance of `Error`.
 */
export function errno(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('syscall' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The reason in the words of the system, with its code: `no space left on device (ENOSPC)`. */
function reason(error: Error, code: string): string {
  const words = error.message.replace(`${code}: `, '').split(', ')[0]
  return `${words} (${code})`
}

/**
 * An error of the system, or of the memory, as the error of an operation on `path`. Any other is a fault, of the library
 * or of a Node that it does not support, and is not shown as one of the storage.
 *
 * @param doing what was being done, as the beginning of a sentence: `Writing`
 */
function translate(error: unknown, doing: string, path: string): unknown {
  const code = errno(error)
  if (code === undefined && (error as Partial<Error> | null)?.name === 'RangeError') {
    return new SxError('StorageUnavailable', `${doing} ${path} needs more memory than is available.`, { cause: error })
  }
  if (code === undefined) {
    if (isSxError(error)) return error
    if (isNotAllowed(error))
      return new SxError('StorageUnavailable', `${doing} ${path} failed: ${error.message}.`, { cause: error })
    const found = `${doing} ${path} failed unexpectedly in Node ${process.versions.node}.`
    return new SxError('Internal', `${found} Check the supported versions (\`engines\` of the package).`, {
      cause: error,
    })
  }
  const found = `${doing} ${path} failed: ${reason(error as Error, code)}.`
  if (FULL.has(code)) return new SxError('StorageFull', found, { cause: error })
  if (LINK.has(code)) return linkRefused(path, error)
  if (BUSY.has(code)) return new SxError('Busy', found, { cause: error })
  return new SxError('StorageUnavailable', found, { cause: error })
}

/** Whether it is Deno's, for want of a permission: its message names the file and the flag. */
export const isNotAllowed = (error: unknown): error is Error => (error as Partial<Error> | null)?.name === 'NotCapable'

/** The procedure, its errors of the system translated (see the table above). */
export function* guard<T>(doing: string, path: string, procedure: Procedure<T>): Procedure<T> {
  try {
    return yield* procedure
  } catch (error) {
    throw translate(error, doing, path)
  }
}

/** A link stands at `path`. */
export function linkRefused(path: string, cause?: unknown): SxError {
  const found = `${path} is a symbolic link or has a second hard link.`
  return new SxError('LinkRefused', found, cause === undefined ? undefined : { cause })
}

/** There is no file to read at `path`: nothing, or a folder. */
export function noFileAt(path: string, shown: string = path): SxError {
  if (!isFolder(path)) return new SxError('NotFound', `There is no file at ${shown}.`)
  return new SxError('NotFound', `${shown} is a folder.`, { advice: 'Pass the path of a file.' })
}

/** Whether there is a folder, also where a link leads to one. */
export function isFolder(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false // what cannot be looked at is told as what is not there
  }
}

/** Something stands at `path` that is of no use there. */
export function unsuitable(path: string, what: string): SxError {
  const advice = 'Choose another path, or move the existing file or folder.'
  return new SxError('StorageUnavailable', `${path} is not ${what}.`, { advice })
}
