// Every value of the policy.
import { agentOf, collect, complete, power, three, withNotary } from './example.ts'
import { dateOf } from './values.ts'

const { examples, example } = collect()
export const policies = examples

example('policy quorum all', { parties: three, policy: { quorum: 'all' } }, (say) => {
  complete(say)
  return { status: 'partial', have: 2, blocked: ['quorum 2/3'] }
})
example('policy quorum majority', { parties: { ...three, D: {} }, policy: { quorum: 'majority' } }, (say) => {
  complete(say)
  return { status: 'partial', have: 2, blocked: ['quorum 2/3'] }
})
example(
  'policy quorum m: one agent with two keys counts once (A03)',
  { parties: three, policy: { quorum: { m: 2 } } },
  (say) => {
    const propose = say('A', 'propose')
    say('A', 'sign', { seen: [propose] })
    const again = say('A', 'sign', { seen: [propose], key: 1 })
    return { status: 'partial', have: 1, blocked: ['quorum 1/2'], ignored: { [again]: 'Duplicate' } }
  },
)
example(
  'policy quorum weight: 3 and 1 of 4 (A04)',
  { parties: { A: { weight: 3 }, B: {}, C: {} }, policy: { quorum: { weight: 4 } } },
  (say) => {
    complete(say)
    return { status: 'complete', have: 4 }
  },
)
example(
  'policy quorum weight: 1 and 1 of 4 (A04)',
  { parties: { C: { weight: 3 }, A: {}, B: {} }, policy: { quorum: { weight: 4 } } },
  (say) => {
    complete(say)
    return { status: 'partial', have: 2, blocked: ['weight 2/4'] }
  },
)
example(
  'policy quorum groups (A05)',
  {
    parties: { A: { group: 'tech' }, B: { group: 'tech' }, C: { group: 'tech' }, D: { group: 'legal' } },
    policy: { quorum: { groups: { legal: 1, tech: 2 } } },
  },
  (say) => {
    complete(say)
    say('C', 'sign')
    return { status: 'partial', have: 2, blocked: ['group legal 0/1'] }
  },
)
example(
  'a required party is needed beside the quorum',
  { parties: { A: {}, B: {}, C: { required: true } }, policy: { quorum: { m: 2 } } },
  (say) => {
    complete(say)
    return { status: 'partial', have: 2, blocked: ['required C'] }
  },
)
const staged = { A: { stage: 0 }, B: { stage: 1 } }
example('policy order staged: too early, then again (A06)', { parties: staged, policy: { order: 'staged' } }, (say) => {
  const propose = say('A', 'propose')
  const early = say('B', 'sign', { seen: [propose] })
  say('A', 'sign')
  say('B', 'sign')
  return { status: 'complete', ignored: { [early]: 'OutOfOrder' } }
})
example(
  'policy order staged: blocked by the lowest stage',
  { parties: staged, policy: { order: 'staged', quorum: { m: 1 } } },
  (say) => {
    say('A', 'propose')
    return { status: 'proposed', blocked: ['quorum 0/1', 'stage 0 0/1'] }
  },
)
example(
  'policy order staged: who has declined satisfies no stage',
  { parties: { A: {}, B: {}, C: { stage: 1 } }, policy: { order: 'staged', quorum: { m: 1 } } },
  (say) => {
    const propose = say('A', 'propose')
    const sign = say('A', 'sign', { seen: [propose] })
    say('A', 'decline', { seen: [propose] })
    const early = say('C', 'sign')
    return { status: 'proposed', have: 0, ignored: { [sign]: 'Withdrawn', [early]: 'OutOfOrder' } }
  },
)
example('policy order parallel: anybody first', { policy: { order: 'parallel' } }, (say) => {
  const propose = say('A', 'propose')
  say('B', 'sign', { seen: [propose] })
  say('A', 'sign', { seen: [propose] })
  return { status: 'complete' }
})
example(
  'policy witnesses: apart from the quorum',
  { parties: { A: {}, W: { role: 'witness' } }, policy: { witnesses: 1 } },
  (say) => {
    say('A', 'propose')
    const early = say('W', 'witness')
    say('A', 'sign')
    return { status: 'partial', have: 1, blocked: ['witnesses 0/1'], ignored: { [early]: 'NotAllowedNow' } }
  },
)
example(
  'policy witnesses: one has come',
  { parties: { A: {}, W: { role: 'witness' } }, policy: { witnesses: 1 } },
  (say) => {
    say('A', 'propose')
    say('A', 'sign')
    say('W', 'witness')
    return { status: 'complete', parties: ['signed', 'signed'] }
  },
)
example('policy notaries: apart from the quorum', { parties: withNotary, policy: { notaries: 1 } }, (say) => {
  complete(say)
  return { status: 'partial', have: 2, blocked: ['notaries 0/1'] }
})
example('policy notaries: one has come', { parties: withNotary, policy: { notaries: 1 } }, (say) => {
  complete(say)
  say('N', 'notarize')
  return { status: 'complete', parties: ['signed', 'signed', 'signed'] }
})
for (const decline of ['any-ends', 'quorum-impossible-ends', undefined] as const) {
  const policy = { quorum: { m: 2 }, ...(decline ? { decline } : {}) }
  example(
    `policy decline ${decline ?? 'by default'}: one of three, two are needed`,
    { parties: three, policy },
    (say) => {
      say('A', 'propose')
      say('C', 'decline')
      return { status: decline === 'any-ends' ? 'declined' : 'proposed', parties: ['pending', 'pending', 'declined'] }
    },
  )
  example(
    `policy decline ${decline ?? 'by default'}: two of three, two are needed`,
    { parties: three, policy },
    (say) => {
      const propose = say('A', 'propose')
      say('C', 'decline', { seen: [propose] })
      say('B', 'decline', { seen: [propose] })
      return { status: 'declined' }
    },
  )
}
example(
  'policy decline by default: a required party',
  { parties: { A: {}, B: {}, C: { required: true } }, policy: { quorum: { m: 2 } } },
  (say) => {
    say('A', 'propose')
    say('C', 'decline')
    return { status: 'declined' }
  },
)
for (const [listed, other] of [
  ['ed25519', 'pq2025'],
  ['pq2025', 'ed25519'],
] as const) {
  example(
    `policy algorithms ${listed}: a key of ${other} does not count`,
    { policy: { algorithms: [listed] } },
    (say) => {
      const propose = say('A', 'propose', { alg: listed })
      const sign = say('A', 'sign', { seen: [propose], alg: other })
      say('B', 'sign', { seen: [propose], alg: listed })
      return { status: 'partial', have: 1, parties: ['pending', 'signed'], ignored: { [sign]: 'WrongAlgorithm' } }
    },
  )
}
example(
  'policy algorithms ed25519 and pq2025: both count',
  { policy: { algorithms: ['ed25519', 'pq2025'] } },
  (say) => {
    const propose = say('A', 'propose')
    say('A', 'sign', { seen: [propose], alg: 'ed25519' })
    say('B', 'sign', { seen: [propose], alg: 'pq2025' })
    return { status: 'complete', have: 2 }
  },
)
example('policy minStrength pq (A14)', { policy: { minStrength: 'pq' } }, (say) => {
  say('A', 'propose')
  const weak = say('A', 'sign', { alg: 'ed25519' })
  return { status: 'proposed', ignored: { [weak]: 'TooWeak' } }
})
example('policy minStrength classical', { policy: { minStrength: 'classical' } }, (say) => {
  say('A', 'propose')
  say('A', 'sign', { alg: 'ed25519' })
  return { status: 'partial' }
})
example(
  'policy signBy: signed in time, shown a year later (A10)',
  { policy: { signBy: dateOf(1) }, now: 366 },
  (say) => {
    say('A', 'propose')
    say('A', 'sign', { at: 1 })
    say('B', 'sign', { at: 0.5 })
    return { status: 'complete', completeAt: dateOf(1) }
  },
)
example(
  'policy effectiveFrom: what belongs to its time',
  { policy: { effectiveFrom: dateOf(3), terminate: 'any' } },
  (say) => {
    complete(say)
    const early = say('A', 'terminate', { at: 2 })
    return { status: 'active', ignored: { [early]: 'TooEarly' } }
  },
)
example('policy expiresAt: in force until then', { policy: { expiresAt: dateOf(10) }, now: 9.9 }, (say) => {
  complete(say)
  return { status: 'active' }
})
example(
  'policy timeProof none: dates are believed',
  { parties: withNotary, policy: { timeProof: 'none', signBy: dateOf(1) } },
  (say) => {
    complete(say)
    return { status: 'complete' }
  },
)
example(
  'policy timeProof notary: back-dated, and nobody proves it (A10)',
  { parties: withNotary, policy: { timeProof: 'notary', signBy: dateOf(1) } },
  (say) => {
    const [, a = '', b = ''] = complete(say)
    return { status: 'expired', have: 0, ignored: { [a]: 'NoTimeProof', [b]: 'NoTimeProof' } }
  },
)
example(
  'policy timeProof notary: proved in time (A10)',
  { parties: withNotary, policy: { timeProof: 'notary', signBy: dateOf(1) } },
  (say) => {
    complete(say)
    say('N', 'notarize', { at: 1 })
    return { status: 'complete', completeAt: dateOf(1) }
  },
)
example(
  'policy timeProof notary: the decline was proved first',
  {
    parties: { ...three, N: { role: 'notary' } },
    policy: { timeProof: 'notary', quorum: { m: 2 }, decline: 'any-ends' },
  },
  (say) => {
    const propose = say('A', 'propose')
    const decline = say('C', 'decline', { seen: [propose] })
    say('N', 'notarize', { seen: [decline], at: 1 })
    say('A', 'sign', { seen: [propose] })
    say('B', 'sign', { seen: [propose] })
    say('N', 'notarize', { at: 2 })
    return { status: 'declined', have: 2 }
  },
)
example(
  'policy timeProof notary: completion was proved first',
  {
    parties: { ...three, N: { role: 'notary' } },
    policy: { timeProof: 'notary', quorum: { m: 2 }, decline: 'any-ends' },
  },
  (say) => {
    const propose = say('A', 'propose')
    const a = say('A', 'sign', { seen: [propose] })
    const b = say('B', 'sign', { seen: [propose] })
    say('N', 'notarize', { seen: [a, b].toSorted(), at: 1 })
    const decline = say('C', 'decline', { seen: [propose] })
    say('N', 'notarize', { at: 2 })
    return { status: 'complete', have: 2, ignored: { [decline]: 'TooLate' } }
  },
)
example(
  'policy notaries: one that is proved too late does not count',
  {
    parties: { A: {}, B: {}, N: { role: 'notary' }, O: { role: 'notary' } },
    policy: { timeProof: 'notary', notaries: 2, signBy: dateOf(1) },
  },
  (say) => {
    complete(say)
    say('N', 'notarize')
    say('O', 'notarize', { verdict: { valid: true, revoked: { at: dateOf(8), reason: 'compromised' } } })
    say('N', 'notarize', { at: 2 })
    return { status: 'expired', have: 2, blocked: ['notaries 1/2'] }
  },
)
example(
  'a notary whose clock is before the proposal proves nothing',
  { parties: withNotary, policy: { timeProof: 'notary', signBy: dateOf(1) } },
  (say) => {
    const [, a = '', b = ''] = complete(say)
    const broken = say('N', 'notarize', { at: -9 })
    return { status: 'expired', have: 0, ignored: { [a]: 'NoTimeProof', [b]: 'NoTimeProof', [broken]: 'BeforeTerms' } }
  },
)
for (const delegation of ['none', 'listed', 'document', undefined] as const) {
  const name = `policy delegation ${delegation ?? 'by default'}`
  const policy = delegation ? { delegation } : {}
  example(`${name}: to a party`, { policy }, (say) => {
    say('A', 'propose')
    const given = say('A', 'delegate', { data: { to: agentOf('B'), scope: ['sign'] } })
    const sign = say('B', 'sign', { as: 'A' })
    say('B', 'sign')
    return delegation === 'listed'
      ? { status: 'complete', have: 2 }
      : { status: 'partial', have: 1, ignored: { [given]: 'NotAllowedByPolicy', [sign]: 'NotAParty' } }
  })
  example(`${name}: to somebody else, with a document (A15)`, { policy }, (say) => {
    say('A', 'propose')
    const given = say('A', 'delegate', { data: { to: agentOf('X'), scope: ['sign'], document: power } })
    const sign = say('X', 'sign', { as: 'A' })
    return delegation === 'document'
      ? { status: 'partial', have: 1, parties: ['signed', 'pending'] }
      : { status: 'proposed', have: 0, ignored: { [given]: 'NotAllowedByPolicy', [sign]: 'NotAParty' } }
  })
}
example(
  'delegation: both sign and count once, out of scope, expired (A15)',
  { policy: { delegation: 'listed' } },
  (say) => {
    say('A', 'propose')
    const given = say('A', 'delegate', { data: { to: agentOf('B'), scope: ['sign'], until: dateOf(1) } })
    const late = say('B', 'sign', { as: 'A', at: 1.1 })
    const scope = say('B', 'decline', { as: 'A' })
    say('A', 'sign', { seen: [given], at: 0.5 })
    const both = say('B', 'sign', { seen: [given], as: 'A', at: 0.6 })
    return {
      status: 'partial',
      have: 1,
      ignored: { [late]: 'DelegationExpired', [scope]: 'NotAParty', [both]: 'Duplicate' },
    }
  },
)
example('policy withdraw until-complete: withdrawn before', { policy: { withdraw: 'until-complete' } }, (say) => {
  say('A', 'propose')
  const sign = say('A', 'sign')
  say('A', 'withdraw')
  return { status: 'proposed', ignored: { [sign]: 'Withdrawn' } }
})
example('policy withdraw never', { policy: { withdraw: 'never' } }, (say) => {
  say('A', 'propose')
  say('A', 'sign')
  const withdraw = say('A', 'withdraw')
  return { status: 'partial', have: 1, ignored: { [withdraw]: 'NotAllowedByPolicy' } }
})
for (const [terminate, enough] of [
  ['any', 1],
  ['quorum', 2],
  ['all', 3],
  [undefined, 3],
] as const) {
  const policy = { quorum: { m: 2 }, ...(terminate ? { terminate } : {}) }
  for (const count of [enough - 1, enough].filter((n) => n > 0)) {
    example(`policy terminate ${terminate ?? 'by default'}: ${count} of three`, { parties: three, policy }, (say) => {
      complete(say)
      for (const who of ['C', 'B', 'A'].slice(0, count)) say(who, 'terminate')
      return { status: count === enough ? 'terminated' : 'complete' }
    })
  }
}
