/**
 * Signing while other processes may rotate the key. A rotation puts its intent, then draws its date, and then puts the
 * version of the agent document that names the new key. Whoever signs draws a date, then looks: where there is neither
 * intent nor version, every rotation to come is dated later. So nothing that was reported as done is undone (protocol,
 * section 12).
 *
 * @module
 */
import * as core from '#core'
import { asBelated } from '../belated.ts'
import { call } from '../core.ts'
import { isCurrent } from '../effects/entries.ts'
import { type EffectOf, kind, type Operation, perform } from '../effects.ts'
import { blankMoment, momentAt, now } from '../entropy.ts'
import { isVerdict, SxError, type SxErrorCode } from '../errors.ts'
import { limitsText } from '../limits.ts'
import { documentChain } from '../names.ts'
import { type Loaded, requireSigning } from '../session.ts'
import { readStoredAgent } from '../state/agent-identity.ts'
import type { Snapshot } from '../state/behind.ts'
import { isPendingAt, storedOf } from '../state/chain.ts'
import { readMade } from '../state/documents.ts'
import { ownKeyRevoked, rotated, type Standing } from '../state/own-document.ts'
import type { Key } from '../storage/contract.ts'
import { sign } from './signing.ts'

/** An intent that stands for so long without a version, and is not renewed, is taken for that of a process that died. */
const PATIENCE = 5_000
/** So long a call waits for rotations that go on. */
const LONGEST = 15_000
/** Between two looks. */
const PAUSE = 50
/** So often synchronous calls stop the process for that. */
const SYNC_PAUSES = 20

/**
 * Signs what is not stored, again if this process follows another key meanwhile. It looks whether the key was rotated,
 * unless it has just done so: a look takes a quarter of the time of a signature.
 *
 * @param make signs, given the date, Unix milliseconds
 * @throws SxError `KeyRevoked`, `Busy`
 */
export function signed<T>(loaded: Loaded, make: (at: number) => Operation<T>): Operation<T> {
  return signedBy(loaded, make, false)
}

/**
 * {@link signed} for what the core makes in one call.
 *
 * @param make given the handle of the signer, and the moment
 */
export function signedAtOnce<T>(loaded: Loaded, make: (signer: number, moment: Uint8Array) => T): Operation<T> {
  return signedBy(loaded, (at) => signAt(loaded, make, at), false)
}

function* signAt<T>(loaded: Loaded, make: (signer: number, moment: Uint8Array) => T, at: number): Operation<T> {
  const signing = requireSigning(loaded)
  const moment = momentAt(at, yield* perform(blankMoment))
  return yield* sign(signing, () => make(signing.signer.handle, moment))
}

function* signedBy<T>(loaded: Loaded, make: (at: number) => Operation<T>, isToStore: boolean): Operation<T> {
  const { own } = loaded
  for (;;) {
    const { dates } = requireSigning(loaded)
    const { keyId } = own.current
    const at = dates.next(yield* perform(now))
    const made = yield* make(at)
    if (!isToStore && own.hasLooked(at)) {
      requireSigning(loaded) // another call may have looked meanwhile
      if (own.current.keyId === keyId) return made
    } else if (yield* isStill(loaded, keyId)) {
      own.noteLook(at)
      return made
    }
  }
}

/** What was signed, as far as it matters here. */
interface Dated {
  readonly date: string
}

/** Where something that was signed is to stand. */
export type PlaceOf<One> = (made: One) => Key

/** Where a version of a document is to stand: at this number of its chain. */
export function versionPlace(number: number): PlaceOf<{ readonly id: string }> {
  return ({ id }) => documentChain(id).entry(number)
}

/**
 * Signs a document and stores it.
 *
 * @param make signs, given the date, Unix milliseconds
 * @param place where it is to stand
 * @param store puts it there; throws if the place is another's
 * @throws SxError `KeyRevoked`, `Busy`: also where the document was stored and does not count, or may not
 */
export function* signedAndStored<One extends Dated>(
  loaded: Loaded,
  place: PlaceOf<One>,
  make: (at: number) => Operation<One>,
  store: (made: One) => Operation<void>,
): Operation<One> {
  const all = (at: number): Operation<readonly [One]> => inList(make(at))
  const [made] = yield* allSignedAndStored<readonly [One]>(loaded, place, all, ([made]) => store(made))
  return made
}

function* inList<One>(making: Operation<One>): Operation<readonly [One]> {
  return [yield* making]
}

/**
 * Signs documents and stores them, all with one date and one look: what holds of one of them holds of all. See
 * {@link signedAndStored}.
 */
export function* allSignedAndStored<All extends readonly Dated[]>(
  loaded: Loaded,
  place: PlaceOf<All[number]>,
  make: (at: number) => Operation<All>,
  store: (made: All) => Operation<void>,
): Operation<All> {
  let keyId = ''
  const making = (at: number): Operation<All> => {
    ;({ keyId } = loaded.own.current)
    return make(at)
  }
  const made = yield* signedBy(loaded, making, true)
  const date = made.reduce((latest, one) => (one.date > latest ? one.date : latest), '')
  if (date === '') return made
  yield* dateBefore(loaded, keyId, { date, count: made.length })
  yield* store(made)
  yield* confirm(loaded, keyId, { date, places: made.map(place) })
  return made
}

/** What follows a version that is dated ahead may be dated after a rotation that this process has on its way. */
function* dateBefore(
  loaded: Loaded,
  keyId: string,
  { date, count }: { readonly date: string; readonly count: number },
): Operation<void> {
  const { dates } = requireSigning(loaded)
  const at = Date.parse(date)
  while (dates.bound <= at) yield* perform(pause)
  dates.note(date)
  if (loaded.own.current.keyId !== keyId && !counts(loaded, keyId, date)) throw undone(count)
}

/**
 * Whether a key is still the one that this process signs with, once no other process rotates it.
 *
 * @throws SxError `KeyRevoked` if another process has rotated it; `Busy`
 */
export function* isStill(loaded: Loaded, keyId: string): Operation<boolean> {
  const { own } = loaded
  const waiting = new Waiting()
  for (;;) {
    const standing = yield* lookAtOthers(loaded)
    if (own.current.keyId !== keyId) return false
    if (standing === 'current' || standing === 'own') return true
    if (standing === 'rotated') throw rotated()
    yield* wait(loaded, waiting)
  }
}

/**
 * What stands after the current version. A rotation of this process is dated after all that is signed here, and counts as
 * its `own` if it is what stands there: it may also have lost its place already.
 */
function* lookAtOthers(loaded: Loaded): Operation<Standing | 'own'> {
  const { own } = loaded
  const standing = yield* own.look()
  if (standing !== 'rotating') return standing
  const dates = loaded.signing?.dates
  const { keyId, version } = own.latest
  if (keyId !== own.current.keyId) return dates?.isOwnVersion(version) === true ? 'own' : 'rotated'
  return dates?.isOwnIntent(own.intent) === true ? 'own' : 'rotating'
}

/** What was stored, and the latest of the dates. */
interface Stored {
  readonly places: readonly Key[]
  readonly date: string
}

/**
 * Looks once more when documents are stored: an intent that was put in between may belong to a rotation whose clock is
 * behind, and which has not seen them.
 */
function* confirm(loaded: Loaded, keyId: string, { places, date }: Stored): Operation<void> {
  const { own, documents } = loaded
  if (places.some((place) => isPendingAt(documents.storage, place))) {
    loaded.behind.note(keyId, date)
    return
  }
  try {
    const standing = yield* awaitRotation(loaded)
    if (standing === 'current' && own.current.keyId === keyId) return
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    const [isBusy, count] = [error.code === 'Busy', places.length]
    if (count > 1 && !isVerdict(error.code)) {
      throw new SxError(error.code, isBusy ? MANY_STORED : storedOf(error.found, count, count), { cause: error })
    }
    if (error.code === 'KeyRevoked' && counts(loaded, keyId, date)) return
    if (!isBusy) throw error
    throw new SxError('Busy', 'The document was stored, but the key is being rotated. Verify it before you use it.')
  }
  if (!counts(loaded, keyId, date)) throw undone(places.length)
}

const MANY_STORED = 'Documents were stored, but the key is being rotated. Verify them before you use them.'

/**
 * Looks once more at what was written behind, when it is stored: see {@link confirm}. Breaks off the rotation of a process
 * that died, also for synchronous calls that could not.
 *
 * @param behind what that is
 * @param isEnding whether the agent is being closed, and signs nothing any more
 * @throws SxError `KeyRevoked`, `Busy`
 */
export function* confirmBehind(loaded: Loaded, behind: Snapshot, isEnding: boolean): Operation<void> {
  const { own } = loaded
  try {
    yield* own.follow()
    if (!own.isRevoked) yield* awaitRotation(loaded, isEnding)
  } catch (error) {
    if (isCode(error, 'Busy') && behind.dates.size > 0) throw new SxError('Busy', MANY_STORED)
    if (!isCode(error, 'KeyRevoked')) throw error // the key is no longer current: from when on decides
  }
  loaded.behind.isBlocked = false
  if (!loaded.behind.decide(behind, (keyId, date) => counts(loaded, keyId, date))) {
    const found = `The key of the agent ${loaded.id} was revoked while its documents were being written to the storage. They do not count.`
    throw asBelated(ownKeyRevoked(found, 'Load the agent again, and sign the documents again.'))
  }
}

/**
 * Waits while another process rotates the key.
 *
 * @param isEnding whether this process signs nothing any more
 */
function* awaitRotation(loaded: Loaded, isEnding = false): Operation<Standing | 'own'> {
  const waiting = new Waiting()
  for (;;) {
    const standing = yield* lookAtOthers(loaded)
    if (standing !== 'rotating') return standing
    yield* wait(loaded, waiting, isEnding)
  }
}

const isCode = (error: unknown, code: SxErrorCode): boolean => error instanceof SxError && error.code === code

function undone(count: number): SxError {
  const found =
    count === 1
      ? 'The key was rotated while the document was stored. The document does not count.'
      : 'The key was rotated while the documents were stored. The documents do not count.'
  return ownKeyRevoked(found, `Load the agent again, and sign the document${count === 1 ? '' : 's'} again.`)
}

/** Whether a signature by an own key counts, as far as the key's revocation goes. */
function counts({ id, ring }: Loaded, keyId: string, date: string): boolean {
  return call(() => core.keyCounts(ring.handle, id, keyId, date))
}

/** The pauses of one call, counted as well as timed, since the clock may be set back. */
class Waiting {
  #sighting: object | undefined
  /** All of them. */
  count = 0
  /** Those since the intent was put or renewed. */
  unchanged = 0

  see(sighting: object | undefined): void {
    if (sighting !== this.#sighting) this.unchanged = 0
    this.#sighting = sighting
    this.count++
    this.unchanged++
  }
}

const FOUND_LEFT = "Another process began to rotate the agent's key, and seems to have died."
const AWAIT = 'Await flush(), or any function that signs, and try again.'

/** Lets a rotation that is on its way come to its end. One of a process that died is broken off by who can sign. */
function* wait(loaded: Loaded, waiting: Waiting, isEnding = false): Operation<void> {
  const { own } = loaded
  const { count } = waiting
  waiting.see(own.sighting)
  if (own.rotatingFor(yield* perform(now)) < PATIENCE && waiting.unchanged * PAUSE < PATIENCE) {
    if (count * PAUSE >= LONGEST) throw busy()
    return yield* perform(pauseAfter(count))
  }
  if (isEnding || loaded.signing === undefined) throw busy()
  if (!(yield* perform(isCurrent(loaded.documents.storage)))) {
    // A version that is written behind can lose to the rotation later, when signatures are already handed out.
    loaded.behind.isBlocked = true
    throw new SxError('Busy', FOUND_LEFT, { advice: AWAIT })
  }
  yield* breakOff(loaded)
}

const PAUSING = /* @__PURE__ */ kind('pause', {
  async: ({ milliseconds }) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  sync: ({ milliseconds, isHeld }) => {
    if (!isHeld) throw busy()
    try {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
    } catch {
      throw busy() // a page must not be stopped
    }
  },
})

/** Waits for other work of this process; a synchronous call cannot. */
export const pause: EffectOf<'pause'> = { kind: PAUSING, milliseconds: PAUSE, isHeld: false }

/**
 * Waits for other processes.
 *
 * @param times how often that was done already: a synchronous call ends soon
 */
function pauseAfter(times: number): EffectOf<'pause'> {
  return times >= SYNC_PAUSES ? pause : { kind: PAUSING, milliseconds: PAUSE, isHeld: true }
}

function busy(): SxError {
  return new SxError('Busy', "The agent's key is being rotated.")
}

/**
 * Takes the place of the version that a rotation means to put, with one that changes nothing. The rotation has lost then,
 * if it still goes on.
 */
function* breakOff(loaded: Loaded): Operation<void> {
  const { own, options, documents } = loaded
  yield* own.catchUp()
  const { number, text, version } = own.current
  const signing = requireSigning(loaded)
  const at = signing.dates.next(yield* perform(now))
  const moment = momentAt(at, yield* perform(blankMoment))
  const isSame = (): boolean => own.current.version === version // no other call has broken it off
  const answer = yield* sign(signing, () =>
    isSame() ? core.agentUpdate(signing.signer.handle, text, moment) : undefined,
  )
  if (answer === undefined || !isSame()) return
  const made = readMade(answer)
  const identity = readStoredAgent(made.raw, limitsText(options.limits))
  if (!(yield* documents.append(made, number + 1)) || !isSame()) return
  own.advance({ number: number + 1, text: made.raw, ...identity })
}
