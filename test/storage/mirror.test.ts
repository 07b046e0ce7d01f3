// A mirror of a storage: what it shows, what it writes and when.
import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mirrored } from '../../src/storage/mirror.ts'
import { prefixed } from '../../src/storage/prefix.ts'
import { codeOf } from './outcomes.ts'
import { ended, faults, full, keysOf, log, mirror, one, store, three, two } from './slow-store.ts'

test('holds what is there when it is opened', () => {
  expect(keysOf(mirror)).toEqual([['a'], ['b', 'c']])
  expect(mirror.getSync(['b', 'c'])).toEqual(two)
  expect(mirror.capabilities).toEqual({ sync: true, durability: 'strict', shared: true })
})

test('a synchronous write shows at once and is written behind, in order, with awaited ones in between', async () => {
  mirror.putSync(['x'], one)
  expect(mirror.getSync(['x'])).toEqual(one)
  expect(store.getSync(['x'])).toBeUndefined()
  const awaited = mirror.put(['y'], two)
  mirror.putSync(['x'], three)
  mirror.deleteSync(['a'])
  expect(await awaited).toBe(true)
  expect(log).toEqual(['put x 1', 'put y 2'])
  await mirror.flush()
  expect(log).toEqual(['put x 1', 'put y 2', 'put x 3', 'delete a'])
  expect(keysOf(store)).toEqual(keysOf(mirror))
})

test('an awaited write is in the store, and a later synchronous one is not undone by it', async () => {
  const first = mirror.put(['x'], one)
  mirror.putSync(['x'], two)
  const claim = mirror.put(['y'], one, { ifAbsent: true })
  mirror.putSync(['y'], two)
  expect([await first, await claim]).toEqual([true, true])
  expect([mirror.getSync(['x']), mirror.getSync(['y'])]).toEqual([two, two])
  await mirror.flush()
  expect([store.getSync(['x']), store.getSync(['y'])]).toEqual([two, two])
})

test('put-if-absent is decided by the store, and what is there shows', async () => {
  store.putSync(['taken'], three)
  expect(mirror.getSync(['taken'])).toBeUndefined()
  expect(await mirror.put(['taken'], one, { ifAbsent: true })).toBe(false)
  expect(mirror.getSync(['taken'])).toEqual(three)
})

test('the answer to an awaited put-if-absent is that of the store, also for its own bytes', async () => {
  store.putSync(['taken'], one)
  expect(await mirror.put(['taken'], one, { ifAbsent: true })).toBe(false)
})

test('a synchronous put-if-absent that came too late is a failed write behind', async () => {
  store.putSync(['taken'], three)
  expect(mirror.putSync(['taken'], one, { ifAbsent: true })).toBe(true)
  expect(await codeOf(() => mirror.flush())).toBe('VersionConflict')
  expect(mirror.getSync(['taken'])).toEqual(three)
  expect(store.getSync(['taken'])).toEqual(three)
})

test('invalidate shows what others changed, but not over what waits to be written', async () => {
  store.putSync(['a'], three)
  store.deleteSync(['b', 'c'])
  store.putSync(['d'], three)
  expect(mirror.getSync(['a'])).toEqual(one)
  mirror.putSync(['d'], one)
  const read = mirror.invalidate([['a'], ['b', 'c'], ['d']])
  mirror.putSync(['d'], two)
  await read
  expect(mirror.getSync(['a'])).toEqual(three)
  expect(mirror.getSync(['d'])).toEqual(two)
  expect(keysOf(mirror)).toEqual([['a'], ['d']])
  expect(await codeOf(() => mirror.invalidate([['..']]))).toBe('InvalidId')
  await mirror.flush()
  expect(store.getSync(['d'])).toEqual(two)
})

test('close writes what waits, and closes the store only if all of it was mirrored', async () => {
  const part = await mirrored(store, { prefix: ['b'] })
  expect(keysOf(part)).toEqual([['c']])
  part.putSync(['x'], one)
  await part.close()
  expect(store.getSync(['b', 'x'])).toEqual(one)
  mirror.putSync(['y'], one)
  const seen = mirror.close().then(() => log)
  expect(await seen).toEqual(['put y 1'])
  expect(await codeOf(() => store.getSync(['a']))).toBe('StorageUnavailable')
})

describe('isPending', () => {
  test('is what the synchronous form shows and the store does not hold yet', async () => {
    expect(mirror.isPending(['a'])).toBe(false)
    mirror.putSync(['a'], two)
    mirror.deleteSync(['b', 'c'])
    const claim = mirror.put(['claim'], one, { ifAbsent: true })
    const put = mirror.put(['put'], one)
    const pending = (): boolean[] => [['a'], ['b', 'c'], ['claim'], ['put']].map((key) => mirror.isPending(key))
    expect(pending()).toEqual([true, true, false, true])
    await claim
    expect(pending()).toEqual([false, false, false, true])
    await put
    expect(pending()).toEqual([false, false, false, false])
    expect(await codeOf(() => mirror.isPending(['..']))).toBe('InvalidId')
  })

  test('goes on while a later write of the entry is on its way, and takes no error away', async () => {
    const first = mirror.put(['a'], two)
    mirror.putSync(['a'], three)
    await first
    expect(mirror.isPending(['a'])).toBe(true)
    faults.writes = full()
    await ended(['a'])
    expect(mirror.isPending(['a'])).toBe(false)
    expect(() => mirror.getSync(['a'])).toThrow(full())
    expect(mirror.getSync(['a'])).toEqual(two)
  })

  test('is that of the whole storage for a part of it', async () => {
    const part = prefixed(mirror, ['b'])
    part.putSync(['x'], one)
    expect([part.isPending?.(['x']), part.isPending?.(['c'])]).toEqual([true, false])
    await part.flush()
    expect(part.isPending?.(['x'])).toBe(false)
  })
})

test('20,000 writes at the same time cost no more than that many one by one', async () => {
  const apart = await mirrored(memoryStorage())
  const start = performance.now()
  for (let at = 0; at < 20_000; at++) {
    await apart.put([`${at}`], one, { ifAbsent: true })
    apart.putSync(['behind', `${at}`], one)
    await apart.get([`${at}`])
  }
  await apart.flush()
  const oneByOne = performance.now() - start

  const opened = await mirrored(memoryStorage())
  const begin = performance.now()
  const claims = Array.from({ length: 20_000 }, (_, at) => opened.put([`${at}`], one, { ifAbsent: true }))
  for (let at = 0; at < 20_000; at++) opened.putSync(['behind', `${at}`], one)
  const got = Promise.all(Array.from({ length: 20_000 }, (_, at) => opened.get([`${at}`])))
  expect((await Promise.all(claims)).every(Boolean)).toBe(true)
  expect((await got).every(Boolean)).toBe(true)
  await opened.flush()
  const together = performance.now() - begin
  // If each looked at the others, a hundred times as much and more. A busy machine slows down both.
  expect({ oneByOne, together, isLinear: together < 20 * oneByOne }).toMatchObject({ isLinear: true })
})
