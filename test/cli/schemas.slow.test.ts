// sign, update and verify --schema, by their exit status and what they print.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const $id = 'https://example.com/v1/order.json'
const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id,
  allOf: [
    { $ref: 'urn:sx-agent:schemas/header/v1/header.schema.json' },
    { properties: { amount: { minimum: 0 }, paid: { default: false } }, required: ['amount'] },
  ],
}

/** What is wrong with `wrong.json`. */
const DETAILS = [{ path: '/amount', keyword: 'minimum', message: 'is less than 0' }]

beforeAll(async () => {
  await place.quickstart()
  writeFileSync(place.at('order.schema.json'), JSON.stringify(schema))
  writeFileSync(place.at('order.json'), '{"amount":1}')
  writeFileSync(place.at('wrong.json'), '{"amount":-1}')
  writeFileSync(place.at('broken.schema.json'), '{}')
  writeFileSync(place.at('note.txt'), 'Hi.\n')
})
afterAll(() => place.remove())

it('signs a document that fits, with its defaults, and stores it', async () => {
  await place.done(['sign', 'order.json', '--schema', 'order.schema.json', '-o', 'signed.json'])
  const signed = readFileSync(place.at('signed.json'), 'utf8')
  expect(JSON.parse(signed)).toMatchObject({ $schema: $id, amount: 1, paid: false, sxType: 'document' })
  const { exit, value } = await place.json(['verify', 'signed.json'])
  expect(exit).toBe(0)
  expect(value).toMatchObject({ valid: true, data: { amount: 1, paid: false } })
  expect((await place.sx(['show', JSON.parse(signed).sxId])).exit).toBe(0)
})

it('says all that is wrong with a document, and signs nothing', async () => {
  const { exit, value } = await place.json(['sign', 'wrong.json', '--schema', 'order.schema.json'])
  expect(exit).toBe(1)
  expect(value).toMatchObject({
    ok: false,
    error: { code: 'SchemaViolation', details: DETAILS },
  })
  const { exit: again, stderr, stdout } = await place.sx(['sign', 'wrong.json', '--schema', 'order.schema.json'])
  expect([again, stdout]).toEqual([1, ''])
  expect(stderr).toContain('/amount: is less than 0 (minimum)')
})

it.each([
  ['broken.schema.json', 'order.json', 2, 'InvalidSchema'],
  ['missing.json', 'order.json', 4, 'NotFound'],
  ['order.schema.json', 'note.txt', 2, 'InvalidOption'],
])('refuses %s for %s', async (file, input, exit, code) => {
  const found = await place.json(['sign', input, '--schema', file])
  expect([found.exit, found.value['error']]).toEqual([exit, expect.objectContaining({ code })])
})

describe('update', () => {
  let id: string
  beforeAll(async () => {
    id = String((await place.json(['sign', 'order.json', '--schema', 'order.schema.json'])).value['documentId'])
  })

  it('finds the schema of a document, or asks for it, and signs what fits it, with its defaults', async () => {
    const found = await place.done(['update', id], { input: '{"amount":1}' })
    expect(JSON.parse(found)).toMatchObject({ $schema: $id, amount: 1, paid: false })
    rmSync(place.at('sx_data/schemas'), { recursive: true })
    const without = await place.json(['update', id], { input: '{"amount":2}' })
    expect(without).toMatchObject({ exit: 2, value: { error: { code: 'SchemaRequired' } } })
    expect(without.value.error?.message).toContain('--schema')
    const next = await place.done(['update', id, '--schema', 'order.schema.json'], { input: '{"amount":2}' })
    expect(JSON.parse(next)).toMatchObject({ $schema: $id, sxId: id, amount: 2, paid: false })
  })

  it('signs nothing that does not fit', async () => {
    const { exit, value } = await place.json(['update', id, 'wrong.json', '--schema', 'order.schema.json'])
    expect([exit, value.error]).toEqual([1, expect.objectContaining({ code: 'SchemaViolation', details: DETAILS })])
    const { value: history } = await place.json(['history', id])
    expect(history['versions']).toHaveLength(3)
  })
})

describe('verify', () => {
  beforeAll(async () => {
    const { allOf, ...rest } = schema
    writeFileSync(place.at('loose.schema.json'), JSON.stringify({ ...rest, allOf: allOf.slice(0, 1) }))
    await place.done(['sign', 'order.json', '--schema', 'loose.schema.json', '-o', 'fits.json'])
    await place.done(['sign', 'wrong.json', '--schema', 'loose.schema.json', '-o', 'breaks.json'])
    await place.done(['agent', 'export', '--public-key', '-o', 'key.pem'])
  })

  it.each([
    ['an agent', []],
    ['folders', ['--key-directory', 'sx_keys']],
    ['a key', ['--key', 'key.pem']],
  ])('checks documents against a schema too, with %s', async (by, options) => {
    const args = [...options, '--schema', 'order.schema.json']
    const fits = await place.json(['verify', 'fits.json', ...args])
    expect(fits).toMatchObject({ exit: by === 'folders' ? 3 : 0, value: { valid: true } })
    const { exit, value } = await place.json(['verify', 'breaks.json', ...args])
    expect(exit).toBe(1)
    expect(value).toMatchObject({ ok: false, valid: false, code: 'SchemaViolation', trusted: false, signerName: '' })
    expect(value.error).toMatchObject({ code: 'SchemaViolation', details: DETAILS })
    expect(value['data']).toBeUndefined()
    const shown = await place.sx(['verify', 'breaks.json', ...args])
    expect(shown.stdout).toMatch(/^NOT VALID\n/)
    expect(shown.stdout).toContain('SchemaViolation: The document does not match its schema at /amount: is less than 0')
    expect((await place.sx(['verify', 'breaks.json', ...options])).exit).toBe(fits.exit)
  })

  it('says of several documents which of them fit, and gives no content of one that does not', async () => {
    const args = ['--schema', 'order.schema.json']
    const { exit, stdout } = await place.sx(['verify', 'fits.json', 'breaks.json', ...args])
    expect(exit).toBe(1)
    expect(stdout).toMatch(/^VALID, .* fits\.json .*\nNOT VALID +breaks\.json +SchemaViolation: /)
    const content = await place.sx(['verify', 'breaks.json', ...args, '-o', '-'])
    expect([content.exit, content.stdout]).toEqual([1, ''])
  })

  it('does not look at the schema of what is not valid for another reason', async () => {
    const changed = readFileSync(place.at('fits.json'), 'utf8').replace('"amount":1', '"amount":-1')
    const { value } = await place.json(['verify', '--schema', 'order.schema.json'], { input: changed })
    expect(value.error?.code).toBe('BadSignature')
  })

  it.each([
    ['broken.schema.json', 'fits.json', 2, 'InvalidSchema'],
    ['missing.json', 'fits.json', 4, 'NotFound'],
    ['order.schema.json', 'note.txt', 2, 'InvalidOption'],
    ['', 'fits.json', 2, 'InvalidOption'],
  ])('refuses %j for %s', async (file, input, exit, code) => {
    const found = await place.json(['verify', input, '--schema', file])
    expect([found.exit, found.value.error?.code]).toEqual([exit, code])
  })
})
