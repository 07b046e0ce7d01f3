import { beforeEach, describe, expect, test } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { Key, Storage, SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'
import { prefixed } from '../../src/storage/prefix.ts'
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
/** Waits until a write has ended, without a call that would be told that it failed. */
const ended = async (key: Key): Promise<void> => {
  while (mirror.isPending(key)) await new Promise((resolve) => setTimeout(resolve))
}

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
    await ended(['b', 'c'])
    writesFail = undefined
    await expect(async () => call()).rejects.toThrow(full())
    // Closed by now, if that was the call.
    const after = await codeOf(() => mirror.flush())
    expect(after).toBe(call === calls['close'] ? 'StorageUnavailable' : 'no error')
    expect(log).toEqual([])
  })

  test('is not thrown by a read that had begun before: who has asked for it may not wait any more', async () => {
    const inner = slow(store)
    let answer = (): void => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const get = (key: Key): Promise<Uint8Array | undefined> =>
      (key[0] === 'elsewhere' ? isAnswered : Promise.resolve()).then(() => inner.get(key))
    mirror = await mirrored({ ...inner, get })
    const reading = mirror.get(['elsewhere'])
    writesFail = full()
    mirror.putSync(['new'], two)
    await ended(['new'])
    answer()
    expect(await reading).toBeUndefined()
    await expect(mirror.flush()).rejects.toThrow(full())
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

  test('is thrown by every flush of that time, and by none after them', async () => {
    failuresLeft = 1
    writesFail = full()
    mirror.putSync(['a'], two)
    for (const { status, reason } of (await Promise.allSettled([
      mirror.flush(),
      mirror.flush(),
    ])) as PromiseRejectedResult[])
      expect([status, String(reason)]).toEqual(['rejected', String(full())])
    await mirror.flush()
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

  test('is taken back all at once: no call sees a part of it', async () => {
    failuresLeft = 1
    writesFail = full()
    const keys = Array.from({ length: 200 }, (_, at) => ['many', `${at}`])
    for (const key of keys) mirror.putSync(key, one)
    const shown = (): number => keys.filter((key) => mirror.getSync(key) !== undefined).length
    const pending = (): number => keys.filter((key) => mirror.isPending(key)).length
    const counts = new Set<string>()
    const watch = async (): Promise<void> => {
      for (;;) {
        counts.add(`${shown()} shown, ${pending()} pending`)
        await new Promise((resolve) => setTimeout(resolve))
      }
    }
    await expect(watch()).rejects.toThrow(full())
    expect([...counts]).toEqual(['200 shown, 200 pending'])
    expect([shown(), pending()]).toEqual([0, 0])
  })

  test('does not lend its conflict to awaited writes of other entries', async () => {
    store.putSync(['taken'], three)
    mirror.putSync(['taken'], one, { ifAbsent: true })
    const awaited = mirror.put(['other'], one).catch((error: SxError) => error)
    expect(await awaited).toMatchObject({ code: 'StorageUnavailable', cause: { code: 'VersionConflict' } })
    expect(store.getSync(['other'])).toBeUndefined()
    expect(await codeOf(() => mirror.getSync(['other']))).toBe('VersionConflict')
  })

  test('takes nothing with it and is not reported if it was a hint', async () => {
    failuresLeft = 1
    writesFail = full()
    mirror.putSync(['hint'], one, { durability: 'relaxed' })
    mirror.putSync(['entry'], two)
    await mirror.flush()
    expect([mirror.getSync(['hint']), mirror.getSync(['entry'])]).toEqual([undefined, two])
    expect(log).toEqual(['put entry 2'])
  })
})

describe('an entry that cannot be read again', () => {
  const outage = new SxError('StorageUnavailable')

  beforeEach(async () => {
    writesFail = full()
    readsFail = outage
    mirror.putSync(['a'], two)
    await codeOf(() => mirror.flush())
  })

  test('fails calls on itself and lists over it, and no others', async () => {
    const codes = Promise.all(
      [
        () => mirror.getSync(['a']),
        () => mirror.putSync(['a'], three),
        () => mirror.deleteSync(['a']),
        () => keysOf(mirror),
      ].map(codeOf),
    )
    expect(new Set(await codes)).toEqual(new Set(['StorageUnavailable']))
    expect(await codeOf(() => mirror.get(['a']))).toBe('StorageUnavailable')
    expect(mirror.isPending(['a'])).toBe(true)
    expect(mirror.getSync(['b', 'c'])).toEqual(two)
    expect([...mirror.listSync(['b'])]).toEqual([['b', 'c']])
    await mirror.flush()
    writesFail = undefined
    expect(await mirror.put(['z'], one)).toBe(true)
    mirror.putSync(['y'], one)
    await mirror.flush()
  })

  test('is read again by the next asynchronous call on it', async () => {
    readsFail = undefined
    expect(await mirror.get(['a'])).toEqual(one)
    expect([mirror.getSync(['a']), mirror.isPending(['a'])]).toEqual([one, false])
  })

  test('is known again after it was written', async () => {
    writesFail = undefined
    expect(await mirror.put(['a'], three)).toBe(true)
    expect(mirror.getSync(['a'])).toEqual(three)
  })
})

test('an entry that is damaged fails calls on itself only, from the beginning', async () => {
  const damaged = new SxError('CorruptStore')
  const below: Storage = {
    ...slow(store),
    get: (key) => (key[0] === 'a' ? Promise.reject(damaged) : store.get(key)),
  }
  const opened = await mirrored(below)
  expect(() => opened.getSync(['a'])).toThrow(damaged)
  await expect(opened.get(['a'])).rejects.toThrow(damaged)
  expect(keysOf(opened)).toEqual([['a'], ['b', 'c']])
  expect(opened.getSync(['b', 'c'])).toEqual(two)
  await opened.put(['a'], three)
  expect(opened.getSync(['a'])).toEqual(three)
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

test('the answer to an awaited put-if-absent is that of the store, also for its own bytes', async () => {
  store.putSync(['taken'], one)
  expect(await mirror.put(['taken'], one, { ifAbsent: true })).toBe(false)
})

describe('a write that was done although the store says otherwise', () => {
  /** What the store answers to a write after it has done it, one after the other; at the end the truth. */
  let answers: (boolean | SxError)[]
  let opened: MirroredStorage
  beforeEach(async () => {
    const below = slow(store)
    answers = []
    opened = await mirrored({
      ...below,
      put: async (...args) => {
        const done = await below.put(...args)
        const answer = answers.shift() ?? done
        if (answer instanceof SxError) throw answer
        return answer
      },
      delete: async (key) => {
        await below.delete(key)
        const answer = answers.shift()
        if (answer instanceof SxError) throw answer
      },
    })
  })

  test('is no conflict if the store calls its own write taken', async () => {
    answers = [false]
    opened.putSync(['x'], one, { ifAbsent: true })
    opened.putSync(['y'], two)
    await opened.flush()
    expect([opened.getSync(['x']), store.getSync(['y'])]).toEqual([one, two])
  })

  test('has succeeded if trying once more does, awaited or not', async () => {
    answers = [full()]
    expect(await opened.put(['x'], one, { ifAbsent: true })).toBe(true)
    answers = [full()]
    expect(await opened.put(['a'], two)).toBe(true)
    answers = [full()]
    await opened.delete(['a'])
    answers = [full()]
    opened.putSync(['y'], two, { ifAbsent: true })
    opened.putSync(['z'], two)
    await opened.flush()
    expect(keysOf(opened)).toEqual(['b/c', 'x', 'y', 'z'].map((name) => name.split('/')))
    expect(log).toEqual([
      'put x 1',
      'put x 1',
      'put a 2',
      'put a 2',
      'delete a',
      'delete a',
      'put y 2',
      'put y 2',
      'put z 2',
    ])
  })

  test('has failed if trying once more fails, and shows because it is there', async () => {
    answers = [full(), full()]
    await expect(opened.put(['x'], one, { ifAbsent: true })).rejects.toThrow(full())
    answers = [full(), full()]
    opened.putSync(['y'], one, { ifAbsent: true })
    opened.putSync(['z'], one)
    await expect(opened.flush()).rejects.toThrow(full())
    expect(['x', 'y', 'z'].map((key) => opened.getSync([key]))).toEqual([one, one, undefined])
  })
})

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
    writesFail = full()
    await settle()
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

describe('an asynchronous read', () => {
  /** Reads that have begun and wait for an answer. */
  let reads: { readonly name: string; readonly answer: () => void }[]
  let opened: MirroredStorage
  const answerAll = async (): Promise<void> => {
    for (const { answer } of reads.splice(0)) answer()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const begun = async (): Promise<string[]> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
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
    writesFail = new SxError('StorageFull')
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

test('what a store throws on its own account is StorageUnavailable, with the cause', async () => {
  const raw = new TypeError('words of a foreign storage')
  const fail = (): Promise<never> => Promise.reject(raw)
  const failing: Storage = { ...slow(store), put: fail, delete: fail, flush: fail, close: fail }
  const opened = await mirrored(failing)
  const wrapped = { name: 'SxError', code: 'StorageUnavailable', cause: raw }
  await expect(opened.put(['a'], two)).rejects.toMatchObject(wrapped)
  await expect(opened.delete(['a'])).rejects.toMatchObject(wrapped)
  await expect(opened.flush()).rejects.toMatchObject(wrapped)
  opened.putSync(['a'], two)
  await expect(opened.flush()).rejects.toMatchObject(wrapped)
  await expect(opened.close()).rejects.toMatchObject(wrapped)
  const unreadable = { ...slow(store), get: fail }
  await expect(mirrored(unreadable)).rejects.toMatchObject(wrapped)
  const late: Storage = { ...slow(store) }
  const reader = await mirrored(late)
  late.get = fail
  late.list = () => {
    throw raw
  }
  await expect(reader.get(['a'])).rejects.toMatchObject(wrapped)
  await expect(reader.invalidate([['a']])).rejects.toMatchObject(wrapped)
  await expect(reader.list([])[Symbol.asyncIterator]().next()).rejects.toMatchObject(wrapped)
})

test('20,000 writes at the same time cost no more than that many one by one', async () => {
  const opened = await mirrored(memoryStorage())
  const begin = performance.now()
  const claims = Array.from({ length: 20_000 }, (_, at) => opened.put([`${at}`], one, { ifAbsent: true }))
  for (let at = 0; at < 20_000; at++) opened.putSync(['behind', `${at}`], one)
  const got = Promise.all(Array.from({ length: 20_000 }, (_, at) => opened.get([`${at}`])))
  expect((await Promise.all(claims)).every(Boolean)).toBe(true)
  expect((await got).every(Boolean)).toBe(true)
  await opened.flush()
  expect(performance.now() - begin).toBeLessThan(20_000) // minutes, if each looked at the others
})
