// The published schema of agreements, the module that reads them and the model agree; what a schema cannot say stands
// below.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { type AgreementModule, agreementModule } from '../../src/agreements/module.ts'
import { perform, runAsync } from '../../src/effects.ts'
import { agentOf } from './example.ts'
import { examples } from './examples.ts'
import { type AgreementEvent, areTerms, type History, isEvent } from './forms.ts'
import { historyOf } from './histories.ts'
import { dateOf, keyOf, sha256, uuidOf } from './values.ts'

type Json = Record<string, unknown>

const byText = (one: unknown, other: unknown): number => (String(one) < String(other) ? -1 : 1)

const schema = JSON.parse(readFileSync('schemas/agreement/v2/agreement.schema.json', 'utf8')) as { $id: string }
const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text
const ajv = new Ajv({ strict: true, strictTypes: false, formats: { 'date-time': isDate } }).addSchema(schema)
const validate = ajv.getSchema(schema.$id)!
const isEventBySchema = ajv.compile({ $ref: `${schema.$id}#/$defs/event` })
const areTermsBySchema = ajv.compile({ $ref: `${schema.$id}#/$defs/terms` })

let module: AgreementModule

beforeAll(async () => {
  module = await runAsync(() => perform(agreementModule))
})

const documentOf = ({ terms, events }: History): Json => ({
  $schema: schema.$id,
  events: events.map(({ event }) => event),
  sxType: 'sx-agreement',
  terms,
})

function isOpened(document: unknown): boolean {
  try {
    module.open([JSON.stringify(document)])
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'InvalidAgreement') throw error
    return false
  }
}

test.each(examples)('accepts what the module opens: $name', ({ history }) => {
  const document = documentOf(history)
  const isAgreement = areTerms(history.terms)
  expect([validate(document), isOpened(document)]).toEqual([isAgreement, isAgreement])
  const raws = isAgreement ? [module.open([JSON.stringify(document)]).raw] : []
  expect(raws.filter((raw) => !validate(JSON.parse(raw)))).toEqual([])
})

test('says of the terms and events of histories what the model says', () => {
  const differences: unknown[] = []
  let mistakes = 0
  for (let seed = 0; seed < 200; seed++) {
    const { terms, events } = historyOf(seed)
    if (areTerms(terms) && !areTermsBySchema(terms)) differences.push({ seed, terms })
    for (const { event } of events) {
      const { seen } = (event ?? {}) as { seen?: unknown }
      // A schema cannot say that they ascend.
      const isGood = isEvent(Array.isArray(seen) ? { ...(event as Json), seen: seen.toSorted(byText) } : event)
      if (!isGood) mistakes++
      if (isEventBySchema(event) !== isGood) differences.push({ seed, event })
    }
  }
  expect(differences).toEqual([])
  expect(mistakes).toBeGreaterThan(0)
})

const { history } = examples.find(({ name }) => name.startsWith('state complete: both')) as { history: History }
const good = documentOf(history)
const goodTerms = history.terms as Json & { readonly parties: readonly Json[] }
const [proposal] = history.events.map(({ event }) => event as AgreementEvent) as [AgreementEvent]
const [party, second] = goodTerms.parties as [Json, Json]

const attachment = { name: 'a.pdf', mediaType: 'application/pdf', size: 1, sha256: sha256('a') }
const link = { rel: 'amends', sxId: uuidOf('other'), sha256: sha256('other') }
const without = (object: Json, name: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([n]) => n !== name))
const parties = (...changed: readonly Json[]): Json => ({ parties: changed })
const first = (change: Json): Json => parties({ ...party, ...change }, second)
const policy = (members: Json): Json => ({ policy: members })
const witness = { partyId: 'W', agentId: agentOf('W'), role: 'witness' }

describe('refuses a mistake in the document, as the module does:', () => {
  it.each<[string, unknown]>([
    ['no object', [good]],
    ['another schema', { ...good, $schema: 'urn:sx-agent:schemas/agreement/v1/agreement.schema.json' }],
    ['another type', { ...good, sxType: 'agreement' }],
    ['no events', without(good, 'events')],
    ['no terms', without(good, 'terms')],
    ['events that are no list', { ...good, events: {} }],
    ['an event that is no object', { ...good, events: ['sign'] }],
    ['another member', { ...good, status: 'complete' }],
    ['another member of the library', { ...good, sxVersion: uuidOf('version') }],
  ])('%s', (_, document) => {
    expect([validate(document), isOpened(document)]).toEqual([false, false])
  })
})

describe('refuses a mistake in the terms, as the module does:', () => {
  const mistakes: [string, Json][] = [
    ...['sxId', 'title', 'terms', 'termsFormat', 'parties'].map((name): [string, Json] => [
      `no ${name}`,
      { [name]: undefined },
    ]),
    ['an empty title', { title: '' }],
    ['empty terms', { terms: '' }],
    ['a summary that is no text', { summary: 1 }],
    ['another format', { termsFormat: 'text/html' }],
    ['an id in capitals', { sxId: uuidOf('id').toUpperCase() }],
    ['another member', { price: 900 }],
    ['a member of the library', { sxVersion: uuidOf('version') }],
    ['no parties', parties()],
    ['nobody who consents', parties(witness)],
    ['a party without an id', parties(without(party, 'partyId'))],
    ['a party id with a space', first({ partyId: 'A B' })],
    ['a party id of 65 characters', first({ partyId: 'A'.repeat(65) })],
    ['an agent that is no identifier', first({ agentId: 'Alice' })],
    ['an unknown role', first({ role: 'judge' })],
    ['a list of no keys', first({ keyIds: [] })],
    ['a key twice', first({ keyIds: [keyOf('a'), keyOf('a')] })],
    ['a key that is none', first({ keyIds: [`${'A'.repeat(42)}B`] })],
    ['a negative weight', first({ weight: -1 })],
    ['a weight that is too large', first({ weight: 1_000_001 })],
    ['half a stage', first({ stage: 0.5 })],
    ['an empty group', first({ group: '' })],
    ['required as a text', first({ required: 'yes' })],
    ['another member of a party', first({ email: 'a@example.com' })],
    ...['weight', 'stage', 'group', 'required'].map((name): [string, Json] => [
      `the ${name} of a witness`,
      parties(party, { ...witness, [name]: { weight: 1, stage: 0, group: 'g', required: false }[name] }),
    ]),
    ['a stage without order', parties(party, { ...second, stage: 1 })],
    ['an unknown quorum', policy({ quorum: 'most' })],
    ['a quorum of nobody', policy({ quorum: { m: 0 } })],
    ['two quorums', policy({ quorum: { m: 1, weight: 1 } })],
    ['a quorum of no groups', policy({ quorum: { groups: {} } })],
    ['an unknown order', policy({ order: 'alphabetical' })],
    ['half a witness', policy({ witnesses: 0.5 })],
    ['an unknown decline', policy({ decline: 'ends' })],
    ['no algorithms', policy({ algorithms: [] })],
    ['an unknown algorithm', policy({ algorithms: ['rsa'] })],
    ['an algorithm twice', policy({ algorithms: ['ed25519', 'ed25519'] })],
    ['an unknown strength', policy({ minStrength: 'strong' })],
    ['a strength that no algorithm has', policy({ minStrength: 'pq', algorithms: ['ed25519'] })],
    ['a date without milliseconds', policy({ signBy: '2026-03-01T00:00:00Z' })],
    ['a day that there is not', policy({ expiresAt: '2026-02-30T00:00:00.000Z' })],
    ['an unknown proof of time', policy({ timeProof: 'ntp' })],
    ['proof of time without a notary', policy({ timeProof: 'notary' })],
    ['an unknown delegation', policy({ delegation: 'all' })],
    ['an unknown withdraw', policy({ withdraw: 'always' })],
    ['an unknown terminate', policy({ terminate: 'never' })],
    ['another member of the policy', policy({ mood: 'good' })],
    ['an attachment without a hash', { attachments: [without(attachment, 'sha256')] }],
    ['an attachment without a name', { attachments: [{ ...attachment, name: '' }] }],
    ['a size below zero', { attachments: [{ ...attachment, size: -1 }] }],
    ['a size that is no whole number', { attachments: [{ ...attachment, size: 1.5 }] }],
    ['an unknown relation', { links: [{ ...link, rel: 'cites' }] }],
    ['a link without a hash', { links: [without(link, 'sha256')] }],
  ]
  it.each(mistakes)('%s', (_, change) => {
    const terms = JSON.parse(JSON.stringify({ ...goodTerms, ...change })) as Json
    const document = { ...good, terms, events: [] }
    expect([validate(document), isOpened(document)]).toEqual([false, false])
  })
})

describe('refuses a mistake in an event, which the module ignores:', () => {
  const attach = { type: 'attach', data: { attachment } }
  const delegate = (data: Json): Json => ({ type: 'delegate', data: { to: agentOf('B'), scope: ['sign'], ...data } })
  const mistakes: [string, Json][] = [
    ...Object.keys(proposal).map((name): [string, Json] => [`no ${name}`, { [name]: undefined }]),
    ['an unknown type', { type: 'accept' }],
    ['an unknown role', { role: 'judge' }],
    ['an unknown algorithm', { alg: 'rsa' }],
    ['a nonce that is too short', { nonce: 'AAAA' }],
    ['an empty signature', { signature: '' }],
    ['a signature in base64url', { signature: '__-_' }],
    ['a date with an offset', { at: dateOf(0).replace('Z', '+00:00') }],
    ['an event seen twice', { seen: [sha256('a'), sha256('a')] }],
    ['another member', { note: 'Hi.' }],
    ['another member of the actor', { actor: { ...proposal.actor, name: 'Alice' } }],
    ['a note that is no text', { data: { note: 1 } }],
    ['data of another type', { data: { reason: 'Why not.' } }],
    ['a comment without a text', { type: 'comment', data: {} }],
    ['a dispute without a reason', { type: 'dispute', data: {} }],
    ['a resolve of nothing', { type: 'resolve', data: {} }],
    ['for nobody', { type: 'sign', data: { for: '' } }],
    ['a file without a size', { ...attach, data: { attachment: without(attachment, 'size') } }],
    ['a delegation to nobody', delegate({ to: 'Bob' })],
    ['a delegation of nothing', delegate({ scope: [] })],
    ['a delegation of delegations', delegate({ scope: ['delegate'] })],
    ['a document without a version', delegate({ document: without(link, 'rel') })],
    ['a successor without a hash', { type: 'supersede', data: { successor: { sxId: uuidOf('other') } } }],
  ]
  it.each(mistakes)('%s', (_, change) => {
    const event = JSON.parse(JSON.stringify({ ...proposal, ...change })) as Json
    expect([isEventBySchema(proposal), isEventBySchema(event)]).toEqual([true, false])
    const question = { terms: history.terms, events: [{ event, verdict: { valid: true } }], now: history.now }
    expect(module.judge(JSON.stringify(question)).events.ignored).toEqual([{ code: 'BadEvent', eventId: null }])
  })
})

describe('cannot say, and the module refuses:', () => {
  it.each<[string, Json]>([
    ['one party id twice', parties(party, { ...second, partyId: party['partyId'] })],
    ['one agent twice', parties(party, { ...second, agentId: party['agentId'] })],
    ['stages with holes', { ...parties(party, { ...second, stage: 2 }), ...policy({ order: 'staged' }) }],
    ['a quorum that is out of reach', policy({ quorum: { m: 3 } })],
    ['weights that add up to nothing', parties({ ...party, weight: 0 })],
    ['more witnesses than there are', policy({ witnesses: 1 })],
    ['an end before the beginning', policy({ effectiveFrom: dateOf(2), expiresAt: dateOf(1) })],
    ['two attachments of one name', { attachments: [attachment, attachment] }],
  ])('%s', (_, change) => {
    const document = { ...good, terms: { ...goodTerms, ...change }, events: [] }
    expect([validate(document), isOpened(document)]).toEqual([true, false])
  })
})
