/**
 * The live state of a trust store: what was seen of it, and the decisions on their way to it. All agents of a program
 * that stand on the same store share it, so that none of them answers from before what another has decided.
 *
 * @module
 */

import * as core from '#core'
import { isBelated, letPass } from '../belated.ts'
import { encode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { flushed, storing } from '../effects/entries.ts'
import { type EffectOf, type Operation, perform, runAsync, runSync } from '../effects.ts'
import { SxError } from '../errors.ts'
import { readEntryName, readWitnessName, names as storageNames } from '../names.ts'
import {
  foundKeys,
  isSyncStorage,
  type Key,
  requireSync,
  type Storage,
  type SyncStorage,
  storageError,
} from '../storage/contract.ts'
import { groundOf } from '../storage/ground.ts'
import { mirrored } from '../storage/mirror.ts'
import { append, type Entry, isPending, readLatest } from './chain.ts'
import {
  BROKEN,
  type Counting,
  decidedOn,
  decisionsOn,
  folderOf,
  isWitnessed,
  markerOf,
  nextNumber,
  readCounting,
  type TrustPlace,
  upgrade,
  witness,
  witnessesOf,
} from './trust-witness.ts'

/** A decision: the agent's document, or the mark that trust is taken back. */
export type Decision =
  | { readonly document: string; readonly mark: undefined }
  | { readonly document: undefined; readonly mark: string }

/** What a decision answers, given the document that is trusted now; throws if it is refused. */
export type Judge<T> = (known: Uint8Array | undefined) => T

/** Who reads and decides. */
export interface Decider {
  /** Whether bytes are a usable document of an agent, under this one's limits. */
  isDocumentOf(agentId: string, bytes: Uint8Array): boolean
  /** Is told what has made a decision fail that was on its way. */
  fail(error: SxError): void
}

const isMark = (bytes: Uint8Array): boolean => call(() => core.isTrustMark(bytes))

/** The document of a decision, if it is not that trust was taken back. */
export function trusted(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes === undefined || isMark(bytes) ? undefined : bytes
}

const bytesOf = (decision: Decision): Uint8Array => encode(decision.document ?? decision.mark)

/** Whether a decision says something else than what is known. */
function changes(decision: Decision, known: Uint8Array | undefined): boolean {
  if (decision.document === undefined) return known !== undefined
  return known === undefined || !equalBytes(known, encode(decision.document))
}

/** Whether a key is that of an entry, which never changes; what is not is a hint. */
const isEntry = (key: Key): boolean => {
  const name = key.at(-1)
  return readEntryName(name) !== undefined || readWitnessName(name) !== undefined
}

/** A state, and how many agents use it. */
class Shared {
  users = 0
  state: TrustState | Promise<TrustState>

  constructor(state: TrustState | Promise<TrustState>) {
    this.state = state
  }
}

/** States by the parts of two stores, by the stores of the keys and of the data. */
const shared = new WeakMap<object, WeakMap<object, Map<string, Shared>>>()

/** Where the state of a key directory and a data directory is kept, whichever views of their stores these are. */
function slotOf(keys: Storage, data: Storage): { readonly states: Map<string, Shared>; readonly name: string } {
  const [ofKeys, ofData] = [groundOf(keys), groundOf(data)]
  const byData = shared.get(ofKeys.store) ?? new WeakMap<object, Map<string, Shared>>()
  const states = byData.get(ofData.store) ?? new Map<string, Shared>()
  shared.set(ofKeys.store, byData)
  byData.set(ofData.store, states)
  return { states, name: JSON.stringify([ofKeys.path, ofData.path]) }
}

/** The state of the trust store in a key directory and a data directory. Whoever opens it releases it. */
export function openState(keys: Storage, data: Storage): EffectOf<'openTrust'> {
  return { kind: OPEN_TRUST, keys, data }
}

const OPEN_TRUST = /* @__PURE__ */ storing('openTrust', {
  async: async ({ keys, data }) => {
    if (isLive(keys, data)) return new TrustState(keys, data)
    const isDirect = isSyncStorage(keys) && isSyncStorage(data)
    const found = use(keys, data, () => (isDirect ? new TrustState(keys, data) : opened(keys, data)))
    try {
      return await found.state
    } catch (error) {
      const { states, name } = slotOf(keys, data)
      if (states.get(name) === found) states.delete(name)
      throw error
    }
  },
  sync: ({ keys, data }) => {
    requireSync(keys)
    requireSync(data)
    const direct = (): TrustState => new TrustState(keys, data)
    return isLive(keys, data) ? direct() : (use(keys, data, direct).state as TrustState)
  },
})

/** The state that is shared in these stores; opens it if nobody has it open. */
function use(keys: Storage, data: Storage, open: () => Shared['state']): Shared {
  const { states, name } = slotOf(keys, data)
  const found = states.get(name) ?? new Shared(open())
  states.set(name, found)
  found.users++
  return found
}

/** A storage that each call reads is never stale, so there is no state to share. */
const isLive = (keys: Storage, data: Storage): boolean => isRead(keys) && isRead(data)

/** Whether calls read a storage itself, and no copy of it. */
const isRead = (storage: Storage): boolean => isSyncStorage(storage) && storage.isPending === undefined

/**
 * With the folders of the store in memory: witnesses first, for what they name was there before them. It has views of its
 * own, since the one that it was opened with may be closed while others use it.
 */
async function opened(keys: Storage, data: Storage): Promise<TrustState> {
  const options = { prefix: [storageNames().trust], isImmutable: isEntry }
  const copy = (storage: Storage): Promise<SyncStorage> => mirrored(groundOf(storage).reopen(), options)
  const place = { keys: await copy(keys), data: await copy(data), isFolder: true }
  return new TrustState(keys, data, place)
}

/** See the module. */
export class TrustState {
  readonly #keys: Storage
  readonly #data: Storage
  readonly #place: TrustPlace
  /** Whether the storage writes behind. Then decisions are decided again when they are written. */
  readonly #isBehind: boolean
  /** Once only decisions with a witness count, it stays so. */
  #isWitnessed = false
  /** The latest decision about an agent that was seen and makes sense. */
  readonly #seen = new Map<string, Counting>()
  /** Decisions that are on their way to a storage that has to be awaited; the latest one of each agent. */
  readonly #waiting = new Map<string, Decision>()
  #working: Promise<void> = Promise.resolve()

  constructor(keys: Storage, data: Storage, place: TrustPlace = { keys, data }) {
    this.#keys = keys
    this.#data = data
    this.#place = place
    this.#isBehind = !(isRead(place.keys) && isRead(place.data))
  }

  /** Whether decisions are written behind. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /**
   * What counts for an agent: bytes of its document or of a mark; `undefined` if nothing was ever decided. Who can wait does
   * so for a document that is on its way: it is refused where others have decided what it takes back.
   */
  *read(by: Decider, agentId: string): Operation<Uint8Array | undefined> {
    if (this.#waiting.get(agentId)?.document !== undefined) yield* perform(flushed({ flush: () => this.#working }))
    const waiting = this.#waiting.get(agentId)
    if (waiting !== undefined) return bytesOf(waiting)
    return (yield* this.#latest(by, agentId))?.bytes
  }

  /** The agents that were ever decided on. */
  *agents(): Operation<Set<string>> {
    return new Set([...this.#waiting.keys(), ...(yield* decidedOn(this.#place))])
  }

  /** Decides on what is stored and appends, until nobody else has decided in between. */
  *decide<T>(by: Decider, agentId: string, decision: Decision, judge: Judge<T>): Operation<T> {
    if (!this.#isBehind) return yield* this.#carryOut(by, agentId, decision, judge)
    const waiting = this.#waiting.get(agentId)
    const latest = waiting ? bytesOf(waiting) : (yield* this.#latest(by, agentId, isRemoval(decision)))?.bytes
    const answer = judge(trusted(latest))
    this.#send(by, agentId, decision, judge) // also what seems to be so already: it may not be so any more
    return answer
  }

  /** Has synchronous calls show what the storage holds now. */
  async refresh(): Promise<void> {
    if (!this.#isBehind) return
    await this.#working
    const { keys, data } = this.#place
    await keys.get(markerOf(this.#place))
    // What a witness names was there before it, so the decisions come after.
    for (const storage of [keys, data]) {
      for await (const key of foundKeys(storage.list(folderOf(this.#place)))) {
        if (isEntry(key)) await storage.get(key)
      }
    }
  }

  /** {@link refresh} where there is nothing to wait for. */
  refreshSync(): void {
    if (this.#isBehind) throw new SxError('SyncStorageUnavailable')
  }

  /** Resolves when all decisions are where they last, or have failed. */
  settled(): Promise<void> {
    return this.#working
  }

  /**
   * One agent less uses this.
   *
   * @param isClosing if it was the last one, nothing is read from memory any more
   */
  async release(isClosing: boolean): Promise<void> {
    const { states, name } = slotOf(this.#keys, this.#data)
    const found = states.get(name)
    if (found !== undefined) found.users--
    await this.#working
    if (found === undefined || found.users > 0 || states.get(name) !== found) return
    states.delete(name)
    if (this.#place.isFolder !== true || !isClosing) return
    try {
      await this.#place.data.close()
    } finally {
      await this.#place.keys.close()
    }
  }

  /** @param isRemoval also what is not what it was can be taken back */
  *#latest(by: Decider, agentId: string, isRemoval = false): Operation<Counting | undefined> {
    const seen = this.#seen.get(agentId)
    if (yield* this.#countsWitnesses()) {
      const before = seen?.witness === undefined ? undefined : seen
      const found = yield* readCounting(this.#place, agentId, before, isRemoval)
      if (found !== undefined && found !== before) this.#see(agentId, found)
      return found
    }
    const names = decisionsOn(this.#place, agentId)
    const entry = yield* readLatest(this.#place.data, names, seen?.number, ({ number, bytes }) => {
      if (isRemoval || seen === undefined || equalBytes(bytes, seen.bytes)) return
      throw new SxError('Rollback', `Entry ${number} of ${names.label} was replaced.`)
    })
    if (entry === undefined) return undefined
    const found = { ...entry, witness: undefined }
    // What makes no sense may be put right by its owner.
    const isSound = isMark(entry.bytes) || by.isDocumentOf(agentId, entry.bytes)
    if (isSound && !isPending(this.#place.data, names, entry.number)) this.#see(agentId, found)
    return found
  }

  *#countsWitnesses(): Operation<boolean> {
    if (this.#isWitnessed) return true
    const found = yield* isWitnessed(this.#place)
    const { keys } = this.#place
    this.#isWitnessed = found && !(isSyncStorage(keys) && keys.isPending?.(markerOf(this.#place)) === true)
    return found
  }

  /** Remembers a decision that lasts. */
  #see(agentId: string, found: Counting): void {
    if (found.bytes === BROKEN) return
    const seen = this.#seen.get(agentId)
    const { witness } = found
    if (witness === undefined) {
      if (seen?.witness === undefined) this.#seen.set(agentId, found)
    } else if (
      witness.number >= (seen?.witness?.number ?? 0) && // another call may have read on
      !isPending(this.#place.keys, witnessesOf(this.#place, agentId), witness.number)
    ) {
      this.#seen.set(agentId, found)
    }
  }

  /** @param shown what counts, where it was looked at already */
  *#carryOut<T>(by: Decider, agentId: string, decision: Decision, judge: Judge<T>, shown?: Counting): Operation<T> {
    if (!this.#isWitnessed) yield* upgrade(this.#place)
    const { data } = this.#place
    const names = decisionsOn(this.#place, agentId)
    let latest = shown
    /** The greatest number that is known to be taken by a decision that does not count. */
    let taken = 0
    for (;;) {
      latest ??= yield* this.#latest(by, agentId, isRemoval(decision))
      const known = trusted(latest?.bytes)
      const answer = judge(known)
      if (!changes(decision, known)) return answer
      const number = yield* nextNumber(this.#place, agentId, Math.max(latest?.number ?? 0, taken))
      const entry: Entry = { number, bytes: bytesOf(decision) }
      if (yield* append(data, names, entry)) {
        const k = (latest?.witness?.number ?? 0) + 1
        const own = yield* witness(this.#place, agentId, k, entry)
        if (own !== undefined) {
          // A copy in memory may know a later witness before its decision. Then it shows the latest one that was seen.
          if (this.#isBehind) this.#see(agentId, { ...entry, witness: own })
          return answer
        }
        taken = entry.number
      } else taken = (yield* readLatest(data, names, entry.number))?.number ?? entry.number
      latest = undefined
    }
  }

  /** Has a decision written behind, after those before it. If it is refused there, who decided is told. */
  #send<T>(by: Decider, agentId: string, decision: Decision, judge: Judge<T>): void {
    this.#waiting.set(agentId, decision)
    const settle = (): void => {
      if (this.#waiting.get(agentId) === decision) this.#waiting.delete(agentId)
    }
    // A removal is decided on what memory shows first, so that nothing has to be read before the write is under way: a
    // page may be left. A document could be found there that somebody else had put long before, and removed since.
    const write = (): Promise<T> => {
      const shown = isRemoval(decision) ? this.#shown(by, agentId) : undefined
      return runAsync(() => this.#carryOut(by, agentId, decision, judge, shown))
    }
    this.#working = this.#working.then(write).then(settle, (error: unknown) => {
      settle()
      by.fail(storageError(error))
    })
  }

  /** The latest decision that memory shows, if trust was there to be taken back; nothing where it cannot say. */
  #shown(by: Decider, agentId: string): Counting | undefined {
    try {
      const shown = runSync(() => this.#latest(by, agentId, true))
      if (shown?.witness === undefined || shown.bytes === BROKEN) return undefined
      return trusted(shown.bytes) === undefined ? undefined : shown
    } catch (error) {
      // The error of an earlier write is reported by the next call, and does not prevent a decision.
      if (isBelated(error)) by.fail(storageError(error))
      else letPass(error)
      return undefined
    }
  }
}

const isRemoval = ({ mark }: Decision): boolean => mark !== undefined
