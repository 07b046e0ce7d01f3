import type { AuditSeverity } from '../../audit-types.ts'
import { decode } from '../../bytes.ts'
import { cursor, get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError, type SxErrorCode } from '../../errors.ts'
import { heldLimits } from '../../limits.ts'
import { documentChain, names } from '../../names.ts'
import type { Loaded } from '../../session.ts'
import { admitDocument } from '../../state/agent-identity.ts'
import type { Key } from '../../storage/contract.ts'
import type { InvalidResult } from '../../types.ts'
import { judge } from '../documents.ts'
import { verdict } from '../verify.ts'
import { auditAgreements } from './agreements.ts'
import { checkFolder, checkHints, eachChain, gapOf, lastOf, type StoredChain } from './chains.ts'
import { checkRegistration } from './registration.ts'
import type { Report } from './report.ts'
import { auditSchemas, customSchema } from './schemas.ts'

/** Codes that say that nothing is known of the signer, which may be as it should be. */
const UNVERIFIED: readonly string[] = ['UnknownSigner']

/** Whether all that is stored of documents is whole, and verifies. */
export function* auditDocuments(report: Report, loaded: Loaded, recentN: number | undefined): Operation<void> {
  yield* report.look('documents', 'All checked documents are valid.', function* () {
    const { storage } = loaded.documents
    const recent: { id: string; number: number; date: string }[] = []
    const needed = new Map<string, string>()
    const check = function* (stored: StoredChain): Operation<void> {
      const { id, numbers } = stored
      const last = lastOf(stored)
      yield* checkHints(report, storage, stored, documentChain(id), (number) => versionOf(storage, id, number))
      if (last === 0) return
      report.counts.documents++
      checkGaps(report, stored, last)
      if (recentN === undefined) {
        let before: { readonly number: number; readonly version: string | undefined } | undefined
        for (const number of [...numbers].sort((one, other) => one - other)) {
          const previous = before?.number === number - 1 ? before.version : undefined
          const place = { id, number, isLast: number === last }
          before = { number, version: yield* checkVersion(report, loaded, place, previous, needed) }
        }
      } else {
        recent.push({ id, number: last, date: yield* dateOf(loaded, id, last) })
        recent.sort((one, other) => (one.date < other.date ? 1 : -1)).splice(recentN)
      }
    }
    // A file in the place of a folder that documents are sorted into.
    const checkOther = function* (key: Key): Operation<void> {
      if (key.length === 2 && /^[0-9a-f]{2}$/.test(key.at(-1) ?? '')) yield* checkFolder(report, storage, key)
    }
    yield* eachChain(storage, names().documents, documentChain, check, checkOther)
    for (const { id, number } of recent) {
      yield* checkVersion(report, loaded, { id, number, isLast: true }, undefined, needed)
    }
    yield* auditCopies(report, loaded)
    yield* auditSchemas(report, loaded, needed)
    yield* auditAgreements(report, loaded)
  })
}

function checkGaps(report: Report, chain: StoredChain, last: number): void {
  const gap = gapOf(chain)
  if (gap === undefined) return
  const found = `Version ${gap} of the document ${chain.id} is missing, so version ${last} is not part of its history.`
  const entry = documentChain(chain.id).entry(gap).join('/')
  report.absence(entry, 'high', 'UnclaimedVersion', chain.id, `${found} Restore it from a backup.`)
}

/** What is read of a header. */
interface Header {
  readonly sxVersion?: unknown
  readonly sxVersionDate?: unknown
}

/** The header of a stored version, of which nothing was verified; empty if it cannot be read. */
function* headerOf(storage: Loaded['documents']['storage'], id: string, number: number): Operation<Header> {
  const bytes = yield* perform(get(storage, documentChain(id).entry(number)))
  try {
    const header: unknown = bytes && JSON.parse(decode(bytes, 'The document'))
    return typeof header === 'object' && header !== null ? header : {}
  } catch {
    return {} // whoever verifies it says why
  }
}

function* versionOf(storage: Loaded['documents']['storage'], id: string, number: number): Operation<string> {
  return String((yield* headerOf(storage, id, number)).sxVersion)
}

function* dateOf({ documents }: Loaded, id: string, number: number): Operation<string> {
  return String((yield* headerOf(documents.storage, id, number)).sxVersionDate)
}

/**
 * Verifies a version at its place.
 *
 * @param previous the version before it, where that was looked at
 * @param needed takes the custom schema that an update of it needs
 * @returns its own version
 */
function* checkVersion(
  report: Report,
  loaded: Loaded,
  { id, number, isLast }: { id: string; number: number; isLast: boolean },
  previous: string | undefined,
  needed: Map<string, string>,
): Operation<string | undefined> {
  const { documents } = loaded
  const names = documentChain(id)
  const subject = `${id} (version ${number})`
  try {
    const bytes = yield* perform(get(documents.storage, names.entry(number)))
    if (bytes === undefined) return undefined // removed meanwhile
    const text = decode(bytes, names.entry(number).join('/'))
    const identity = documents.identify(names, id, { number, bytes })
    if (previous !== undefined && identity.previous !== previous) {
      throw new SxError('CorruptStore', `Entry ${number} of ${names.label} does not refer to the previous entry.`)
    }
    const { result } = yield* judge(loaded, id, { number, text })
    if (result.valid) {
      report.counts.verified++
      const schema = isLast ? customSchema(text) : undefined
      if (schema !== undefined && !needed.has(schema)) needed.set(schema, subject)
      if (text.includes('"sxRegistration"')) yield* checkRegistration(report, loaded, text, subject)
    } else if (!(yield* isContinued(loaded, id, number, text, result.code))) {
      const isOver = !isLast && (result.code === 'KeyRevoked' || isByGoneKey(loaded, id, result))
      const found = isOver ? `${result.code}: ${FORMER}` : result.errors[0]
      report.risk(severityOf(result.code, isOver), result.code, subject, `The document ${subject}: ${found}`)
    }
    return identity.version
  } catch (error) {
    report.failure(error, subject)
    return undefined
  }
}

/** Of a version that other versions follow. What a verdict advises is for the latest one. */
const FORMER = 'Its key has since been revoked or removed. Later versions exist, so no action is needed.'

/**
 * Whether a version of the agent's own document is as it should be although its key is not in the latest one any more: the
 * next version follows it, by the rotation from its key. What follows that one is asked of the next version.
 */
function* isContinued(
  { id: agentId, documents, options }: Loaded,
  id: string,
  number: number,
  text: string,
  code: SxErrorCode,
): Operation<boolean> {
  if (code !== 'KeyMismatch' || id !== agentId) return false
  const next = documentChain(id).entry(number + 1)
  const bytes = yield* perform(get(documents.storage, next))
  if (bytes === undefined) return false
  try {
    admitDocument(decode(bytes, next.join('/')), text, heldLimits(options.limits))
    return true
  } catch (error) {
    if (error instanceof SxError) return false // the verdict says what is wrong
    throw error
  }
}

/**
 * Whether a document may be signed by a key that the agent has had and does not name any more. Of the agent's own document
 * it is known whether that is so.
 */
function isByGoneKey(loaded: Loaded, id: string, { code, signerId }: InvalidResult): boolean {
  if (code !== 'KeyMismatch' || signerId !== loaded.id || id === loaded.id) return false
  return 'sxFormerKeys' in (JSON.parse(loaded.own.latest.text) as object)
}

/**
 * @param isOver whether its key has been revoked or is gone, and other versions follow: nobody has to do anything
 */
function severityOf(code: SxErrorCode, isOver: boolean): AuditSeverity {
  if (UNVERIFIED.includes(code)) return 'medium'
  return isOver ? 'low' : 'high'
}

/** Copies that `outputFilename` asked for. */
function* auditCopies(report: Report, loaded: Loaded): Operation<void> {
  const { storage } = loaded.documents
  yield* checkFolder(report, storage, [names().output])
  const next = cursor(storage, [names().output])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const name = key.join('/')
    const bytes = yield* perform(get(storage, key))
    if (bytes === undefined) continue
    try {
      const text = decode(bytes, name)
      const { result } = yield* verdict(loaded, text)
      if (!result.valid) report.risk('medium', result.code, name, `The copy ${name}: ${result.errors[0]}`)
      else yield* checkRegistration(report, loaded, text, name)
    } catch (error) {
      report.failure(error, name, 'medium')
    }
  }
}
