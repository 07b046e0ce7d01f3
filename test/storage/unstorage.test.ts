/** The adapter over unstorage: the acceptance cases on drivers that run here, and what drivers do wrong. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createStorage, prefixStorage, type Storage as Unstorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import httpDriver from 'unstorage/drivers/http'
import memoryDriver from 'unstorage/drivers/memory'
import { createStorageServer } from 'unstorage/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SxError } from '../../src/errors.ts'
import { create, load, signMessage, verify } from '../../src/simple.ts'
import type { Key, Storage } from '../../src/storage/contract.ts'
import { storageAcceptance } from '../../src/storage/testing.ts'
import { type PutIfAbsent, type UnstorageLike, unstorageAdapter } from '../../src/storage/unstorage.ts'
import { codeOf } from './outcomes.ts'

const folder = mkdtempSync(join(tmpdir(), 'sx-unstorage-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes)
const ifAbsent = { ifAbsent: true } as const

async function keysOf(storage: Storage, prefix: Key = []): Promise<string[]> {
  const found: string[] = []
  for await (const key of storage.list(prefix)) found.push(key.join('/'))
  return found
}

let scratch = 0
/** Files put if absent, whole: the name is made by `link`, which fails where there is one. */
const filesPutIfAbsent =
  (base: string): PutIfAbsent =>
  async (name, { bytes }) => {
    const path = join(base, name.replaceAll(':', '/'))
    const unfinished = join(folder, `unfinished-${scratch++}`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(unfinished, bytes)
    try {
      await link(unfinished, path)
      return true
    } catch (error) {
      if ((error as { code?: string }).code === 'EEXIST') return false
      throw error
    } finally {
      await rm(unfinished)
    }
  }

/** As any store that puts if absent in one step, in a Map of texts, as Redis has it. */
function texts(): { storage: Unstorage; putIfAbsent: PutIfAbsent; entries: Map<string, string> } {
  const entries = new Map<string, string>()
  const driver = {
    hasItem: (key: string) => entries.has(key),
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
    getKeys: () => [...entries.keys(), ...entries.keys()], // SCAN of Redis may give a name twice
  }
  const putIfAbsent: PutIfAbsent = async (name, { text }) => {
    if (entries.has(name)) return false
    entries.set(name, text)
    return true
  }
  return { storage: createStorage({ driver }), putIfAbsent, entries }
}

const one = { singleWriter: true } as const
const memory = createStorage({ driver: memoryDriver() })
const files = (name: string): Unstorage => createStorage({ driver: fsDriver({ base: join(folder, name) }) })
const mounted = createStorage({ driver: memoryDriver() })
mounted.mount('claims', fsDriver({ base: join(folder, 'mounted') }))
const text = texts()

const storages: Record<string, () => Storage> = {
  'memory, one writer': () => unstorageAdapter(memory, { ...one, durability: 'relaxed' }), // it outlives the adapter
  'files, one writer': () => unstorageAdapter(files('one'), { ...one, durability: 'relaxed' }),
  'files, put if absent': () =>
    unstorageAdapter(files('many'), { putIfAbsent: filesPutIfAbsent(join(folder, 'many')), durability: 'relaxed' }),
  'texts, put if absent': () =>
    unstorageAdapter(text.storage, { putIfAbsent: text.putIfAbsent, durability: 'relaxed' }),
  'a part of memory': () => unstorageAdapter(prefixStorage(memory, 'part'), { ...one, durability: 'relaxed' }),
}

describe.each(Object.entries(storages))('acceptance: %s', (_, open) => {
  test.each(storageAcceptance(open))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

describe('acceptance: over HTTP, by the server of unstorage', () => {
  const server = createServer(createStorageServer(createStorage({ driver: memoryDriver() })).handle)
  let base: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())
  const open = (): Storage =>
    unstorageAdapter(createStorage({ driver: httpDriver({ base }) }), { ...one, durability: 'relaxed' })

  /** Its server takes an empty body for no value, and removes the entry. */
  const failing = ['async: get returns exactly the stored bytes: none, every value, and many']
  const cases = storageAcceptance(open)

  test.each(cases.filter(({ name }) => !failing.includes(name)))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
  test.each(cases.filter(({ name }) => failing.includes(name)))('fails: $name', async ({ run }) => {
    await expect(run()).rejects.toThrow('get none: got undefined')
  })

  test('a server that does not answer is StorageUnavailable with the cause', async () => {
    const driver = httpDriver({ base: 'http://127.0.0.1:9' })
    const storage = unstorageAdapter(createStorage({ driver }), one)
    for (const work of [
      () => storage.get(['a']),
      () => storage.put(['a'], bytesOf(1)),
      () => storage.put(['a'], bytesOf(1), ifAbsent),
      () => storage.delete(['a']),
      () => keysOf(storage),
    ]) {
      const error = await Promise.resolve(work()).then(
        () => undefined,
        (cause: unknown) => cause,
      )
      expect(error).toBeInstanceOf(SxError)
      expect(error).toMatchObject({ code: 'StorageUnavailable', cause: { name: 'FetchError' } })
    }
  })
})

describe('of writers', () => {
  /** How many of two, one after the other on the way, are told that they have written. */
  async function winners(open: () => Storage): Promise<number> {
    const [a, b] = [open(), open()]
    const won = await Promise.all([a.put(['n', '1'], bytesOf(1), ifAbsent), b.put(['n', '1'], bytesOf(2), ifAbsent)])
    expect(won).toContain(true)
    const found = await a.get(['n', '1'])
    expect(won.map((has, at) => has && found?.[0] === at + 1)).toContain(true) // what stands there is a winner's
    return won.filter(Boolean).length
  }

  test('with putIfAbsent one wins, whoever else writes', async () => {
    const base = join(folder, 'race')
    expect(await winners(() => unstorageAdapter(files('race'), { putIfAbsent: filesPutIfAbsent(base) }))).toBe(1)
    const store = texts()
    expect(await winners(() => unstorageAdapter(store.storage, { putIfAbsent: store.putIfAbsent }))).toBe(1)
  })

  test('of one process one wins, also through two adapters of one object', async () => {
    const storage = files('shared')
    expect(await winners(() => unstorageAdapter(storage, one))).toBe(1)
  })

  test('of two that both claim to be the only one both win, as the documentation says', async () => {
    let [arrived, meet] = [0, (): void => {}]
    const met = new Promise<void>((resolve) => {
      meet = resolve
    })
    const open = (): Storage => {
      const storage = files('split')
      const setItemRaw: UnstorageLike['setItemRaw'] = async (...given) => {
        arrived++
        if (arrived === 2) meet()
        await met // until the other one has looked, too
        await storage.setItemRaw(...given)
      }
      return unstorageAdapter({ ...storage, setItemRaw }, one)
    }
    expect(await winners(open)).toBe(2)
  })

  test('a write in between is not lost', async () => {
    const storage = unstorageAdapter(files('between'), one)
    const done = await Promise.all([
      storage.put(['a'], bytesOf(1), ifAbsent),
      storage.put(['a'], bytesOf(2)),
      storage.put(['a'], bytesOf(3), ifAbsent),
    ])
    expect([done, await storage.get(['a'])]).toEqual([[true, true, false], bytesOf(2)])
  })

  test('capabilities say what was claimed, and no more', () => {
    const { storage, putIfAbsent } = texts()
    expect(unstorageAdapter(storage, { putIfAbsent }).capabilities).toEqual({
      sync: false,
      durability: 'none',
      shared: true,
    })
    expect(unstorageAdapter(storage, { ...one, durability: 'strict' }).capabilities).toEqual({
      sync: false,
      durability: 'strict',
      shared: false,
    })
  })

  test('a failure is told to its caller, and the next write goes on', async () => {
    const { storage } = texts()
    let fails = true
    const inner: UnstorageLike = {
      ...storage,
      setItemRaw: async (key, value) => {
        if (fails) throw new Error('no room')
        await storage.setItemRaw(key, value)
      },
    }
    const adapter = unstorageAdapter(inner, one)
    const [first, second] = [adapter.put(['a'], bytesOf(1)), adapter.put(['a'], bytesOf(2), ifAbsent)]
    expect(await codeOf(() => first)).toBe('StorageUnavailable')
    expect(await codeOf(() => second)).toBe('StorageUnavailable')
    await adapter.flush()
    fails = false
    expect(await adapter.put(['a'], bytesOf(3), ifAbsent)).toBe(true)
  })

  test('flush waits for what is on its way', async () => {
    const { storage, entries } = texts()
    let go = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const inner = {
      ...storage,
      setItemRaw: (key: string, value: unknown) => gate.then(() => storage.setItemRaw(key, value)),
    }
    const adapter = unstorageAdapter(inner, one)
    const writing = adapter.put(['a'], bytesOf(1))
    const flushed = adapter.flush().then(() => entries.size)
    go()
    expect([await flushed, await writing]).toEqual([1, true])
  })
})

describe('what it does not take', () => {
  test.each([
    [{}, /^Pass either `putIfAbsent` .* or `singleWriter: true`/],
    [{ putIfAbsent: async () => true, singleWriter: true }, /^Pass either/],
    [{ putIfAbsent: true }, /`putIfAbsent` must be a function/],
    [{ singleWriter: false }, /`singleWriter` must be true/],
    [{ singleWriter: true, durability: 'very' }, /`durability` must be/],
    [{ singleWriter: true, durabilty: 'strict' }, /'durabilty' is unknown\. Did you mean 'durability'/],
    [undefined, /^Pass either/],
    [null, /not a plain object/],
  ])('options %j', (options, found) => {
    expect(() => unstorageAdapter(texts().storage, options as never)).toThrow(
      expect.objectContaining({ code: 'InvalidOption', found: expect.stringMatching(found) as string }),
    )
  })

  test.each([null, undefined, 'text', {}, { getItem: () => null }, Proxy.revocable({}, {}).proxy])(
    'what is no storage, %#',
    async (none) => {
      expect(await codeOf(() => unstorageAdapter(none as never, one))).toBe('InvalidOption')
    },
  )

  test('an answer of putIfAbsent that says nothing, such as that of Redis', async () => {
    const storage = unstorageAdapter(texts().storage, { putIfAbsent: async () => 'OK' as never })
    await expect(storage.put(['a'], bytesOf(1), ifAbsent)).rejects.toMatchObject({
      code: 'StorageUnavailable',
      found: '`putIfAbsent` returned neither true nor false, so the result of the write is unknown.',
    })
  })

  test('what it cannot be that it has written', async () => {
    const { storage, entries } = texts()
    entries.set('a', 'bytes that were written as bytes')
    expect(await codeOf(() => unstorageAdapter(storage, one).get(['a']))).toBe('StorageUnavailable')
    const odd = { ...storage, getKeys: async () => [7] as never }
    expect(await codeOf(() => keysOf(unstorageAdapter(odd, one)))).toBe('StorageUnavailable')
  })

  test('an error that a driver gives instead of throwing it', async () => {
    await mkdir(join(folder, 'not-a-folder', 'a'), { recursive: true })
    await writeFile(join(folder, 'not-a-folder', 'file'), 'x')
    // Below a file there is no file, which the driver `fs` answers with the error itself.
    const storage = unstorageAdapter(files('not-a-folder'), one)
    await expect(storage.get(['file', 'below'])).rejects.toMatchObject({
      code: 'StorageUnavailable',
      cause: { code: 'ENOTDIR' },
    })
  })
})

describe('names', () => {
  test('stand as they are, and what others keep there is neither shown nor touched', async () => {
    const storage = createStorage({ driver: memoryDriver() })
    const adapter = unstorageAdapter(storage, one)
    await adapter.put(['a', 'b.json'], bytesOf(1))
    await storage.setItem('other?x', 'y')
    await storage.setItem('not ours: ü', 'y')
    await storage.setMeta('a:b.json', { size: 7 })
    await storage.setItem('a:b.', 'y')
    expect(await keysOf(adapter)).toEqual(['a/b.json', 'other'])
    expect(await keysOf(adapter, ['a'])).toEqual(['a/b.json'])
    await adapter.delete(['a', 'b.json'])
    expect((await storage.getKeys()).sort()).toEqual(['a:b.', 'not ours: ü', 'other'])
    expect(await storage.getMeta('a:b.json')).toMatchObject({ size: 7 })
  })

  test('are folders and files of the driver fs', async () => {
    await unstorageAdapter(files('plain'), one).put(['a', 'b.json'], bytesOf(1))
    expect(existsSync(join(folder, 'plain', 'a', 'b.json'))).toBe(true)
  })

  test('of several mounts are one order', async () => {
    const storage = unstorageAdapter(mounted, one)
    for (const key of [['z'], ['claims', 'b'], ['claims', 'a'], ['a']]) await storage.put(key, bytesOf(1))
    expect(await keysOf(storage)).toEqual(['a', 'claims/a', 'claims/b', 'z'])
    expect(await keysOf(storage, ['claims'])).toEqual(['claims/a', 'claims/b'])
  })

  test('a list that is left early, or whose storage is closed, ends', async () => {
    const storage = unstorageAdapter(texts().storage, one)
    for (const name of ['a', 'b', 'c']) await storage.put([name], bytesOf(1))
    for await (const key of storage.list([])) {
      expect(key).toEqual(['a'])
      break
    }
    const steps = storage.list([])[Symbol.asyncIterator]()
    await steps.next()
    await storage.close()
    expect(await codeOf(() => steps.next())).toBe('StorageUnavailable')
  })
})

describe('an agent', () => {
  test('lives in a store of texts', async () => {
    const { storage, putIfAbsent, entries } = texts()
    const options = { storage: unstorageAdapter(storage, { putIfAbsent }), password: 'a password for tests' }
    await create({ name: 'Stored', algorithm: 'ed25519', ...options })
    const { raw } = await signMessage({ amount: 1 })
    expect([...entries.values()].every((value) => value.startsWith('base64:'))).toBe(true)
    await load({ ...options, storage: unstorageAdapter(storage, { putIfAbsent }) })
    expect(await verify(raw)).toMatchObject({ valid: true, trusted: true })
  })
})
