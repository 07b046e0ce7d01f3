import { agreementModule, type Judged, withinLimits } from '../../agreements/module.ts'
import { LONGEST_TEXT, text } from '../../core.ts'
import { type Operation, perform } from '../../effects.ts'
import { now } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { type Loaded, requireLoaded, type Session } from '../../session.ts'
import { storeAgreement } from '../../state/agreements.ts'
import type { AgreementCopy, AgreementResult, VerifyAgreementOptions } from '../../types.ts'
import { copyOf, refuseIncomplete, refuseInvalid, refuseUnknownProposal } from './act.ts'
import { historyOf } from './history.ts'
import { keysIn } from './keys.ts'
import { type AtHand, askCore, judge, openAgreement } from './open.ts'
import { received, refuseDamaged } from './received.ts'
import { unprovedIn } from './unproved.ts'
import { untrustedIn } from './untrusted.ts'
import { unverifiedIn } from './unverified.ts'

/** `verifyAgreement` */
export function* verifyAgreement(
  session: Session,
  agreement: unknown,
  { now: given, keys }: VerifyAgreementOptions = {},
): Operation<AgreementResult> {
  const loaded = requireLoaded(session)
  const named = keysIn(keys)
  const at = given === undefined ? yield* perform(now) : instant(given)
  const opened = yield* openAgreement(loaded, agreement)
  const question = yield* askCore(loaded, opened, at, named)
  const judged = yield* judge(loaded, at, opened, question)
  const { signers } = question
  const history = historyOf(opened, judged)
  const untrusted = yield* untrustedIn(loaded, at, opened, question, judged, history)
  const unproved = unprovedIn(judged, history, at)
  return frozen({ ...judged, history, signers, untrusted, unproved })
}

/** The last millisecond of the year 9999. */
const LATEST = 253_402_300_799_999

function instant(given: number | Date | string): number {
  const at = given instanceof Date ? given.getTime() : typeof given === 'string' ? Date.parse(given) : given
  if (Number.isSafeInteger(at) && at >= 0 && at <= LATEST) {
    // What other texts mean depends on the runtime and its time zone.
    if (typeof given !== 'string' || new Date(at).toISOString() === given) return at
  }
  const forms = 'a date such as 2026-01-31T12:00:00.000Z, a Date, or Unix milliseconds, from 1970 to 9999'
  throw new SxError('InvalidOption', `The option 'now' is not ${forms}.`)
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}

/** `mergeAgreements` */
export function* mergeAgreements(_: Session, copies: unknown): Operation<string> {
  if (!Array.isArray(copies) || copies.length === 0) {
    throw new SxError('InvalidOption', "The argument 'copies' is not an array with at least one copy.")
  }
  const module = yield* perform(agreementModule)
  return module.open(copies.map((copy, at) => withinLimits(() => text(copy, `copies[${at}]`, LONGEST_TEXT)))).raw
}

/** `importAgreement` */
export function* importAgreement(session: Session, copy: unknown): Operation<AgreementCopy> {
  const loaded = requireLoaded(session)
  const opened = yield* openAgreement(loaded, copy)
  const at = yield* perform(now)
  const question = yield* askCore(loaded, opened, at)
  const judged = yield* judge(loaded, at, opened, question)
  refuseInvalid(judged)
  if (opened.kept === undefined) yield* refuseDraft(loaded, opened, judged)
  yield* refuseDamaged(loaded, at, opened, question)
  yield* storeAgreement(loaded.documents.storage, opened.id, opened.terms, received(opened, question))
  return copyOf(opened, opened.raw, judged.status, unverifiedIn(opened, question, judged))
}

/**
 * Nobody has signed the terms of a draft. Stored, changed ones would keep the agreement itself from being stored, because
 * both have the same id.
 */
function* refuseDraft(loaded: Loaded, opened: AtHand, judged: Judged): Operation<void> {
  if (judged.status !== 'draft') return
  yield* refuseIncomplete(loaded, opened, judged)
  refuseUnknownProposal(opened, judged)
  if (historyOf(opened, judged).some(({ type, code }) => type === 'propose' && code === 'KeyRevoked')) {
    const found = 'The key that signed the proposal was revoked, so the copy is not stored.'
    throw new SxError('InvalidAgreement', found, { advice: 'Ask a party to propose it again.' })
  }
  const advice =
    'If you do not trust the proposing agent yet, trust it. Otherwise ask the sender for the proposed agreement. To propose it yourself, pass the copy to proposeAgreement.'
  throw new SxError('InvalidAgreement', 'The copy has no valid proposal of its terms, and was not stored.', { advice })
}

/** `getAgreement` */
export function* getAgreement(session: Session, id: unknown): Operation<string> {
  return (yield* openAgreement(requireLoaded(session), id)).raw
}
