/** Agreements in a field of a document (protocol, section 23). */
import * as core from '#core'
import { call, instanceEpoch, noteHandle, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { blankMoment, momentAt, now } from '../entropy.ts'
import { SxError, tooLarge } from '../errors.ts'
import { toJsonText } from '../json.ts'
import { jsonText } from '../json-text.ts'
import type { KeyRing } from '../key-ring.ts'
import { copyOfList } from '../options.ts'
import { type CompiledSchema, schemasOf } from '../schemas/cache.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { type Identity, type Made, readMade } from '../state/documents.ts'
import type { AgreementStatus, CreateAgreementOptions } from '../types.ts'
import { orThrow } from '../verification/decide.ts'
import { signed, signedAndStored, versionPlace } from './current-key.ts'
import { making } from './documents.ts'
import { keysOfMany, withKeys } from './keys-of-many.ts'
import { sign } from './signing.ts'
import { verdict } from './verify.ts'

const DEFAULT_FIELD = 'sxAgreement'

/** Longer than any name of a field, algorithm or agent. */
const LONGEST_NAME = 1024

function fieldOf(name: unknown): string {
  return text(name ?? DEFAULT_FIELD, 'agreementFieldName', LONGEST_NAME)
}

function listOf(name: string, list: readonly unknown[]): string[] {
  return copyOfList(name, list).map((one) => text(one, name, LONGEST_NAME))
}

/** What `createAgreement` is given. */
type Given = { readonly [Name in keyof CreateAgreementOptions]: CreateAgreementOptions[Name] | undefined }

/** What the parties agree on, and in which field, as the core takes it. */
function termsText(agentIds: readonly unknown[], options: Given, loaded: Loaded): string {
  const { agreementFieldName, question, context, quorum, signBy, algorithms, minStrength } = options
  const field = fieldOf(agreementFieldName)
  if (quorum !== undefined && !Number.isSafeInteger(quorum)) {
    throw new SxError('InvalidOption', "The option 'quorum' is not an integer.")
  }
  const terms = {
    field,
    agentIDs: listOf('agentIds', agentIds),
    question: text(question ?? '', 'question'),
    context: text(context ?? '', 'context'),
    ...(quorum !== undefined && { quorum }),
    ...(signBy !== undefined && { signBy: text(signBy, 'signBy', LONGEST_NAME) }),
    ...(algorithms !== undefined && { algorithms: listOf('algorithms', algorithms) }),
    ...(minStrength !== undefined && { minStrength: text(minStrength, 'minStrength', LONGEST_NAME) }),
  }
  return toJsonText(terms, loaded.options.limits)
}

/** An agreement in a field is signed with its whole document, which cannot be split. */
const TOO_LARGE =
  'Raise the option `limits`, or create the agreement for a shorter document, which names long parts by their SHA-256.'

function* withinLimits<T>(work: Operation<T>): Operation<T> {
  try {
    return yield* work
  } catch (error) {
    throw tooLarge(error, TOO_LARGE)
  }
}

/** `createAgreement` */
export function createAgreement(...given: Parameters<typeof creating>): Operation<string> {
  return withinLimits(creating(...given))
}

function* creating(
  session: Session,
  document: unknown,
  agentIds: readonly unknown[],
  options: Given,
): Operation<string> {
  const loaded = requireLoaded(session)
  const terms = termsText(agentIds, options, loaded)
  const { raw, identity } = yield* verified(loaded, document)
  return yield* revise(loaded, raw, identity, (signer, asked, moment) =>
    core.agreementCreate(signer, raw, terms, asked, moment),
  )
}

/** `signAgreement` */
export function signAgreement(...given: Parameters<typeof agreeing>): Operation<string> {
  return withinLimits(agreeing(...given))
}

function* agreeing(session: Session, document: unknown, fieldName: unknown, refuseSigned: boolean): Operation<string> {
  const loaded = requireLoaded(session)
  const field = fieldOf(fieldName)
  const { raw, identity } = yield* verified(loaded, document)
  yield* loaded.own.follow()
  const check = begin(loaded.ring, [raw], field)
  if (call(() => core.agreementHasSigned(check(), loaded.ring.handle, loaded.id))) {
    if (refuseSigned) throw new SxError('AlreadySigned', 'This agent has already signed the agreement.')
    return raw
  }
  return yield* revise(loaded, raw, identity, (signer, asked, moment) =>
    core.agreementSign(signer, raw, field, asked, moment),
  )
}

/** A document that is valid: whoever signed it, its next version follows from it. */
function* verified(
  loaded: Loaded,
  document: unknown,
): Operation<{ readonly raw: string; readonly identity: Identity }> {
  const found = yield* verdict(loaded, document)
  orThrow(found)
  if (found.identity === undefined) throw new SxError('Internal')
  return { raw: document as string, identity: found.identity }
}

/** Has the core make the next version of a document, which {@link making} describes. */
type Make = (signer: number, asked: string | undefined, moment: Uint8Array) => string

/** Signs the next version of a document, and stores it where the present one is stored. */
function* revise(loaded: Loaded, raw: string, identity: Identity, make: Make): Operation<string> {
  const { documents, options } = loaded
  const number = yield* placeOf(loaded, raw, identity)
  let used: CompiledSchema | undefined
  const signNext = function* (at: number): Operation<Made> {
    const signing = requireSigning(loaded)
    const moment = momentAt(at, yield* perform(blankMoment))
    const next = (isDraft: boolean): string => make(signing.signer.handle, making(false, isDraft, used), moment)
    try {
      used?.check(readMade(call(() => next(true))).raw, options.limits)
      return readMade(yield* sign(signing, () => next(false)))
    } catch (error) {
      if (used !== undefined || !(error instanceof SxError && error.code === 'SchemaRequired')) throw error
      used = yield* schemaOf(loaded, raw)
      return yield* signNext(at)
    }
  }
  if (number === undefined) return (yield* signed(loaded, signNext)).raw
  const made = yield* signedAndStored(loaded, versionPlace(number), signNext, function* (next) {
    if (used !== undefined) yield* schemasOf(loaded).keep(documents.storage, used)
    if (!(yield* documents.append(next, number))) throw new SxError('VersionConflict')
  })
  return made.raw
}

/** The custom schema of a document. No argument passes one here. */
function* schemaOf(loaded: Loaded, raw: string): Operation<CompiledSchema> {
  const { $schema } = JSON.parse(raw) as { $schema: string }
  try {
    return yield* schemasOf(loaded).kept(loaded.documents.storage, $schema)
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'SchemaRequired')) throw error
    const advice = 'Create a document with this schema first, or use the field sxAgreement.'
    throw new SxError(error.code, error.found, { advice, cause: error })
  }
}

/**
 * The number of the version that follows a stored one; `undefined` if that is not stored.
 *
 * @throws SxError `VersionConflict` if it has a successor, or is another one of the same name
 */
function* placeOf({ documents }: Loaded, raw: string, { id, version }: Identity): Operation<number | undefined> {
  const stored = yield* documents.exact(id, version)
  if (stored === undefined) return undefined
  const latest = yield* documents.latest(id)
  const isSame = signatureIn(stored.text) === signatureIn(raw)
  if (latest?.number !== stored.number || !isSame) throw new SxError('VersionConflict')
  return stored.number + 1
}

/** No other document has the same one. */
function signatureIn(document: string): unknown {
  return (JSON.parse(document) as { readonly sxSignature?: { readonly signature?: unknown } }).sxSignature?.signature
}

/** Hands an agreement to the core, with all its copies. */
function begin(ring: KeyRing, copies: readonly string[], field: string): () => number {
  const [first = '', ...others] = copies
  return () => {
    const handle = noteHandle(call(() => core.agreementStart(ring.handle, first, field)))
    try {
      for (const copy of others) call(() => core.agreementAdd(handle, ring.handle, copy))
    } catch (error) {
      call(() => core.free(handle))
      throw error
    }
    return handle
  }
}

/** Also one that cannot be read: reading it says so. What is no list is refused as no text. */
function isList(document: unknown): document is readonly unknown[] {
  try {
    return Array.isArray(document)
  } catch {
    return true
  }
}

/** `checkAgreement`: the status as JSON. */
export function checkAgreement(...given: Parameters<typeof checking>): Operation<string> {
  return withinLimits(checking(...given))
}

function* checking(session: Session, document: unknown, fieldName: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const { limits } = loaded.options
  const field = fieldOf(fieldName)
  const given = isList(document) ? copyOfList('documentString', document) : [document]
  if (given.length === 0) throw new SxError('InvalidOption', "The argument 'documentString' is an empty array.")
  const start = begin(
    loaded.ring,
    given.map((one) => jsonText(one, 'documentString', limits)),
    field,
  )
  let handle = start()
  try {
    const epoch = instanceEpoch()
    const ids = call(() => core.agreementSigners(handle))
    const known = yield* keysOfMany(loaded, ids === '' ? [] : ids.split('\n'))
    const at = yield* perform(now)
    if (instanceEpoch() !== epoch) handle = start() // another call trapped while the keys were read
    return withKeys(loaded, known, (ring) => call(() => core.agreementFinish(handle, ring.handle, at)))
  } finally {
    call(() => core.free(handle))
  }
}

/** `checkAgreement` of the simplified API: the status as an object. */
export function* agreementStatus(session: Session, document: unknown, fieldName: unknown): Operation<AgreementStatus> {
  const status = JSON.parse(yield* checkAgreement(session, document, fieldName)) as AgreementStatus
  for (const list of [status.signed, status.invalid]) for (const one of list) Object.freeze(one)
  const { quorum, required, signed: counted, missing, invalid, errors } = status
  for (const part of [quorum, required, counted, missing, invalid, errors]) Object.freeze(part)
  return Object.freeze(status)
}
