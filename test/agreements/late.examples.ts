// A history for each step that the page has of events that are added late. The last event is the late one.
import { agentOf, attachment, collect, type Say, successor } from './example.ts'
import type { AgreementEvent, EventType, History, Policy } from './forms.ts'
import type { Step } from './late.ts'
import { dateOf, sha256 } from './values.ts'

const parties = {
  A: {},
  B: {},
  C: {},
  D: {},
  W: { role: 'witness' },
  N: { role: 'notary' },
  O: { role: 'notary' },
  E: { role: 'observer' },
} as const

type Tell = (say: Say) => void

const DEADLINE = { signBy: dateOf(1) }
const dispute = { data: { reason: 'Late.' } }
const superseding = { data: successor, verdict: { valid: true, successor: true } }

/** The dates of an agreement that is complete, or in effect, once the policy is met. */
const datesFor = (to: string): Policy =>
  to === 'complete' ? { effectiveFrom: dateOf(20) } : to === 'active' ? { effectiveFrom: dateOf(0) } : {}

/** What must be in the data of an event. */
const dataOf = (type: EventType): AgreementEvent['data'] =>
  ({
    comment: { text: 'Hm.' },
    attach: attachment,
    delegate: { to: agentOf('E'), scope: ['sign'] },
    dispute: dispute.data,
    resolve: { dispute: sha256('dispute') },
    supersede: successor,
  })[type as string] ?? {}

/** Who does what anybody else could do, too. */
const actorOf = (type: EventType): string => ({ witness: 'W', notarize: 'N' })[type as string] ?? 'B'

/** It is complete with the late event, or would have been without what ended it. */
function completing([from, type, to]: Step): [Policy, Tell] {
  const needs = { witness: { witnesses: 1 }, notarize: { notaries: 1 } }[type as string] ?? {}
  const policy = { quorum: { m: 2 }, decline: 'any-ends', ...needs, ...datesFor(to) } as const
  const tell: Tell = (say) => {
    const seen = [say('A', 'propose'), say('A', 'sign')]
    if (type !== 'sign') seen.push(say('B', 'sign'))
    if (from === 'declined') say('C', 'decline')
    if (from === 'voided') say('A', 'void')
    if (from === 'proposed') for (const who of ['A', 'B']) say(who, 'withdraw')
    if (from === 'expired') say('E', 'comment', { data: dataOf('comment') })
    say(actorOf(type), type, { seen })
  }
  return [from === 'expired' ? { ...policy, ...DEADLINE } : policy, tell]
}

/** Enough have signed, but nobody has seen all declines together before. */
function together([from, type, to]: Step): [Policy, Tell] {
  const policy = { quorum: { m: 2 }, delegation: 'listed', ...datesFor(to) } as const
  const tell: Tell = (say) => {
    const propose = say('A', 'propose')
    const [c, d] = ['C', 'D'].map((who) => say(who, 'decline', { seen: [propose] })) as [string, string]
    const seen = [say('A', 'sign', { seen: [c] }), say('B', 'sign', { seen: [d] })]
    if (from === 'proposed') for (const who of ['A', 'B']) say(who, 'withdraw')
    if (from === 'declined') for (const does of ['withdraw', 'decline'] as const) say('A', does)
    if (from === 'voided') say('A', 'void')
    say('B', type, { seen, data: dataOf(type) })
  }
  return [from === 'expired' ? { ...policy, ...DEADLINE } : policy, tell]
}

/** The agreement is not complete, and the late event ends it, or takes a signature away. */
function refusing([from, type]: Step): [Policy, Tell] {
  const tell: Tell = (say) => {
    const propose = say('A', 'propose')
    if (from === 'partial' || from === 'expired') say('A', 'sign')
    if (from === 'declined') say('C', 'decline')
    if (from === 'voided') say('A', 'void')
    say(from === 'voided' ? 'C' : 'A', type, { seen: [propose] })
  }
  if (from === 'partial') return [{ quorum: { m: 2 } }, tell]
  return [{ decline: 'any-ends', ...(from === 'expired' ? DEADLINE : {}) }, tell]
}

/** The agreement is complete, and more has happened. */
function afterwards([from, type]: Step): [Policy, Tell] {
  const tell: Tell = (say) => {
    const seen = [say('A', 'propose'), say('A', 'sign'), say('B', 'sign')]
    if (from === 'disputed') say('A', 'dispute', dispute)
    if (from === 'superseded') say('A', 'supersede', superseding)
    if (from === 'ended') say('E', 'comment', { data: dataOf('comment') })
    say('B', type, { ...(type === 'supersede' ? superseding : { data: dataOf(type) }), seen })
  }
  const dates = from === 'ended' ? { expiresAt: dateOf(2) } : {}
  return [{ quorum: { m: 2 }, terminate: 'any', ...dates }, tell]
}

/** A notary proves what was signed. */
function proving([, , to]: Step): [Policy, Tell] {
  const tell: Tell = (say) => {
    const seen = [say('A', 'propose'), say('A', 'sign')]
    if (to !== 'partial') seen.push(say('B', 'sign'))
    say('E', 'comment', { data: dataOf('comment') })
    say('N', 'notarize', { seen })
  }
  return [{ timeProof: 'notary', quorum: { m: 2 }, ...datesFor(to) }, tell]
}

/** A second notary has seen earlier that somebody did not want it. */
function undoing([from, , to]: Step): [Policy, Tell] {
  const dates = from === 'ended' ? { expiresAt: dateOf(2) } : datesFor(from)
  const deadline = to === 'expired' ? DEADLINE : {}
  const policy = { timeProof: 'notary', quorum: { m: 2 }, decline: 'any-ends', terminate: 'any' } as const
  const tell: Tell = (say) => {
    const propose = say('A', 'propose')
    const signed = ['A', 'B'].map((who) => say(who, 'sign', { seen: [propose] }))
    const negative =
      to === 'declined'
        ? say('C', 'decline', { seen: [propose] })
        : to === 'voided'
          ? say('A', 'void', { seen: [propose] })
          : say('A', 'withdraw', { seen: signed.slice(0, 1) })
    say('N', 'notarize', { seen: signed, at: 0.9 })
    if (from === 'disputed') say('B', 'dispute', { ...dispute, at: 1 })
    if (from === 'terminated') say('B', 'terminate', { at: 1 })
    if (from === 'superseded') say('B', 'supersede', { ...superseding, at: 1 })
    say('O', 'notarize', { seen: [negative], at: 0.5 })
  }
  return [{ ...policy, ...dates, ...deadline }, tell]
}

const isIn =
  (...names: readonly string[]) =>
  (name: string): boolean =>
    names.includes(name)
const isComplete = isIn('complete', 'active')

/** A history in which the last event does this. `salt` gives its events other ids. */
export function exampleOf(step: Step, isProved: boolean, salt: number): History {
  const [from, type, to] = step
  const write = isProved
    ? from === 'proposed'
      ? proving
      : undoing
    : isIn('decline', 'void')(type)
      ? refusing
      : !isComplete(to)
        ? afterwards
        : isIn('sign', 'witness', 'notarize')(type)
          ? completing
          : together
  const [policy, tell] = write(step)
  const { history } = collect().example(`${step.join(' ')} ${salt}`, { parties, policy }, (say) => {
    tell(say)
    return { status: 'draft' } // the test looks at the status before the last event, too
  })
  return history
}
