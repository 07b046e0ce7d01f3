/** What documents there are: by the names that the storage lists, and as few entries as tell the latest versions. */

import { cursor, getAll } from '../effects/entries.ts'
import { type Effect, type Operation, perform, step } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { documentChain, names, parseKey, readEntryName } from '../names.ts'
import { alone } from '../plain.ts'
import { requireLoaded, type Session } from '../session.ts'
import { agreementNames } from '../state/agreements.ts'
import type { Documents, Identity, Named } from '../state/documents.ts'
import type { Key } from '../storage/contract.ts'
import type { ListDocumentsOptions } from '../types.ts'

/** The `sxType` of agreements, which are stored apart from documents and have no versions. */
const AGREEMENT = 'sx-agreement'

/** So many documents are looked at together: at first, and at most. */
const [FIRST, MOST] = [16, 256]
/** So many bytes of entries are in memory together, if those to come are as long as those before. */
const BYTES = 4 << 20

/** `listDocuments`: keys of the latest versions, ascending. */
export function* listDocuments(session: Session, options: ListDocumentsOptions = {}): Operation<string[]> {
  const { documents } = requireLoaded(session)
  const { type, limit = Number.POSITIVE_INFINITY, after } = options
  if (type !== undefined && typeof type !== 'string')
    throw new SxError('InvalidOption', "The option 'type' is not a string.")
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new SxError('InvalidOption', "The option 'limit' must be a non-negative integer.")
  }
  const last = after === undefined ? undefined : parseKey(after).id
  if (type === AGREEMENT) return [...(yield* agreementNames(documents.storage, last)).keys()].slice(0, limit)
  const from = last === undefined ? undefined : documentChain(last).entry(1)
  const listed = new Listed(cursor(documents.storage, [names().documents], from), last)
  const found: string[] = []
  for (let count = FIRST; found.length < limit; ) {
    const some = yield* listed.next(Math.min(count, limit - found.length))
    if (some.length === 0) break
    const { identities, bytes } = yield* identitiesOf(documents, some)
    count = Math.max(1, Math.min(MOST, Math.floor((some.length * BYTES) / (bytes + 1))))
    for (const [at, { id }] of some.entries()) {
      const identity = identities[at]
      if (identity === undefined || (type !== undefined && (identity.type ?? type) !== type)) continue
      found.push(identity.version === undefined ? id : `${id}:${identity.version}`)
    }
  }
  return found
}

/** The documents that a list of keys names, one after the other. */
class Listed {
  readonly #keys: Effect<Key | undefined>
  /** The document that comes after the ones before. */
  readonly #after: string | undefined
  /** The key that comes next, where it was read already. */
  #ahead: Key | undefined

  constructor(keys: Effect<Key | undefined>, after: string | undefined) {
    this.#keys = keys
    this.#after = after
  }

  /** At most so many documents; none after the last one. */
  *next(most: number): Operation<Named[]> {
    const found: Named[] = []
    while (found.length < most) {
      const one = yield* this.#document()
      if (one === undefined) break
      if (one.numbers.length > 0 && one.id !== this.#after) found.push(one)
    }
    return found
  }

  *#document(): Operation<Named | undefined> {
    const first = this.#ahead ?? (yield* perform(this.#keys))
    this.#ahead = undefined
    if (first === undefined) return undefined
    const id = idIn(first)
    const numbers: number[] = []
    let isHinted = false
    for (let key: Key | undefined = first; key !== undefined; key = yield* perform(this.#keys)) {
      if (idIn(key) !== id) {
        this.#ahead = key
        break
      }
      const name = key.length === 3 ? (key[2] ?? '') : ''
      const entry = readEntryName(name)
      if (entry?.id === id) numbers.push(entry.number)
      else isHinted ||= numbers.length > 0 && name === documentChain(id).latest().at(-1) // which sorts after the entries
    }
    return { id, numbers, isHinted }
  }
}

/** What stands before the first dot of a name. */
const idIn = (key: Key): string => key[2]?.split('.', 1)[0] ?? ''

/** What the latest versions say that they are. What a list does not show for certain is read again. */
function* identitiesOf(documents: Documents, listed: readonly Named[]): Operation<Looked> {
  const asked = listed.map((named) => documents.keysFor(named))
  const read = yield* perform(getAll(documents.storage, asked.flat()))
  const identities: (Partial<Identity> | undefined)[] = []
  let at = 0
  for (const [index, named] of listed.entries()) {
    yield* perform(step)
    const end = at + (asked[index]?.length ?? 0)
    identities.push(documents.identifyListed(named, read.slice(at, end)) ?? (yield* identityOf(documents, named.id)))
    at = end
  }
  return { identities, bytes: read.reduce((sum, one) => sum + (one.bytes?.length ?? 0), 0) }
}

/** What some documents say that they are, and how many bytes were read of them. */
interface Looked {
  readonly identities: readonly (Partial<Identity> | undefined)[]
  readonly bytes: number
}

/** What the latest version of a document says it is. Nothing if it cannot be found out: others are still listed. */
function* identityOf(documents: Documents, id: string): Operation<Partial<Identity> | undefined> {
  try {
    const latest = yield* documents.latest(id)
    return latest && documents.identifyText(id, latest)
  } catch (error) {
    if (error instanceof SxError && isVerdict(error.code)) return alone({})
    throw error
  }
}
