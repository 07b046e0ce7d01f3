// What the command line says of agreements: every reason and code has its sentence, and long texts stay behind their bar.
import { beforeAll, describe, expect, it } from 'vitest'
import { reportOf, termsReport, unusable } from '../../node/cli/agreement-state.ts'
import { awaited, IGNORED, ignoredBecause, sentenceOf } from '../../node/cli/agreement-words.ts'
import { quoteText, textOf } from '../../node/cli/output.ts'
import { type AgreementModule, agreementModule } from '../../src/agreements/module.ts'
import { perform, runAsync } from '../../src/effects.ts'
import type { AgreementParty, AgreementResult, AgreementTerms } from '../../src/simple.ts'
import { examples } from '../agreements/examples.ts'

let module: AgreementModule
const results: AgreementResult[] = []

const judged = (history: object): AgreementResult => ({
  ...module.judge(JSON.stringify(history)),
  history: [],
  signers: [],
  untrusted: [],
  unproved: [],
})

beforeAll(async () => {
  module = await runAsync(() => perform(agreementModule))
  for (const { history } of examples) {
    results.push(judged(history))
  }
})

describe('codes of events without effect', () => {
  it('have the sentences of the module', () => {
    const theirs = Object.keys(IGNORED).map((code) => [code, module.reason(code)])
    expect(Object.fromEntries(theirs)).toEqual(IGNORED)
  })

  it('are all there', () => {
    const codes = new Set(results.flatMap(({ events }) => events.ignored.map(({ code }) => code)))
    expect(codes.size).toBeGreaterThan(10)
    for (const code of codes) expect({ code, says: ignoredBecause(code) }).not.toEqual({ code, says: code })
    expect(ignoredBecause('UnknownSigner')).toBe('The public key of the signer is not known.')
    expect(ignoredBecause('constructor')).toBe('constructor')
  })
})

describe('reasons', () => {
  it('of all examples are sentences', () => {
    const reasons = new Set(results.flatMap(({ blocked }) => blocked))
    for (const reason of reasons) expect(sentenceOf(reason)).toMatch(/^(?:[A-Z]|\d).* .*\.$/)
    const kinds = new Set([...reasons].map((reason) => reason.split(' ')[0]))
    expect(kinds).toEqual(
      new Set([
        'dispute',
        'group',
        'notaries',
        'propose',
        'quorum',
        'required',
        'stage',
        'weight',
        'withdrawals',
        'witnesses',
      ]),
    )
  })

  const party = (partyId: string, more: Partial<AgreementParty> = {}): AgreementParty => {
    return { partyId, agentId: partyId, role: 'signer', ...more }
  }
  const PARTIES = [
    party('a', { group: 'legal 1', stage: 0 }),
    party('b', { role: 'approver', stage: 1, weight: 0 }),
    party('w', { role: 'witness' }),
    party('n', { role: 'notary' }),
    party('o', { role: 'observer' }),
  ]

  it.each([
    [
      ['quorum 0/2', 'witnesses 0/1'],
      ['a', 'b'],
    ],
    [['weight 0/2'], ['a']],
    [
      ['group legal 1 0/1', 'required b'],
      ['a', 'b'],
    ],
    [['quorum 0/2', 'required a', 'stage 1 0/1'], ['b']],
    [
      ['witnesses 0/1', 'notaries 0/1'],
      ['w', 'n'],
    ],
    [['propose'], []],
  ])('%j wait for %j', (blocked, expected) => {
    expect(awaited(blocked, PARTIES).map(({ partyId }) => partyId)).toEqual(expected)
  })
})

it('every example has a report', () => {
  for (const [index, { history }] of examples.entries()) {
    const terms = history.terms as AgreementTerms
    const result = results[index] as AgreementResult
    const report = reportOf({ raw: '', terms, result })
    expect(textOf(report)).toMatch(/^[A-Z]{2,}[^\n]*\n/)
    const isShown = result.status !== 'invalid'
    expect(report.tables?.[0] ?? []).toHaveLength(isShown ? terms.parties.length + 1 : 0)
  }
})

describe('an event that is missing', () => {
  const { history } = examples.find(({ name }) => name === 'state complete: both have signed') as (typeof examples)[0]
  const [proposal, ...signatures] = history.events
  const said = (events: typeof history.events): string | undefined => unusable(judged({ ...history, events }))?.message

  it('is one to get, if it is not there', () => {
    expect(said(signatures)).toMatch(/^The agreement lacks the event .* run `sx agreement import`\.$/)
  })

  it.each(['UnknownSigner', 'KeyMismatch'])('has a signer to trust, if it is there: %s', (code) => {
    const unknown = { event: proposal?.event, verdict: { valid: false, code } }
    expect(said([unknown, ...signatures])).toMatch(/^The key of the event .* is not known \(.*\)\. .*`sx trust add`/)
  })

  it('is one to get, if it is damaged', () => {
    const damaged = { event: proposal?.event, verdict: { valid: false, code: 'BadSignature' } }
    expect(said([damaged, ...signatures])).toMatch(/^The agreement lacks the event /)
  })
})

describe('the text of an agreement', () => {
  const terms: AgreementTerms = {
    title: 'Rent\nSign this? (y/N): ',
    summary: 'In short.',
    terms: `${'word '.repeat(40)}\r\n\u202eevil\u001b[2J\n${'x'.repeat(100)}`,
    termsFormat: 'text/plain',
    parties: [{ partyId: 'me', agentId: 'id', role: 'signer', displayName: ' \nme', required: true }],
    attachments: [{ name: 'plan.txt', mediaType: 'text/plain', size: 4, sha256: 'ab' }],
    policy: { signBy: '2099-01-01T00:00:00.000Z' },
  }

  it('stands behind a bar in every line of a terminal, and is whole', () => {
    const lines = quoteText(terms.terms).split('\n').slice(0, -1)
    for (const line of lines) expect(line).toMatch(/^ {2}\|(?: .{1,72})?$/u)
    expect(
      lines
        .map((line) => line.slice(4))
        .join('')
        .replaceAll(' ', ''),
    ).toBe(`${'word'.repeat(40)}\\u{202e}evil\\u{1b}[2J${'x'.repeat(100)}`)
    expect(lines.filter((line) => line.includes('word')).every((line) => line.endsWith('word'))).toBe(true)
    expect(quoteText('漢'.repeat(40)).split('\n')[0]).toBe(`  | ${'漢'.repeat(36)}`)
  })

  it('is shown with the parties, the dates and the files before it is signed', () => {
    const shown = textOf(termsReport(terms))
    expect(shown).toContain('sign by     2099-01-01T00:00:00.000Z\n')
    expect(shown).toContain('attachment  ab  4 bytes  plan.txt\n')
    expect(shown).toContain('\nme     signer  required  id        \\u{20}\\u{a}me\n')
    expect(shown).toContain('\n  | Rent\n  | Sign this? (y/N):\n  |\n  | In short.\n  |\n  | word')
  })
})
