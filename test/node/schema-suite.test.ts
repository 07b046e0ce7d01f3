// The official JSON Schema Test Suite, as the registry has it: of draft-04, whose files about the keywords here mean the
// same in draft-07 but for those named below. What draft-07 adds (const, if and then) stands in schemas.test.ts.
import suite from 'json-schema-test-suite'
import { type SxAgent, SxError } from 'sx-agent'
import { beforeAll, describe, expect, test } from 'vitest'
import { HEADER, newAgent } from './schema-fixtures.ts'

/** The files on the keywords of the specification's table 2.4, and on what carries them. */
const FILES = [
  'additionalProperties',
  'allOf',
  'default',
  'definitions',
  'enum',
  'format',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'pattern',
  'patternProperties',
  'properties',
  'ref',
  'refRemote',
  'required',
  'type',
  'uniqueItems',
  'zeroTerminatedFloats',
]

/** Groups, or tests of them, that end otherwise; what is expected instead, and why. */
const DIFFERENCES: Readonly<Record<string, readonly [outcome: string, reason: string]>> = {
  'maximum: exclusiveMaximum validation': ['InvalidSchema', 'a number since draft-06, true before'],
  'minimum: exclusiveMinimum validation': ['InvalidSchema', 'a number since draft-06, true before'],
  'definitions: valid definition': ['RefNotAllowed', 'refers to the meta-schema of draft-04'],
  'definitions: invalid definition': ['RefNotAllowed', 'refers to the meta-schema of draft-04'],
  'ref: remote ref, containing refs itself': ['RefNotAllowed', 'refers to the meta-schema of draft-04'],
  'refRemote: remote ref': ['RefNotAllowed', 'References are never fetched'],
  'refRemote: fragment within remote ref': ['RefNotAllowed', 'References are never fetched'],
  'refRemote: ref within remote ref': ['RefNotAllowed', 'References are never fetched'],
  'refRemote: change resolution scope': ['RefNotAllowed', 'References are never fetched'],
  'format: validation of URIs': ['InvalidSchema', 'a format that is not checked is refused'],
  'format: validation of IP addresses': ['InvalidSchema', 'a format that is not checked is refused'],
  'format: validation of IPv6 addresses': ['InvalidSchema', 'a format that is not checked is refused'],
  'format: validation of host names': ['InvalidSchema', 'a format that is not checked is refused'],
  'default: invalid type for default / still valid when the invalid default is used': [
    'invalid',
    'a default is filled in, and then has to fit',
  ],
  'default: invalid string value for default / still valid when the invalid default is used': [
    'invalid',
    'a default is filled in, and then has to fit',
  ],
  'zeroTerminatedFloats: some languages do not distinguish between different types of numeric value / a float is not an integer even without fractional part':
    ['valid', 'of equal numbers a document holds one form, and 1.0 is 1'],
}

/** A case of the suite as a custom schema: what it says is said of `content`. */
function placed(schema: Record<string, unknown>, at: number): object {
  const $id = `https://example.com/suite/${at}/main.schema.json`
  const own = rewritten(schema, true) as Record<string, unknown>
  const declared = { $schema: 'http://json-schema.org/draft-07/schema#' }
  const main = {
    ...declared,
    $id,
    allOf: [{ $ref: HEADER }, { properties: { content: { $ref: 'content.schema.json' } } }],
  }
  // A schema of its own, so that its pointers mean what they meant.
  const content = { ...own, ...declared, $id: `https://example.com/suite/${at}/content.schema.json` }
  return { schema: main, schemas: [content] }
}

/** `id` of draft-04 is `$id` now; what stands below `properties` and `enum` are names and values. */
function rewritten(value: unknown, isSchema: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, isSchema))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, part]) => {
    const isId = isSchema && name === 'id' && typeof part === 'string'
    return [isId ? '$id' : name, rewritten(part, isSchema ? !['properties', 'enum'].includes(name) : true)]
  })
  return Object.fromEntries(members)
}

let agent: SxAgent
beforeAll(async () => {
  agent = await newAgent()
})

async function outcome(data: unknown, options: object): Promise<string> {
  try {
    await agent.createDocument({ content: data }, { ...options, noSave: true })
    return 'valid'
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    return error.code === 'SchemaViolation' ? 'invalid' : error.code
  }
}

describe('JSON Schema Test Suite', () => {
  const files = suite.draft4().filter(({ name }) => FILES.includes(name))
  const used = new Set<string>()

  test('has the files that are asked for', () => {
    expect(files.map(({ name }) => name).sort()).toEqual(FILES)
  })

  for (const { name, schemas } of files) {
    test(`${name}`, async () => {
      for (const [at, { description, schema, tests }] of schemas.entries()) {
        const options = placed(schema, at)
        const group = `${name}: ${description}`
        for (const { description: what, data, valid } of tests) {
          const key = [`${group} / ${what}`, group].find((known) => known in DIFFERENCES)
          if (key !== undefined) used.add(key)
          const expected = key === undefined ? (valid ? 'valid' : 'invalid') : DIFFERENCES[key]?.[0]
          expect(await outcome(data, options), `${group} / ${what}`).toBe(expected)
        }
      }
    })
  }

  test('each difference that is expected is there', () => {
    expect([...used].sort()).toEqual(Object.keys(DIFFERENCES).sort())
  })
})
