import * as core from '#core'
import { decode, encode, isBytes } from '../bytes.ts'
import { text } from '../core.ts'
import { type Operation, perform, runSync } from '../effects.ts'
import { blankMoment, momentAt, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { toJsonText } from '../json.ts'
import { jsonText } from '../json-text.ts'
import { checkSize, defaultLimits, limitsText } from '../limits.ts'
import { type Loaded, requireLoaded, requireSigning, type Session, type Signing } from '../session.ts'
import {
  type AgentIdentity,
  admitDocument,
  admitOwnDocument,
  readStoredAgent,
  verifyAgentDocument,
} from '../state/agent-identity.ts'
import { type Made, readMade } from '../state/documents.ts'
import { type AgentDocument, revoked } from '../state/own-document.ts'
import { ownBytes } from '../storage/contract.ts'
import { signedAtOnce } from './current-key.ts'
import { type SigningKey, sign } from './signing.ts'
import { fileOf } from './sources.ts'
import { verifySelf, verifySignature } from './verify.ts'

/** `updateAgent`: signs and stores the next version of the loaded agent's document. */
export function* updateAgent(session: Session, agent: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const signing = requireLatest(loaded)
  const { limits } = loaded.options
  const json =
    typeof agent === 'string' ? jsonText(agent, 'newAgentData', limits) : checkSize(toJsonText(agent, limits), limits)
  const { number, version } = yield* latestOwn(loaded)
  const at = signing.dates.next(yield* perform(now))
  const moment = momentAt(at, yield* perform(blankMoment))
  const update = (): string => {
    if (loaded.own.current.version !== version) throw overtaken() // by another call of this process
    return core.agentUpdate(signing.signer.handle, json, moment)
  }
  const made = readMade(yield* sign(signing, update))
  yield* appendOwn(loaded, made, number + 1)
  return made.raw
}

/**
 * The loaded agent's document, if it is still the latest one.
 *
 * @throws SxError `VersionConflict`; `Rollback`, `StorageUnavailable`
 */
export function* latestOwn({ documents, own, id }: Loaded): Operation<AgentDocument> {
  const loaded = own.current
  const { number, version } = loaded
  const latest = yield* documents.latest(id)
  own.settle()
  if (latest === undefined || latest.number < number) {
    if (own.current.version !== version) {
      if (latest !== undefined && latest.number > own.current.number) throw overtaken()
      throw new SxError('StorageUnavailable', 'The version of the agent document to change was not stored.')
    }
    throw new SxError('Rollback', 'The loaded version of the agent document is missing from the storage.')
  }
  // One that was written behind may have lost its place to another one.
  if (latest.number > number || documents.identifyText(id, latest).version !== version) throw overtaken()
  return loaded
}

/**
 * Stores the next version of the loaded agent's document, and goes on with it.
 *
 * @param next the private key that it names, where that is another one
 * @throws SxError `VersionConflict`
 */
export function* appendOwn(loaded: Loaded, made: Made, number: number, next?: SigningKey): Operation<void> {
  const identity = readStoredAgent(made.raw, limitsText(loaded.options.limits))
  const { own, documents } = loaded
  yield* own.requireUnrevoked()
  if (!(yield* documents.append(made, number))) throw overtaken()
  yield* own.requireUnrevoked() // of two at the same time the revocation counts
  if (next !== undefined) requireSigning(loaded).follow(next)
  own.advance({ number, text: made.raw, ...identity })
}

/**
 * The agent's document as it is to be published: also what other processes have made of it, as far as the storage can be
 * read at once.
 */
export function published({ own }: Loaded): AgentDocument {
  runSync(() => own.follow())
  return own.latest
}

/**
 * The same, for what others are told to take for the agent's key.
 *
 * @throws SxError `KeyRevoked` if that was revoked by what it has stated in advance
 */
export function requirePublishable(loaded: Loaded): AgentDocument {
  const document = published(loaded)
  if (loaded.own.isRevoked) throw revoked()
  return document
}

/**
 * Signs and stores the next version of the loaded agent's document.
 *
 * @param make calls the core once, with the moment at which it is made; nothing if there is nothing to change
 * @returns the document, as it is then
 */
export function* changeOwn(
  loaded: Loaded,
  make: (signing: Signing, moment: Uint8Array) => string | undefined,
): Operation<string> {
  const { number, version } = yield* latestOwn(loaded)
  const signing = requireSigning(loaded)
  const at = signing.dates.next(yield* perform(now))
  const moment = momentAt(at, yield* perform(blankMoment))
  const answer = yield* sign(signing, () => {
    if (loaded.own.current.version !== version) throw overtaken()
    return make(signing, moment)
  })
  if (answer === undefined) return loaded.own.current.text
  const made = readMade(answer)
  yield* appendOwn(loaded, made, number + 1)
  return made.raw
}

/**
 * The private key of an agent whose document is to have another version.
 *
 * @throws SxError `PasswordRequired`; `VersionConflict` if another process is known to have rotated the key
 */
export function requireLatest(loaded: Loaded): Signing {
  if (loaded.signing !== undefined && loaded.own.isOvertaken) throw overtaken()
  return requireSigning(loaded)
}

/** Somebody else has made the next version. */
export function overtaken(): SxError {
  const found = 'There is a newer version of the agent document than the one that is loaded.'
  return new SxError('VersionConflict', found, { advice: 'Load the agent again, then repeat the change.' })
}

/** `verifyAgent`: whether a file holds a valid agent document; without one, whether the loaded agent's is. */
export function* verifyAgent(session: Session, agentFile: unknown): Operation<boolean> {
  const loaded = requireLoaded(session)
  if (agentFile === undefined || agentFile === null) return (yield* verifySelf(session)).valid
  const { limits } = loaded.options
  const bytes = yield* perform(fileOf(agentFile, 'agentFile', limits?.bytes ?? defaultLimits().bytes))
  const document = unless(NO_TEXT, () => decode(bytes, 'The agent file'))
  if (document === undefined) return false
  checkSize(document, limits)
  const identity = unless(ABOUT_STORE, () => verifyAgentDocument(document, limitsText(limits)))
  if (identity === undefined) return false
  const { id } = identity
  if (id === loaded.id) yield* loaded.own.follow()
  const known = id === loaded.id ? undefined : yield* loaded.trust.held(id)
  // A document that the trust store would refuse is not the known agent's.
  const admit = (text: string): AgentIdentity =>
    id === loaded.id ? admitOwn(loaded, text) : admitDocument(text, known, limitsText(limits))
  const isAdmitted = (text: string): boolean => unless(ABOUT_STORE, () => admit(text)) !== undefined
  const { sxRegistration, ...unregistered } = JSON.parse(document) as Record<string, unknown>
  if (sxRegistration === undefined) return isAdmitted(document)
  // The known version may be the same one from before it was registered.
  if (!isAdmitted(document) && !isAdmitted(JSON.stringify(unregistered))) return false
  return yield* verifySignature(session, document, 'sxRegistration')
}

/**
 * What a document of the loaded agent says. It has to fit the agent's own one, and nobody else makes another key follow:
 * not even who holds the current one.
 *
 * @throws SxError see protocol, section 11
 */
export function admitOwn({ own, options }: Loaded, offered: string): AgentIdentity {
  const identity = admitOwnDocument(offered, own.held, limitsText(options.limits))
  if (identity.keyCount <= own.latest.keyCount) return identity
  throw new SxError(
    'KeyConflict',
    'The given agent document has a key that the stored documents of this agent do not have.',
  )
}

/** `signAgent`: countersigns the document of an agent. */
export function* signAgent(
  session: Session,
  agent: unknown,
  publicKey: unknown,
  publicKeyEncType: unknown,
): Operation<string> {
  const loaded = requireLoaded(session)
  const document = jsonText(agent, 'agentString', loaded.options.limits)
  const key = keyBytes(publicKey)
  const type = text(publicKeyEncType, 'publicKeyEncType')
  return yield* signedAtOnce(loaded, (signer, moment) => core.agentRegister(signer, document, key, type, moment))
}

/** Failures that say nothing of a document. */
const ABOUT_STORE: readonly string[] = ['CorruptStore', 'Internal']
const NO_TEXT: readonly string[] = ['Internal']

/** The result of work, or nothing if it refuses what it was given; other failures are thrown. */
function unless<T>(others: readonly string[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof SxError && !others.includes(error.code)) return undefined
    throw error
  }
}

/** More than the longest public key in PEM. */
const LARGEST_KEY = 1 << 17

/** A public key in one of its forms. What cannot be one is not copied into the core, whose memory never shrinks. */
function keyBytes(given: unknown): Uint8Array {
  if (typeof given === 'string') return encode(text(given, 'publicKey', LARGEST_KEY))
  if (isBytes(given) && given.length <= LARGEST_KEY) return ownBytes(given)
  throw new SxError('InvalidOption', "The argument 'publicKey' is neither a PEM text nor the bytes of a public key.")
}
