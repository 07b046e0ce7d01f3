import { SxError } from '../src/errors.ts'

const nodePath = process.getBuiltinModule('node:path')

/** In characters. No system has longer paths. */
const LONGEST_PATH = 32_767

/** An absolute path of what a caller passed in. */
export function absolute(path: string): string {
  if (path.length > LONGEST_PATH) throw new SxError('InvalidOption', `A path has more than ${LONGEST_PATH} characters.`)
  if (path.includes('\0')) throw new SxError('InvalidOption', 'A path contains a NUL character.')
  try {
    return nodePath.resolve(path)
  } catch (cause) {
    throw new SxError('StorageUnavailable', 'The working directory no longer exists.', { cause })
  }
}

/** What webpack makes of the address of a file that a server hands out under a path, as in Next.js: no place of a file. */
export function isServed(file: string | URL): boolean {
  return file instanceof URL && file.protocol === ''
}
