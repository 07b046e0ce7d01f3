import * as core from '#core'
import { platform } from '#platform'
import { storedAlgorithm } from '../algorithms.ts'
import { fromHex } from '../bytes.ts'
import { call, instanceEpoch, noteHandle } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { blankMoment, momentAt, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { digest } from '../hash.ts'
import type {
  CheckImageOptions,
  ExtractOptions,
  ImageCapacity,
  ImageCapacityOptions,
  ImageSignature,
  SignImageOptions,
  StripImageOptions,
  VerifyImageOptions,
  VerifyImageResult,
} from '../image-types.ts'
import { LARGEST_IMAGE } from '../images/limit.ts'
import type { MediaModule, Scan } from '../images/media.ts'
import { mediaModule, pixelsModule } from '../images/modules.ts'
import type { PixelsModule, Prepared } from '../images/pixels.ts'
import { checkPixels } from '../images/size.ts'
import type { KeyRing } from '../key-ring.ts'
import type { Limits } from '../limits.ts'
import { flag } from '../options.ts'
import { alone } from '../plain.ts'
import type { EditedFile } from '../platform.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import { makeEphemeral } from '../state/ephemeral.ts'
import type { Bytes, FetchOptions } from '../types.ts'
import { type SourcesOf, setKeys } from '../verification/decide.ts'
import { basisOf, resultOf } from './basis.ts'
import { signedAtOnce } from './current-key.ts'
import { sourceOf } from './sources.ts'

/** An image, and what was found in it. */
interface Looked {
  readonly bytes: Uint8Array
  readonly scan: Scan
  /** What the modules have answered, as the core reads it; the answer about pixels is empty if they were not read. */
  readonly found: readonly [scan: string, pixels: string]
}

/** Scans an image, and reads its pixels if that is asked for and its metadata hold no signature. */
function* look(media: MediaModule, bytes: Uint8Array, withPixels: boolean, limits?: Limits): Operation<Looked> {
  const answer = media.scan(bytes)
  const scan = JSON.parse(answer) as Scan
  const hasNone = scan.status === 'none' && scan.format !== 'webp' // WebP carries none in its pixels
  const pixels = withPixels && hasNone ? yield* readPixels(bytes, limits) : ''
  return { bytes, scan, found: [answer, pixels] }
}

/** What the pixels of an image hold. `LimitExceeded` where it has more of them than are to be decoded. */
function* readPixels(bytes: Uint8Array, limits: Limits | undefined): Operation<string> {
  checkPixels(bytes, limits?.image)
  return (yield* perform(pixelsModule)).read(bytes)
}

/** An image that the caller passes. */
function imageIn(session: Session, source: unknown, fetching: FetchOptions): Effect<Uint8Array> {
  return sourceOf(source, 'image', LARGEST_IMAGE, session, fetching)
}

/** SHA-256 of what a signature of the file covers. */
function digestOf({ bytes, scan }: Looked): Effect<string> {
  return digest(scan.content.map((piece) => (typeof piece === 'string' ? fromHex(piece) : bytes.subarray(...piece))))
}

/** Where an image comes from and where another one goes: nowhere, if it is returned. */
interface Place {
  readonly read: Effect<Uint8Array>
  readonly out: string | null
  /** The file that is to be replaced by what becomes of it. */
  readonly edited: Effect<EditedFile> | undefined
}

function placeOf(session: Session, source: unknown, out: unknown, fetching: FetchOptions): Place {
  if (out !== null && (typeof out !== 'string' || out === '')) {
    throw new SxError('InvalidOption', "The argument 'out' is neither a path nor null.")
  }
  const isInPlace = typeof source === 'string' && source !== '' && out !== null && platform.isSamePath(source, out)
  const edited = isInPlace ? platform.editFile(source, LARGEST_IMAGE) : undefined
  return { read: imageIn(session, source, fetching), out, edited }
}

/** Reads an image, has another one made of it, and writes or returns that. */
function* changing({ read, out, edited }: Place, change: (bytes: Uint8Array) => Operation<Bytes>): Operation<unknown> {
  if (edited !== undefined) {
    const file = yield* perform(edited)
    if (yield* perform(file.replace(yield* change(file.bytes)))) return undefined
    throw new SxError('FileChanged', `Another program changed ${out}. Its version was kept.`)
  }
  const changed = yield* change(yield* perform(read))
  if (out === null) return changed
  yield* perform(platform.writeFile(out, changed))
  return undefined
}

/** `checkImage`: refuses an image into whose metadata `signImage` cannot put a signature, whoever signs it. */
export function checkImage(session: Session, source: unknown, options: CheckImageOptions): Operation<void> {
  const refuses = flag('refuseOverwrite', options.refuseOverwrite)
  const ignoresC2pa = flag('ignoreC2pa', options.ignoreC2pa)
  return checked(imageIn(session, source, options), refuses, ignoresC2pa)
}

function* checked(read: Effect<Uint8Array>, refuses: boolean, ignoresC2pa: boolean): Operation<void> {
  const bytes = yield* perform(read)
  const media = yield* perform(mediaModule)
  const { scan } = yield* admitted(media, bytes, refuses, ignoresC2pa, undefined)
  media.embed(unsigned(media, bytes, scan), 'A') // an image that ends early has no place for it
}

/** The image without the signature in its metadata, whole or damaged. */
function unsigned(media: MediaModule, bytes: Uint8Array, { status }: Scan): Uint8Array {
  return status === 'none' ? bytes : media.strip(bytes, status === 'damaged')
}

function* admitted(
  media: MediaModule,
  bytes: Uint8Array,
  refuses: boolean,
  ignoresC2pa: boolean,
  limits: Limits | undefined,
): Operation<Looked> {
  const looked = yield* look(media, bytes, refuses, limits)
  call(() => core.imageAdmit(...looked.found, refuses, ignoresC2pa))
  return looked
}

/** `signImage`: into a file, or bytes. */
export function signImage(
  session: Session,
  source: unknown,
  out: unknown,
  options: SignImageOptions,
): Operation<unknown> {
  const loaded = requireLoaded(session)
  const robust = flag('robust', options.robust)
  const refuses = flag('refuseOverwrite', options.refuseOverwrite)
  const ignoresC2pa = flag('ignoreC2pa', options.ignoreC2pa)
  return changing(placeOf(session, source, out, options), function* (bytes) {
    const media = yield* perform(mediaModule)
    const { scan } = yield* admitted(media, bytes, refuses, ignoresC2pa, loaded.options.limits)
    const plain = unsigned(media, bytes, scan)
    const carrying = robust ? yield* signPixels(loaded, media, plain) : plain
    const looked = yield* look(media, carrying, false)
    const sha256 = yield* perform(digestOf(looked))
    const { length } = looked.scan
    const payload = yield* signedAtOnce(loaded, (signer, moment) => core.imageSignFile(signer, sha256, length, moment))
    return media.embed(carrying, payload)
  })
}

function* signPixels(loaded: Loaded, media: MediaModule, bytes: Uint8Array): Operation<Bytes> {
  checkPixels(bytes, loaded.options.limits?.image)
  const pixels = yield* perform(pixelsModule)
  let text = yield* pixelDocument(loaded)
  for (let display = NO_DISPLAY; ; ) {
    const prepared = prepare(pixels, media, bytes, text, display)
    const reason = reasonOf(prepared)
    if (reason !== undefined) throw new SxError('Unsupported', reason)
    ;({ display } = prepared)
    text = yield* pixelDocument(loaded, prepared.sha256, display)
    if (pixels.needed(text) <= prepared.used) return pixels.embed(bytes, text, prepared)
  }
}

/** Of a cut-off image, the walk over its metadata says that it ends early, which the decoder calls damage. */
function prepare(pixels: PixelsModule, media: MediaModule, bytes: Uint8Array, text: string, display: string): Prepared {
  try {
    return pixels.prepare(bytes, text, display)
  } catch (error) {
    if (error instanceof SxError && error.code === 'Unsupported') media.embed(bytes, 'A')
    throw error
  }
}

const NO_HASH = '0'.repeat(64)
const NO_DISPLAY = '{}'

/** Why an image has no room for a signature, if it has none. */
function reasonOf({ used, available }: Prepared): string | undefined {
  if (used <= available) return undefined
  return `The signature needs ${used} bits, but the image can carry only ${available}.`
}

/** The signed document that pixels are to carry; by default one of the same length, of a picture that there is not. */
function pixelDocument(loaded: Loaded, sha256 = NO_HASH, display = NO_DISPLAY): Operation<string> {
  return signedAtOnce(loaded, (signer, moment) => core.imageSignPixels(signer, sha256, display, moment))
}

/** `imageCapacity` */
export function imageCapacity(
  session: Session,
  source: unknown,
  { algorithm, ...fetching }: ImageCapacityOptions = {},
): Operation<ImageCapacity> {
  const stored = algorithm === undefined ? undefined : storedAlgorithm(String(algorithm))
  if (algorithm !== undefined && stored === undefined) {
    throw new SxError('InvalidOption', "The option 'algorithm' is not one of pq2025, ML-DSA-87, ed25519, Ed25519.")
  }
  return capacityOf(session.loaded, stored, imageIn(session, source, fetching))
}

function* capacityOf(
  loaded: Loaded | undefined,
  algorithm: string | undefined,
  read: Effect<Uint8Array>,
): Operation<ImageCapacity> {
  const bytes = yield* perform(read)
  checkPixels(bytes, loaded?.options.limits?.image)
  const own = loaded?.own.latest.algorithm
  if (loaded?.signing !== undefined && (algorithm ?? own) === own) {
    return yield* measured(yield* pixelDocument(loaded), bytes)
  }
  const { signer, secret } = yield* makeEphemeral(algorithm ?? own ?? 'pq2025', '-')
  try {
    const moment = momentAt(yield* perform(now), yield* perform(blankMoment))
    return yield* measured(
      call(() => core.imageSignPixels(signer.handle, NO_HASH, NO_DISPLAY, moment)),
      bytes,
    )
  } finally {
    signer.dispose()
    secret.dispose()
  }
}

/** Whether a signature like this draft of one finds room in an image. */
function* measured(draft: string, bytes: Uint8Array): Operation<ImageCapacity> {
  const pixels = yield* perform(pixelsModule)
  try {
    const prepared = pixels.prepare(bytes, draft, NO_DISPLAY)
    const reason = reasonOf(prepared)
    const { used: neededBits, available: availableBits } = prepared
    return Object.freeze({ supported: reason === undefined, reason, neededBits, availableBits })
  } catch (error) {
    if (!(error instanceof SxError && ['Unsupported', 'LimitExceeded'].includes(error.code))) throw error
    const neededBits = pixels.needed(draft)
    return Object.freeze({ supported: false, reason: error.found, neededBits, availableBits: 0 })
  }
}

/** `verifyImage`: with the keys that the agent knows, and those that are named. */
export function verifyImage(
  session: Session,
  source: unknown,
  options: VerifyImageOptions,
): Operation<VerifyImageResult> {
  const basis = basisOf(session, options)
  const withPixels = flag('pixels', options.pixels)
  const verdict = (bytes: Uint8Array, ring: KeyRing, find: SourcesOf): Operation<ImageVerdict> =>
    imageVerdict(bytes, ring, find, withPixels, basis.limits)
  return resultOf(basis, imageIn(session, source, options), verdict, flag('strict', options.strict))
}

/** A file whose metadata hold no signature, as the core reads it. */
const NOTHING = '{"status":"none"}'

/** Looks for the signature of an image, and has the core decide about what was found, with keys from `find`. */
function* imageVerdict(
  bytes: Uint8Array,
  ring: KeyRing,
  find: SourcesOf,
  withPixels: boolean,
  limits: Limits | undefined,
): Operation<ImageVerdict> {
  const looked = yield* look(yield* perform(mediaModule), bytes, true, limits)
  const { status, format } = looked.scan
  const sha256 = status === 'signed' ? yield* perform(digestOf(looked)) : ''
  const [scan, pixels] = looked.found
  const verdict = yield* decide([scan, sha256, pixels], ring, find)
  if (status === 'none') return withSignatures(verdict, [signatureOf('pixels', verdict)])
  const signatures = [signatureOf('file', verdict)]
  // What the pixels hold counts for nothing here, but is told where it is all that is left of a genuine signature.
  if (format !== 'webp' && (withPixels || !verdict.result.valid)) {
    const other = yield* readPixels(bytes, limits)
    signatures.push(signatureOf('pixels', yield* decide([NOTHING, '', other], ring, find)))
  }
  return withSignatures(verdict, signatures)
}

/** One signature of an image with the verdict on it; nothing if there is none. */
function signatureOf(place: 'file' | 'pixels', { result }: ImageVerdict): ImageSignature | undefined {
  const { status, valid, signerId, signerName, keyId, algorithm, signedAt, trusted, lost, code, errors } = result
  if (status === 'missing_signature') return undefined
  const known = { signerId, signerName, keyId, algorithm, signedAt, trusted, lost, errors, code }
  return Object.freeze({ place, status, valid, ...known })
}

function withSignatures(verdict: ImageVerdict, found: (ImageSignature | undefined)[]): ImageVerdict {
  const signatures = Object.freeze(found.filter((one) => one !== undefined))
  return { ...verdict, result: Object.freeze({ ...verdict.result, signatures }) }
}

/** The core's answer about an image. */
export interface ImageVerdict {
  /** Why the image is not valid. */
  readonly error?: { readonly code: 'MissingSignature' | 'Internal'; readonly found: string }
  readonly result: VerifyImageResult
}

/** Has the core decide about what was found in an image, after finding its signer's keys. */
function* decide(
  found: readonly [scan: string, sha256: string, pixels: string],
  ring: KeyRing,
  find: SourcesOf,
): Operation<ImageVerdict> {
  const begin = (): number => noteHandle(call(() => core.imageStart(...found)))
  let handle = begin()
  try {
    const epoch = instanceEpoch()
    const id = call(() => core.imageSigner(handle))
    const known = id === '' ? undefined : yield* find(id)
    if (instanceEpoch() !== epoch) handle = begin() // another call trapped while the keys were read
    try {
      if (known !== undefined) setKeys(ring, id, known)
      return readVerdict(call(() => core.imageFinish(handle, ring.handle)))
    } finally {
      if (known !== undefined) ring.set(id, 'named', undefined)
    }
  } finally {
    call(() => core.free(handle))
  }
}

/** Reads the core's answer: a line of JSON for programs, and one for the result. */
function readVerdict(answer: string): ImageVerdict {
  const end = answer.indexOf('\n')
  const { error } = alone(JSON.parse(answer.slice(0, end)) as Omit<ImageVerdict, 'result'>)
  const { coverage, unsignedRegions, lost, errors, code, ...rest } = alone(
    JSON.parse(answer.slice(end + 1)) as VerifyImageResult,
  )
  // `coverage` and `code` are always own members, so that none of a polluted `Object.prototype` is read.
  const result: VerifyImageResult = Object.freeze({
    ...rest,
    coverage,
    unsignedRegions: Object.freeze(unsignedRegions),
    lost: Object.freeze(lost),
    signatures: Object.freeze([]), // of one verdict alone nothing is said of others
    errors: Object.freeze(errors),
    code,
  })
  return error === undefined ? { result } : { error, result }
}

/** `extractMediaSignature`: what the image carries, whoever made it. */
export function extractMediaSignature(session: Session, source: unknown, options: ExtractOptions): Operation<unknown> {
  const isRaw = flag('rawPayload', options.rawPayload)
  return extracted(imageIn(session, source, options), isRaw, session.loaded?.options.limits ?? session.options.limits)
}

function* extracted(read: Effect<Uint8Array>, isRaw: boolean, limits: Limits | undefined): Operation<unknown> {
  const bytes = yield* perform(read)
  const { found } = yield* look(yield* perform(mediaModule), bytes, true, limits)
  const payload = call(() => core.imagePayload(...found))
  return isRaw ? payload : (JSON.parse(call(() => core.imageDocument(payload))) as unknown)
}

/** `stripImageSignature` */
export function stripImageSignature(
  session: Session,
  source: unknown,
  out: unknown,
  options: StripImageOptions,
): Operation<unknown> {
  const force = flag('force', options.force)
  return changing(placeOf(session, source, out, options), function* (bytes) {
    const media = yield* perform(mediaModule)
    try {
      return media.strip(bytes, force)
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'BadSignature')) throw error
      throw new SxError(error.code, error.found, { advice: 'Pass `force: true` to remove the damaged signature.' })
    }
  })
}
