import * as core from '#core'
import { platform } from '#platform'
import { decode, isBytes } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { toJsonText } from '../json.ts'
import { checkSize, defaultLimits, limitsText } from '../limits.ts'
import { requireLoaded, requireSigning, type Session } from '../session.ts'
import { readMade } from '../state/documents.ts'
import { admitDocument, verifyAgentDocument } from '../state/own-document.ts'
import { ownBytes } from '../storage/contract.ts'
import { verifySelf } from './verify.ts'

/** `updateAgent`: signs and stores the next version of the loaded agent's document. */
export function* updateAgent(session: Session, agent: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const { signer } = requireSigning(loaded)
  const { documents, own, id } = loaded
  const { limits } = loaded.options
  const json = checkSize(typeof agent === 'string' ? text(agent, 'newAgentData') : toJsonText(agent, limits), limits)
  const { number, version } = own.current
  const latest = yield* documents.latest(id)
  own.settle()
  if (latest === undefined || latest.number < number) {
    if (own.current.version !== version) {
      if (latest !== undefined && latest.number > own.current.number) throw overtaken()
      throw new SxError('StorageUnavailable', 'The version of the agent document that is built upon was not stored.')
    }
    throw new SxError('Rollback', 'The storage misses the version of the agent document that is loaded.')
  }
  // One that was written behind may have lost its place to another one.
  if (latest.number > number || documents.identifyText(id, latest).version !== version) throw overtaken()
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  if (own.current.version !== version) throw overtaken() // by another call of this process
  const made = readMade(call(() => core.agentUpdate(signer.handle, json, at, random)))
  const { name } = verifyAgentDocument(made.raw, limitsText(limits))
  if (!(yield* documents.append(made, number + 1))) throw overtaken()
  own.advance({ number: number + 1, version: made.version, text: made.raw, name })
  return made.raw
}

function overtaken(): SxError {
  return new SxError('VersionConflict', 'There is a newer version of the agent document than the one that is loaded.')
}

/** `verifyAgent`: whether a file holds a valid agent document; without one, whether the loaded agent's is. */
export function* verifyAgent(session: Session, agentFile: unknown): Operation<boolean> {
  const loaded = requireLoaded(session)
  if (agentFile === undefined || agentFile === null) return (yield* verifySelf(session)).valid
  const { limits } = loaded.options
  const bytes = yield* perform(contentOf(agentFile, 'agentFile', limits?.bytes ?? defaultLimits().bytes))
  const document = unless(NO_TEXT, () => decode(bytes, 'The agent file'))
  if (document === undefined) return false
  checkSize(document, limits)
  const identity = unless(ABOUT_STORE, () => verifyAgentDocument(document, limitsText(limits)))
  if (identity === undefined) return false
  const { id } = identity
  const known = id === loaded.id ? loaded.own.current.text : yield* loaded.trust.document(id)
  // A document that the trust store would refuse is not the known agent's.
  return unless(ABOUT_STORE, () => admitDocument(document, known, limitsText(limits))) !== undefined
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

/** The content of a file that the caller names or hands over as an argument. */
export function contentOf(file: unknown, argument: string, maxBytes: number): Effect<Uint8Array> {
  if (typeof file === 'string' && file !== '') return platform.readFile(file, maxBytes)
  if (isBytes(file)) return { kind: 'storage', async: () => ownBytes(file), sync: () => ownBytes(file) }
  const size = sizeOfBlob(file)
  if (size !== undefined) {
    return {
      kind: 'storage',
      async: async () => {
        if (size > maxBytes) throw new SxError('LimitExceeded', `The file is larger than ${maxBytes} bytes.`)
        try {
          return new Uint8Array(await Blob.prototype.arrayBuffer.call(file))
        } catch (cause) {
          throw new SxError('StorageUnavailable', 'The file cannot be read; it may have changed.', { cause })
        }
      },
      sync: () => {
        throw new SxError('InvalidOption', 'A Blob can only be read by the asynchronous function.')
      },
    }
  }
  throw new SxError('InvalidOption', `The argument '${argument}' is no path, bytes, Blob or File.`)
}

/** The bytes that a blob or file has; nothing for what is none, also if it passes for one. */
function sizeOfBlob(file: unknown): number | undefined {
  try {
    return Reflect.get(Blob.prototype, 'size', file)
  } catch {
    return undefined
  }
}
