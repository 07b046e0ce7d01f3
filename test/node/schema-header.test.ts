// The published header schema and the core's own check of a document's shape agree, member by member; what a schema
// cannot say stands below.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import * as core from '#core'
import { perform, runAsync } from '../../src/effects.ts'
import { type SchemaModule, schemaModule } from '../../src/schemas/module.ts'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }
import attached from '../vectors/files.json' with { type: 'json' }
import { custom, HEADER, newAgent } from './schema-fixtures.ts'

type Json = Record<string, unknown>

let module: SchemaModule
let handle: number
let ring: number

beforeAll(async () => {
  await newAgent() // loads the core
  module = await runAsync(() => perform(schemaModule))
  handle = module.load(JSON.stringify(custom(true)), []).handle
  ring = core.ringNew('')
})

function byCore(text: string): boolean {
  try {
    core.documentIdentity(ring, new TextEncoder().encode(text))
    return true
  } catch (error) {
    if (!Array.isArray(error)) throw error
    return false
  }
}

function bySchema(text: string): boolean {
  try {
    module.check(handle, text, '')
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== 'SchemaViolation') throw error
    return false
  }
}

const message = JSON.parse(documents.documents[0]?.raw ?? '') as Json
const agent = JSON.parse(agents.agents[0]?.raw ?? '') as Json
const date = message['sxVersionDate'] as string
const signature = message['sxSignature'] as Json
const [A, B] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-7222-9222-222222222222']

/** Texts that are near to what members hold, and some that are far from it. */
const NEAR = [
  '',
  'a',
  ' ',
  A,
  B,
  A.toUpperCase(),
  A.replace('-4', '-1'),
  `${A} `,
  `${A}\n`,
  date,
  date.replace('Z', '+00:00'),
  date.slice(0, -1),
  '1969-12-31T23:59:59.999Z',
  '2026-02-29T00:00:00.000Z',
  '2026-01-02T03:04:60.678Z',
  '2026-01-02T24:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '10000-01-01T00:00:00.000Z',
  'message',
  'agent',
  'sx-text',
  'x'.repeat(64),
  'x'.repeat(65),
  'ä',
  'raw',
  'config',
  'artifact',
  'derived',
  'Raw',
  'f'.repeat(64),
  'F'.repeat(64),
  'f'.repeat(63),
  HEADER,
  `${HEADER}#`,
  'urn:sx-agent:schemas',
  'urn:sx-agent:schemasX',
  'urn:sx-agent:schema',
  'https://example.com/x.json',
  signature['keyId'],
  signature['nonce'],
  signature['signature'],
  'AA==',
  'AB==',
  'AAA=',
  'AAB=',
  'AAAA',
  'AAA',
  '====',
  '4-EMoyYWk-W70thPo4F0Yx',
  `${'A'.repeat(42)}B`,
  'ed25519',
  'pq2025',
  'rsa',
  'text/plain',
  'Text/plain',
  'text/plain;x=1',
  `${'a'.repeat(127)}/b`,
  `${'a'.repeat(128)}/b`,
]
const OTHER: readonly unknown[] = [null, true, false, 0, 8, -1, 1e21, 1.5, [], {}, [A], { a: 1 }, signature]
const value = fc.oneof(fc.constantFrom(...NEAR, ...OTHER), fc.string({ maxLength: 8 }))
const TOP = [
  ...Object.keys(message),
  'sxRegistration',
  'sxAgentType',
  'sxAgentDomain',
  'sxPublicKeys',
  'sxKeyRotation',
  'sxFormerKeys',
  'sxFiles',
  'sxAgreement',
  'sxA',
  'sxa',
  'sx',
  'body',
  '__proto__',
]
const INNER = [...Object.keys(signature), 'other', '__proto__']
const OF_FILES = ['filename', 'mimeType', 'size', 'sha256', 'embedded', 'contents', 'other', '__proto__']

/** A document with files, of which one at least is embedded. */
const withFiles = JSON.parse(attached.cases[0]?.text ?? '') as Json

/** Well-formed documents: a first version, a later one, a countersigned one, an agent's, one with files, one with an agreement. */
const BASES: readonly Json[] = [
  message,
  { ...message, sxVersion: B, sxPreviousVersion: A, sxSignature: { ...signature } },
  { ...message, sxRegistration: { ...signature, date: '2026-05-05T05:05:05.555Z' } },
  agent,
  withFiles,
  { ...message, sxAgreement: {} },
]

/** The member of that name, or the first entry of the files. */
const partOf = (document: Json, where: string): Json | undefined =>
  (where === 'sxFiles' ? (document[where] as Json[] | undefined)?.[0] : document[where]) as Json | undefined

type Change = readonly [where: string, name: string, value: unknown]
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constant(''), fc.constantFrom(...TOP), fc.option(value, { nil: undefined })),
  fc.tuple(
    fc.constantFrom('sxSignature', 'sxRegistration'),
    fc.constantFrom(...INNER),
    fc.option(value, { nil: undefined }),
  ),
  fc.tuple(fc.constant('sxFiles'), fc.constantFrom(...OF_FILES), fc.option(value, { nil: undefined })),
)

function changed(base: Json, changes: readonly Change[]): Json {
  const copy = structuredClone(base)
  for (const [where, name, given] of changes) {
    const object = where === '' ? copy : partOf(copy, where)
    if (typeof object !== 'object' || object === null) continue
    if (given === undefined) delete object[name]
    else
      Object.defineProperty(object, name, {
        value: structuredClone(given),
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return copy
}

/** What only two members together break: the rules of versions and of dates (protocol, section 6). */
function breaksTogether(document: Json): boolean {
  const { sxVersion, sxOriginalVersion, sxPreviousVersion, sxVersionDate, sxOriginalDate, sxSignature } = document
  if ((sxSignature as Json | undefined)?.['date'] !== sxVersionDate) return true
  if (sxPreviousVersion === undefined) return sxVersion !== sxOriginalVersion || sxVersionDate !== sxOriginalDate
  const later = (sxVersionDate as string) >= (sxOriginalDate as string)
  return sxVersion === sxOriginalVersion || sxPreviousVersion === sxVersion || !later
}

test('both accept well-formed documents', () => {
  for (const base of BASES) expect([byCore(JSON.stringify(base)), bySchema(JSON.stringify(base))]).toEqual([true, true])
})

test('both agree on thousands of documents, most of them broken', () => {
  const counts = { accepted: 0, refused: 0 }
  const changes = fc.array(change, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.constantFrom(...BASES), changes, (base, made) => {
      const text = JSON.stringify(changed(base, made))
      const fits = bySchema(text)
      if (fits && breaksTogether(JSON.parse(text) as Json)) {
        expect(byCore(text), text).toBe(false)
        return
      }
      counts[fits ? 'accepted' : 'refused'] += 1
      expect(fits, text).toBe(byCore(text))
    }),
    { numRuns: 6000, seed: 20_260_102 },
  )
  expect(counts.accepted).toBeGreaterThan(100)
  expect(counts.refused).toBeGreaterThan(1000)
})

test('what only two members together break is for the core', () => {
  const [, later] = BASES
  const other = '2026-02-02T02:02:02.222Z'
  for (const document of [
    { ...message, sxVersion: B },
    { ...message, sxPreviousVersion: A },
    { ...message, sxOriginalDate: other },
    { ...message, sxVersionDate: other },
    { ...message, sxSignature: { ...signature, date: other } },
    { ...later, sxPreviousVersion: B },
    { ...later, sxOriginalDate: other },
    { ...later, sxVersion: later?.['sxOriginalVersion'] },
  ]) {
    const text = JSON.stringify(document)
    expect([bySchema(text), byCore(text)], text).toEqual([true, false])
  }
})

test('both agree on each member with each value', () => {
  const places = [
    ...TOP.map((name) => ['', name] as const),
    ...INNER.map((name) => ['sxSignature', name] as const),
    ...OF_FILES.map((name) => ['sxFiles', name] as const),
  ]
  for (const [where, name] of places) {
    for (const given of [undefined, ...NEAR, ...OTHER]) {
      const document = changed(where === 'sxFiles' ? withFiles : message, [[where, name, given]])
      const text = JSON.stringify(document)
      if (bySchema(text) && breaksTogether(JSON.parse(text) as Json)) expect(byCore(text), text).toBe(false)
      else expect(bySchema(text), text).toBe(byCore(text))
    }
  }
})

test('what is published is what is compiled in', () => {
  const published = readFileSync('schemas/header/v1/header.schema.json', 'utf8')
  expect(JSON.parse(published)).toMatchObject({ $id: HEADER, $schema: 'http://json-schema.org/draft-07/schema#' })
  const twin = { ...JSON.parse(published), $id: 'https://example.com/copy.json' } as Json
  const schema = custom({ $ref: 'https://example.com/copy.json' })
  const { handle: both } = module.load(JSON.stringify(schema), [JSON.stringify(twin)])
  module.check(both, JSON.stringify(message), '')
})
