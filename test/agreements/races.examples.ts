// Events that do not know of each other, and events added later.
import { collect, complete, three } from './example.ts'

const { examples, example } = collect()
export const races = examples

example('race: completion wins over a withdrawal it has not seen', {}, (say) => {
  const propose = say('A', 'propose')
  const a = say('A', 'sign', { seen: [propose] })
  const withdraw = say('A', 'withdraw', { seen: [a] })
  say('B', 'sign', { seen: [a] })
  return { status: 'complete', have: 2, ignored: { [withdraw]: 'Contested' }, contested: [withdraw] }
})
example(
  'race: completion wins over a decline and a void it has not seen',
  { parties: three, policy: { quorum: { m: 2 }, decline: 'any-ends' } },
  (say) => {
    const propose = say('A', 'propose')
    const decline = say('C', 'decline', { seen: [propose] })
    const voiding = say('A', 'void', { seen: [propose] })
    say('A', 'sign', { seen: [propose] })
    say('B', 'sign', { seen: [propose] })
    return {
      status: 'complete',
      ignored: { [decline]: 'Contested', [voiding]: 'Contested' },
      contested: [decline, voiding].toSorted(),
    }
  },
)
example('race: a signature that has seen the withdrawal does not complete', {}, (say) => {
  say('A', 'propose')
  const a = say('A', 'sign')
  say('A', 'withdraw')
  say('B', 'sign')
  return { status: 'partial', have: 1, parties: ['withdrawn', 'signed'], ignored: { [a]: 'Withdrawn' } }
})
example('race: withdrawn and signed again', {}, (say) => {
  say('A', 'propose')
  const a = say('A', 'sign')
  say('A', 'withdraw')
  say('A', 'sign')
  say('B', 'sign')
  return { status: 'complete', have: 2, ignored: { [a]: 'Withdrawn' } }
})
example('race: what follows completion never undoes it (A13)', {}, (say) => {
  complete(say)
  const late = ['withdraw', 'void'] as const
  const ids = late.map((type) => say('A', type))
  return { status: 'complete', have: 2, ignored: Object.fromEntries(ids.map((id) => [id, 'TooLate'])) }
})
example(
  'race: withdrawals that nobody has seen together',
  { parties: { ...three, D: {}, E: { role: 'observer' } }, policy: { quorum: { m: 2 } } },
  (say) => {
    const propose = say('A', 'propose')
    const c = say('C', 'decline', { seen: [propose] })
    const d = say('D', 'decline', { seen: [propose] })
    say('A', 'sign', { seen: [c] })
    say('B', 'sign', { seen: [d] })
    return { status: 'partial', have: 2, blocked: ['withdrawals not seen together'] }
  },
)
example(
  'race: declines that an observer has seen together',
  { parties: { ...three, D: {}, E: { role: 'observer' } }, policy: { quorum: { m: 2 } } },
  (say) => {
    const propose = say('A', 'propose')
    const c = say('C', 'decline', { seen: [propose] })
    const d = say('D', 'decline', { seen: [propose] })
    say('A', 'sign', { seen: [c] })
    say('B', 'sign', { seen: [d] })
    say('E', 'comment', { data: { text: 'All is there.' } })
    return { status: 'complete', have: 2 }
  },
)
example(
  'race: a withdrawal that has seen others apart does not complete',
  { parties: { ...three, D: {} }, policy: { quorum: { m: 2 } } },
  (say) => {
    const propose = say('A', 'propose')
    const c = say('C', 'decline', { seen: [propose] })
    const d = say('D', 'decline', { seen: [propose] })
    const a = say('A', 'sign', { seen: [c] })
    say('B', 'sign', { seen: [d] })
    say('A', 'withdraw')
    return { status: 'partial', have: 1, ignored: { [a]: 'Withdrawn' } }
  },
)
example(
  'race: a signature made on the side does not undo a termination',
  { parties: three, policy: { quorum: { m: 2 }, terminate: 'any' } },
  (say) => {
    const propose = say('A', 'propose')
    say('A', 'sign')
    const withdraw = say('A', 'withdraw')
    const second = say('A', 'sign')
    say('B', 'sign')
    say('B', 'terminate')
    say('C', 'sign', { seen: [propose] })
    return {
      status: 'terminated',
      have: 3,
      ignored: { [second]: 'Duplicate', [withdraw]: 'Contested' },
      contested: [withdraw],
      parties: ['signed', 'signed', 'signed'],
    }
  },
)
example('race: a second signature of a party does not undo a dispute', {}, (say) => {
  const [propose = ''] = complete(say)
  const dispute = say('B', 'dispute', { data: { reason: 'Late.' } })
  const first = say('A', 'sign', { seen: [propose], at: 1 })
  return { status: 'disputed', ignored: { [first]: 'Duplicate' }, blocked: [`dispute ${dispute}`] }
})
example(
  'race: merging in what completes earlier takes no signer away (A02)',
  { parties: { ...three, D: {} }, policy: { quorum: { m: 2 } } },
  (say) => {
    const propose = say('A', 'propose')
    say('A', 'sign')
    const withdraw = say('A', 'withdraw')
    const again = say('A', 'sign')
    say('B', 'sign')
    say('D', 'sign')
    say('C', 'sign', { seen: [propose] })
    return {
      status: 'complete',
      have: 4,
      ignored: { [withdraw]: 'Contested', [again]: 'Duplicate' },
      contested: [withdraw],
    }
  },
)
