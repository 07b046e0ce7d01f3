/** Documents of others, in the storage of an agent. */
import * as core from '#core'
import { call } from '../core.ts'
import type { Operation } from '../effects.ts'
import { SxError } from '../errors.ts'
import { copyOfList } from '../options.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { Identity } from '../state/documents.ts'
import { orThrow } from '../verification/decide.ts'
import { verdict } from './verify.ts'

interface Version {
  readonly identity: Identity
  readonly raw: string
  readonly date: string
}

/** `importDocument`: all versions are verified before the first one is stored. */
export function* importDocument(session: Session, document: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const given = typeof document === 'object' ? copyOfList('document', document as unknown[]) : [document]
  const versions: Version[] = []
  for (const one of given) versions.push(yield* verified(loaded, one, versions.at(-1)))
  const [first] = versions
  if (first === undefined) throw new SxError('InvalidOption', "The argument 'document' is an empty array.")
  let number = yield* numberOf(loaded, first.identity)
  for (const version of versions) {
    yield* store(loaded, version, number)
    number++
  }
  const last = versions.at(-1) ?? first
  return `${last.identity.id}:${last.identity.version}`
}

/** A valid version, which follows the one before it. */
function* verified(loaded: Loaded, document: unknown, before: Version | undefined): Operation<Version> {
  const found = yield* verdict(loaded, document)
  const { timestamp: date } = orThrow(found)
  const { identity } = found
  if (identity === undefined) throw new SxError('Internal')
  if (identity.type === 'agent') {
    throw new SxError('InvalidOption', 'This is an agent document. Pass it to trustAgent.')
  }
  if (before !== undefined && (before.identity.id !== identity.id || before.identity.version !== identity.previous)) {
    throw new SxError('InvalidOption', 'The versions do not follow each other. Pass them in order, oldest first.')
  }
  return { identity, date, raw: call(() => core.canonicalJson(document as string)) }
}

/** Where a version stands in its chain. */
function* numberOf({ documents }: Loaded, { id, version, previous }: Identity): Operation<number> {
  if (previous === null) return 1
  const before = yield* documents.exact(id, previous)
  if (before !== undefined) return before.number + 1
  const stored = yield* documents.exact(id, version)
  if (stored !== undefined) return stored.number
  throw new SxError('NotFound', 'The version before it is not stored. Pass all versions, oldest first.')
}

/** Stores a version, unless it is there. */
function* store({ documents }: Loaded, { identity, raw, date }: Version, number: number): Operation<void> {
  const { id, version, previous } = identity
  const stored = yield* documents.exact(id, version)
  if (stored?.text === raw) return
  if (stored !== undefined || !(yield* documents.append({ id, version, previous, date, raw }, number))) {
    throw new SxError('VersionConflict', 'Another version is stored in its place.')
  }
}
