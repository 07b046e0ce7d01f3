// Asynchronous reads of a mirror, while others write.
import { beforeEach, describe, expect, test } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { Key, Storage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'
import { settle } from '../settle.ts'
import { codeOf } from './outcomes.ts'
import { faults, one, slow, store, three, two } from './slow-store.ts'

test('K13: what an awaited read has found shows, also while the own write of it is tried again', async () => {
  const inner = memoryStorage()
  let go: () => void = () => {}
  const isWritten = new Promise<void>((resolve) => (go = resolve))
  let attempts = 0
  let open: () => void = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const held = await mirrored({
    capabilities: { sync: false, durability: 'strict', shared: true },
    async get(key) {
      await isWritten
      return inner.get(key)
    },
    async put(key, bytes, options) {
      attempts++
      if (attempts === 2) await gate
      const isDone = inner.putSync(key, bytes, options)
      go()
      if (attempts === 1) throw new SxError('StorageUnavailable')
      return isDone
    },
    delete: (key) => inner.delete(key),
    list: (prefix, options) => inner.list(prefix, options),
    flush: () => inner.flush(),
    close: () => inner.close(),
  })
  const read = held.get(['x'])
  await Promise.resolve()
  await Promise.resolve()
  const put = held.put(['x'], one, { ifAbsent: true })
  expect(await read).toEqual(one)
  expect(held.getSync(['x'])).toEqual(one)
  open()
  await put
  expect(held.getSync(['x'])).toEqual(one)
})

test('a store that cannot be read cannot be mirrored', async () => {
  faults.reads = new SxError('StorageUnavailable')
  expect(await codeOf(() => mirrored(slow(store)))).toBe('StorageUnavailable')
})

describe('an asynchronous read', () => {
  /** Reads that have begun and wait for an answer. */
  let reads: { readonly name: string; readonly answer: () => void }[]
  let opened: MirroredStorage
  const answerAll = async (): Promise<void> => {
    for (const { answer } of reads.splice(0)) answer()
    await settle()
  }
  const begun = async (): Promise<string[]> => {
    await settle()
    return reads.map(({ name }) => name)
  }

  beforeEach(async () => {
    reads = []
    let isOpen = false
    const below = slow(store)
    const reading: Storage = {
      ...below,
      get: (key) => {
        const bytes = store.getSync(key)
        if (!isOpen) return Promise.resolve(bytes)
        return new Promise((resolve) => reads.push({ name: key.join('/'), answer: () => resolve(bytes) }))
      },
    }
    opened = await mirrored(reading, { isImmutable: (key) => key[0] === 'b' })
    isOpen = true
  })

  test('asks the store for what is missing or may change, and not for what cannot', async () => {
    store.putSync(['a'], three)
    store.putSync(['b', 'new'], three)
    const got = Promise.all([opened.get(['a']), opened.get(['b', 'c']), opened.get(['b', 'new'])])
    expect(await begun()).toEqual(['a', 'b/new'])
    expect([opened.getSync(['a']), opened.getSync(['b', 'new'])]).toEqual([one, undefined])
    await answerAll()
    expect(await got).toEqual([three, two, three])
    expect([opened.getSync(['a']), opened.getSync(['b', 'new'])]).toEqual([three, three])
  })

  test('is shared by those who ask before it begins, and never older than the call', async () => {
    const first = [opened.get(['x']), opened.get(['x'])]
    expect(await begun()).toEqual(['x'])
    const [read] = reads.splice(0)
    store.putSync(['x'], one)
    const later = [opened.get(['x']), opened.get(['x'])]
    expect(await begun()).toEqual([])
    read?.answer()
    await answerAll()
    expect(await begun()).toEqual(['x'])
    await answerAll()
    const [one1, two1] = await Promise.all(later)
    expect([one1, two1]).toEqual([one, one])
    expect(one1).not.toBe(two1)
    await Promise.all(first)
  })

  test('waits for no other entry, whether that is read or written', async () => {
    opened.putSync(['y'], one)
    const other = opened.get(['x'])
    const waiting = opened.get(['a'])
    expect(await begun()).toEqual(['x', 'a'])
    reads.shift()?.answer()
    expect(await other).toBeUndefined()
    await answerAll()
    expect(await waiting).toEqual(one)
  })

  test('waits for the writes of its own entry', async () => {
    opened.putSync(['a'], two)
    const got = opened.get(['a'])
    expect(reads).toEqual([])
    await opened.flush()
    expect(await begun()).toEqual(['a'])
    await answerAll()
    expect(await got).toEqual(two)
  })

  test('that a write overtakes is not shown', async () => {
    const got = opened.get(['a'])
    await begun()
    const claim = opened.put(['a'], three)
    await claim
    await answerAll()
    await got
    expect(opened.getSync(['a'])).toEqual(three)
  })

  test('that a write overtakes is not shown either if another reading follows it', async () => {
    const early = opened.get(['a'])
    await begun()
    const next = opened.get(['a'])
    await opened.put(['a'], three)
    await answerAll()
    expect(await early).toEqual(one)
    expect(opened.getSync(['a'])).toEqual(three)
    await answerAll()
    await next
    expect(opened.getSync(['a'])).toEqual(three)
  })

  test('that begins after a write has failed is shown, though it was asked for before', async () => {
    const early = opened.get(['x'])
    await begun()
    const late = opened.get(['x']) // waits for the early one
    faults.writes = new SxError('StorageFull')
    opened.putSync(['x'], two)
    await begun()
    reads.pop()?.answer() // what the failed write looks at
    await expect(opened.flush()).rejects.toMatchObject({ code: 'StorageFull' })
    store.putSync(['x'], three)
    await answerAll()
    await begun()
    await answerAll()
    expect([await early, await late]).toEqual([undefined, three])
    expect(opened.getSync(['x'])).toEqual(three)
  })

  test('that is put off to a write does not end before it', async () => {
    const early = opened.get(['a'])
    opened.putSync(['a'], two)
    const late = opened.get(['a'])
    await opened.flush()
    await begun()
    await answerAll()
    await begun()
    await answerAll()
    expect(await late).toEqual(two)
    await early
  })

  test('a list has what others have written and what waits to be written', async () => {
    store.putSync(['b', 'new'], three)
    opened.putSync(['b', 'own'], one)
    opened.deleteSync(['b', 'c'])
    const keys: Key[] = []
    for await (const key of opened.list(['b'], { after: ['a'], limit: 5 })) keys.push(key)
    expect(keys).toEqual([
      ['b', 'new'],
      ['b', 'own'],
    ])
  })
})

test('a store that says that nobody else works on it is asked, too: another view of it may be in this process', async () => {
  const alone: Storage = { ...slow(store), capabilities: { sync: false, durability: 'strict', shared: false } }
  const [opened, other] = [await mirrored(alone), await mirrored(alone)]
  await other.put(['a'], two)
  await other.put(['b', 'new'], three)
  expect(opened.getSync(['a'])).toEqual(one)
  expect(await opened.get(['a'])).toEqual(two)
  expect(opened.getSync(['a'])).toEqual(two)
  const keys: Key[] = []
  for await (const key of opened.list([])) keys.push(key)
  expect(keys).toEqual([['a'], ['b', 'c'], ['b', 'new']])
})
