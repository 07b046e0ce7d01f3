/**
 * Witnesses: which decisions about trust count. Decisions stand in the data directory, their witnesses in the key
 * directory (protocol, section 12). So who can write only the data directory adds no trust and takes none back.
 *
 * @module
 */
import * as core from '#core'
import { isBelated, letPass } from '../belated.ts'
import { encode, equalBytes } from '../bytes.ts'
import { call } from '../core.ts'
import { cursor, get, isCurrent, putIfAbsent } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { type ChainNames, names, readEntryName, readWitnessName, trustChain, witnessChain } from '../names.ts'
import type { Key, Storage } from '../storage/contract.ts'
import { append, claim, type Entry, missing, readEntry, readLatest } from './chain.ts'

/** Where the trust store stands. */
export interface TrustPlace {
  /** The key directory. */
  readonly keys: Storage
  /** The data directory. */
  readonly data: Storage
  /** Both are not the directories, but the folders `trust` in them. */
  readonly isFolder?: boolean
}

/** The decision on an agent that counts. */
export interface Counting extends Entry {
  /** What says so; missing in a store from before there were witnesses. */
  readonly witness: Entry | undefined
}

/** In the place of a decision that is missing or was changed: trust can still be removed. */
export const BROKEN: Uint8Array = new Uint8Array()

const within = ({ isFolder }: TrustPlace, key: Key): Key => (isFolder === true ? key.slice(1) : key)

function placed(place: TrustPlace, chain: ChainNames): ChainNames {
  return {
    label: chain.label,
    entry: (number) => within(place, chain.entry(number)),
    latest: () => within(place, chain.latest()),
  }
}

/** The chain of the decisions on an agent. */
export const decisionsOn = (place: TrustPlace, agentId: string): ChainNames => placed(place, trustChain(agentId))

/** The chain of the witnesses for an agent. */
export const witnessesOf = (place: TrustPlace, agentId: string): ChainNames => placed(place, witnessChain(agentId))

/** The entry that says that trust is witnessed here. */
export const markerOf = (place: TrustPlace): Key => within(place, [names().trust, names().witnessed])

/** The folder of decisions, and of witnesses. */
export const folderOf = (place: TrustPlace): Key => within(place, [names().trust])

/** Whether only decisions count that have a witness. Once it is so, it stays so. */
export function* isWitnessed(place: TrustPlace): Operation<boolean> {
  return (yield* perform(get(place.keys, markerOf(place)))) !== undefined
}

/** The agents that have an entry in a folder, with the numbers of their entries. */
export function* agentsIn(
  storage: Storage,
  folder: Key,
  read: typeof readEntryName,
): Operation<Map<string, Set<number>>> {
  const agents = new Map<string, Set<number>>()
  const next = cursor(storage, folder)
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const entry = key.length === folder.length + 1 ? read(key.at(-1)) : undefined
    if (entry === undefined) continue
    const numbers = agents.get(entry.id) ?? new Set()
    agents.set(entry.id, numbers.add(entry.number))
  }
  return agents
}

/** The agents that were decided on, where trust is witnessed or from before. */
export function* decidedOn(place: TrustPlace): Operation<Iterable<string>> {
  const isNew = yield* isWitnessed(place)
  const found = isNew
    ? yield* agentsIn(place.keys, folderOf(place), readWitnessName)
    : yield* agentsIn(place.data, folderOf(place), readEntryName)
  return found.keys()
}

/** What to do where a witness is gone. */
export const WITNESS_LOST =
  'Restore the key directory from a copy made after the last decision about the agent. Until then, its trust status is unknown.'

/**
 * The decision on an agent that has the latest witness.
 *
 * @param seen what had it before; its bytes are not read again
 * @param isRemoval gives also what is missing or was changed, as {@link BROKEN}
 * @throws SxError `Rollback` if the decision is missing; `CorruptStore` if it was changed, or its witness is damaged;
 *   `SyncStorageUnavailable` if a copy in memory has the witness alone, so that only the storage below can tell
 */
export function* readCounting(
  place: TrustPlace,
  agentId: string,
  seen?: Counting,
  isRemoval = false,
): Operation<Counting | undefined> {
  const known = seen?.witness
  const chain = witnessesOf(place, agentId)
  let witness: Entry | undefined
  try {
    witness = yield* readLatest(place.keys, chain, known?.number, ({ number, bytes }) => {
      if (isRemoval || known === undefined || equalBytes(bytes, known.bytes)) return
      throw new SxError('Rollback', `Entry ${number} of ${chain.label} was replaced.`)
    })
  } catch (error) {
    if (!(error instanceof SxError) || error.code !== 'Rollback' || isBelated(error)) throw error
    throw new SxError(error.code, error.found, { cause: error, advice: WITNESS_LOST })
  }
  if (witness === undefined) return undefined
  if (known?.number === witness.number && equalBytes(known.bytes, witness.bytes)) return seen
  const broken = (): Counting => ({ number: namedBy(agentId, witness), bytes: BROKEN, witness })
  let entry: Entry | undefined
  try {
    entry = yield* checkWitness(place, agentId, witness)
  } catch (error) {
    if (!isRemoval || !isDamaged(error)) throw error
    return broken()
  }
  if (entry !== undefined) return { ...entry, witness }
  if (seen !== undefined) return seen
  // An earlier decision may be one that was taken back, and none at all may be one that is trusted.
  if (isRemoval) return broken()
  const entryOf = `entry ${namedBy(agentId, witness)} of ${decisionsOn(place, agentId).label}`
  const found = `The in-memory copy lacks ${entryOf}. Call \`refresh\` to read it from the storage.`
  throw new SxError('SyncStorageUnavailable', found)
}

/**
 * The decision that a witness names; `undefined` from a copy in memory, which may know the witness a moment before it.
 *
 * @throws SxError `Rollback` if it is missing; `CorruptStore` if it was changed, or the witness is damaged
 */
export function* checkWitness(place: TrustPlace, agentId: string, witness: Entry): Operation<Entry | undefined> {
  const number = call(() => core.trustWitnessRead(agentId, witness.bytes))
  const names = decisionsOn(place, agentId)
  const entry = yield* readEntry(place.data, names, number)
  if (entry === undefined) {
    if (!(yield* perform(isCurrent(place.data)))) return undefined
    const advice = 'Restore it from a backup. To continue without it, call untrustAgent, then trustAgent.'
    throw missing(names, number, advice)
  }
  if (equalBytes(witness.bytes, statement(agentId, entry))) return entry
  const found = `The trusted document of ${agentId} is damaged: entry ${number} of ${names.label} was changed.`
  throw new SxError('CorruptStore', found)
}

/** The number that a witness names; 0 if it is damaged. */
function namedBy(agentId: string, { bytes }: Entry): number {
  try {
    return call(() => core.trustWitnessRead(agentId, bytes))
  } catch (error) {
    letPass(error)
    return 0
  }
}

/** Failures of an entry, not of the storage. */
const DAMAGES: readonly string[] = ['CorruptStore', 'LinkRefused', 'Rollback']

/** Whether a decision or its witness is damaged or missing. Other failures say nothing of them. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof SxError && DAMAGES.includes(error.code) && !isBelated(error)

/** What counts of an agent, for those who keep nothing in memory. */
export function* readDecision(place: TrustPlace, agentId: string): Operation<Entry | undefined> {
  if (yield* isWitnessed(place)) return yield* readCounting(place, agentId)
  return yield* readLatest(place.data, decisionsOn(place, agentId))
}

const statement = (agentId: string, { number, bytes }: Entry): Uint8Array =>
  encode(call(() => core.trustWitness(agentId, number, bytes)))

/**
 * Has a decision count, as witness `k`. This is the moment of the decision.
 *
 * @returns the witness; `undefined` if somebody else's has the place
 * @throws SxError the code of the storage if the key directory does not take it
 */
export function* witness(place: TrustPlace, agentId: string, k: number, decision: Entry): Operation<Entry | undefined> {
  const entry: Entry = { number: k, bytes: statement(agentId, decision) }
  try {
    return (yield* append(place.keys, witnessesOf(place, agentId), entry)) ? entry : undefined
  } catch (error) {
    throw unwritten(error)
  }
}

function* putMarker(place: TrustPlace): Operation<void> {
  const bytes = encode(call(() => core.trustWitnessMarker()))
  try {
    yield* perform(putIfAbsent(place.keys, markerOf(place), bytes))
  } catch (error) {
    throw unwritten(error)
  }
}

/** Says of a failure that it was the key directory's: people look for a decision in the data directory. */
function unwritten(error: unknown): unknown {
  if (!(error instanceof SxError) || error.code === 'Internal' || isBelated(error)) return error
  const found = 'The witness of a decision about trust could not be written to the key directory.'
  return new SxError(error.code, `${found} ${error.found}`, { cause: error })
}

/**
 * Witnesses what counts in a store from before there were witnesses. Whoever dies in between has changed nothing; two at
 * once do the same.
 */
export function* upgrade(place: TrustPlace): Operation<void> {
  if (yield* isWitnessed(place)) return
  for (const [agentId, numbers] of yield* agentsIn(place.data, folderOf(place), readEntryName)) {
    yield* witness(place, agentId, 1, yield* latestOrMissing(place, agentId, numbers))
  }
  yield* putMarker(place)
}

/** The latest decision of a chain; of one that is not whole the one that is missing, so that it stays an error. */
function* latestOrMissing(place: TrustPlace, agentId: string, numbers: ReadonlySet<number>): Operation<Entry> {
  try {
    const latest = yield* readLatest(place.data, decisionsOn(place, agentId))
    if (latest !== undefined) return latest
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  return { number: firstFree(numbers), bytes: BROKEN }
}

/** The least number that no entry has. */
function firstFree(numbers: ReadonlySet<number>): number {
  let free = 1
  while (numbers.has(free)) free++
  return free
}

/**
 * The number for a decision that follows another one. Where that one is lost it is the first that is free: the data may be
 * older than the witnesses, and no decision leaves a gap.
 *
 * @param before the number of the decision that it follows; 0 if there is none
 */
export function* nextNumber(place: TrustPlace, agentId: string, before: number): Operation<number> {
  if (before === 0 || (yield* isThere(place, agentId, before))) return before + 1
  const numbers = (yield* agentsIn(place.data, folderOf(place), readEntryName)).get(agentId)
  return firstFree(numbers ?? new Set())
}

/** Whether a decision has its place, readable or not. */
function* isThere(place: TrustPlace, agentId: string, number: number): Operation<boolean> {
  try {
    return (yield* readEntry(place.data, decisionsOn(place, agentId), number)) !== undefined
  } catch (error) {
    if (!isDamaged(error)) throw error
    return true
  }
}

/** In the place of an earlier decision that is lost: see {@link fillGaps}. */
export const lostMark = (): Uint8Array => encode(call(() => core.trustLostMark()))

/**
 * Puts a tombstone in the place of each decision that is missing before one that counts, so that the chain is whole. No
 * witness names one, so none of them counts.
 *
 * @returns whether any was missing
 */
export function* fillGaps(
  place: TrustPlace,
  agentId: string,
  numbers: ReadonlySet<number>,
  counting: number,
): Operation<boolean> {
  let isFilled = false
  for (let number = 1; number < counting; number++) {
    if (numbers.has(number)) continue
    isFilled = (yield* claim(place.data, decisionsOn(place, agentId).entry(number), lostMark())) || isFilled
  }
  return isFilled
}

/**
 * Says of a new agent's place that trust is witnessed there. What stands in its data directory already was put there by
 * somebody else and does not count, unless other agents have decided there before there were witnesses.
 *
 * @param hasOthers whether the key directory serves other agents
 */
export function* markFresh(place: TrustPlace, hasOthers: boolean): Operation<void> {
  const isOthers = hasOthers && (yield* agentsIn(place.data, folderOf(place), readEntryName)).size > 0
  if (!isOthers) yield* putMarker(place)
}

/**
 * Witnesses the decisions that an import has restored, after its commit. It may be done again: what has a witness keeps
 * it.
 *
 * @param entries all that were restored, of each agent the latest one counts
 */
export function* witnessRestored(place: TrustPlace, entries: Iterable<readonly [string, Entry]>): Operation<void> {
  const latest = new Map<string, Entry>()
  for (const [agentId, entry] of entries) {
    if (entry.number > (latest.get(agentId)?.number ?? 0)) latest.set(agentId, entry)
  }
  for (const [agentId, entry] of latest) {
    if (yield* witness(place, agentId, 1, entry)) continue
    throw new SxError('AlreadyExists', `The key directory has another decision about ${agentId}.`)
  }
  yield* putMarker(place)
}
