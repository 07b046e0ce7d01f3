import { text } from './core.ts'
import { SxError } from './errors.ts'
import { checkSize, type Limits } from './limits.ts'

/** In characters. What is longer is no path. */
const LONGEST_PATH = 4096

/** What begins no JSON and ends like the name of a file, or begins like a path. */
const PATH = /^(?:[^\s"{[][^\n\r]*\.[A-Za-z]\w{0,9}|(?:[./~\\]|[A-Za-z]:[\\/])[^\n\r]+)$/

/** Ids of a document, with or without a version; also in upper case, which the library does not write. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[0-9a-f-]{36})?$/i

/**
 * Refuses what callers pass by mistake where a JSON text is expected. None of it is JSON.
 *
 * @throws SxError `NotJson` for the path of a file, for a key and for an id
 */
export function refuseMistaken(given: string): string {
  if (given.length > LONGEST_PATH || given.startsWith('{')) return given
  if (given.startsWith('-----BEGIN ')) {
    throw new SxError('NotJson', 'The input is a PEM block, such as a key, not JSON.')
  }
  if (ID.test(given)) {
    throw new SxError('NotJson', 'The input is an id, not JSON. Pass the document, which getDocument returns.')
  }
  if (PATH.test(given)) {
    throw new SxError('NotJson', 'The input looks like the path of a file, not JSON. Pass the content of the file.')
  }
  return given
}

/**
 * A JSON text that a caller passes, of allowed size.
 *
 * @throws SxError those of `text`, {@link checkSize} and {@link refuseMistaken}
 */
export function jsonText(given: unknown, name: string, limits: Limits | undefined): string {
  return refuseMistaken(checkSize(text(given, name), limits))
}
