// The keywords of custom schemas, row by row: through createDocument, which signs what fits and says of anything else
// where it does not.
import type { SchemaViolation, SxAgent, SxError } from 'sx-agent'
import { beforeAll, expect, it } from 'vitest'
import { custom, idOf, newAgent } from '../node/schema-fixtures.ts'

let agent: SxAgent
beforeAll(async () => {
  agent = await newAgent()
})

interface Row {
  /** The second member of the schema's `allOf`. */
  readonly own: object
  /** What stands beside it. */
  readonly $defs?: object
  readonly fits: readonly object[]
  /** Documents that do not fit, with the places and keywords of what is wrong. */
  readonly breaks: readonly (readonly [object, ...(readonly [path: string, keyword: string])[]])[]
}

/** A schema for a single member. */
const member = (schema: object): object => ({ properties: { a: schema } })

const ROWS: Readonly<Record<string, Row>> = {
  'spec 2.4 type: says what kind of value it is': {
    own: member({ type: ['string', 'null'] }),
    fits: [{ a: '' }, { a: null }, {}],
    breaks: [
      [{ a: 1 }, ['/a', 'type']],
      [{ a: {} }, ['/a', 'type']],
    ],
  },
  'spec 2.4 properties: has a schema for each member, also deeper': {
    own: member({ properties: { b: { type: 'integer' } } }),
    fits: [{ a: { b: 1 } }, { a: { c: 'x' } }],
    breaks: [[{ a: { b: 1.5 } }, ['/a/b', 'type']]],
  },
  'spec 2.4 required; 7 schema-missing-field: names members that have to be there': {
    own: { required: ['a', 'b'] },
    fits: [{ a: null, b: 1 }],
    breaks: [
      [{ a: 1 }, ['', 'required']],
      [{}, ['', 'required'], ['', 'required']],
    ],
  },
  'spec 2.4 enum; 7 schema-outside-enum: lists the values that there are': {
    own: member({ enum: ['draft', 'final', 3, null] }),
    fits: [{ a: 'draft' }, { a: 3 }, { a: null }],
    breaks: [
      [{ a: 'Draft' }, ['/a', 'enum']],
      [{ a: '3' }, ['/a', 'enum']],
    ],
  },
  'spec 2.4 const: is the one value': {
    own: member({ const: { b: [1] } }),
    fits: [{ a: { b: [1] } }],
    breaks: [[{ a: { b: [1, 2] } }, ['/a', 'const']]],
  },
  'spec 2.4 pattern: is found in a text': {
    own: member({ pattern: '^[A-Z]{2}[0-9]+$' }),
    fits: [{ a: 'DE89' }, { a: 89 }],
    breaks: [[{ a: 'de89' }, ['/a', 'pattern']]],
  },
  'spec 2.4 format: is checked for email, date, date-time and uuid': {
    own: {
      properties: {
        mail: { format: 'email' },
        day: { format: 'date' },
        time: { format: 'date-time' },
        id: { format: 'uuid' },
      },
    },
    fits: [
      { mail: 'a@example.com', day: '2024-02-29', time: '2026-01-02T03:04:05Z' },
      { id: '6fa459ea-ee8a-4ca4-894e-db77e160355e' },
    ],
    breaks: [
      [{ mail: 'example.com' }, ['/mail', 'format']],
      [{ day: '2026-02-29' }, ['/day', 'format']],
      [{ time: '2026-01-02' }, ['/time', 'format']],
      [{ id: '6fa459ea' }, ['/id', 'format']],
    ],
  },
  'spec 2.4 minimum: is the least number': {
    own: member({ minimum: 0.5 }),
    fits: [{ a: 0.5 }],
    breaks: [[{ a: 0.4 }, ['/a', 'minimum']]],
  },
  'spec 2.4 maximum: is the greatest number': {
    own: member({ maximum: 10 }),
    fits: [{ a: 10 }],
    breaks: [[{ a: 11 }, ['/a', 'maximum']]],
  },
  'spec 2.4 minItems: is how many there have to be': {
    own: member({ minItems: 1 }),
    fits: [{ a: [0] }],
    breaks: [[{ a: [] }, ['/a', 'minItems']]],
  },
  'spec 2.4 maxItems: is how many there may be': {
    own: member({ maxItems: 1 }),
    fits: [{ a: [0] }],
    breaks: [[{ a: [0, 1] }, ['/a', 'maxItems']]],
  },
  'spec 2.4 uniqueItems: lets none be there twice': {
    own: member({ uniqueItems: true }),
    fits: [{ a: [1, '1', [1]] }],
    breaks: [
      [
        {
          a: [
            { b: 1, c: 2 },
            { c: 2, b: 1 },
          ],
        },
        ['/a', 'uniqueItems'],
      ],
    ],
  },
  'spec 2.4 items: is the schema of each': {
    own: member({ items: { type: 'string' } }),
    fits: [{ a: [] }, { a: ['x', 'y'] }],
    breaks: [[{ a: ['x', 2, 'y', null] }, ['/a/1', 'type'], ['/a/3', 'type']]],
  },
  'spec 2.4 patternProperties, additionalProperties: are for names that are not known': {
    own: member({ patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false }),
    fits: [{ a: {} }, { a: { 'x-b': 1 } }],
    breaks: [
      [{ a: { 'x-b': '1' } }, ['/a/x-b', 'type']],
      [{ a: { b: 1 } }, ['/a', 'additionalProperties']],
    ],
  },
  'spec 2.4 $defs, $ref: are definitions that are used in several places': {
    own: member({ $ref: '#/$defs/money' }),
    $defs: { money: { type: 'integer' } },
    fits: [{ a: 1 }],
    breaks: [[{ a: '1' }, ['/a', 'type']]],
  },
  'spec 2.4 if, then: ask for more where a member has a value': {
    own: { if: { properties: { a: { const: 'card' } }, required: ['a'] }, then: { required: ['number'] } },
    fits: [{ a: 'cash' }, { a: 'card', number: '1' }],
    breaks: [[{ a: 'card' }, ['', 'required']]],
  },
  'spec 2.4 allOf: are schemas that all have to fit': {
    own: member({ allOf: [{ type: 'string' }, { pattern: 'x' }] }),
    fits: [{ a: 'x' }],
    breaks: [[{ a: 'y' }, ['/a', 'pattern']]],
  },
}

async function violations(document: object, schema: object): Promise<readonly SchemaViolation[]> {
  const error = await agent.createDocument(document, { schema }).then(
    () => expect.fail('it fits'),
    (cause: unknown) => cause as SxError,
  )
  expect(error).toMatchObject({ code: 'SchemaViolation' })
  return error.details ?? []
}

it.each(Object.entries(ROWS))('%s', async (_, { own, $defs, fits, breaks }) => {
  const schema = { ...custom(own), ...($defs && { $defs }) }
  for (const document of fits) {
    const raw = await agent.createDocument(document, { schema })
    expect(await agent.verifyOrThrow(raw, { schema })).toMatchObject({ valid: true, data: document })
    expect(JSON.parse(raw)).toMatchObject({ $schema: idOf('v1/order'), ...document })
  }
  for (const [document, ...places] of breaks) {
    const found = await violations(document, schema)
    expect(found.map(({ path, keyword }) => [path, keyword])).toEqual(places)
    for (const { message } of found) expect(message).toMatch(/\S/)
    const plain = await agent.createDocument(document)
    const result = await agent.verify(plain, { schema })
    expect(result).toMatchObject({ valid: false, code: 'SchemaViolation' })
    expect(result.errors.slice(1)).toHaveLength(places.length)
    for (const [at, [path, keyword]] of places.entries()) {
      expect(result.errors[at + 1]).toMatch(new RegExp(`^${path || 'The document'} .*\\(${keyword}\\)\\.$`))
    }
  }
})

it('spec 2.4 default: is filled in before the document is signed', async () => {
  const own = { properties: { paid: { type: 'boolean', default: false }, note: { default: 'none' } } }
  const raw = await agent.createDocument({ note: 'mine' }, { schema: custom(own) })
  expect((await agent.verifyOrThrow(raw)).data).toEqual({ note: 'mine', paid: false })
})

it('spec 2.4 chain: a schema extends another one, which extends the header', async () => {
  const base = custom({ required: ['a'] }, 'v1/base')
  const middle = custom({ required: ['b'] }, 'v1/middle', idOf('v1/base'))
  const schema = custom({ required: ['c'] }, 'v1/last', idOf('v1/middle'))
  const options = { schema, schemas: [middle, base] }
  const raw = await agent.createDocument({ a: 1, b: 2, c: 3 }, options)
  expect(JSON.parse(raw)).toMatchObject({ $schema: idOf('v1/last'), a: 1, b: 2, c: 3 })
  for (const document of [
    { b: 2, c: 3 },
    { a: 1, c: 3 },
    { a: 1, b: 2 },
  ]) {
    await expect(agent.createDocument(document, options)).rejects.toMatchObject({ code: 'SchemaViolation' })
  }
  await expect(agent.createDocument({ a: 1, b: 2, c: 3 }, { schema, schemas: [middle] })).rejects.toMatchObject({
    code: 'RefNotAllowed',
  })
})
