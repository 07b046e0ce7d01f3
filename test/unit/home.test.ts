import { SxError } from 'sx-agent'
import { memoryStorage, type Storage } from 'sx-agent/storage'
import { describe, expect, test } from 'vitest'
import { asBelated } from '../../src/belated.ts'
import { cursor, get, put, putIfAbsent, remove, together, work } from '../../src/effects/entries.ts'
import type { Effect } from '../../src/effects.ts'
import { storageHome } from '../../src/home.ts'
import type { Config } from '../../src/platform.ts'
import { later, now } from '../effects.ts'

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
      expect(now(home.readConfig)).toBeUndefined()
      expect(await later(home.writeConfig(bytes))).toBe(true)
      expect(now(home.writeConfig(Uint8Array.of(9)))).toBe(false)
      expect([...storage.listSync([])]).toEqual([key])
      expect(await later(home.readConfig)).toEqual(bytes)
    }
  })

  test('has the two directories beside the configuration', () => {
    const storage = memoryStorage()
    const places = storageHome(storage, 'alice/sx.config.json').open(configOf('./sx_keys', 'deep/data/'))
    now(put(places.keys, ['k'], bytes))
    now(put(places.data, ['d', 'e'], bytes))
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
    now(put(data, ['d'], bytes))
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
    const write = (): boolean => now(put(home.open(configOf(directory, './data')).keys, ['k'], bytes))
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
    now(put(storageHome(storage, 'alice/sx.config.json').open(configOf(directory, '.')).keys, ['k'], bytes))
    expect([...storage.listSync([])]).toEqual([['alice', ...directory.split('/'), 'k']])
  })
})

describe('effects on a storage', () => {
  test('do the same in both forms', async () => {
    const storage = memoryStorage()
    expect(await later(put(storage, ['a'], bytes))).toBe(true)
    expect(now(putIfAbsent(storage, ['a'], bytes))).toBe(false)
    expect(await later(putIfAbsent(storage, ['b'], bytes))).toBe(true)
    expect([await later(get(storage, ['a'])), now(get(storage, ['a']))]).toEqual([bytes, bytes])
    await later(remove(storage, ['a']))
    now(remove(storage, ['b']))
    expect([await later(get(storage, ['a'])), now(get(storage, ['b']))]).toEqual([undefined, undefined])
  })

  test('step through keys', async () => {
    const storage = memoryStorage()
    for (const name of ['a', 'b', 'c']) storage.putSync(['x', name], bytes)
    const waiting = cursor(storage, ['x'])
    const direct = cursor(storage, ['x'], ['x', 'a'])
    expect([await later(waiting), await later(waiting)]).toEqual([
      ['x', 'a'],
      ['x', 'b'],
    ])
    expect([await later(waiting), await later(waiting)]).toEqual([['x', 'c'], undefined])
    expect([now(direct), now(direct), now(direct)]).toEqual([['x', 'b'], ['x', 'c'], undefined])
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
    expect(await later(put(storage, ['a'], bytes))).toBe(true)
    for (const effect of [
      get(storage, ['a']),
      put(storage, ['a'], bytes),
      remove(storage, ['a']),
      cursor(storage, []),
    ]) {
      expect(() => now<unknown>(effect)).toThrow(expect.objectContaining({ code: 'SyncStorageUnavailable' }))
    }
  })
})

describe('things done at the same time', () => {
  const slow = (error?: Error) => async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (error) throw error
    return 'slow'
  }
  const effect = (awaited: () => Promise<string>): Effect<string> => work('said', awaited, () => '')
  const failing = effect(() => Promise.reject(new SxError('StorageUnavailable')))

  test('have their results in order', async () => {
    expect(
      await later(
        together(
          effect(slow()),
          effect(async () => 'quick'),
        ),
      ),
    ).toEqual(['slow', 'quick'])
  })

  test('tell of a write that failed earlier, whichever of them hears of it, and however late', async () => {
    const told = asBelated(new SxError('VersionConflict'))
    await expect(later(together(failing, effect(slow(told))))).rejects.toBe(told)
    await expect(later(together(effect(slow(told)), failing))).rejects.toBe(told)
  })

  test('otherwise fail with the first failure, when all have ended', async () => {
    const first = new SxError('StorageFull')
    await expect(later(together(effect(slow(first)), failing))).rejects.toBe(first)
  })
})
