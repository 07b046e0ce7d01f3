import * as core from '#core'
import { platform } from '#platform'
import { encode } from '../bytes.ts'
import { call, instanceEpoch, isWellFormed, noteHandle } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { SxError, type SxErrorCode } from '../errors.ts'
import { fetchOptions } from '../file-options.ts'
import type { KeyRing } from '../key-ring.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { flag } from '../options.ts'
import { alone, isPlain } from '../plain.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { Bytes, FetchOptions, VerifyTextOptions, VerifyTextResult } from '../types.ts'
import { type KnownKeys, type SourcesOf, setKeys } from '../verification/decide.ts'
import { tooLarge } from '../web-sources.ts'
import { basisOf, resultOf } from './basis.ts'
import { signedAtOnce } from './current-key.ts'
import { pathIn, sourceOf } from './sources.ts'

/** How the core makes a signed text of one. */
interface Splice {
  readonly from: number
  readonly to: number
  readonly insert: string
  /** Of the text that was signed, without the signatures. */
  readonly length: number
  readonly sha256: string
}

/** So often others may sign a file between our look at it and our signature. */
const ATTEMPTS = 100

/** `signText`: a file in place, or bytes that become those of the signed text. */
export function signText(session: Session, source: unknown, fetching: FetchOptions = {}): Operation<Bytes | undefined> {
  const loaded = requireLoaded(session)
  fetchOptions(fetching)
  const { limits } = loaded.options
  const path = pathIn(source, 'text')
  return path === undefined
    ? signBytes(loaded, bytesOf(session, source, limits, fetching))
    : signFile(loaded, path, longest(limits))
}

function* signBytes(loaded: Loaded, read: Effect<Uint8Array>): Operation<Bytes> {
  const bytes = yield* perform(read)
  return spliced(bytes, yield* splice(loaded, bytes))
}

function* signFile(loaded: Loaded, path: string, maxBytes: number): Operation<undefined> {
  let meant: Splice | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = yield* perform(platform.editFile(path, maxBytes))
    const made = yield* splice(loaded, file.bytes)
    // Where only signatures of others have come or gone meanwhile, the text is the one that was to be signed.
    if (meant !== undefined && (made.sha256 !== meant.sha256 || made.length !== meant.length)) throw changed(path)
    if (yield* perform(file.replace(spliced(file.bytes, made)))) return undefined
    meant = made
  }
  throw new SxError('Busy', `${path} changed each time it was read.`)
}

function changed(path: string): SxError {
  return new SxError('FileChanged', `The text in ${path} was changed while it was being signed. That change was kept.`)
}

/** Has the core sign a text. */
function* splice(loaded: Loaded, bytes: Uint8Array): Operation<Splice> {
  return JSON.parse(yield* signedAtOnce(loaded, (signer, moment) => core.textSign(signer, bytes, moment))) as Splice
}

function spliced(bytes: Uint8Array, { from, to, insert }: Splice): Bytes {
  const block = encode(insert)
  const whole = new Uint8Array(bytes.length - (to - from) + block.length)
  whole.set(bytes.subarray(0, from))
  whole.set(block, from)
  whole.set(bytes.subarray(to), from + block.length)
  return whole
}

function longest(limits: Limits | undefined): number {
  return limits?.bytes ?? defaultLimits().bytes
}

/** The bytes of a text that the caller passes. */
function bytesOf(
  session: Session,
  source: unknown,
  limits: Limits | undefined,
  fetching: FetchOptions,
): Effect<Uint8Array> {
  const maxBytes = longest(limits)
  const text = textIn(source)
  if (text === undefined) return sourceOf(source, 'text', maxBytes, session, fetching)
  if (text.length > maxBytes) throw tooLarge('text', maxBytes)
  return sourceOf(encode(text), 'text', maxBytes, session, fetching)
}

/** The text of `{ text }`. */
function textIn(source: unknown): string | undefined {
  let text: unknown
  try {
    if (typeof source === 'object' && source !== null && isPlain(source)) text = Reflect.get(source, 'text')
  } catch (cause) {
    throw new SxError('InvalidOption', 'The text cannot be read.', { cause })
  }
  if (typeof text !== 'string') return undefined
  if (!isWellFormed(text)) throw new SxError('NotText', 'The text contains a lone surrogate.')
  return text
}

/** `verifyText`: with the keys that the agent knows, and those that are named. */
export function verifyText(session: Session, source: unknown, options: VerifyTextOptions): Operation<VerifyTextResult> {
  const basis = basisOf(session, options)
  const isStrict = flag('strict', options.strict)
  return resultOf(basis, bytesOf(session, source, basis.limits, options), textVerdict, isStrict)
}

/** The core's answer about a text. */
export interface TextVerdict {
  /** Why the text is not valid. */
  readonly error?: { readonly code: SxErrorCode; readonly found: string }
  readonly result: VerifyTextResult
}

/** Has the core decide about all signatures of a text, after finding their signers' keys. */
function* textVerdict(bytes: Uint8Array, ring: KeyRing, find: SourcesOf): Operation<TextVerdict> {
  const begin = (): number => noteHandle(call(() => core.textStart(ring.handle, bytes)))
  let handle = begin()
  try {
    const epoch = instanceEpoch()
    const ids = call(() => core.textSigners(handle))
    const known = new Map<string, KnownKeys>()
    for (const id of ids === '' ? [] : ids.split('\n')) known.set(id, yield* find(id))
    if (instanceEpoch() !== epoch) handle = begin() // another call trapped while the keys were read
    try {
      for (const [id, keys] of known) setKeys(ring, id, keys)
      return readVerdict(call(() => core.textFinish(handle, ring.handle)))
    } finally {
      for (const id of known.keys()) ring.set(id, 'named', undefined)
    }
  } finally {
    call(() => core.free(handle))
  }
}

/** Reads the core's answer: a line of JSON for programs, and one for the result. */
function readVerdict(answer: string): TextVerdict {
  const end = answer.indexOf('\n')
  const { error } = alone(JSON.parse(answer.slice(0, end)) as Omit<TextVerdict, 'result'>)
  const { status, valid, length, signers, warnings, errors, code } = alone(
    JSON.parse(answer.slice(end + 1)) as VerifyTextResult,
  )
  // `code` is always an own member, so that none of a polluted `Object.prototype` is read.
  const frozen = signers.map((signer) => {
    const { signerId, signerName, keyId, algorithm, signedAt, status: outcome, trusted } = signer
    const { code: why, message } = alone(signer)
    const known = { signerId, signerName, keyId, algorithm, signedAt }
    return Object.freeze({ ...known, status: outcome, trusted, code: why, message })
  })
  const result: VerifyTextResult = Object.freeze({
    status,
    valid,
    length,
    signers: Object.freeze(frozen),
    warnings: Object.freeze(warnings.map(({ character, ...rest }) => Object.freeze({ ...rest, character }))),
    errors: Object.freeze(errors),
    code,
  })
  return error === undefined ? { result } : { error, result }
}
