import { SxAgent, SxError } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD } from './fixtures.ts'
import { custom, HEADER, idOf, newAgent } from './schema-fixtures.ts'

let agent: SxAgent
beforeAll(async () => {
  agent = await newAgent()
})

/** What a call throws. */
async function failure(call: Promise<unknown>): Promise<SxError> {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!(error instanceof SxError)) throw new Error(`No SxError: ${String(error)}`)
  return error
}

/** Bodies that fit, and those that do not, with the place, the keyword and what is said. */
interface Row {
  readonly own: unknown
  readonly more?: Record<string, unknown>
  readonly good: readonly object[]
  readonly bad: readonly (readonly [body: object, path: string, keyword: string, message: RegExp])[]
}

const UUID = '47d31f52-e2ae-4be4-85c1-0d9053cad3d5'

const format = (name: string, good: readonly string[], bad: readonly string[]): Row => ({
  own: { properties: { a: { type: 'string', format: name } } },
  good: good.map((a) => ({ a })),
  bad: bad.map((a) => [{ a }, '/a', 'format', new RegExp(name)]),
})

/** Each row of the table in section 2.4 of the specification. */
const ROWS: Readonly<Record<string, Row>> = {
  'type, properties, required': {
    own: { type: 'object', properties: { a: { type: 'integer' }, b: { type: ['string', 'null'] } }, required: ['a'] },
    good: [{ a: 1 }, { a: 1, b: null }, { a: 2, b: 'x', c: [] }],
    bad: [
      [{}, '', 'required', /"a"/],
      [{ a: 1.5 }, '/a', 'type', /integer/],
      [{ a: 1, b: 1 }, '/b', 'type', /null or string|string or null/],
    ],
  },
  'enum, const': {
    own: { properties: { a: { enum: ['x', 1, null] }, b: { const: { c: [1] } } } },
    good: [{ a: 'x' }, { a: 1 }, { a: null }, { b: { c: [1] } }],
    bad: [
      [{ a: 'y' }, '/a', 'enum', /not one of \["x",1,null\]/],
      [{ b: { c: [2] } }, '/b', 'const', /is not \{"c":\[1\]\}/],
    ],
  },
  pattern: {
    own: { properties: { a: { pattern: '^[A-Z]{2}-\\d+$' } } },
    good: [{ a: 'AB-1' }, { a: 1 }],
    bad: [[{ a: 'ab-1' }, '/a', 'pattern', /\^\[A-Z\]/]],
  },
  'format email': format('email', ['a@example.com', 'a.b+c@example.com'], ['a', '@example.com', 'a b@example.com']),
  'format date': format('date', ['2026-02-28', '2024-02-29'], ['2026-02-29', '2026-2-28', '28.02.2026']),
  'format date-time': format(
    'date-time',
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678+01:00'],
    ['2026-01-02', '2026-01-02T25:00:00Z', '2026-01-02 03:04:05'],
  ),
  'format uuid': format('uuid', [UUID, UUID.toUpperCase()], ['47d31f52', `{${UUID}}`]),
  'minimum, maximum': {
    own: { properties: { a: { minimum: 0, maximum: 10 } } },
    good: [{ a: 0 }, { a: 10 }, { a: 'x' }],
    bad: [
      [{ a: -0.5 }, '/a', 'minimum', /less than 0/],
      [{ a: 11 }, '/a', 'maximum', /greater than 10/],
    ],
  },
  'minItems, maxItems, uniqueItems, items': {
    own: {
      properties: { a: { type: 'array', minItems: 1, maxItems: 3, uniqueItems: true, items: { type: 'string' } } },
    },
    good: [{ a: ['x'] }, { a: ['x', 'y', 'z'] }],
    bad: [
      [{ a: [] }, '/a', 'minItems', /fewer than 1/],
      [{ a: ['1', '2', '3', '4'] }, '/a', 'maxItems', /more than 3/],
      [{ a: ['x', 'x'] }, '/a', 'uniqueItems', /duplicate items/],
      [{ a: ['x', 1] }, '/a/1', 'type', /string/],
    ],
  },
  'patternProperties with additionalProperties false': {
    own: {
      properties: {
        a: { type: 'object', patternProperties: { '^[a-z]+$': { type: 'number' } }, additionalProperties: false },
      },
    },
    good: [{ a: {} }, { a: { x: 1, yz: 2 } }],
    bad: [
      [{ a: { x: '1' } }, '/a/x', 'type', /number/],
      [{ a: { X: 1 } }, '/a', 'additionalProperties', /"X"/],
    ],
  },
  '$defs with $ref to #/$defs/<name>': {
    own: { properties: { a: { $ref: '#/$defs/address' } } },
    more: { $defs: { address: { type: 'object', required: ['city'] } } },
    good: [{ a: { city: 'Bonn' } }],
    bad: [[{ a: {} }, '/a', 'required', /"city"/]],
  },
  'if, then (with required inside then)': {
    own: {
      if: { properties: { kind: { const: 'company' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword
      then: { required: ['taxId'] },
    },
    good: [{}, { kind: 'person' }, { kind: 'company', taxId: '1' }],
    bad: [[{ kind: 'company' }, '', 'required', /"taxId"/]],
  },
  default: {
    own: { properties: { a: { type: 'boolean', default: false } } },
    good: [{}, { a: true }],
    bad: [[{ a: 1 }, '/a', 'type', /boolean/]],
  },
}

describe('specification 2.4', () => {
  for (const [name, { own, more, good, bad }] of Object.entries(ROWS)) {
    const schema = { ...custom(own), ...more }
    test(`${name}: what fits is signed, what does not says where, by which keyword and why`, async () => {
      for (const body of good) {
        const raw = await agent.createDocument(JSON.stringify(body), { schema, noSave: true })
        expect(JSON.parse(raw)).toMatchObject({ ...body, $schema: idOf('v1/order') })
        expect(await agent.verifyDocument(raw)).toBe(true)
      }
      for (const [body, path, keyword, message] of bad) {
        const error = await failure(agent.createDocument(body, { schema, noSave: true }))
        expect(error).toMatchObject({ code: 'SchemaViolation', details: [{ path, keyword }] })
        expect(error.details?.[0]?.message).toMatch(message)
        expect(error.message).toContain(keyword)
      }
    })
  }

  test('default: filled in before signing, where a rule always holds, and never under a condition', async () => {
    const own = {
      properties: {
        paid: { type: 'boolean', default: false },
        to: { properties: { country: { default: 'DE' } } },
        lines: { items: { properties: { count: { default: 1 } } } },
        ref: { $ref: '#/$defs/flag' },
        both: { allOf: [{ default: 'first' }, { default: 'last' }] },
      },
      anyOf: [{ properties: { any: { default: 1 } } }],
      oneOf: [{ properties: { one: { default: 1 } } }],
      not: { properties: { not: { default: 1 } }, required: ['x'] },
      if: { properties: { if: { default: 1 } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword
      then: { properties: { then: { default: 1 } } },
      else: { properties: { else: { default: 1 } } },
    }
    const schema = { ...custom(own), $defs: { flag: { default: true } } }
    const raw = await agent.createDocument({ to: {}, lines: [{}, { count: 5 }] }, { schema })
    const { data } = await agent.verifyOrThrow(raw)
    expect(data).toEqual({
      paid: false,
      to: { country: 'DE' },
      lines: [{ count: 1 }, { count: 5 }],
      ref: true,
      both: 'last',
    })
  })

  test('schema inheritance: a chain ends at the header, and all of it holds', async () => {
    const base = custom({ required: ['a'] }, 'v1/base')
    const middle = custom({ required: ['b'] }, 'v1/middle', idOf('v1/base'))
    const schema = custom({ required: ['c'] }, 'v1/leaf', 'middle.schema.json')
    const error = await failure(agent.createDocument({}, { schema, schemas: [base, middle] }))
    expect(error.details?.map(({ message }) => message).sort()).toEqual([
      'lacks the member "a"',
      'lacks the member "b"',
      'lacks the member "c"',
    ])
    const options = { schema, schemas: [middle, base] }
    expect(JSON.parse(await agent.createDocument({ a: 1, b: 2, c: 3 }, options)).$schema).toBe(idOf('v1/leaf'))
  })

  test('a created document inherits the header: a schema can rule its members, and cannot set them', async () => {
    const typed = custom({ properties: { sxType: { const: 'invoice' } } })
    await expect(agent.createDocument({}, { schema: typed })).rejects.toMatchObject({ code: 'SchemaViolation' })
    const raw = await agent.createDocument({}, { schema: typed, type: 'invoice' })
    expect(JSON.parse(raw).sxType).toBe('invoice')
    const setting = custom({ properties: { sxRegistration: { default: {} }, sxType: { default: 'order' } } })
    expect(JSON.parse(await agent.createDocument({}, { schema: setting }))).toMatchObject({ sxType: 'document' })
    const { agentId } = agent.getAgentInfo() ?? {}
    const mine = custom({ properties: { sxSignature: { properties: { agentID: { const: agentId } } } } })
    expect(await agent.verifyDocument(await agent.createDocument({}, { schema: mine }))).toBe(true)
  })
})

/** A schema of so many levels. */
function nested(levels: number): object {
  let own: unknown = true
  for (let level = 0; level < levels; level++) own = { not: own }
  return custom(own)
}

describe('a schema that is none', () => {
  const good = JSON.stringify(custom(true))
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['no JSON', '{"$schema":', 'InvalidSchema'],
    ['no object', new TextEncoder().encode('[]'), 'InvalidSchema'],
    ['no UTF-8', Uint8Array.of(0xff), 'InvalidSchema'],
    ['a member twice', '{"a":1,"a":2}', 'InvalidSchema'],
    ['another draft', good.replace('draft-07', 'draft-04'), 'InvalidSchema'],
    ['no draft', good.replace('$schema', 'schema'), 'InvalidSchema'],
    ['no $id', good.replace('$id', 'id'), 'InvalidSchema'],
    ['a relative $id', good.replace(idOf('v1/order'), 'order.json'), 'InvalidSchema'],
    ['the library as $id', good.replace(idOf('v1/order'), HEADER), 'InvalidSchema'],
    ['no header', good.replace('allOf', 'anyOf'), 'InvalidSchema'],
    ['an unknown format', custom({ format: 'ipv4' }), 'InvalidSchema'],
    ['a keyword with a wrong value', custom({ minimum: '1' }), 'InvalidSchema'],
    ['2 MiB', custom({ description: 'x'.repeat(2 << 20) }), 'SchemaLimit'],
    ['2 MiB of bytes', new Uint8Array(2 << 20).fill(0x20), 'SchemaLimit'],
    ['10,001 subschemas', custom({ allOf: Array.from({ length: 10_001 }, () => true) }), 'SchemaLimit'],
    ['an object of 130 levels', nested(130), 'SchemaLimit'],
    ['an object of 600,000 members', custom({ enum: Array.from({ length: 600_000 }, () => 1) }), 'SchemaLimit'],
    ['a definition that no meta-schema knows', { ...custom(true), $defs: { a: { multipleOf: 0 } } }, 'InvalidSchema'],
    ['a $ref beside allOf', { ...custom(true), $ref: '#/allOf/1' }, 'InvalidSchema'],
    ['one $id for two', custom({ anyOf: [{ $id: 'a.json' }, { $id: 'a.json', minimum: 1 }] }), 'InvalidSchema'],
    ['a number', 1, 'InvalidOption'],
    ['a date', new Date(0), 'InvalidOption'],
    ['what JSON cannot show', custom({ default: undefined }), 'NotJson'],
  ]
  for (const [name, schema, code] of cases) {
    test(`${name}: ${code}, and nothing is stored`, async () => {
      const before = await agent.listDocuments()
      await expect(agent.createDocument({ a: 1 }, { schema: schema as object })).rejects.toMatchObject({ code })
      expect(await agent.listDocuments()).toEqual(before)
    })
  }

  test('without a schema there is nothing that could refer to others', async () => {
    await expect(agent.createDocument({}, { schemas: [custom(true)] })).rejects.toMatchObject({ code: 'InvalidOption' })
  })
})

describe('documents that have a schema', () => {
  const schema = custom({ properties: { amount: { type: 'number' }, paid: { default: false } }, required: ['amount'] })

  test('the schema is kept with the documents, and is found in another process', async () => {
    const storage = memoryStorage()
    const first = await newAgent(storage)
    const total = { ...custom({ properties: { total: { minimum: 0 } } }, 'v1/total', idOf('v1/order')) }
    const { sxId } = JSON.parse(await first.createDocument({ amount: 1 }, { schema: total, schemas: [schema] }))
    const later = new SxAgent({ storage, password: PASSWORD })
    await later.load()
    const next = JSON.parse(await later.updateDocument(sxId, '{"amount":3,"total":1}'))
    expect(next).toMatchObject({ $schema: idOf('v1/total'), paid: false, amount: 3 })
    await expect(later.updateDocument(sxId, '{"amount":3,"total":-1}')).rejects.toMatchObject({
      code: 'SchemaViolation',
    })
    expect(JSON.parse(later.updateDocumentSync(sxId, '{"amount":4}')).amount).toBe(4)
  })

  test('a backup holds the schemas that are kept', async () => {
    const storage = memoryStorage()
    const own = await newAgent(storage)
    const total = { ...custom({ properties: { total: { minimum: 0 } } }, 'v1/total', idOf('v1/order')) }
    const { sxId } = JSON.parse(await own.createDocument({ amount: 1 }, { schema: total, schemas: [schema] }))
    const backup = await own.exportStore()
    const restored = new SxAgent({ storage: memoryStorage(), password: PASSWORD })
    await restored.importStore(backup)
    await restored.load()
    const next = JSON.parse(await restored.updateDocument(sxId, '{"amount":3,"total":1}'))
    expect(next).toMatchObject({ $schema: idOf('v1/total'), paid: false })
    expect(new TextDecoder().decode(await restored.exportStore())).toContain('["schemas/')
    const [key] = Array.from(storage.listSync(['sx_data', 'schemas']))
    await storage.put(key ?? [], new TextEncoder().encode('{}'))
    expect((await failure(own.exportStore())).code).toBe('CorruptStore')
  })

  test('of two schemas with one $id the one that is meant has to be passed', async () => {
    const storage = memoryStorage()
    const own = await newAgent(storage)
    const { sxId } = JSON.parse(await own.createDocument({ amount: 1 }, { schema }))
    const reordered = Object.fromEntries(Object.entries(schema).reverse())
    await own.createDocument({ amount: 1 }, { schema: JSON.stringify(reordered, null, 2) }) // the same one
    expect(JSON.parse(await own.updateDocument(sxId, '{"amount":2}')).amount).toBe(2)
    const changed = custom({ required: ['other'] })
    await own.createDocument({ other: 1 }, { schema: changed })
    for (const update of [
      async () => own.updateDocument(sxId, '{"amount":3}'),
      async () => own.updateDocumentSync(sxId, '{"amount":3}'),
    ]) {
      await expect(update()).rejects.toMatchObject({
        code: 'SchemaRequired',
        message: expect.stringContaining('Pass the one that you need as the option `schema`') as string,
      })
    }
    expect(JSON.parse(await own.updateDocument(sxId, '{"amount":3}', { schema })).amount).toBe(3)
  })

  test('a kept schema that was changed or lost is said', async () => {
    const storage = memoryStorage()
    const own = await newAgent(storage)
    const { sxId } = JSON.parse(await own.createDocument({ amount: 1 }, { schema }))
    const [key] = Array.from(storage.listSync(['sx_data', 'schemas']))
    if (key === undefined) throw new Error('the schema is not kept')
    const bytes = await storage.get(key)
    await storage.put(key, new TextEncoder().encode('{}'))
    const later = new SxAgent({ storage, password: PASSWORD })
    await later.load()
    await expect(later.updateDocument(sxId, '{"amount":2}')).rejects.toMatchObject({ code: 'CorruptStore' })
    await storage.delete(key)
    await expect(later.updateDocument(sxId, '{"amount":2}')).rejects.toMatchObject({ code: 'SchemaRequired' })
    await storage.put(key, bytes as Uint8Array)
    expect(JSON.parse(await later.updateDocument(sxId, '{"amount":2}')).amount).toBe(2)
  })

  test('the data may name the schema that is in use', async () => {
    const $schema = idOf('v1/order')
    const { sxId } = JSON.parse(await agent.createDocument({ $schema, amount: 1 }, { schema }))
    const next = custom({ required: ['amount'] }, 'v2/order')
    const update = JSON.stringify({ $schema: idOf('v2/order'), amount: 2 })
    expect(JSON.parse(await agent.updateDocument(sxId, update, { schema: next })).$schema).toBe(idOf('v2/order'))
    await expect(agent.createDocument({ $schema: 'urn:other', amount: 1 }, { schema })).rejects.toMatchObject({
      code: 'ReservedField',
    })
    await expect(agent.createDocument({ $schema, amount: 1 })).rejects.toMatchObject({ code: 'ReservedField' })
    expect(JSON.parse(await agent.createDocument({ $schema: HEADER, amount: 1 })).$schema).toBe(HEADER)
  })

  test('what is only verified by has no say in a later update', async () => {
    const other = await newAgent()
    const raw = await other.createDocument({ amount: 1 }, { schema })
    const strict = custom({ required: ['other'] })
    expect(await other.verify(raw, { schema: strict })).toMatchObject({ valid: false, code: 'SchemaViolation' })
    expect(JSON.parse(await other.updateDocument(JSON.parse(raw).sxId, '{"amount":2}')).amount).toBe(2)
    const made = JSON.parse(await other.createDocument({ amount: 1 }, { schema }))
    for (let n = 0; n < 40; n++) await other.verify(raw, { schema: custom({ maxProperties: 100 + n }) })
    expect(JSON.parse(await other.updateDocument(made.sxId, '{"amount":3}')).paid).toBe(false)
  })

  test('a message with a schema is updated by its content', async () => {
    const own = { properties: { content: { properties: { n: { type: 'number' }, m: { default: 0 } } } } }
    const made = await agent.createDocument(
      { content: { n: 1 } },
      { schema: custom(own, 'v1/message'), type: 'message' },
    )
    const { sxId } = JSON.parse(made)
    const { content } = JSON.parse(await agent.updateDocument(sxId, '{"n":2}'))
    expect(content).toEqual({ n: 2, m: 0 })
    await expect(agent.updateDocument(sxId, '{"n":"2"}')).rejects.toMatchObject({ code: 'SchemaViolation' })
  })

  test('a document without one keeps none, and is given one by an update that names it', async () => {
    const { sxId } = JSON.parse(await agent.createDocument({ amount: 1 }))
    expect(JSON.parse(await agent.updateDocument(sxId, '{"amount":"2"}')).$schema).toBe(HEADER)
    await expect(agent.updateDocument(sxId, '{}', { schema })).rejects.toMatchObject({ code: 'SchemaViolation' })
    expect(JSON.parse(await agent.updateDocument(sxId, '{"amount":3}', { schema })).$schema).toBe(idOf('v1/order'))
  })

  test('more schemas than are kept, and an agent that was closed', async () => {
    for (let n = 0; n < 40; n++) {
      const raw = await agent.createDocument({ n }, { schema: custom({ properties: { n: { const: n } } }, `n${n}`) })
      expect(JSON.parse(raw).$schema).toBe(idOf(`n${n}`))
    }
    const { sxId } = JSON.parse(await agent.createDocument({ n: 0 }, { schema: custom({ required: ['n'] }, 'other') }))
    const raw = await agent.createDocument({ amount: 1 }, { schema })
    expect(JSON.parse(raw).paid).toBe(false)
    expect(JSON.parse(await agent.updateDocument(sxId, '{"n":1}')).n).toBe(1)
    const closing = await newAgent()
    await closing.createDocument({ amount: 1 }, { schema })
    await closing.close()
    await expect(closing.createDocument({ amount: 1 }, { schema })).rejects.toMatchObject({ code: 'NoAgentLoaded' })
  })
})

describe('bounds', () => {
  const create = (data: object, schema: object) => agent.createDocument(data, { schema, noSave: true })
  const refused = async (data: object, schema: object) => (await failure(create(data, schema))).code

  test('references within references, times the levels of a document: a verdict, or SchemaLimit', async () => {
    const chain = (length: number) => {
      const last = { $ref: `#/$defs/c${length - 1}` }
      const links = Array.from({ length: length - 1 }, (_, n) => [`c${n + 1}`, { allOf: [{ $ref: `#/$defs/c${n}` }] }])
      const $defs = { c0: { properties: { n: last }, type: ['object', 'number'] }, ...Object.fromEntries(links) }
      return { ...custom({ properties: { content: last } }), $defs }
    }
    const levels = (count: number, end: unknown) => {
      let content = end
      for (let level = 0; level < count; level++) content = { n: content }
      return { content }
    }
    for (const [length, count] of [
      [2, 120],
      [5, 100],
      [100, 4],
      [120, 3],
    ] as const) {
      expect(JSON.parse(await create(levels(count, 1), chain(length))).content).toBeDefined()
      expect(await refused(levels(count, 'x'), chain(length))).toBe('SchemaViolation')
    }
    expect(await refused(levels(100, 1), chain(30))).toBe('SchemaLimit')
    expect(await refused(levels(100, 'x'), chain(120))).toBe('SchemaLimit')
  })

  test('what takes too long is refused after so many steps; at its end there would be another outcome', async () => {
    const items = (own: object) => custom({ properties: { content: { items: own } } })
    const halves = Array.from({ length: 20_000 }, (_, n) => n + 0.5)
    const content = Array.from({ length: 10_000 }, (_, n) => -n)
    const slow = custom({ properties: { content: { pattern: '[ab]*a[ab]{8000}c' } } })
    expect(await refused({ content }, items({ not: { enum: halves } }))).toBe('SchemaLimit')
    expect(await refused({ content: 'ab'.repeat(500_000) }, slow)).toBe('SchemaLimit')
    expect(await refused({ content: 'ab'.repeat(1000) }, slow)).toBe('SchemaViolation')
  })

  test('defaults stay within the limits', async () => {
    const filled = { properties: { d: { default: 'x'.repeat(900_000) } } }
    const schema = custom({ properties: { content: { items: filled } } })
    expect(await refused({ content: Array.from({ length: 500 }, () => ({})) }, schema)).toBe('LimitExceeded')
    expect(JSON.parse(await create({ content: [{}, {}] }, schema)).content[1].d).toHaveLength(900_000)
  })

  test('an empty reference is one to the whole schema', async () => {
    expect(await refused({ content: 1 }, custom({ properties: { content: { $ref: '' } } }))).toBe('SchemaViolation')
  })

  test('patterns are those of ECMA 262', async () => {
    const pattern = (pattern: string) => custom({ properties: { content: { pattern } } })
    for (const [source, good, bad] of [
      ['^.*$', 'a\u0085b', 'a\rb'],
      ['^.*$', 'ab', 'a\u2028b'],
      ['\\bé\\b', 'aéa', 'é'],
      ['^\\0$', '\0', '0'],
      ['^[^]$', '\n', ''],
      ['^\\ud83d\\ude00$', '😀', 'a'],
      ['^\\p{Script=Greek}$', 'α', 'a'],
    ] as const) {
      expect([new RegExp(source, 'u').test(good), new RegExp(source, 'u').test(bad)], source).toEqual([true, false])
      expect(JSON.parse(await create({ content: good }, pattern(source))).content).toBe(good)
      expect(await refused({ content: bad }, pattern(source)), source).toBe('SchemaViolation')
    }
    for (const source of ['\\<a', '\\-', '\\p{IsGreek}', '(?P<a>b)', '{1}', '\\8']) {
      expect(() => new RegExp(source, 'u'), source).toThrow(SyntaxError)
      expect(await refused({}, pattern(source)), source).toBe('UnsafePattern')
    }
  })
})
