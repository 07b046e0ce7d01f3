/**
 * The trust store: for each agent a chain of decisions, each its document or the mark that trust was taken back
 * (protocol, sections 11 and 12). A decision is read, decided and appended, or decided again; never overwritten.
 *
 * @module
 */
import * as core from '#core'
import { isBelated, letPass } from '../belated.ts'
import { decode, encode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { type Effect, type Operation, perform, runAsync, runSync } from '../effects.ts'
import { entropy } from '../entropy.ts'
import { isVerdict, SxError } from '../errors.ts'
import { cursor, storing } from '../home.ts'
import { type ChainNames, readEntryName, names as storageNames, trustChain } from '../names.ts'
import {
  isSyncStorage,
  type Key,
  requireSync,
  type Storage,
  type SyncStorage,
  storageError,
} from '../storage/contract.ts'
import { mirrored } from '../storage/mirror.ts'
import { isDamage } from '../storage/mirror-view.ts'
import { append, type Entry, readLatest } from './chain.ts'
import { type AgentIdentity, admitDocument, readStoredAgent } from './own-document.ts'

/** A decision: the agent's document, or nothing for trust that is taken back. */
type Decision =
  | { readonly document: string; readonly mark: undefined }
  | { readonly document: undefined; readonly mark: string }

const bytesOf = (decision: Decision): Uint8Array => encode(decision.document ?? decision.mark)

/** Opens the trust store of a data directory. It can be read at once, also where the storage has to be awaited. */
export function openTrust(data: Storage, limits: string): Effect<TrustStore> {
  const top = storageNames().trust
  return storing(
    async () => {
      if (isSyncStorage(data)) return new TrustStore(data, [top], limits)
      return new TrustStore(await mirrored(data, { prefix: [top], isImmutable: isEntry }), [], limits)
    },
    () => new TrustStore(requireSync(data), [top], limits),
  )
}

/** Who is trusted. */
export class TrustStore {
  readonly #storage: SyncStorage
  /** Where the entries stand in the storage. */
  readonly #top: Key
  readonly #limits: string
  /** Whether the storage writes behind. Then decisions are decided again when they are written. */
  readonly #isBehind: boolean
  /** The latest decision about an agent that was seen and makes sense. */
  readonly #seen = new Map<string, Entry>()
  /** Decisions that are on their way to a storage that has to be awaited; the latest one of each agent. */
  readonly #waiting = new Map<string, Decision>()
  #working: Promise<void> = Promise.resolve()
  #failure: SxError | undefined

  constructor(storage: SyncStorage, top: Key, limits: string) {
    this.#storage = storage
    this.#top = top
    this.#limits = limits
    this.#isBehind = storage.isPending !== undefined
  }

  /** What counts for an agent: bytes of its document or of a mark; `undefined` if nothing was ever decided. */
  *read(agentId: string): Operation<Uint8Array | undefined> {
    const waiting = this.#waiting.get(agentId)
    if (waiting !== undefined) return bytesOf(waiting)
    return (yield* this.#latest(agentId))?.bytes
  }

  /**
   * The document of a trusted agent; `undefined` if it is not trusted.
   *
   * @throws SxError `CorruptStore`, `Rollback`
   */
  *document(agentId: string): Operation<string | undefined> {
    const bytes = trusted(yield* this.read(agentId))
    return bytes && decode(bytes, `The trusted document of ${agentId}`)
  }

  /**
   * Trusts an agent, if the core takes its document beside what is known.
   *
   * @returns what the document says
   */
  *admit(agentId: string, document: string): Operation<AgentIdentity> {
    return yield* this.#decide(agentId, { document, mark: undefined }, (known) =>
      admitDocument(document, known && decode(known, `The trusted document of ${agentId}`), this.#limits),
    )
  }

  /** Trusts an agent no longer; says whether it was trusted. */
  *remove(agentId: string): Operation<boolean> {
    const random = yield* perform(entropy)
    const mark = call(() => core.trustMark(random))
    return yield* this.#decide(agentId, { document: undefined, mark }, (known) => known !== undefined)
  }

  /** The agents that are trusted, ascending. */
  *list(): Operation<string[]> {
    const agents = new Set(this.#waiting.keys())
    const next = cursor(this.#storage, this.#top)
    for (;;) {
      const key = yield* perform(next)
      if (key === undefined) break
      const entry = key.length === this.#top.length + 1 ? readEntryName(key.at(-1)) : undefined
      if (entry !== undefined) agents.add(entry.id)
    }
    const trusted: string[] = []
    for (const id of [...agents].sort()) if (yield* this.#isListed(id)) trusted.push(id)
    return trusted
  }

  /** Whether an agent is trusted. One whose decisions cannot be read is shown, too: its owner should know. */
  *#isListed(agentId: string): Operation<boolean> {
    try {
      return (yield* this.document(agentId)) !== undefined
    } catch (error) {
      if (error instanceof SxError && (isVerdict(error.code) || isDamage(error))) return true
      throw error
    }
  }

  /** Throws what has made a decision fail that was on its way; once. */
  throwFailure(): void {
    const error = this.#failure
    this.#failure = undefined
    if (error !== undefined) throw error
  }

  /** Resolves when all decisions are where they last; rejects if one of them failed. */
  async flush(): Promise<void> {
    await this.#working
    this.throwFailure()
  }

  /** Takes over what another store has not written yet, whose place this one takes. */
  follow(other: TrustStore): void {
    if (other === this) return
    this.#working = Promise.all([other.#working, this.#working]).then(() => {
      this.#failure ??= other.#failure
      other.#failure = undefined
    })
  }

  /** Lets go of what was opened for this store alone. */
  async close(): Promise<void> {
    await this.#working
    if (this.#top.length === 0) await this.#storage.close()
  }

  #names(agentId: string): ChainNames {
    const chain = trustChain(agentId)
    const place = (key: Key): Key => [...this.#top, ...key.slice(1)]
    return {
      label: chain.label,
      entry: (number) => place(chain.entry(number)),
      latest: () => place(chain.latest()),
    }
  }

  /** @param isRemoval also what is not what it was can be taken back */
  *#latest(agentId: string, isRemoval = false): Operation<Entry | undefined> {
    const names = this.#names(agentId)
    const seen = this.#seen.get(agentId)
    const entry = yield* readLatest(this.#storage, names, seen?.number, ({ number, bytes }) => {
      if (isRemoval || seen === undefined || equalBytes(bytes, seen.bytes)) return
      throw new SxError('Rollback', `Entry ${number} of ${names.label} is another one than was there before.`)
    })
    if (entry !== undefined) this.#see(agentId, entry)
    return entry
  }

  /** Remembers a decision that lasts and makes sense: what does not may be put right by removing it. */
  #see(agentId: string, entry: Entry): void {
    const seen = this.#seen.get(agentId)
    if (seen?.number === entry.number && equalBytes(seen.bytes, entry.bytes)) return
    if (this.#storage.isPending?.(this.#names(agentId).entry(entry.number)) === true) return
    if (isMark(entry.bytes) || isDocumentOf(agentId, entry.bytes, this.#limits)) this.#seen.set(agentId, entry)
  }

  /**
   * Decides on what is stored and appends, until nobody else has appended in between.
   *
   * @param judge says what the answer is, given the document that is trusted now; throws if it is refused
   */
  *#decide<T>(agentId: string, decision: Decision, judge: Judge<T>): Operation<T> {
    if (this.#isBehind) {
      const known = trusted(yield* this.read(agentId))
      const answer = judge(known)
      this.#send(agentId, decision, judge) // also what seems to be so already: it may not be so any more
      return answer
    }
    for (;;) {
      const latest = yield* this.#latest(agentId, decision.mark !== undefined)
      const known = trusted(latest?.bytes)
      const answer = judge(known)
      if (!changes(decision, known)) return answer
      if (yield* this.#append(agentId, latest, decision)) return answer
    }
  }

  *#append(agentId: string, latest: Entry | undefined, decision: Decision): Operation<boolean> {
    const number = (latest?.number ?? 0) + 1
    return yield* append(this.#storage, this.#names(agentId), { number, bytes: bytesOf(decision) })
  }

  /** Has a decision written behind, after those before it. If it is refused there, the next call says so. */
  #send<T>(agentId: string, decision: Decision, judge: Judge<T>): void {
    this.#waiting.set(agentId, decision)
    const settle = (): void => {
      if (this.#waiting.get(agentId) === decision) this.#waiting.delete(agentId)
    }
    const write = (): Promise<void> => runAsync(() => this.#write(agentId, decision, judge))
    this.#working = this.#working.then(write).then(settle, (error: unknown) => {
      settle()
      this.#failure ??= storageError(error)
    })
  }

  /** The latest decision that memory shows; nothing where it cannot say. */
  #shown(agentId: string): Entry | undefined {
    try {
      return runSync(() => this.#latest(agentId))
    } catch (error) {
      // What an earlier write has to tell is told by the next call, and keeps no decision from being written.
      if (isBelated(error)) this.#failure ??= storageError(error)
      else letPass(error)
      return undefined
    }
  }

  *#write<T>(agentId: string, decision: Decision, judge: Judge<T>): Operation<void> {
    // A removal is decided on what memory shows first, so that nothing has to be read before the write is under way: a
    // page may be left. A document could be found there that somebody else had put long before, and removed since.
    const shown = decision.mark !== undefined ? this.#shown(agentId) : undefined
    if (shown !== undefined && changes(decision, trusted(shown.bytes))) {
      judge(trusted(shown.bytes))
      if (yield* this.#append(agentId, shown, decision)) return
    }
    for (;;) {
      const latest = yield* this.#latest(agentId)
      const known = trusted(latest?.bytes)
      judge(known)
      if (!changes(decision, known) || (yield* this.#append(agentId, latest, decision))) return
    }
  }
}

/** Whether a key is that of an entry, which never changes; what is not is a hint. */
const isEntry = (key: Key): boolean => readEntryName(key.at(-1)) !== undefined

/** What a decision answers, given the document that is trusted now. */
type Judge<T> = (known: Uint8Array | undefined) => T

/** The document of a decision, if it is not that trust was taken back. */
function trusted(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes === undefined || isMark(bytes) ? undefined : bytes
}

function isDocumentOf(agentId: string, bytes: Uint8Array, limits: string): boolean {
  try {
    return readStoredAgent(decode(bytes, 'The trusted document'), limits).id === agentId
  } catch {
    return false // whoever uses it is told why
  }
}

/** Whether a decision says something else than what is known. */
function changes(decision: Decision, known: Uint8Array | undefined): boolean {
  if (decision.document === undefined) return known !== undefined
  return known === undefined || !equalBytes(known, encode(decision.document))
}

function isMark(bytes: Uint8Array): boolean {
  return call(() => core.isTrustMark(bytes))
}
