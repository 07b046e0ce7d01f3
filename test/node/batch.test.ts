// `createDocuments` and `signMessages`: order, all or nothing, progress, signal, on files, in memory and on other storages.
import { readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage, mirrored, prefixed, type Storage } from 'sx-agent/storage'
import { expect, it, vi } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import type { Bulk } from '../../src/storage/bulk.ts'
import { systemError, through } from '../storage/seams.ts'
import { agentIn, newFolder, PASSWORD, treeOf } from './fixtures.ts'
import { custom } from './schema-fixtures.ts'

const COUNT = 40
const amounts = Array.from({ length: COUNT }, (_, amount) => ({ amount }))

/** A storage that has to be awaited, and can put one entry after the other only. */
function plain(inner: Storage, put: Storage['put'] = (...given) => inner.put(...given)): Storage {
  return {
    capabilities: { ...inner.capabilities, sync: false },
    get: (key) => inner.get(key),
    put,
    delete: (key) => inner.delete(key),
    list: (prefix, options) => inner.list(prefix, options),
    flush: () => inner.flush(),
    close: () => inner.close(),
  }
}

async function agentOn(storage: Storage): Promise<SxAgent> {
  const { agent } = await SxAgent.create({ name: 'Billing', algorithm: 'ed25519', storage, password: PASSWORD })
  return agent
}

const refusal = (work: () => unknown): Promise<unknown> =>
  (async () => work())().then(
    () => undefined,
    (error: unknown) => error,
  )

async function documentsIn(storage: Storage): Promise<number> {
  let count = 0
  for await (const _ of storage.list(['sx_data', 'documents'])) count += 1
  return count
}

const storages: Record<string, () => Promise<Storage> | Storage> = {
  'in memory': memoryStorage,
  'on files': () => filesystemStorage(newFolder()),
  'below a prefix': () => prefixed(filesystemStorage(newFolder()), ['a', 'b']),
  'in a mirror': () => mirrored(memoryStorage()),
  'in a mirror of a plain one': () => mirrored(plain(memoryStorage())),
  'on one that is awaited': () => plain(memoryStorage()),
}

it.each(Object.keys(storages))('%s: all are stored, in order, with one date, and each verifies', async (name) => {
  const storage = await (storages[name] as () => Storage | Promise<Storage>)()
  const agent = await agentOn(storage)
  const before = await documentsIn(storage)
  const told: string[] = []
  const signed = await agent.createDocuments(amounts, { onProgress: (...given) => told.push(given.join('/')) })
  expect(signed.map((raw) => (JSON.parse(raw) as { amount: number }).amount)).toEqual(
    amounts.map(({ amount }) => amount),
  )
  expect(told).toEqual(amounts.map((_, at) => `${at + 1}/${COUNT}`))
  expect(await documentsIn(storage)).toBe(before + COUNT)
  expect(new Set(signed.map((raw) => (JSON.parse(raw) as { sxDate: string }).sxDate)).size).toBe(1)
  for (const raw of signed) {
    const { sxId } = JSON.parse(raw) as { sxId: string }
    expect(await agent.getDocument(sxId)).toBe(raw)
    expect(await agent.verifyById(sxId)).toMatchObject({ valid: true, trusted: true })
  }
  if (storage.capabilities.sync) {
    const messages = agent.signMessagesSync(['a', 1, null])
    const { documentId, raw } = agent.signMessageSync('alone, while the others may still be written')
    await agent.flush()
    expect(await agent.getDocument(documentId)).toBe(raw)
    for (const one of messages) expect(await agent.getDocument(one.documentId)).toBe(one.raw)
    expect(messages.map(({ raw }) => (JSON.parse(raw) as { content: unknown }).content)).toEqual(['a', 1, null])
  } else {
    expect(() => agent.createDocumentsSync([{}])).toThrow(expect.objectContaining({ code: 'SyncStorageUnavailable' }))
  }
  expect(await agent.createDocuments([])).toEqual([])
  await agent.close()
})

it('one bad document: none is stored, and it is named', async () => {
  const folder = newFolder()
  await simple.quickstart(agentIn(folder))
  const before = treeOf(folder)
  const bad: [unknown, string][] = [
    [{ a: undefined }, 'NotJson'],
    ['{"a":1,"a":2}', 'DuplicateKey'],
    ['[1]', 'InvalidDocument'],
    [{ sxId: 'x' }, 'ReservedField'],
    [{ a: 2 ** 53 }, 'LossyNumber'],
  ]
  for (const [one, code] of bad) {
    const list = [{ a: 1 }, { a: 2 }, one as object, { a: 3 }]
    const error = (await refusal(() => simple.createDocuments(list))) as SxError
    expect(error).toMatchObject({ code, index: 2 })
    expect(error.message).toContain('The document at index 2 of 4 was refused. No document was stored. ')
    expect(await refusal(() => simple.createDocumentsSync(list))).toMatchObject({ code, index: 2 })
  }
  const schema = custom({ type: 'object', properties: { amount: { type: 'integer', maximum: 1 } } })
  expect(await refusal(() => simple.createDocuments(amounts, { schema }))).toMatchObject({
    code: 'SchemaViolation',
    index: 2,
    details: [{ path: '/amount', keyword: 'maximum' }],
  })
  expect(await refusal(() => simple.signMessages([1, 2n]))).toMatchObject({ code: 'NotJson', index: 1 })
  expect(treeOf(folder)).toEqual(before)
  for (const list of [undefined, {}, 'ab', new Map()]) {
    expect(await refusal(() => simple.createDocuments(list as []))).toMatchObject({
      code: 'InvalidOption',
      index: undefined,
    })
  }
  expect(await refusal(() => simple.createDocuments([], { nosave: true } as object))).toMatchObject({
    code: 'InvalidOption',
  })
  expect(await simple.createDocuments([{ a: 1 }], { noSave: true })).toHaveLength(1)
  expect(treeOf(folder)).toEqual(before)
  await simple.close()
})

it('what its owner does to the list later changes nothing', async () => {
  const agent = await agentOn(memoryStorage())
  const list = [{ a: 1 }, { a: 2 }]
  const signing = agent.createDocuments(list)
  list[1] = { a: 3 }
  expect((await signing).map((raw) => (JSON.parse(raw) as { a: number }).a)).toEqual([1, 2])
})

it('a signal, and what progress throws, end it, and none is stored', async () => {
  const storage = filesystemStorage(newFolder())
  const agent = await agentOn(storage)
  const before = await documentsIn(storage)
  for (const at of [1, 20, COUNT]) {
    const controller = new AbortController()
    const stop = (done: number): void => {
      if (done === at) controller.abort(new Error('enough'))
    }
    const options = { signal: controller.signal, onProgress: stop }
    expect(await refusal(() => agent.createDocuments(amounts, options))).toMatchObject({ message: 'enough' })
    expect(await refusal(() => agent.createDocumentsSync(amounts, options))).toMatchObject({ message: 'enough' })
    const thrown = new Error('no more')
    const onProgress = (done: number): void => {
      if (done === at) throw thrown
    }
    expect(await refusal(() => agent.signMessages(amounts, { onProgress }))).toBe(thrown)
  }
  expect(await documentsIn(storage)).toBe(before)
  await agent.close()
})

it('a disk that fails at any call leaves none or all, or the error says how many', async () => {
  const folder = newFolder()
  const calls: string[] = []
  let failsAt: number | undefined
  const fs = through((name, _, perform) => {
    if (failsAt === undefined) return perform()
    calls.push(name)
    if (calls.length === failsAt + 1) throw systemError('ENOSPC', name)
    return perform()
  })
  const storage = filesystemStorage(folder, { fs })
  const agent = await agentOn(storage)
  const few = amounts.slice(0, 3)
  for (const isSync of [true, false]) {
    const outcomes = new Set<number>()
    for (let at = 0; ; at++) {
      const before = await documentsIn(storage)
      calls.length = 0
      failsAt = at
      const create = (): unknown => (isSync ? agent.createDocumentsSync(few) : agent.createDocuments(few))
      const error = (await refusal(create)) as SxError | undefined
      failsAt = undefined
      const [, stored = 0] = / (\d) of 3 documents were stored\./.exec(error?.message ?? '') ?? []
      const added = (await documentsIn(storage)) - before
      expect(added, `${calls.length}: ${error?.message}`).toBe(error === undefined ? 3 : Number(stored))
      if (error !== undefined) expect(error.code).toBe('StorageFull')
      // Where removing one fails, it stays as it would after another write: until the next clean-up.
      expect(readdirSync(join(folder, '.tmp'))).toHaveLength(calls[at] === 'unlink' ? 1 : 0)
      for (const name of readdirSync(join(folder, '.tmp'))) unlinkSync(join(folder, '.tmp', name))
      if (calls.length <= at) break
      outcomes.add(added)
    }
    expect(outcomes).toEqual(new Set([0, 3]))
  }
  await agent.close()
})

it('a storage that fails before it has written anything stores none', async () => {
  const inner = memoryStorage()
  let left = Number.POSITIVE_INFINITY
  const storage = plain(inner, async (...given) => {
    left -= 1
    if (left < 0) throw new SxError('StorageFull')
    return inner.put(...given)
  })
  const agent = await agentOn(storage)
  const before = await documentsIn(inner)
  left = 0
  expect(await refusal(() => agent.createDocuments(amounts))).toMatchObject({ code: 'StorageFull' })
  expect(await documentsIn(inner)).toBe(before)
  left = 10
  expect(await refusal(() => agent.createDocuments(amounts))).toMatchObject({
    code: 'StorageFull',
    message: expect.stringContaining('10 of 40 documents were stored.') as string,
  })
  expect(await documentsIn(inner)).toBe(before + 10)
})

it('a proxy of a storage, with a method of its own, has a batch put by that', async () => {
  const inner = memoryStorage()
  const own = vi.fn<Storage['put']>(inner.put.bind(inner))
  const storage = new Proxy(inner, {
    get: (target, name) => {
      const found: unknown = name === 'put' ? own : Reflect.get(target, name)
      return typeof found === 'function' ? (found.bind(target) as unknown) : found
    },
  })
  const agent = await agentOn(storage)
  own.mockClear()
  await agent.createDocuments(amounts)
  expect(own).toHaveBeenCalledTimes(COUNT)
  expect(await documentsIn(inner)).toBe(COUNT + 1)
})

it('a mirror gives a batch up as a whole, also one that is written behind', async () => {
  const inner = memoryStorage() as Storage as Storage & Bulk
  const putAll = inner.putAll.bind(inner)
  let fails = false
  Object.assign(inner, {
    putAll: async (...given: Parameters<Bulk['putAll']>) => {
      if (fails) throw new SxError('StorageFull')
      return putAll(...given)
    },
  })
  const storage = await mirrored(inner)
  const agent = await agentOn(storage)
  const before = await documentsIn(inner)
  fails = true
  expect(await refusal(() => agent.createDocuments(amounts))).toMatchObject({ code: 'StorageFull' })
  const signed = agent.createDocumentsSync(amounts)
  expect(agent.listDocumentsSync()).toHaveLength(COUNT + 1)
  expect(await refusal(() => agent.flush())).toMatchObject({ code: 'StorageFull' })
  expect(agent.listDocumentsSync()).toHaveLength(1)
  expect(await documentsIn(inner)).toBe(before)
  fails = false
  expect(signed).toHaveLength(COUNT)
  agent.createDocumentsSync(amounts)
  await agent.flush()
  expect(await documentsIn(inner)).toBe(before + COUNT)
  await agent.close()
})
