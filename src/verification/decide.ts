// The core's verdict on a document, as whoever finds the keys asks for it. It knows of no agent: workers and programs that
// only verify load this and nothing of agents.
import * as core from '#core'
import { shownBytes } from '#wasm'
import { fromBase64 } from '../bytes.ts'
import { call, instanceEpoch, noteHandle } from '../core.ts'
import type { Operation } from '../effects.ts'
import { SxError, type SxErrorCode } from '../errors.ts'
import { jsonText } from '../json-text.ts'
import type { KeyRing, KeySource } from '../key-ring.ts'
import { alone } from '../plain.ts'
import type { Identity } from '../state/documents.ts'
import type { AgentOptions, Attachment, Bytes, ValidResult, VerificationResult } from '../types.ts'

/** Fills a ring with all that is known of an agent's keys. */
export type FindKeys = (agentId: string) => Operation<void>

/** What the sources of keys hold for an agent. */
export type KnownKeys = Readonly<Partial<Record<KeySource, Uint8Array | undefined>>>

/** Says what is known of an agent's keys. */
export type SourcesOf = (agentId: string) => Operation<KnownKeys>

/** Puts all that is known of an agent into a ring. Right before the verdict: other verifications share the ring. */
export function setKeys(ring: KeyRing, agentId: string, keys: KnownKeys): void {
  for (const [source, bytes] of Object.entries(keys)) ring.set(agentId, source as KeySource, bytes)
}

/** Finds keys in sources, and puts them into a ring. */
export const findKeysIn =
  (ring: KeyRing, sources: SourcesOf): FindKeys =>
  (agentId) =>
    setKeysOf(ring, agentId, sources)

function* setKeysOf(ring: KeyRing, agentId: string, sources: SourcesOf): Operation<void> {
  setKeys(ring, agentId, yield* sources(agentId))
}

/** The core's answer: the result for the caller, and what the document is if it is valid. */
export interface Verdict {
  readonly identity: Identity | undefined
  /** Why it is not valid: a sentence for people, in parts. */
  readonly error: { readonly code: SxErrorCode; readonly found: string; readonly advice?: string } | undefined
  readonly result: VerificationResult
}

/** Where a document's data stand in its text. */
interface Within {
  /** Of the pieces of the text, in turn not of the data and of them, the lengths; `null` of one, which has the rest. */
  readonly lengths: readonly (number | null)[]
  /** Whether the one piece is the data; else the pieces are members of the object that it is. */
  readonly isBare: boolean
}

/** Reads the data where they stand: the text is the very one that the core has verified. */
function dataWithin(text: string, { lengths, isBare }: Within): unknown {
  const rest = text.length - lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0)
  const pieces: string[] = []
  let at = 0
  for (const [index, length] of lengths.entries()) {
    const end = at + (length ?? rest)
    if (index % 2 === 1) pieces.push(text.slice(at, end))
    at = end
  }
  const joined = pieces.join(',')
  return JSON.parse(isBare ? joined : `{${joined}}`)
}

/**
 * Reads the core's answer: a line of JSON for what is known of the document, and one for the result.
 *
 * @param document the text that was verified, if there is one
 */
export function readVerdict(answer: string, document?: unknown): Verdict {
  const end = answer.indexOf('\n')
  // All members are own ones, so that none of a polluted `Object.prototype` is read.
  const { error, identity, within } = JSON.parse(answer.slice(0, end)) as Head
  const result = JSON.parse(answer.slice(end + 1)) as Shown
  if (result.valid) result.code = undefined
  else result.data = undefined
  if (within !== null) result.data = dataWithin(document as string, within)
  if (result.attachments.length > 0) result.attachments = result.attachments.map(attachmentOf)
  for (const warning of result.warnings) Object.freeze(warning)
  Object.freeze(result.attachments)
  Object.freeze(result.warnings)
  Object.freeze(result.errors)
  const whole = Object.freeze(result) as unknown as VerificationResult
  return { identity: identity ?? undefined, error: error ?? undefined, result: whole }
}

/** The first line of an answer. */
type Head = { readonly [member in 'error' | 'identity']: Verdict[member] | null } & { readonly within: Within | null }

/** The second one: a result, in which `null` stands for what is not there. */
interface Shown {
  readonly valid: boolean
  code: unknown
  data: unknown
  attachments: Attachment[]
  readonly warnings: object[]
  readonly errors: string[]
}

/** An attachment as the core shows it: what it holds is base64 there. */
function attachmentOf(shown: Attachment): Attachment {
  const { content, ...rest } = alone<object>(shown) as Omit<Attachment, 'content'> & { readonly content?: string }
  return Object.freeze(content === undefined ? rest : { ...rest, content: shownBytes(fromBase64(content)) as Bytes })
}

/** A verdict on something that there is nothing to read of. */
export function refusal(error: SxError): Verdict {
  return readVerdict(refused(error))
}

/** The core's answer about such a thing. */
export function refused({ code, found }: SxError): string {
  return call(() => core.verdictOf(code, found))
}

/**
 * Has the core decide about a document, after finding its signer's keys.
 *
 * @param expected the id and version it must be, where it was asked for by them
 */
export function* decide(...given: Parameters<typeof answer>): Operation<Verdict> {
  return readVerdict(yield* answer(...given), given[0])
}

/** The core's answer about a document; see {@link decide}. */
export function* answer(
  document: unknown,
  ring: KeyRing,
  findKeys: FindKeys,
  limits: AgentOptions['limits'],
  expected?: { id: string; version: string },
): Operation<string> {
  const started = start(document, ring, limits)
  if (started instanceof SxError) return refused(started)
  return yield* finish(started, 'sxSignature', findKeys, (handle) =>
    expected === undefined
      ? core.verifyFinish(handle, ring.handle)
      : core.verifyFinishAs(handle, ring.handle, expected.id, expected.version),
  )
}

/** Begins a verification in the core, finds the keys it needs, and ends it with `work`. */
export function* finish<T>(
  begin: () => number,
  field: string,
  findKeys: FindKeys,
  work: (handle: number) => T,
): Operation<T> {
  let handle = begin()
  try {
    const epoch = instanceEpoch()
    const signer = call(() => core.verifySigner(handle, field === 'sxRegistration'))
    if (signer !== '') yield* findKeys(signer)
    if (instanceEpoch() !== epoch) handle = begin() // another call trapped while the keys were read
    return call(() => work(handle))
  } finally {
    call(() => core.free(handle))
  }
}

/** Hands a document to the core; an error if it is not even a text of allowed size. */
export function start(document: unknown, ring: KeyRing, limits: AgentOptions['limits']): (() => number) | SxError {
  try {
    const checked = jsonText(document, 'signedDocument', limits)
    return () => noteHandle(call(() => core.verifyStart(ring.handle, checked)))
  } catch (error) {
    if (error instanceof SxError && (error.code === 'NotJson' || error.code === 'LimitExceeded')) return error
    if (error instanceof SxError && error.code === 'InvalidOption') {
      return new SxError(
        'NotJson',
        'A signed document must be passed as JSON text: the `raw` that the signing function returned.',
      )
    }
    throw error
  }
}

/**
 * The result, if it is a valid one.
 *
 * @throws SxError with the result's code
 */
export function orThrow({ result, error }: Verdict): ValidResult {
  if (result.valid) return result
  throw new SxError(result.code, error?.found, { advice: error?.advice })
}
