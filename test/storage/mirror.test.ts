import { beforeEach, describe, expect, test } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { Key, Storage, SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'
import { codeOf } from './outcomes.ts'

const one = Uint8Array.of(1)
const two = Uint8Array.of(2)
const three = Uint8Array.of(3)

let store: SyncStorage
/** Writes and reads fail while these are set. */
let writesFail: SxError | undefined
let readsFail: SxError | undefined
/** After so many failures, writes succeed again. */
let failuresLeft: number
/** The writes that have reached the store, in order. */
let log: string[]
let mirror: MirroredStorage

/** A store that answers late, and fails when told to. */
function slow(inner: SyncStorage): Storage {
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
  const mayFail = (): void => {
    const error = writesFail
    if (--failuresLeft === 0) writesFail = undefined
    if (error) throw error
  }
  return {
    capabilities: { sync: false, durability: 'strict', shared: true },
    async get(key) {
      await turn()
      if (readsFail) throw readsFail
      return inner.getSync(key)
    },
    async put(key, bytes, options) {
      await turn()
      mayFail()
      log.push(`put ${key.join('/')} ${bytes.join()}`)
      return inner.putSync(key, bytes, options)
    },
    async delete(key) {
      await turn()
      mayFail()
      log.push(`delete ${key.join('/')}`)
      inner.deleteSync(key)
    },
    list: (prefix, options) => inner.list(prefix, options),
    flush: () => turn(),
    close: () => inner.close(),
  }
}

beforeEach(async () => {
  store = memoryStorage()
  store.putSync(['a'], one)
  store.putSync(['b', 'c'], two)
  writesFail = undefined
  readsFail = undefined
  failuresLeft = Number.POSITIVE_INFINITY
  log = []
  mirror = await mirrored(slow(store))
})

const full = (): SxError => new SxError('StorageFull')
const keysOf = (storage: SyncStorage): Key[] => [...storage.listSync([])]
/** Time for everything under way, without a call of the mirror. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

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

describe('a write behind that fails', () => {
  const calls: Record<string, () => unknown> = {
    getSync: () => mirror.getSync(['a']),
    putSync: () => mirror.putSync(['z'], one),
    deleteSync: () => mirror.deleteSync(['a']),
    listSync: () => keysOf(mirror),
    get: () => mirror.get(['a']),
    put: () => mirror.put(['z'], one),
    delete: () => mirror.delete(['a']),
    list: async () => {
      for await (const key of mirror.list([])) expect(key).toBeDefined()
    },
    flush: () => mirror.flush(),
    close: () => mirror.close(),
  }

  test.each(Object.entries(calls))('is thrown by the next %s, once, and memory is as the store', async (_, call) => {
    writesFail = full()
    mirror.putSync(['a'], two)
    mirror.putSync(['new'], two)
    mirror.deleteSync(['b', 'c'])
    await settle()
    writesFail = undefined
    await expect(async () => call()).rejects.toThrow(full())
    // Closed by now, if that was the call.
    const after = await codeOf(() => mirror.flush())
    expect(after).toBe(call === calls['close'] ? 'StorageUnavailable' : 'no error')
    expect(log).toEqual([])
  })

  test('takes back what memory showed', async () => {
    writesFail = full()
    mirror.putSync(['a'], two)
    mirror.putSync(['new'], two)
    mirror.deleteSync(['b', 'c'])
    await expect(mirror.flush()).rejects.toThrow(full())
    expect(keysOf(mirror)).toEqual([['a'], ['b', 'c']])
    expect(mirror.getSync(['a'])).toEqual(one)
  })

  test('takes those with it that wait after it, but not those that come later', async () => {
    failuresLeft = 1
    writesFail = full()
    mirror.putSync(['version'], one)
    mirror.putSync(['claim'], one, { ifAbsent: true })
    const awaited = mirror.put(['other'], one)
    await expect(awaited).rejects.toThrow(full())
    await expect(mirror.flush()).rejects.toThrow(full())
    expect(log).toEqual([])
    expect(keysOf(mirror)).toEqual([['a'], ['b', 'c']])
    mirror.putSync(['version'], two)
    await mirror.flush()
    expect(log).toEqual(['put version 2'])
  })

  test('if memory cannot be made right, nothing is answered until an asynchronous call has read it again', async () => {
    writesFail = full()
    readsFail = new SxError('StorageUnavailable')
    mirror.putSync(['a'], two)
    await expect(mirror.flush()).rejects.toThrow(full())
    expect(await codeOf(() => mirror.getSync(['a']))).toBe('StorageUnavailable')
    expect(await codeOf(() => mirror.put(['z'], one))).toBe('StorageUnavailable')
    await expect(mirror.flush()).rejects.toThrow(readsFail)
    readsFail = undefined
    writesFail = undefined
    expect(await codeOf(() => mirror.putSync(['a'], three))).toBe('StorageUnavailable')
    expect(await mirror.get(['a'])).toEqual(one)
    expect(mirror.getSync(['a'])).toEqual(one)
    expect(await mirror.put(['z'], one)).toBe(true)
  })
})

test('an awaited write that fails rejects, is taken back, and is not reported again', async () => {
  writesFail = full()
  await expect(mirror.put(['a'], two)).rejects.toThrow(full())
  await expect(mirror.delete(['b', 'c'])).rejects.toThrow(full())
  await expect(mirror.put(['n'], two, { ifAbsent: true })).rejects.toThrow(full())
  expect(mirror.getSync(['a'])).toEqual(one)
  expect(keysOf(mirror)).toEqual([['a'], ['b', 'c']])
  await mirror.flush()
})

test('put-if-absent is decided by the store, and what is there shows', async () => {
  store.putSync(['taken'], three)
  expect(mirror.getSync(['taken'])).toBeUndefined()
  expect(await mirror.put(['taken'], one, { ifAbsent: true })).toBe(false)
  expect(mirror.getSync(['taken'])).toEqual(three)
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

test('a store that cannot be read cannot be mirrored', async () => {
  readsFail = new SxError('StorageUnavailable')
  expect(await codeOf(() => mirrored(slow(store)))).toBe('StorageUnavailable')
})
