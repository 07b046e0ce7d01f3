// `verify` and `verifyOrThrow` with the option `as`: schemas as zod (objects), arktype (functions) and valibot (plain
// objects, paths of items) make them.
import { type StandardSchema, SxAgent, type VerificationResult } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { PASSWORD, refusal } from './fixtures.ts'
import { custom } from './schema-fixtures.ts'

interface Order {
  readonly amount: number
}

let agent: SxAgent
let raw: string
beforeAll(async () => {
  const options = { name: 'Orders', algorithm: 'ed25519', password: PASSWORD, storage: memoryStorage() } as const
  agent = (await SxAgent.create(options)).agent
  raw = (await agent.signMessage({ amount: 7 })).raw
})

type Outcome<T> = ReturnType<StandardSchema<T>['~standard']['validate']>

/** An object of a class, whose interface is an accessor. */
function schemaBy<T>(validate: (value: unknown) => Outcome<T>, vendor = 'zod'): StandardSchema<T> {
  return new (class {
    get '~standard'() {
      return { version: 1, vendor, validate } as const
    }
  })()
}

const hasAmount = (value: unknown): value is Order =>
  typeof value === 'object' && value !== null && 'amount' in value && typeof value.amount === 'number'

const order = schemaBy<Order>((value) =>
  hasAmount(value) ? { value } : { issues: [{ message: 'Expected a number.', path: ['amount'] }] },
)
const words = schemaBy<string[]>(
  () => ({ issues: [{ message: 'Expected an array', path: [{ key: 'a/b' }, 0, { key: '~' }] }, { message: 'No' }] }),
  'valibot',
)

describe('data that fit', () => {
  it('have the type and the value of the schema', async () => {
    const result = await agent.verify(raw, { as: order })
    expectTypeOf(result).toEqualTypeOf<VerificationResult<Order>>()
    if (!result.valid) return expect.fail(result.errors.join())
    expectTypeOf(result.data).toEqualTypeOf<Order>()
    expect(result).toMatchObject({ valid: true, data: { amount: 7 }, errors: [], type: 'message' })
    expect(Object.isFrozen(result)).toBe(true)
    expect(agent.verifySync(raw, { as: order })).toEqual(result)
    const { data } = await agent.verifyOrThrow(raw, { as: order })
    expectTypeOf(data).toEqualTypeOf<Order>()
    expect(agent.verifyOrThrowSync(raw, { as: order }).data.amount).toBe(7)
  })

  it('may come later, from a function, and as another value', async () => {
    const later = Object.assign(() => {}, {
      '~standard': {
        version: 1,
        vendor: 'arktype',
        validate: async (value: unknown) => Promise.resolve({ value: hasAmount(value) ? value.amount : 0 }),
      },
    } as const)
    expect((await agent.verifyOrThrow(raw, { as: later })).data).toBe(7)
    const error = await refusal(() => agent.verifySync(raw, { as: later }), 'InvalidOption')
    expect(error.message).toContain('Call the asynchronous function')
  })
})

describe('data that do not fit', () => {
  it('are SchemaViolation, and are not handed out', async () => {
    for (const verdict of [await agent.verify(raw, { as: words }), agent.verifySync(raw, { as: words })]) {
      expect(verdict).toMatchObject({ valid: false, code: 'SchemaViolation', data: undefined, documentId: '' })
      expect(verdict.errors.slice(1)).toEqual([
        '/a~1b/0/~0: Expected an array (valibot).',
        'The document: No (valibot).',
      ])
    }
    for (const work of [
      () => agent.verifyOrThrow(raw, { as: words }),
      () => agent.verifyOrThrowSync(raw, { as: words }),
    ]) {
      const { details } = await refusal(work, 'SchemaViolation')
      expect(details?.[0]).toEqual({ path: '/a~1b/0/~0', keyword: 'valibot', message: 'Expected an array' })
    }
  })

  it('no issues and no value, or both, are no good answer', async () => {
    for (const answer of [{ issues: [] }, { issues: [], value: 1 }]) {
      const as = schemaBy(() => answer as never)
      expect(await agent.verify(raw, { as })).toMatchObject({ valid: false, code: 'SchemaViolation' })
    }
    for (const answer of [
      undefined,
      null,
      1,
      true,
      {},
      { issues: 1 },
      { issues: null, value: 1 },
      { issues: [null] },
    ]) {
      const as = schemaBy(() => answer as never)
      const outcome = await agent.verify(raw, { as }).catch((error: unknown) => error)
      expect(outcome).toSatisfy(({ code }: { code: string }) => ['InvalidOption', 'SchemaViolation'].includes(code))
    }
  })

  it('a schema that throws is an error, never a verdict', async () => {
    const cause = new Error('why')
    const thrown = (): never => {
      throw cause
    }
    for (const work of [
      () => agent.verify(raw, { as: schemaBy(thrown) }),
      async () => agent.verifySync(raw, { as: schemaBy(thrown) }),
      () => agent.verify(raw, { as: schemaBy(async () => Promise.reject(cause)) }),
    ]) {
      expect((await refusal(work, 'InvalidOption')).cause).toBe(cause)
    }
  })

  it('at most 100 faults are told', async () => {
    const as = schemaBy(() => ({ issues: Array.from({ length: 300 }, () => ({ message: 'No' })) }))
    expect((await refusal(() => agent.verifyOrThrow(raw, { as }), 'SchemaViolation')).details).toHaveLength(100)
  })
})

it('a document that is not valid is not shown to the schema', async () => {
  let calls = 0
  const as = schemaBy((value) => {
    calls += 1
    return { value }
  })
  const forged = raw.replace('"amount":7', '"amount":8')
  expect(await agent.verify(forged, { as })).toMatchObject({ valid: false, code: 'BadSignature', data: undefined })
  const schema = custom({ required: ['other'] })
  expect(await agent.verify(raw, { as, schema })).toMatchObject({ valid: false, code: 'SchemaViolation' })
  expect(calls).toBe(0)
  expect(await agent.verify(raw, { as, schema: custom({ required: ['content'] }) })).toMatchObject({ valid: true })
  expect(calls).toBe(1)
})

it('what is no Standard Schema is refused', async () => {
  const standard = { version: 1, vendor: 'x', validate: () => ({ value: 1 }) }
  const unreadable = {
    get '~standard'(): never {
      throw new Error('no')
    },
  }
  for (const as of [
    null,
    1,
    'schema',
    {},
    unreadable,
    { '~standard': null },
    { '~standard': { ...standard, version: 2 } },
    { '~standard': { ...standard, validate: 1 } },
  ]) {
    await refusal(() => agent.verify(raw, { as: as as never }), 'InvalidOption')
  }
})
