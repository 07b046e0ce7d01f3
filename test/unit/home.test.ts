import { SxError } from 'sx-agent'
import { memoryStorage, type Storage } from 'sx-agent/storage'
import { describe, expect, test } from 'vitest'
import { asBelated } from '../../src/belated.ts'
import type { Effect } from '../../src/effects.ts'
import { cursor, get, put, putIfAbsent, remove, storageHome, together } from '../../src/home.ts'
import type { Config } from '../../src/platform.ts'

const bytes = Uint8Array.of(1, 2)

function configOf(keyDirectory: string, dataDirectory: string): Config {
  return {
    agentId: null,
    agentVersion: null,
    algorithm: 'ed25519',
    dataDirectory,
    keyDirectory,
    privateKeyFilename: 'private.pem',
    publicKeyFilename: 'public.pem',
    password: null,
    storage: 'fs',
  }
}

describe('a home in a storage', () => {
  test('has the configuration under its path', async () => {
    for (const [path, key] of [
      ['./sx.config.json', ['sx.config.json']],
      ['agents/./alice//sx.config.json', ['agents', 'alice', 'sx.config.json']],
    ] as const) {
      const storage = memoryStorage()
      const home = storageHome(storage, path)
      expect(home.configPath).toBe(path)
      expect(home.readConfig.sync()).toBeUndefined()
      expect(await home.writeConfig(bytes).async()).toBe(true)
      expect(home.writeConfig(Uint8Array.of(9)).sync()).toBe(false)
      expect([...storage.listSync([])]).toEqual([key])
      expect(await home.readConfig.async()).toEqual(bytes)
    }
  })

  test('has the two directories beside the configuration', () => {
    const storage = memoryStorage()
    const places = storageHome(storage, 'alice/sx.config.json').open(configOf('./sx_keys', 'deep/data/'))
    put(places.keys, ['k'], bytes).sync()
    put(places.data, ['d', 'e'], bytes).sync()
    expect([...storage.listSync([])]).toEqual([
      ['alice', 'deep', 'data', 'd', 'e'],
      ['alice', 'sx_keys', 'k'],
    ])
    expect(places.keyDirectory).toBe('alice/sx_keys')
    expect(places.keyPath('k')).toBe('alice/sx_keys/k')
  })

  test('can be the storage itself', () => {
    const storage = memoryStorage()
    const { data } = storageHome(storage, 'sx.config.json').open(configOf('.', '.'))
    put(data, ['d'], bytes).sync()
    expect([...storage.listSync([])]).toEqual([['d']])
  })

  test.each(['', '.', './', '../sx.config.json', 'a/../b', 'C:\\x', 'a\\b', 'con', '\0'])(
    'T28 is not at %j',
    (path) => {
      expect(() => storageHome(memoryStorage(), path)).toThrow(expect.objectContaining({ code: 'InvalidId' }))
    },
  )

  test.each([
    ['/etc', 'InvalidConfig'],
    ['\\\\server\\share', 'InvalidConfig'],
    ['c:/keys', 'InvalidConfig'],
    ['C:keys', 'InvalidConfig'],
    ['..', 'InvalidId'],
    ['a/../..', 'InvalidId'],
    ['a\\b', 'InvalidId'],
  ])('T28 does not lead out of the storage to %s', (directory, code) => {
    const storage = memoryStorage()
    const home = storageHome(storage, 'sx.config.json')
    const write = (): boolean => put(home.open(configOf(directory, './data')).keys, ['k'], bytes).sync()
    expect(write).toThrow(expect.objectContaining({ code }))
    expect([...storage.listSync([])]).toEqual([])
  })

  test.each(['sx.config.json', './sx.config.json/', './/sx.config.json/deep'])(
    'has neither directory at %j, where the configuration is',
    (directory) => {
      for (const folder of ['', 'alice/']) {
        const home = storageHome(memoryStorage(), `${folder}./sx.config.json`)
        for (const config of [configOf(directory, './data'), configOf('./keys', directory)]) {
          expect(() => home.open(config)).toThrow(expect.objectContaining({ code: 'InvalidConfig' }))
        }
      }
    },
  )

  test.each(['sx.config', 'sx.config.json5', 'deep/sx.config.json'])('has a directory at %j beside it', (directory) => {
    const storage = memoryStorage()
    put(storageHome(storage, 'alice/sx.config.json').open(configOf(directory, '.')).keys, ['k'], bytes).sync()
    expect([...storage.listSync([])]).toEqual([['alice', ...directory.split('/'), 'k']])
  })
})

describe('effects on a storage', () => {
  test('do the same in both forms', async () => {
    const storage = memoryStorage()
    expect(await put(storage, ['a'], bytes).async()).toBe(true)
    expect(putIfAbsent(storage, ['a'], bytes).sync()).toBe(false)
    expect(await putIfAbsent(storage, ['b'], bytes).async()).toBe(true)
    expect([await get(storage, ['a']).async(), get(storage, ['a']).sync()]).toEqual([bytes, bytes])
    await remove(storage, ['a']).async()
    remove(storage, ['b']).sync()
    expect([await get(storage, ['a']).async(), get(storage, ['b']).sync()]).toEqual([undefined, undefined])
  })

  test('step through keys', async () => {
    const storage = memoryStorage()
    for (const name of ['a', 'b', 'c']) storage.putSync(['x', name], bytes)
    const waiting = cursor(storage, ['x'])
    const direct = cursor(storage, ['x'], ['x', 'a'])
    expect([await waiting.async(), await waiting.async()]).toEqual([
      ['x', 'a'],
      ['x', 'b'],
    ])
    expect([await waiting.async(), await waiting.async()]).toEqual([['x', 'c'], undefined])
    expect([direct.sync(), direct.sync(), direct.sync()]).toEqual([['x', 'b'], ['x', 'c'], undefined])
  })

  test('say so where there is no synchronous form', async () => {
    const inner = memoryStorage()
    const storage: Storage = {
      capabilities: { ...inner.capabilities, sync: false },
      get: (key) => inner.get(key),
      put: (key, value, options) => inner.put(key, value, options),
      delete: (key) => inner.delete(key),
      list: (prefix, options) => inner.list(prefix, options),
      flush: () => inner.flush(),
      close: () => inner.close(),
    }
    expect(await put(storage, ['a'], bytes).async()).toBe(true)
    for (const effect of [
      get(storage, ['a']),
      put(storage, ['a'], bytes),
      remove(storage, ['a']),
      cursor(storage, []),
    ]) {
      expect(() => effect.sync()).toThrow(expect.objectContaining({ code: 'SyncStorageUnavailable' }))
    }
  })
})

describe('things done at the same time', () => {
  const slow = (error?: Error) => async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (error) throw error
    return 'slow'
  }
  const effect = (later: () => Promise<string>): Effect<string> => ({ kind: 'storage', async: later, sync: () => '' })
  const failing = effect(() => Promise.reject(new SxError('StorageUnavailable')))

  test('have their results in order', async () => {
    expect(
      await together(
        effect(slow()),
        effect(async () => 'quick'),
      ).async(),
    ).toEqual(['slow', 'quick'])
  })

  test('tell of a write that failed earlier, whichever of them hears of it, and however late', async () => {
    const told = asBelated(new SxError('VersionConflict'))
    await expect(together(failing, effect(slow(told))).async()).rejects.toBe(told)
    await expect(together(effect(slow(told)), failing).async()).rejects.toBe(told)
  })

  test('otherwise fail with the first failure, when all have ended', async () => {
    const first = new SxError('StorageFull')
    await expect(together(effect(slow(first)), failing).async()).rejects.toBe(first)
  })
})
