import * as core from '#core'
import { type Judged, withinLimits } from '../../agreements/module.ts'
import { call } from '../../core.ts'
import { type Operation, perform } from '../../effects.ts'
import { blankMoment, momentAt, now } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { agreementEntry } from '../../names.ts'
import { type Loaded, requireLoaded, requireSigning, type Session } from '../../session.ts'
import { storeAgreement } from '../../state/agreements.ts'
import { lacking } from '../../state/chain.ts'
import type { AgreementCopy, AgreementRole, AgreementTerms } from '../../types.ts'
import { signedAndStored, signed as signedNow } from '../current-key.ts'
import { sign } from '../signing.ts'
import { historyOf } from './history.ts'
import { type AtHand, askCore, judge, openAgreement, type Question } from './open.ts'
import { received, refuseDamaged } from './received.ts'
import { unverifiedIn } from './unverified.ts'

/** What an agent does in an agreement. */
export interface Act {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  readonly noSave: boolean
  /** The id of the agreement that it calls a successor. */
  readonly successor?: string
}

/** An event, as the core makes it. */
interface MadeEvent {
  readonly id: string
  readonly date: string
  readonly raw: string
}

/** Signs an event, stores it with the agreement, and hands the agreement out. */
export function* act(
  session: Session,
  agreement: unknown,
  { type, data, noSave, successor }: Act,
): Operation<AgreementCopy> {
  const loaded = requireLoaded(session)
  const opened = yield* openAgreement(loaded, agreement)
  const at = yield* perform(now)
  const ask = function* (): Operation<Asked> {
    const question = yield* askCore(loaded, opened, at)
    const { held } = loaded.own
    const before = yield* judge(loaded, at, opened, question)
    yield* refuseIncomplete(loaded, opened, before)
    refuseTooMany(before)
    if (!noSave) yield* refuseDamaged(loaded, at, opened, question)
    const role = roleFor(before, loaded.id, data['for'])
    const draft = JSON.stringify({ agreementHash: opened.hash, data, role, seen: before.heads, type })
    return { held, question, before, draft }
  }
  let asked = yield* ask()
  let { raw } = opened
  let { status } = asked.before
  const make = function* (date: number): Operation<MadeEvent> {
    for (;;) {
      while (mayAskAgain(loaded, asked)) asked = yield* ask()
      const { question, draft } = asked
      const signing = requireSigning(loaded)
      const moment = momentAt(date, yield* perform(blankMoment))
      const event = (isDraft: boolean): string => core.agreementEvent(signing.signer.handle, draft, isDraft, moment)
      // Nobody is asked for a signature that has no effect.
      const unsigned = readEvent(withinLimits(() => call(() => event(true))))
      const after = yield* judge(loaded, at, opened, question, { raw: unsigned.raw, successor })
      refuseIgnored(after, unsigned.id, type, opened)
      status = after.status
      const made = readEvent(yield* sign(signing, () => event(false)))
      if (mayAskAgain(loaded, asked)) continue
      ;({ raw } = withEvent(opened, made.raw)) // too large, it is refused before it is stored
      return made
    }
  }
  const place = ({ id }: MadeEvent): ReturnType<typeof agreementEntry> => agreementEntry(opened.id, id)
  const made = noSave
    ? yield* signedNow(loaded, make)
    : yield* signedAndStored(loaded, place, make, (event) => store(loaded, opened, asked.question, event))
  if (isBehind(loaded, asked)) status = yield* statusOf(loaded, at, raw)
  return copyOf(opened, raw, status, unverifiedIn(opened, asked.question, asked.before), made)
}

/** What is known of an agreement before an event is made. */
interface Asked {
  /** The own agent document that decided about the own events. */
  readonly held: string
  readonly question: Question
  readonly before: Judged
  readonly draft: string
}

/** Whether a key of the agent was rotated or revoked since, by another call or process. */
const isBehind = ({ own }: Loaded, { held }: Asked): boolean => own.held !== held

/** Whether to ask again before signing. If the key is no longer the agent's, signing itself fails with the reason. */
const mayAskAgain = (loaded: Loaded, asked: Asked): boolean =>
  isBehind(loaded, asked) && !loaded.own.isRevoked && !loaded.own.isOvertaken

/** The status of an agreement now. */
function* statusOf(loaded: Loaded, at: number, raw: string): Operation<Judged['status']> {
  const opened = yield* openAgreement(loaded, raw)
  return (yield* judge(loaded, at, opened, yield* askCore(loaded, opened, at))).status
}

function readEvent(answer: string): MadeEvent {
  const date = answer.indexOf('\n')
  const id = answer.indexOf('\n', date + 1)
  return { id: answer.slice(date + 1, id), date: answer.slice(0, date), raw: answer.slice(id + 1) }
}

/** The agreement with one more event. */
function withEvent({ module, raw, terms }: AtHand, event: string): { readonly raw: string } {
  return module.open([raw, `{"events":[${event}],"terms":${terms}}`])
}

export function copyOf(
  { id, hash }: Pick<AtHand, 'id' | 'hash'>,
  raw: string,
  status: Judged['status'],
  unverified: AgreementCopy['unverified'],
  made?: MadeEvent,
): AgreementCopy {
  return Object.freeze({
    raw,
    agreementId: id,
    agreementHash: hash,
    status,
    eventId: made?.id,
    timestamp: made?.date,
    unverified: Object.freeze(unverified.map((event) => Object.freeze(event))),
  })
}

/** Stores what is new of an agreement, the new event last. */
function* store(loaded: Loaded, opened: AtHand, question: Question, event: MadeEvent): Operation<void> {
  const events = [...received(opened, question), event.id, event.raw]
  yield* storeAgreement(loaded.documents.storage, opened.id, opened.terms, events)
}

/** @throws SxError `InvalidAgreement`; `UnknownSigner` if the keys of all parties that have signed something are unknown */
export function refuseInvalid({ status, errors }: Judged): void {
  if (status !== 'invalid') return
  const [error] = errors
  throw new SxError(error?.code === 'UnknownSigner' ? error.code : 'InvalidAgreement', error?.message)
}

/**
 * @throws SxError `InvalidAgreement` also for an agreement that lacks an event; `SyncStorageUnavailable` if only a copy in
 *   memory may lack it
 */
export function* refuseIncomplete(loaded: Loaded, { id, kept }: AtHand, judged: Judged): Operation<void> {
  refuseInvalid(judged)
  const [event] = judged.missing
  if (event === undefined) return
  const code = judged.events.ignored.find(({ eventId }) => eventId === event)?.code
  if (isOfUnknownKey(code)) throw unknownKey(`${event}, to which another event refers,`, code)
  const found = `The agreement lacks the event ${event}, to which another event refers.`
  const advice = 'Get a complete copy from another party, and merge it.'
  const refusal = new SxError('InvalidAgreement', found, { advice })
  if (kept === undefined) throw refusal
  throw yield* lacking(loaded.documents.storage, agreementEntry(id, event).join('/'), refusal)
}

/** So many events an event can name as seen (protocol, section 24). */
export const MOST_SEEN = 10_000

/** @throws SxError `LimitExceeded` if a new event would have to name more events than it can */
function refuseTooMany({ heads }: Judged): void {
  if (heads.length <= MOST_SEEN) return
  const found = `The agreement has ${heads.length} concurrent events, and a new event can refer to at most ${MOST_SEEN}.`
  const advice = 'In the history, find the party that signed these events. Create a new agreement without that party.'
  throw new SxError('LimitExceeded', found, { advice })
}

/**
 * Refuses what looks like a draft because the key of a proposal is not known.
 *
 * @throws SxError `InvalidAgreement`
 */
export function refuseUnknownProposal(opened: AtHand, judged: Judged): void {
  if (judged.status !== 'draft') return
  const proposal = historyOf(opened, judged).find(({ type, code }) => type === 'propose' && isOfUnknownKey(code))
  if (proposal !== undefined) throw unknownKey(`${proposal.eventId}, which proposes the agreement,`, proposal.code)
}

const isOfUnknownKey = (code: string | null | undefined): boolean => code === 'UnknownSigner' || code === 'KeyMismatch'

function unknownKey(event: string, code: string | null | undefined): SxError {
  const advice = 'Trust the agent that signed it, with its latest agent document.'
  return new SxError('InvalidAgreement', `The key of the event ${event} is not known (${code}).`, { advice })
}

/** The role in which an agent acts: that of its party, or of the party that it acts for. */
function roleFor({ byParty }: Judged, agentId: string, partyId: unknown): AgreementRole {
  const party = byParty.find((one) => (partyId === undefined ? one.agentId === agentId : one.partyId === partyId))
  if (party !== undefined) return party.role
  const found =
    partyId === undefined ? 'The agent is not a party of this agreement.' : 'The agreement has no party of this name.'
  throw new SxError('NotAParty', found)
}

/**
 * @throws SxError `AlreadySigned`, `NotAParty`, `TooLate`, `TooWeak`, `EventRefused` if an event would have no effect;
 *   `InvalidAgreement` if it has none because the key of a proposal is not known
 */
function refuseIgnored(judged: Judged, id: string, type: string, opened: AtHand): void {
  const { events, status, complete } = judged
  const ignored = events.ignored.find(({ eventId }) => eventId === id)
  if (ignored === undefined) return
  refuseUnknownProposal(opened, judged)
  const isUnproved = ignored.code === 'NoTimeProof'
  // A notary can only see it once it is there, and it is not after the deadline.
  if (isUnproved && status !== 'terminated' && status !== 'superseded') return
  const code = isUnproved ? 'NotAllowedNow' : ignored.code
  if (code === 'Duplicate' && type === 'sign') throw alreadySigned(opened, complete)
  if (code === 'NotAParty') throw new SxError('NotAParty')
  if (code === 'WrongRole' && type === 'void') {
    // Every role may void; it takes a proposal of the party itself.
    const advice = 'Decline it, or withdraw your signature. Otherwise ask a party that proposed it.'
    throw new SxError('EventRefused', `Only a party that proposed the agreement can void it. (${code})`, { advice })
  }
  const found = opened.module.reason(code)
  if (code === 'TooLate' && complete) {
    throw new SxError(code, 'The agreement is complete.', { advice: 'To end it, terminate or supersede it.' })
  }
  if (code === 'TooLate' || code === 'TooWeak') throw new SxError(code, found)
  const advice =
    code === 'BeforeTerms' ? 'If the clock is wrong, correct it. Otherwise wait until that date.' : undefined
  throw new SxError('EventRefused', `${found ?? 'The signature does not count.'} (${code})`, { advice })
}

/** Its delegate may have signed for a party. */
function alreadySigned({ terms }: AtHand, isComplete: boolean): SxError {
  const { policy } = JSON.parse(terms) as Pick<AgreementTerms, 'policy'>
  const isFinal = isComplete || policy?.withdraw === 'never'
  const found = `The party has already signed this agreement${isFinal ? ', and cannot withdraw the signature' : ''}.`
  const advice = isFinal ? 'One signature of each party is enough.' : 'Withdraw the signature first to sign again.'
  return new SxError('AlreadySigned', found, { advice })
}
