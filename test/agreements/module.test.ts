// The module for agreements as it is built and loaded.
import { beforeAll, describe, expect, it, test } from 'vitest'
import { type AgreementModule, agreementModule } from '../../src/agreements/module.ts'
import { perform, runAsync, runSync } from '../../src/effects.ts'
import { judgementOf } from './answers.ts'
import { examples } from './examples.ts'
import { type AgreementEvent, canonical, type Entry, type History, hashOf, idOf, type Terms } from './forms.ts'
import { judge } from './model.ts'

let module: AgreementModule

beforeAll(async () => {
  module = await runAsync(() => perform(agreementModule))
})

test.each(examples)('judges as the model does: $name', ({ history }) => {
  expect(judgementOf(JSON.stringify(module.judge(JSON.stringify(history))))).toEqual(judge(history))
})

const { history } = examples.find(({ history }) => history.events.length > 2) as { history: History }
const events = history.events.map(({ event }: Entry) => event as AgreementEvent)
const refusedWith = (code: string): unknown => expect.objectContaining({ code })

it('is the same without waiting', () => {
  expect(runSync(() => perform(agreementModule))).toBe(module)
})

describe('open', () => {
  const copy = (some: readonly AgreementEvent[], terms = history.terms): string =>
    JSON.stringify({ events: some, terms })
  const byId = events.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  const $schema = 'urn:sx-agent:schemas/agreement/v2/agreement.schema.json'
  const whole = canonical({ $schema, events: byId, sxType: 'sx-agreement', terms: history.terms })

  it('is the union, whatever the order, however often and in however many parts', () => {
    const opened = module.open([copy(events.slice(1)), copy(events.toReversed())])
    expect(opened).toMatchObject({ raw: whole, hash: hashOf(history.terms), events: byId.map(idOf) })
    expect(module.open([copy(events.slice(0, 1)), copy([]), copy(events.slice(1))]).raw).toBe(whole)
    expect(module.open([whole]).raw).toBe(whole)
  })

  it('names who has signed, each once', () => {
    const signers = new Set(events.map(({ actor }) => actor.agentId))
    expect(module.open([whole]).signers).toEqual([...signers].sort())
  })

  it('refuses copies of different agreements, and what is no copy', () => {
    const other = { ...(history.terms as Terms), title: 'Another one' }
    expect(() => module.open([copy(events), copy([], other)])).toThrow(refusedWith('WrongAgreement'))
    expect(() => module.open([copy(events), '{'])).toThrow(refusedWith('NotJson'))
    for (const bad of ['1', '{}', '{"events":[1],"terms":{}}', '{"events":{}}', whole.replace('sx-agreement"', 'x"')]) {
      expect(() => module.open([bad])).toThrow(refusedWith('InvalidAgreement'))
    }
    expect(() => module.open([])).toThrow(refusedWith('InvalidAgreement'))
  })

  it('gives the events to store: those about the terms that are valid, each once', () => {
    const [first, ...others] = byId.map((event) => ({ event, verdict: { valid: true } }))
    const forged = { event: { ...first?.event, signature: 'AAAA' }, verdict: { valid: false, code: 'BadSignature' } }
    const foreign = { event: { ...first?.event, agreementHash: '0'.repeat(64) }, verdict: { valid: true } }
    const { terms, now } = history
    const question = JSON.stringify({ events: [forged, foreign, ...others, first], now, terms })
    expect(module.genuine(question)).toEqual(byId.flatMap((event) => [idOf(event), canonical(event)]))
  })
})

describe('create', () => {
  const now = '2026-03-01T00:00:00.000Z'
  const { sxId, ...terms } = history.terms as Terms & { sxId: string }

  it('gives the terms their id', () => {
    expect(module.create(JSON.stringify(terms, null, 1), sxId, now)).toMatchObject({
      id: sxId,
      hash: hashOf(history.terms),
    })
  })

  it('refuses what is wrong with terms', () => {
    const make = (given: object): unknown => module.create(JSON.stringify(given), sxId, now)
    expect(() => make({ ...terms, sxId })).toThrow(refusedWith('ReservedField'))
    expect(() => make({ ...terms, parties: [] })).toThrow(refusedWith('NoParties'))
    expect(() => make({ ...terms, title: 1 })).toThrow(refusedWith('InvalidTerms'))
    expect(() => make([])).toThrow(refusedWith('InvalidTerms'))
    expect(() => make({ ...terms, policy: { signBy: '2026-02-28T23:59:59.999Z' } })).toThrow(
      refusedWith('InvalidTerms'),
    )
  })
})
