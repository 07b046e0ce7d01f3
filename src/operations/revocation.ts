/** Revocations that are made in advance, and applied without the key (protocol, section 7). */
import * as core from '#core'
import { isBelated } from '../belated.ts'
import { text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { blankMoment, momentAt, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { refuseMistaken } from '../json-text.ts'
import { flag } from '../options.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../session.ts'
import { readStated, type Stated } from '../state/own-revocations.ts'
import { StoredDates } from '../state/stored-dates.ts'
import type { RevocationOptions, RevokeByStatement } from '../types.ts'
import { changeOwn, published } from './agents.ts'
import { clockBehind, dateAfterAll, isAhead } from './clocks.ts'
import { isStill, pause } from './current-key.ts'
import { sign } from './signing.ts'

/** `createRevocation`: the current key states that it is revoked, for the day on which it cannot. */
export function* createRevocation(session: Session, options: RevocationOptions = {}): Operation<string> {
  const loaded = requireLoaded(session)
  const { keyId, reason = 'compromised' } = options
  const id = keyId === undefined ? undefined : text(keyId, 'keyId')
  const why = text(reason, 'reason')
  for (;;) {
    const signing = requireSigning(loaded)
    const current = loaded.own.current.keyId
    const at = yield* dateOf(loaded, why)
    const moment = momentAt(at, yield* perform(blankMoment))
    const state = (): string => core.agentStateRevocation(signing.signer.handle, id, why, moment)
    const statement = yield* sign(signing, state)
    // A rotation of this process may stand in the storage before this process has followed it.
    if ((yield* isStill(loaded, current)) && loaded.own.latest.keyId === current) return statement
    if (loaded.own.isRotating) yield* perform(pause)
  }
}

/**
 * From when on a revocation counts that is made now.
 *
 * @throws SxError `ClockBehind`
 */
function* dateOf(loaded: Loaded, reason: string): Operation<number> {
  if (reason === 'compromised') return yield* perform(now)
  const stored = new StoredDates(loaded.documents, loaded.id)
  yield* stored.read()
  const how = "If this clock is right, use the reason 'compromised', which ignores dates."
  return yield* dateAfterAll(loaded, stored.latest, how)
}

/** Longer than any statement. */
const LONGEST = 1 << 16

/** `revokeKey` by a statement, about a key of this agent or of a trusted one. */
export function* revokeByStatement(session: Session, given: RevokeByStatement): Operation<string> {
  try {
    return yield* apply(session, given)
  } catch (error) {
    if (!(error instanceof SxError) || error.code !== 'InvalidDocument' || isBelated(error)) throw error
    const advice = 'Pass the text that createRevocation returned, unchanged.'
    throw new SxError(error.code, error.found, { cause: error, advice })
  }
}

function* apply(session: Session, { statement, force }: RevokeByStatement): Operation<string> {
  const loaded = requireLoaded(session)
  const stated = readStated(refuseMistaken(text(statement, 'statement', LONGEST)))
  const applied = yield* appliedAt(stated, flag('force', force))
  if (stated.agentId === loaded.id) return yield* revokeOwn(loaded, stated, applied)
  yield* loaded.trust.revoke(stated.agentId, stated.text, applied)
  const document = yield* loaded.trust.document(stated.agentId)
  if (document === undefined) throw new SxError('NotFound', 'This agent is no longer trusted.')
  return document
}

/**
 * When a revocation is applied, if that is what it counts from: its own date is of a clock that was ahead.
 *
 * @throws SxError `ClockBehind`
 */
function* appliedAt({ date, reason }: Stated, isForced: boolean): Operation<string | undefined> {
  const present = yield* perform(now)
  const from = Date.parse(date)
  if (reason === 'compromised' || !isAhead(from, present)) return undefined
  if (isForced) return new Date(present).toISOString()
  const how =
    'Until then, signatures of its key stay valid. If this clock is right, pass `force: true`: the revocation then counts from now on.'
  throw clockBehind('This revocation has', from, present, how)
}

/** An earlier key is revoked in the agent document, if this process can sign that. Else the statement stands beside it. */
function* revokeOwn(
  loaded: Loaded,
  { keyId, text: statement }: Stated,
  applied: string | undefined,
): Operation<string> {
  const { own } = loaded
  yield* own.follow()
  const isCurrent = own.latest.keyId === keyId
  if (isCurrent || loaded.signing === undefined || own.isOvertaken || own.isRevoked) {
    yield* own.revoke(statement, applied)
    return published(loaded).text
  }
  return yield* changeOwn(loaded, (signing, moment) =>
    core.agentRevokeAsStated(signing.signer.handle, statement, applied, moment),
  )
}
