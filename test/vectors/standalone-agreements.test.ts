// The copies of standalone-agreements.json: merged as the protocol says it, decided as the model decides, and both as the library
// does.
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgementOf } from '../agreements/answers.ts'
import type { Verdict } from '../agreements/forms.ts'
import { judge } from '../agreements/model.ts'
import vectors from './standalone-agreements.json' with { type: 'json' }

type Case = (typeof vectors.results)[number]

const texts = new Map(vectors.events.map(({ name, raw }) => [name, raw]))
const ids = new Map(vectors.events.map(({ eventId, raw }) => [raw, eventId]))
const known = new Map<string | null, readonly string[]>([...Object.entries(vectors.known), [null, []]])

const textsOf = (names: readonly string[]): string[] => names.map((name) => texts.get(name) ?? '')

/** The canonical document of some copies: each different text once, by id and text. */
function merged({ copies }: Case): string {
  const all = [...new Set(copies.flatMap(textsOf))]
  const key = (raw: string): string => `${ids.get(raw)} ${raw}`
  const events = all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map((raw) => JSON.parse(raw) as unknown)
  const $schema = 'urn:sx-agent:schemas/agreement/v2/agreement.schema.json'
  return canonicalize({ $schema, events, sxType: 'sx-agreement', terms: vectors.terms }) ?? ''
}

test.each(vectors.results)('merged, and decided by the model: $name', (vector) => {
  const document = merged(vector)
  expect({ bytes: Buffer.byteLength(document), sha256: sha256(document) }).toEqual(vector.document)
  const { events } = JSON.parse(document) as { events: readonly unknown[] }
  expect(vector.verdicts).toHaveLength(events.length)
  const entries = events.map((event, at) => ({ event, verdict: vector.verdicts[at] as Verdict }))
  const history = { terms: vectors.terms, events: entries, now: vector.now }
  expect(judge(history)).toEqual(judgementOf(JSON.stringify(vector.result)))
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

let agent: SxAgent
beforeAll(async () => {
  const password = 'correct horse battery staple'
  ;({ agent } = await SxAgent.create({ name: 'Carol', algorithm: 'ed25519', password, storage: memoryStorage() }))
})
afterAll(() => agent.close())

test.each(vectors.results)('the library: $name', async (vector) => {
  for (const agentId of agent.listTrustedAgents()) agent.untrustAgent(agentId)
  for (const document of known.get(vector.known) ?? []) agent.trustAgent(document)
  const copies = vector.copies.map((names) => `{"terms":${vectors.canonical},"events":[${textsOf(names).join(',')}]}`)
  const document = await agent.mergeAgreements(copies.toReversed())
  expect(document).toBe(merged(vector))
  const { signers, history, untrusted, unproved, ...result } = await agent.verifyAgreement(document, { now: vector.now })
  expect({ result, signers }).toEqual({ result: vector.result, signers: vector.signers })
  expect(unproved).toEqual([])
  expect(untrusted).toEqual([]) // keys come from the agents that are trusted
  const events = history.map(({ type, at, eventId }) => `${at} ${eventId} ${type}`)
  const { events: all } = JSON.parse(document) as { events: readonly { type: string; at: string }[] }
  const read = new Set(all.map((event) => `${event.at} ${ids.get(canonicalize(event) ?? '')} ${event.type}`))
  expect(events.toSorted()).toEqual([...read].sort())
  expect(history.map(({ at }) => at)).toEqual(history.map(({ at }) => at).toSorted())
})
