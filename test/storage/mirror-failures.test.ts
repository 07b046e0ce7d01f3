// A mirror whose storage fails: who is told, and what memory holds afterwards.
import { beforeEach, describe, expect, test } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { Key, Storage } from '../../src/storage/contract.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'
import { codeOf } from './outcomes.ts'
import { ended, faults, full, keysOf, log, mirror, one, replaceMirror, slow, store, three, two } from './slow-store.ts'

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
    faults.writes = full()
    mirror.putSync(['a'], two)
    mirror.putSync(['new'], two)
    mirror.deleteSync(['b', 'c'])
    await ended(['b', 'c'])
    faults.writes = undefined
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
    replaceMirror(await mirrored({ ...inner, get }))
    const reading = mirror.get(['elsewhere'])
    faults.writes = full()
    mirror.putSync(['new'], two)
    await ended(['new'])
    answer()
    expect(await reading).toBeUndefined()
    await expect(mirror.flush()).rejects.toThrow(full())
  })

  test('takes back what memory showed', async () => {
    faults.writes = full()
    mirror.putSync(['a'], two)
    mirror.putSync(['new'], two)
    mirror.deleteSync(['b', 'c'])
    await expect(mirror.flush()).rejects.toThrow(full())
    expect(keysOf(mirror)).toEqual([['a'], ['b', 'c']])
    expect(mirror.getSync(['a'])).toEqual(one)
  })

  test('is thrown by every flush of that time, and by none after them', async () => {
    faults.left = 1
    faults.writes = full()
    mirror.putSync(['a'], two)
    for (const { status, reason } of (await Promise.allSettled([
      mirror.flush(),
      mirror.flush(),
    ])) as PromiseRejectedResult[])
      expect([status, String(reason)]).toEqual(['rejected', String(full())])
    await mirror.flush()
  })

  test('takes those with it that wait after it, but not those that come later', async () => {
    faults.left = 1
    faults.writes = full()
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
    faults.left = 1
    faults.writes = full()
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
    faults.left = 1
    faults.writes = full()
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
    faults.writes = full()
    faults.reads = outage
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
    faults.writes = undefined
    expect(await mirror.put(['z'], one)).toBe(true)
    mirror.putSync(['y'], one)
    await mirror.flush()
  })

  test('is read again by the next asynchronous call on it', async () => {
    faults.reads = undefined
    expect(await mirror.get(['a'])).toEqual(one)
    expect([mirror.getSync(['a']), mirror.isPending(['a'])]).toEqual([one, false])
  })

  test('is known again after it was written', async () => {
    faults.writes = undefined
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
  faults.writes = full()
  await expect(mirror.put(['a'], two)).rejects.toThrow(full())
  await expect(mirror.delete(['b', 'c'])).rejects.toThrow(full())
  await expect(mirror.put(['n'], two, { ifAbsent: true })).rejects.toThrow(full())
  expect(mirror.getSync(['a'])).toEqual(one)
  expect(keysOf(mirror)).toEqual([['a'], ['b', 'c']])
  await mirror.flush()
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
