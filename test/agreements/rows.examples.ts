// Rows of the table of states that nothing else shows: table.test.ts names those that no example passes through.
import { agentOf, attachment, collect, complete, type Say, successor, three } from './example.ts'
import { dateOf } from './values.ts'

const { examples, example } = collect()
export const rows = examples

const all = { ...three, W: { role: 'witness' }, N: { role: 'notary' } } as const
const two = { quorum: { m: 2 } } as const

/** What anybody may do in most states after the proposal, and what changes none. */
function accompany(say: Say, at?: number): void {
  const when = at === undefined ? {} : { at }
  say('C', 'comment', { ...when, data: { text: 'Hm.' } })
  say('C', 'attach', { ...when, data: attachment })
  say('N', 'notarize', when)
}

example('state proposed: a notary changes nothing', { parties: all }, (say) => {
  say('A', 'propose')
  say('N', 'notarize')
  return { status: 'proposed', have: 0 }
})
example('state proposed: a signature that is enough', { parties: { A: {} } }, (say) => {
  say('A', 'propose')
  say('A', 'sign')
  return { status: 'complete', have: 1 }
})
example(
  'state proposed: a signature that is enough, before it takes effect',
  { parties: { A: {} }, policy: { effectiveFrom: dateOf(5) }, now: 1 },
  (say) => {
    say('A', 'propose')
    say('A', 'sign')
    return { status: 'complete', have: 1 }
  },
)
example(
  'state partial: what changes nothing, and a decline that ends it',
  { parties: { ...all, D: {} }, policy: { quorum: { m: 3 }, delegation: 'listed' } },
  (say) => {
    say('A', 'propose')
    say('A', 'sign')
    accompany(say)
    say('B', 'delegate', { data: { to: agentOf('A'), scope: ['sign'] } })
    say('W', 'witness')
    say('D', 'decline')
    say('C', 'decline')
    return { status: 'declined', have: 1 }
  },
)
for (const [who, type, policy] of [
  ['W', 'witness', { witnesses: 1 }],
  ['N', 'notarize', { notaries: 1 }],
] as const) {
  example(
    `state partial: the last ${type}, before it takes effect`,
    { parties: all, policy: { ...two, ...policy, effectiveFrom: dateOf(5) }, now: 1 },
    (say) => {
      complete(say)
      say(who, type)
      return { status: 'complete', completeAt: dateOf(3 / 24) }
    },
  )
}
example(
  'state complete: what changes nothing',
  { parties: all, policy: { ...two, effectiveFrom: dateOf(5) }, now: 1 },
  (say) => {
    complete(say)
    say('C', 'sign')
    accompany(say)
    say('W', 'witness')
    return { status: 'complete', have: 3, completeAt: dateOf(2 / 24) }
  },
)
example('state active: what changes nothing', { parties: all, policy: { ...two, effectiveFrom: dateOf(0) } }, (say) => {
  complete(say)
  say('C', 'sign')
  accompany(say)
  say('W', 'witness')
  return { status: 'active', have: 3 }
})
example('state voided: a notary changes nothing', { parties: all }, (say) => {
  say('A', 'propose')
  say('A', 'void')
  say('N', 'notarize')
  return { status: 'voided' }
})
example('state disputed: what changes nothing', { parties: all, policy: two }, (say) => {
  complete(say)
  const dispute = say('A', 'dispute', { data: { reason: 'Late.' } })
  say('C', 'sign')
  accompany(say)
  say('W', 'witness')
  const other = say('B', 'dispute', { data: { reason: 'Early.' } })
  say('A', 'terminate')
  return { status: 'disputed', have: 3, blocked: [dispute, other].toSorted().map((id) => `dispute ${id}`) }
})
example('state disputed: resolved after its end', { policy: { expiresAt: dateOf(2) } }, (say) => {
  complete(say)
  const dispute = say('A', 'dispute', { data: { reason: 'Late.' } })
  say('A', 'resolve', { at: 3, data: { dispute } })
  say('B', 'resolve', { at: 4, data: { dispute } })
  return { status: 'ended' }
})
example('state terminated: a notary changes nothing', { parties: all, policy: { ...two, terminate: 'any' } }, (say) => {
  complete(say)
  say('C', 'terminate')
  say('N', 'notarize')
  return { status: 'terminated' }
})
example('state superseded: what changes nothing', { parties: all, policy: two }, (say) => {
  complete(say)
  say('A', 'supersede', { data: successor, verdict: { valid: true, successor: true } })
  accompany(say)
  return { status: 'superseded' }
})
example('state ended: what changes nothing', { parties: all, policy: { ...two, expiresAt: dateOf(2) } }, (say) => {
  complete(say)
  say('C', 'sign', { at: 3 })
  accompany(say, 3)
  say('W', 'witness', { at: 3 })
  return { status: 'ended', have: 3 }
})
