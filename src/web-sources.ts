// Bytes that the web platform holds: blobs and files, answers of servers, and what an address leads to.
import { isBytes } from './bytes.ts'
import { type EffectOf, kind as effectKind } from './effects.ts'
import { SxError } from './errors.ts'
import type { TakePiece } from './platform.ts'
import type { Bytes, FetchOptions } from './types.ts'

/** What is to be signed or verified, as errors call it. */
export type Kind = 'image' | 'text' | 'file'

/** The first memory for what arrives from a server; it doubles when it is full. */
const FIRST_BYTES = 64 << 10

/** What can be fetched without reaching for files of the machine. */
const FETCHED = ['http:', 'https:', 'blob:', 'data:']

/** What was read has more bytes than it may. */
export function tooLarge(kind: string, maxBytes: number): SxError {
  return new SxError('LimitExceeded', `The ${kind} has more than ${maxBytes} bytes.`)
}

/** A response, or an address, of which at most so many bytes are read. */
export interface WebSource {
  readonly from: Response | string
  readonly kind: Kind
  readonly maxBytes: number
  readonly fetching: FetchOptions
}

/**
 * A `Response`, or what a `URL` leads to, of which at most so many bytes are to be read; nothing for other values, also
 * for those that only pass for one.
 *
 * @throws SxError `InvalidOption` for an address that is not fetched
 */
export function webSource(
  source: unknown,
  kind: Kind,
  maxBytes: number,
  fetching: FetchOptions = {},
): WebSource | undefined {
  const from = responseIn(source) ?? hrefOf(source)
  if (from === undefined) return undefined
  const protocol = typeof from === 'string' ? new URL(from).protocol : undefined
  if (protocol !== undefined && !FETCHED.includes(protocol)) {
    throw new SxError('InvalidOption', `Addresses with ${protocol} are not supported. Pass the path of the file.`)
  }
  return { from, kind, maxBytes, fetching }
}

/**
 * Reads what comes from elsewhere, until this signal or a signal of the caller ends it, with its reason, or a server sends
 * nothing for too long. `Unverifiable`, `TimedOut`, `LimitExceeded`.
 */
export function readWeb({ from, kind, maxBytes, fetching }: WebSource, closing?: AbortSignal): Promise<Uint8Array> {
  if (typeof from !== 'string') {
    return watched(fetching, closing, '', (watch) => bytesOf(from, kind, maxBytes, watch))
  }
  const { host } = new URL(from)
  return watched(fetching, closing, host, (watch) => fetched(from, host, kind, maxBytes, watch))
}

const READ_BLOB = /* @__PURE__ */ effectKind('readBlob', {
  async: async ({ blob, size, what, maxBytes }) => {
    if (size > maxBytes) throw tooLarge(what, maxBytes)
    try {
      return new Uint8Array(await Blob.prototype.arrayBuffer.call(blob))
    } catch (cause) {
      throw new SxError('StorageUnavailable', `The ${what} cannot be read; it may have changed.`, { cause })
    }
  },
  sync: () => onlyAwaited('A Blob'),
})

/** Has the bytes of a `Blob` or `File` read, at most so many; nothing for other values. */
export function blobSource(source: unknown, what: Kind, maxBytes: number): EffectOf<'readBlob'> | undefined {
  const size = branded<number>(() => Reflect.get(Blob.prototype, 'size', source))
  return size === undefined ? undefined : { kind: READ_BLOB, blob: source as Blob, size, what, maxBytes }
}

/** What has to be awaited cannot be read by a synchronous function. */
export function onlyAwaited(what: string): never {
  throw new SxError('InvalidOption', `${what} can only be read by the asynchronous function.`)
}

/** The name of a `File`; nothing for other values. */
export function blobName(source: unknown): string | undefined {
  return branded<string>(() => Reflect.get(File.prototype, 'name', source))
}

/** The MIME type that a `Blob` was given, if it was. */
export function blobType(source: unknown): string | undefined {
  const type = branded<string>(() => Reflect.get(Blob.prototype, 'type', source))
  return type?.includes('/') === true ? type : undefined
}

const SCAN_BLOB = /* @__PURE__ */ effectKind('scanBlob', {
  async: async ({ blob, size, maxBytes, take }) => {
    if (size > maxBytes) throw tooLarge('file', maxBytes)
    if (size === 0) take(new Uint8Array(), 0)
    else await scanStream(blob, size, take)
  },
  sync: () => onlyAwaited('A Blob'),
})

/** How a `Blob` or `File` is read in pieces; nothing for other values. */
export function blobScan(source: unknown): ((maxBytes: number, take: TakePiece) => EffectOf<'scanBlob'>) | undefined {
  const size = branded<number>(() => Reflect.get(Blob.prototype, 'size', source))
  if (size === undefined) return undefined
  return (maxBytes, take) => ({ kind: SCAN_BLOB, blob: source as Blob, size, maxBytes, take })
}

/** So much of a stream at once; browsers give no more. */
const CHUNK = 64 << 10

/** Reads a stream, into one buffer where it can: what is new for each piece waits for the garbage collector. */
function reading(stream: ReadableStream<Bytes>): {
  next(): Promise<Uint8Array | undefined>
  cancel(): Promise<void>
} {
  let reader: ReadableStreamBYOBReader
  try {
    reader = stream.getReader({ mode: 'byob' })
  } catch {
    const plain = stream.getReader()
    return { next: async () => (await plain.read()).value, cancel: () => plain.cancel() }
  }
  let buffer = new Uint8Array(CHUNK)
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read(buffer)
    if (value === undefined || done) return undefined
    buffer = new Uint8Array(value.buffer)
    return value
  }
  return { next, cancel: () => reader.cancel() }
}

async function scanStream(blob: Blob, size: number, take: TakePiece): Promise<void> {
  let done = 0
  try {
    const read = reading(Blob.prototype.stream.call(blob))
    for (let piece = await read.next(); piece !== undefined; piece = await read.next()) {
      done += piece.length
      if (take(piece, size)) continue
      await read.cancel()
      return
    }
  } catch (cause) {
    throw new SxError('StorageUnavailable', 'The file cannot be read; it may have changed.', { cause })
  }
  if (done !== size) throw new SxError('FileChanged', 'The file was changed while it was being read.')
}

/** What a getter of the platform says of a value; nothing if that is none of its own, or there is no such thing here. */
function branded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function responseIn(source: unknown): Response | undefined {
  return branded(() => Reflect.get(Response.prototype, 'status', source)) === undefined
    ? undefined
    : (source as Response)
}

/** The address as it is now: a `URL` can be changed. */
function hrefOf(source: unknown): string | undefined {
  return branded<string>(() => Reflect.get(URL.prototype, 'href', source))
}

/** In milliseconds. */
const SILENCE = 30_000

/** A timer takes no longer time than this; what is more is no deadline. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Ends the reading of a response. It is called for every part that arrives. */
interface Watch {
  readonly signal: AbortSignal
  readonly arrived: () => void
}

/** Has something read until one of the signals ends it, or nothing has arrived for too long. */
async function watched<T>(
  { signal, timeout = SILENCE }: FetchOptions,
  closing: AbortSignal | undefined,
  host: string,
  read: (watch: Watch) => Promise<T>,
): Promise<T> {
  const signals = [signal, closing].filter((one) => one !== undefined)
  for (const one of signals) if (one.aborted) throw one.reason
  const controller = new AbortController()
  const stops = signals.map((one) => {
    const stop = (): void => controller.abort(one.reason)
    one.addEventListener('abort', stop)
    return () => one.removeEventListener('abort', stop)
  })
  const giveUp = (): void => {
    const found = `${host === '' ? 'The server' : host} sent nothing for ${timeout / 1000} s.`
    controller.abort(new SxError('TimedOut', found))
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const arrived = (): void => {
    clearTimeout(timer)
    if (timeout <= LONGEST_TIMER) timer = setTimeout(giveUp, timeout)
  }
  arrived()
  try {
    return await read({ signal: controller.signal, arrived })
  } finally {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}

async function fetched(href: string, host: string, kind: Kind, maxBytes: number, watch: Watch): Promise<Uint8Array> {
  let response: Response
  try {
    response = await fetch(href, { signal: watch.signal })
  } catch (cause) {
    watch.signal.throwIfAborted()
    const found =
      host === ''
        ? 'There is nothing at this address, or a policy forbids reading it.'
        : `${host} did not answer, or CORS or a policy forbids reading the response.`
    throw new SxError('Unverifiable', found, { cause })
  }
  watch.arrived()
  try {
    return await bytesOf(response, kind, maxBytes, watch)
  } catch (error) {
    await response.body?.cancel().catch(() => {}) // nobody else reads it, and it may have failed itself
    throw error
  }
}

const UNREADABLE: Readonly<Partial<Record<ResponseType, string>>> = {
  opaque: 'A response that was fetched in no-cors mode cannot be read.',
  opaqueredirect: 'The response is a redirect that was not followed.',
  error: 'The response belongs to a failed request.',
}

/** Never more than there may be, whatever the server sends. */
async function bytesOf(response: Response, kind: Kind, maxBytes: number, watch: Watch): Promise<Uint8Array> {
  const read = <Name extends keyof Response>(name: Name): Response[Name] =>
    Reflect.get(Response.prototype, name, response)
  const unreadable = UNREADABLE[read('type')]
  if (unreadable !== undefined) throw new SxError('Unverifiable', unreadable)
  const status = read('status')
  if (!read('ok') || PARTIAL.includes(status)) {
    throw new SxError('Unverifiable', `The server answered ${status}, not with the whole ${kind}.`)
  }
  const body = read('body')
  if (read('bodyUsed') || body?.locked === true) {
    throw new SxError('Unverifiable', 'The response was already read. Pass a clone() that was made before reading.')
  }
  if (Number(read('headers').get('content-length') ?? 0) > maxBytes) throw tooLarge(kind, maxBytes)
  try {
    return body === null ? new Uint8Array() : await collected(body, kind, maxBytes, watch)
  } catch (cause) {
    watch.signal.throwIfAborted()
    if (cause instanceof SxError) throw cause
    throw new SxError('Unverifiable', `The ${kind} was not transferred completely.`, { cause })
  }
}

/** Statuses of success without the whole content (RFC 9110, 15.3): none, none, a part. */
const PARTIAL: readonly number[] = [204, 205, 206]

async function collected(
  body: ReadableStream<unknown>,
  kind: Kind,
  maxBytes: number,
  { signal, arrived }: Watch,
): Promise<Uint8Array> {
  const reader = body.getReader()
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {})) // a response that was passed goes on else
  let bytes = new Uint8Array(FIRST_BYTES)
  let length = 0
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    arrived()
    const { value } = step
    if (!isBytes(value)) throw new TypeError('The response does not consist of bytes.')
    const end = length + value.length
    if (end > maxBytes) {
      await reader.cancel().catch(() => {}) // that it is too large is what counts
      throw tooLarge(kind, maxBytes)
    }
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(end, 2 * bytes.length)))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(value, length)
    length = end
  }
  signal.throwIfAborted()
  return bytes.subarray(0, length)
}
