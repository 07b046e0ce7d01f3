// Every state, how it is entered and what it allows; events that are ignored whatever the state.
import { agentOf, attachment, collect, complete, successor, withNotary } from './example.ts'
import { dateOf, keyOf, sha256 } from './values.ts'

const { examples, example } = collect()
export const states = examples

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
example('state invalid: only a delegate is known', {}, (say) => {
  say('A', 'propose', { verdict: { valid: false, code: 'UnknownSigner' } })
  say('X', 'sign', { as: 'A' })
  return { status: 'invalid', error: 'UnknownSigner' }
})
example('state invalid: no key of a party is known', {}, (say) => {
  say('A', 'propose', { verdict: { valid: false, code: 'UnknownSigner' } })
  return { status: 'invalid', error: 'UnknownSigner' }
})

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
