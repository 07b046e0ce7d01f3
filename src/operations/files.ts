// Files to sign, attach and compare: what the caller passes, read once from its start to its end.
import { platform } from '#platform'
import { encode, isBytes, joined, toBase64 } from '../bytes.ts'
import { isWellFormed } from '../core.ts'
import { type Effect, type EffectOf, kind, type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { FileWork, NamedFile } from '../file-types.ts'
import { digest, isHashedAtOnce, newHasher } from '../hash.ts'
import { allLimits, type Limits } from '../limits.ts'
import { mimeTypeOf } from '../mime.ts'
import type { NamesOf } from '../option-names.ts'
import { plainOptions } from '../options.ts'
import type { TakePiece } from '../platform.ts'
import { ownBytes } from '../storage/contract.ts'
import { blobName, blobScan, blobType } from '../web-sources.ts'

/** A file that the caller passes, looked at but not read. */
export interface GivenFile {
  /** As it came, folders included; '' for bytes without one. */
  readonly name: string
  readonly mimeType: string
  /** Where they are in memory already. */
  readonly bytes: Uint8Array | undefined
  scan(maxBytes: number, take: TakePiece): Effect<void>
}

/** What is found of a file by reading it. */
export interface ReadFile {
  readonly size: number
  readonly sha256: string
  /** Its bytes, where they were to be kept. */
  readonly bytes: Uint8Array | undefined
}

/** Files that are to be attached. */
export interface Attachments {
  readonly files: readonly GivenFile[]
  readonly embed: boolean
  readonly work: FileWork
}

/**
 * What is to be attached; nothing if nothing was passed.
 *
 * @throws SxError `InvalidOption`
 */
export function attachmentsIn(given: unknown, embed: boolean, work: FileWork = {}): Attachments | undefined {
  if (given === undefined || given === null) return undefined
  const sources: readonly unknown[] = listOf(given)
  return { files: sources.map((source) => namedFile(source, 'attachments')), embed, work }
}

/** What is an array becomes one of its own. Proxies may throw. */
function listOf(given: unknown): readonly unknown[] {
  try {
    return Array.isArray(given) ? [...(given as unknown[])] : [given]
  } catch (cause) {
    throw new SxError('InvalidOption', "The argument 'attachments' cannot be read.", { cause })
  }
}

const NAMED_FILE = { name: true, data: true, mimeType: true } as const satisfies NamesOf<NamedFile>

/**
 * A file that has a name.
 *
 * @throws SxError `InvalidOption`
 */
export function namedFile(source: unknown, argument: string): GivenFile {
  const file = givenFile(source, argument)
  if (file.name !== '') return file
  throw new SxError('InvalidOption', 'Bytes and Blobs have no name: pass { name, data }.')
}

/**
 * A file, whether it has a name or not. Bytes are taken as they are now.
 *
 * @throws SxError `InvalidOption`
 */
export function givenFile(source: unknown, argument: string): GivenFile {
  if (typeof source === 'string' && source !== '') {
    const scan: GivenFile['scan'] = (maxBytes, take) => platform.scanFile(source, maxBytes, take)
    return { name: wellFormed(source), mimeType: mimeTypeOf(source), bytes: undefined, scan }
  }
  const whole = dataOf(source)
  if (whole !== undefined) return dataFile(blobName(source) ?? '', source, whole)
  if (typeof source === 'object' && source !== null) {
    const { name, data, mimeType } = plainOptions<Partial<NamedFile>>(source, NAMED_FILE, 'parts of a file')
    const given = dataOf(data)
    if (typeof name === 'string' && name !== '' && given !== undefined && isText(mimeType)) {
      return dataFile(name, data, given, mimeType)
    }
  }
  const forms = 'path, a File or { name, data } with bytes or a Blob'
  throw new SxError('InvalidOption', `The argument '${argument}' is not a ${forms}.`)
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function dataFile(name: string, data: unknown, { bytes, scan }: Data, mimeType = blobType(data)): GivenFile {
  return {
    name: wellFormed(name),
    mimeType: mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? mimeTypeOf(name),
    bytes,
    scan,
  }
}

function wellFormed(name: string): string {
  if (isWellFormed(name)) return name
  throw new SxError('InvalidOption', 'The name of a file contains a lone surrogate.')
}

type Data = Pick<GivenFile, 'bytes' | 'scan'>

/** How bytes and blobs are read; nothing for other values. */
function dataOf(data: unknown): Data | undefined {
  if (isBytes(data)) {
    const bytes = ownBytes(data)
    return { bytes, scan: bytesScan(bytes) }
  }
  const scan = blobScan(data)
  return scan && { bytes: undefined, scan }
}

/** So many bytes at once: after each piece the caller may end the call. */
const PIECE = 1 << 20

function scan({ bytes, maxBytes, take }: EffectOf<'scanBytes'>): void {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  for (let at = 0; at === 0 || at < bytes.length; at += PIECE) {
    if (!take(bytes.subarray(at, at + PIECE), bytes.length)) return
  }
}

const SCAN_BYTES = /* @__PURE__ */ kind('scanBytes', { async: scan, sync: scan })

function bytesScan(bytes: Uint8Array): GivenFile['scan'] {
  return (maxBytes, take) => ({ kind: SCAN_BYTES, bytes, maxBytes, take }) satisfies EffectOf<'scanBytes'>
}

function tooLarge(maxBytes: number): SxError {
  return new SxError('LimitExceeded', `The file has more than ${maxBytes} bytes.`)
}

/**
 * Reads a file, in pieces.
 *
 * @param keep at most so many bytes are kept; left out, none, and the file may have any size
 * @throws SxError what the caller's work throws; `NotFound`, `FileChanged`, `LimitExceeded`, storage codes
 */
export function* readFile(file: GivenFile, { signal, onProgress }: FileWork, keep?: number): Operation<ReadFile> {
  const whole = file.bytes !== undefined && isHashedAtOnce(file.bytes.length) ? [file.bytes] : undefined
  const hash = whole === undefined ? newHasher() : undefined
  const kept: Uint8Array[] = []
  let size = 0
  let failure: { readonly reason: unknown } | undefined
  const attempt = (work: () => void): boolean => {
    try {
      if (signal?.aborted === true) failure = { reason: signal.reason }
      else work()
    } catch (reason) {
      failure = { reason }
    }
    return failure === undefined
  }
  const checkEnd = (): void => {
    if (!attempt(() => {})) throw (failure as { readonly reason: unknown }).reason
  }
  const take: TakePiece = (piece, total) =>
    attempt(() => {
      hash?.add(piece)
      if (keep !== undefined) kept.push(piece.slice())
      size += piece.length
      if (piece.length > 0 || total === 0) onProgress?.(size, Math.max(size, total), file.name)
    })
  try {
    if (attempt(() => {})) yield* perform(file.scan(keep ?? Number.POSITIVE_INFINITY, take))
    checkEnd() // the last report may have ended it
    const sha256 = hash?.finish() ?? (yield* perform(digest(whole ?? [])))
    checkEnd()
    return { size, sha256, bytes: keep === undefined ? undefined : joined(kept, size) }
  } catch (error) {
    hash?.drop()
    throw error
  }
}

/** What a document keeps free beside its body, and `sxFiles` takes without an entry; in bytes. */
const ROOM = (16 << 10) + 16

/** Bytes of an entry without what is embedded. */
function entrySize(filename: string, mimeType: string): number {
  const most = { filename, mimeType, size: Number.MAX_SAFE_INTEGER, sha256: '', embedded: true, contents: '' }
  return encode(JSON.stringify(most)).length + SHA256_LENGTH + 2 // a comma, and one character that a safe name has more
}

/** Characters of a hexadecimal SHA-256. */
const SHA256_LENGTH = 64

/** Reads what is to be attached, and gives its description for the core. */
export function* describe({ files, embed, work }: Attachments, limits: Limits | undefined): Operation<string> {
  const entries: object[] = []
  let room = allLimits(limits).bytes - ROOM
  for (const file of files) {
    const { name: filename, mimeType } = file
    room -= entrySize(filename, mimeType)
    const most = Math.max(0, Math.floor(room / 4) * 3) // four characters of base64 are three bytes
    const { size, sha256, bytes } = yield* readFile(file, work, embed ? most : undefined)
    entries.push({ filename, mimeType, size, sha256, embedded: embed, ...(bytes && { contents: toBase64(bytes) }) })
    if (embed) room -= Math.ceil(size / 3) * 4
  }
  return JSON.stringify(entries)
}
