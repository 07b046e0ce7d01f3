// Where what is signed and verified comes from: one definition for texts, images and files.
import { platform } from '#platform'
import { isBytes } from '../bytes.ts'
import { type Effect, type EffectOf, kind as effectKind } from '../effects.ts'
import { SxError } from '../errors.ts'
import { fetchOptions } from '../file-options.ts'
import { entrance, type Session, untilClosed } from '../session.ts'
import { ownBytes } from '../storage/contract.ts'
import type { FetchOptions } from '../types.ts'
import { blobSource, type Kind, onlyAwaited, readWeb, tooLarge, type WebSource, webSource } from '../web-sources.ts'

const BYTES = /* @__PURE__ */ effectKind('bytes', { async: ({ bytes }) => bytes, sync: ({ bytes }) => bytes })

function given(bytes: Uint8Array): EffectOf<'bytes'> {
  return { kind: BYTES, bytes }
}

const FETCH = /* @__PURE__ */ effectKind('fetch', {
  async: ({ source, at }) => untilClosed(at, (closing) => readWeb(source, closing)),
  sync: () => onlyAwaited('A response'),
})

function fetched(source: WebSource, session: Session): EffectOf<'fetch'> {
  return { kind: FETCH, source, at: entrance(session) }
}

/**
 * The bytes of a text or image that is passed as a path, bytes, `Blob`, `File`, `Response` or `URL`: bytes as they are
 * now, all else when it is read.
 *
 * @param kind also names the argument
 * @param session whose end ends what comes from elsewhere
 * @param fetching what else ends it
 * @throws SxError `InvalidOption`, `LimitExceeded`, the reason of a signal; what is returned fails with these,
 *   `Unverifiable`, `TimedOut`, `NotFound` and storage codes
 */
export function sourceOf(
  source: unknown,
  kind: 'image' | 'text',
  maxBytes: number,
  session: Session,
  fetching: FetchOptions = {},
): Effect<Uint8Array> {
  const web = webSource(source, kind, maxBytes, fetchOptions(fetching))
  if (web !== undefined) return fetched(web, session)
  return held(source, kind, maxBytes) ?? refuse(kind, 'path, bytes, Blob, File, Response or URL')
}

/** The bytes of a file that is passed as a path, bytes, `Blob` or `File`; like {@link sourceOf}. */
export function fileOf(file: unknown, argument: string, maxBytes: number): Effect<Uint8Array> {
  return held(file, 'file', maxBytes) ?? refuse(argument, 'path, bytes, Blob or File')
}

/** In characters. What is longer is taken for a content, though some systems have longer paths. */
const LONGEST_PATH = 4096

/**
 * A string as the path that it is meant to be.
 *
 * @throws SxError `InvalidOption` for what is the content of a file, or its address
 */
export function pathIn(source: unknown, kind: Kind): string | undefined {
  if (typeof source !== 'string' || source === '') return undefined
  if (kind === 'file') return source
  if (source.length > LONGEST_PATH || /[\n\r\0]/.test(source)) {
    const instead = kind === 'text' ? 'Pass the text itself as { text }.' : `Pass the ${kind} itself as bytes.`
    throw new SxError('InvalidOption', `A string must be the path of a file. ${instead}`)
  }
  if (/^(?:https?|blob|data):/i.test(source)) {
    throw new SxError('InvalidOption', `A string must be the path of a file. Pass an address as a URL: new URL('…').`)
  }
  return source
}

function held(source: unknown, kind: Kind, maxBytes: number): Effect<Uint8Array> | undefined {
  const path = pathIn(source, kind)
  if (path !== undefined) return platform.readFile(path, maxBytes)
  if (isBytes(source)) {
    if (source.length > maxBytes) throw tooLarge(kind, maxBytes)
    return given(ownBytes(source))
  }
  return blobSource(source, kind, maxBytes)
}

function refuse(argument: string, forms: string): never {
  throw new SxError('InvalidOption', `The argument '${argument}' is not a ${forms}.`)
}
