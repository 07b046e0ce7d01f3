import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SxAgent } from 'sx-agent'
import { beforeAll, expect, test } from 'vitest'
import { newFolder } from './fixtures.ts'
import { custom, idOf, newAgent } from './schema-fixtures.ts'

let agent: SxAgent
beforeAll(async () => {
  agent = await newAgent()
})

/** Writes schemas into a new folder; gives the path of the first. */
function written(schemas: Readonly<Record<string, unknown>>, folder = newFolder()): string {
  for (const [name, schema] of Object.entries(schemas)) {
    writeFileSync(join(folder, name), typeof schema === 'string' ? schema : JSON.stringify(schema))
  }
  return join(folder, Object.keys(schemas)[0] ?? '')
}

const base = custom({ required: ['base'] }, 'v1/base')
const leaf = custom({ properties: { leaf: { default: 1 } } }, 'v1/leaf', 'base.schema.json')

test('specification 4.2: createDocument takes the path of a schema in second place, and null where there is none', async () => {
  const path = written({ 'order.schema.json': custom({ required: ['a'] }) })
  const made = await agent.createDocument('{"a":1}', path, null, true, null, null)
  expect(JSON.parse(made).$schema).toBe(idOf('v1/order'))
  expect(JSON.parse(agent.createDocumentSync('{"a":1}', path, null, true)).$schema).toBe(idOf('v1/order'))
  const before = await agent.listDocuments()
  await expect(agent.createDocument('{}', path)).rejects.toMatchObject({ code: 'SchemaViolation' })
  expect(() => agent.createDocumentSync('{}', path)).toThrow(expect.objectContaining({ code: 'SchemaViolation' }))
  expect(await agent.listDocuments()).toEqual(before)
  expect(JSON.parse(await agent.createDocument('{}', null, null, true)).a).toBeUndefined()
})

test('files beside a schema are found by their $id, whatever they are called, and others are left alone', async () => {
  const others = {
    'any.json': base,
    'broken.json': '{',
    'huge.json': ' '.repeat(2 << 20),
    'list.json': '[]',
    'x.txt': '{}',
  }
  const path = written({ 'leaf.schema.json': leaf, ...others })
  for (const create of [
    (text: string) => agent.createDocument(text, path),
    async (text: string) => agent.createDocumentSync(text, path),
  ]) {
    expect(JSON.parse(await create('{"base":1}'))).toMatchObject({ base: 1, leaf: 1 })
    await expect(create('{}')).rejects.toMatchObject({ code: 'SchemaViolation' })
  }
})

test('a file that changes is read anew, the schema as well as those beside it', async () => {
  const path = written({ 'leaf.json': leaf, 'base.json': base })
  await expect(agent.createDocument('{}', path)).rejects.toMatchObject({ code: 'SchemaViolation' })
  writeFileSync(join(path, '..', 'base.json'), JSON.stringify(custom(true, 'v1/base')))
  expect(JSON.parse(await agent.createDocument('{}', path)).leaf).toBe(1)
  writeFileSync(path, JSON.stringify(custom({ required: ['leaf'] }, 'v1/leaf')))
  await expect(agent.createDocument('{}', path)).rejects.toMatchObject({ code: 'SchemaViolation' })
  writeFileSync(path, '{')
  await expect(agent.createDocument('{}', path)).rejects.toMatchObject({ code: 'InvalidSchema' })
})

test('T31 nothing outside of the folder is read: no link, no folder above or below, no path', async () => {
  const folder = newFolder()
  const inner = join(folder, 'inner')
  mkdirSync(join(inner, 'below'), { recursive: true })
  written({ 'base.json': base }, folder)
  written({ 'base.json': base }, join(inner, 'below'))
  symlinkSync(join(folder, 'base.json'), join(inner, 'link.json'))
  const path = written({ 'leaf.json': leaf }, inner)
  await expect(agent.createDocument('{"base":1}', path)).rejects.toMatchObject({ code: 'RefNotAllowed' })
  for (const $ref of ['../base.json', join(folder, 'base.json'), `file://${folder}/base.json`, './link.json']) {
    const escaping = written({ 'escaping.json': custom({ properties: { a: { $ref } } }, 'v1/escaping') }, inner)
    await expect(agent.createDocument('{}', escaping), $ref).rejects.toMatchObject({ code: 'RefNotAllowed' })
  }
  expect(
    JSON.parse(await agent.createDocument('{"base":1}', { schema: path, schemas: [join(folder, 'base.json')] })).leaf,
  ).toBe(1)
})

test('paths that lead to no schema', async () => {
  const folder = newFolder()
  await expect(agent.createDocument('{}', join(folder, 'missing.json'))).rejects.toMatchObject({ code: 'NotFound' })
  await expect(agent.createDocument('{}', folder)).rejects.toMatchObject({ code: 'NotFound' })
  const huge = written({ 'huge.json': ' '.repeat((1 << 20) + 1) })
  await expect(agent.createDocument('{}', huge)).rejects.toMatchObject({ code: 'SchemaLimit' })
})

test('two different schemas of one $id beside a schema are refused, the same one twice is not', async () => {
  const path = written({ 'leaf.json': leaf, 'a.json': base, 'b.json': base })
  expect(JSON.parse(await agent.createDocument('{"base":1}', path)).leaf).toBe(1)
  writeFileSync(join(path, '..', 'b.json'), JSON.stringify(custom(true, 'v1/base')))
  await expect((await newAgent()).createDocument('{"base":1}', path)).rejects.toMatchObject({ code: 'InvalidSchema' })
})

test('a schema as a Blob, which only the asynchronous function reads', async () => {
  const schema = new Blob([JSON.stringify(custom({ required: ['a'] }))])
  expect(JSON.parse(await agent.createDocument({ a: 1 }, { schema })).a).toBe(1)
  expect(() => agent.createDocumentSync({ a: 1 }, { schema })).toThrow(
    expect.objectContaining({ code: 'InvalidOption' }),
  )
})
