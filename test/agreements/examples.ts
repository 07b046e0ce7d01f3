// Short histories by hand, each with the result that the design asks for. Their names say which row or value they show.
import {
  type AgreementEvent,
  type Entry,
  type EventType,
  type History,
  hashOf,
  idOf,
  type Party,
  type Policy,
  type Verdict,
} from './forms.ts'
import { dateOf, keyOf, sha256, uuidOf } from './histories.ts'
import type { Status } from './report.ts'

export interface Expected {
  readonly status: Status
  readonly have?: number
  readonly blocked?: readonly string[]
  /** The codes of ignored events, by id. All others are counted. */
  readonly ignored?: Readonly<Record<string, string>>
  readonly contested?: readonly string[]
  readonly missing?: readonly string[]
  readonly error?: string
  /** What the parties are, in the order of the terms. */
  readonly parties?: readonly string[]
  readonly completeAt?: string
}

export interface Example {
  readonly name: string
  readonly history: History
  readonly expected: Expected
}

/** How an event differs from the usual one, which has seen all before it and is dated an hour after the last one. */
interface Details {
  readonly seen?: readonly string[]
  readonly at?: number
  readonly data?: AgreementEvent['data']
  readonly verdict?: Verdict
  readonly alg?: 'ed25519' | 'pq2025'
  readonly key?: number
  /** The party as which somebody acts. */
  readonly as?: string
  readonly agreementHash?: string
  readonly signature?: string
}

type Say = (who: string, type: EventType, details?: Details) => string

interface Setting {
  readonly policy?: Policy
  /** Members of the parties `A`, `B`, …, all of them signers unless said otherwise. */
  readonly parties?: Readonly<Record<string, Partial<Party>>>
  readonly now?: number
  readonly agreementHash?: string
  /** Ids of events that get lost. */
  readonly lost?: (ids: readonly string[]) => readonly string[]
}

export const examples: Example[] = []

/** The agent of a party, or of somebody else. */
export const agentOf = (name: string): string => uuidOf(`agent of ${name}`)

function example(
  name: string,
  setting: Setting,
  tell: (say: Say) => Omit<Expected, 'status'> & { status: Status },
): void {
  const { policy, parties = { A: {}, B: {} }, now = 9 } = setting
  const terms = {
    sxId: uuidOf(name),
    title: 'A contract',
    terms: 'A pays.',
    termsFormat: 'text/plain',
    parties: Object.entries(parties).map(([partyId, members]) => ({
      partyId,
      agentId: agentOf(partyId),
      role: 'signer' as const,
      ...members,
    })),
    ...(policy ? { policy } : {}),
  }
  const entries: { readonly id: string; readonly entry: Entry }[] = []
  const say: Say = (who, type, details = {}) => {
    const { data = {}, as, alg = 'pq2025', verdict = { valid: true } } = details
    const nonce = Buffer.from(sha256(`${name} ${entries.length}`).slice(0, 32), 'hex').toString('base64url')
    const event: AgreementEvent = {
      type,
      agreementHash: details.agreementHash ?? hashOf(terms),
      actor: { agentId: agentOf(who), agentVersion: uuidOf('version'), keyId: keyOf(`${who} ${details.key ?? 0}`) },
      role: terms.parties.find(({ partyId }) => partyId === (as ?? who))?.role ?? 'signer',
      at: dateOf(details.at ?? entries.length / 24),
      nonce,
      seen: (details.seen ?? entries.map(({ id }) => id)).toSorted(),
      data: as === undefined ? data : { ...data, for: as },
      alg,
      signature: details.signature ?? 'c2lnbmF0dXJl',
    }
    entries.push({ id: idOf(event), entry: { event, verdict } })
    return idOf(event)
  }
  const expected = tell(say)
  const lost = setting.lost?.(entries.map(({ id }) => id)) ?? []
  examples.push({
    name,
    expected,
    history: {
      terms,
      ...(setting.agreementHash === undefined ? {} : { agreementHash: setting.agreementHash }),
      events: entries.filter(({ id }) => !lost.includes(id)).map(({ entry }) => entry),
      now: dateOf(now),
    },
  })
}

const three = { A: {}, B: {}, C: {} }
const withNotary = { A: {}, B: {}, N: { role: 'notary' } } as const
const power = { sxId: uuidOf('power'), sxVersion: uuidOf('of attorney'), sha256: sha256('power') }
const successor = { successor: { sxId: uuidOf('successor'), sha256: sha256('successor') } }
const attachment = { attachment: { name: 'a.pdf', mediaType: 'application/pdf', size: 1, sha256: sha256('a') } }

/** Both sign. */
function complete(say: Say): string[] {
  return [say('A', 'propose'), say('A', 'sign'), say('B', 'sign')]
}

example('state draft: nobody has proposed', {}, (say) => {
  const sign = say('A', 'sign')
  return { status: 'draft', blocked: ['propose'], ignored: { [sign]: 'NotAllowedNow' } }
})
example('state proposed: comment, attach and delegate change nothing', { policy: { delegation: 'listed' } }, (say) => {
  say('A', 'propose')
  say('B', 'comment', { data: { text: 'Hm.' } })
  say('A', 'attach', { data: attachment })
  say('B', 'delegate', { data: { to: agentOf('A'), scope: ['sign'] } })
  return { status: 'proposed', have: 0, parties: ['pending', 'delegated'], blocked: ['quorum 0/2'] }
})
example('state partial: one of two has signed', {}, (say) => {
  say('A', 'propose')
  say('A', 'sign')
  return { status: 'partial', have: 1, parties: ['signed', 'pending'], blocked: ['quorum 1/2'] }
})
example('state partial: a withdrawn signature makes it proposed again', {}, (say) => {
  say('A', 'propose')
  const sign = say('A', 'sign')
  say('A', 'withdraw')
  return { status: 'proposed', have: 0, parties: ['withdrawn', 'pending'], ignored: { [sign]: 'Withdrawn' } }
})
example('state complete: both have signed', {}, (say) => {
  complete(say)
  return { status: 'complete', have: 2, completeAt: dateOf(2 / 24), blocked: [] }
})
example('state complete: not yet in effect (A11)', { policy: { effectiveFrom: dateOf(1) }, now: 0.9 }, (say) => {
  complete(say)
  return { status: 'complete' }
})
example('state active: in effect (A11)', { policy: { effectiveFrom: dateOf(1) }, now: 1 }, (say) => {
  complete(say)
  return { status: 'active' }
})
example('state ended: expired', { policy: { expiresAt: dateOf(2) }, now: 2 }, (say) => {
  complete(say)
  const late = say('A', 'dispute', { at: 2, data: { reason: 'Late.' } })
  say('B', 'comment', { data: { text: 'It has ended.' } })
  return { status: 'ended', ignored: { [late]: 'TooLate' } }
})
example('state declined: a party of all that are needed declines (A12)', {}, (say) => {
  say('A', 'propose')
  say('A', 'decline')
  const sign = say('B', 'sign')
  const comment = say('B', 'comment', { data: { text: 'Why?' } })
  return {
    status: 'declined',
    parties: ['declined', 'pending'],
    ignored: { [sign]: 'NotAllowedNow', [comment]: 'NotAllowedNow' },
  }
})
example('state voided: by the proposer, and by nobody else', {}, (say) => {
  say('A', 'propose')
  say('A', 'sign')
  const other = say('B', 'void')
  say('A', 'void')
  const sign = say('B', 'sign')
  return { status: 'voided', ignored: { [other]: 'WrongRole', [sign]: 'NotAllowedNow' } }
})
example('state expired: signBy has passed', { policy: { signBy: dateOf(1) }, now: 1.1 }, (say) => {
  say('A', 'propose')
  say('A', 'sign')
  const late = say('B', 'sign', { at: 1.05 })
  return { status: 'expired', have: 1, blocked: ['quorum 1/2'], ignored: { [late]: 'TooLate' } }
})
example('state disputed: until the quorum has resolved it', {}, (say) => {
  complete(say)
  const dispute = say('A', 'dispute', { data: { reason: 'Late.' } })
  say('B', 'resolve', { data: { dispute } })
  return { status: 'disputed', blocked: [`dispute ${dispute}`] }
})
example('state disputed: resolved by the quorum', {}, (say) => {
  complete(say)
  const dispute = say('A', 'dispute', { data: { reason: 'Late.' } })
  say('B', 'resolve', { data: { dispute } })
  const again = say('B', 'resolve', { data: { dispute } })
  say('A', 'resolve', { data: { dispute } })
  return { status: 'complete', ignored: { [again]: 'Duplicate' } }
})
example('state disputed: only resolve and terminate lead out', { policy: { terminate: 'any' } }, (say) => {
  complete(say)
  say('A', 'dispute', { data: { reason: 'Late.' } })
  const supersede = say('B', 'supersede', { data: successor, verdict: { valid: true, successor: true } })
  say('B', 'terminate')
  return { status: 'terminated', ignored: { [supersede]: 'NotAllowedNow' } }
})
example('state terminated: only comment and attach are left', { policy: { terminate: 'any' } }, (say) => {
  complete(say)
  say('A', 'terminate')
  const dispute = say('B', 'dispute', { data: { reason: 'Why?' } })
  say('B', 'comment', { data: { text: 'Why?' } })
  say('B', 'attach', { data: attachment })
  return { status: 'terminated', ignored: { [dispute]: 'NotAllowedNow' } }
})
example('state superseded: by a complete successor, not by a forged link (A18)', {}, (say) => {
  complete(say)
  const forged = say('B', 'supersede', { data: successor })
  say('A', 'supersede', { data: successor, verdict: { valid: true, successor: true } })
  return { status: 'superseded', ignored: { [forged]: 'BadSuccessor' } }
})
example('state invalid: other terms than the named ones', { agreementHash: sha256('other') }, () => ({
  status: 'invalid',
  error: 'AgreementHash',
}))
example('state invalid: terms without parties', { parties: {} }, () => ({ status: 'invalid', error: 'NoParties' }))
example('state invalid: no key of a party is known', {}, (say) => {
  say('A', 'propose', { verdict: { valid: false, code: 'UnknownSigner' } })
  return { status: 'invalid', error: 'UnknownSigner' }
})

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
example('policy algorithms', { policy: { algorithms: ['pq2025'] } }, (say) => {
  say('A', 'propose')
  const other = say('A', 'sign', { alg: 'ed25519' })
  return { status: 'proposed', ignored: { [other]: 'WrongAlgorithm' } }
})
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

example(
  'ignored: strangers, roles, keys, hashes, signatures (A08, A09, T42)',
  { parties: { A: { keyIds: [keyOf('A 0')] }, B: {}, O: { role: 'observer' } } },
  (say) => {
    const propose = say('A', 'propose')
    const from = { seen: [propose] }
    const ignored = {
      [say('X', 'sign', from)]: 'NotAParty',
      [say('O', 'sign', from)]: 'WrongRole',
      [say('B', 'witness', from)]: 'WrongRole',
      [say('A', 'sign', { ...from, key: 1 })]: 'WrongKey',
      [say('A', 'sign', { ...from, agreementHash: sha256('twin') })]: 'WrongAgreement',
      [say('B', 'sign', { ...from, verdict: { valid: false, code: 'BadSignature' } })]: 'BadSignature',
      [say('B', 'sign', { ...from, at: -1 })]: 'BeforeTerms',
    }
    return { status: 'proposed', have: 0, ignored }
  },
)
for (const [reason, proved, counts] of [
  ['superseded', false, true],
  ['unspecified', false, true],
  ['compromised', false, false],
  ['compromised', true, true],
] as const) {
  example(
    `revoked key: ${reason} after the signature${proved ? ', which a notary proves' : ''} (A16)`,
    { parties: withNotary },
    (say) => {
      say('A', 'propose')
      const sign = say('A', 'sign', { verdict: { valid: true, revoked: { at: dateOf(1), reason } } })
      if (proved) say('N', 'notarize')
      return counts
        ? { status: 'partial', have: 1 }
        : { status: 'proposed', have: 0, ignored: { [sign]: 'KeyRevoked' } }
    },
  )
}
example('revoked key: superseded before the signature (A16)', {}, (say) => {
  say('A', 'propose')
  const sign = say('A', 'sign', { at: 1, verdict: { valid: true, revoked: { at: dateOf(1), reason: 'superseded' } } })
  return { status: 'proposed', ignored: { [sign]: 'KeyRevoked' } }
})
example('an event that another one has seen is lost', { lost: (ids) => ids.slice(1, 2) }, (say) => {
  const [, lost = '', b = ''] = complete(say)
  return { status: 'proposed', have: 0, missing: [lost], ignored: { [b]: 'UnknownSeen' } }
})
