/** A part of a storage, and the functions that are handed storages and keys. */
import { describe, expect, test } from 'vitest'
import type { SxError } from '../../src/errors.ts'
import { checkKey, compareKeys, isSyncStorage, type Key, type PutOptions } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { prefixed } from '../../src/storage/prefix.ts'
import { codeOf, old } from './outcomes.ts'

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

describe('a part of a storage', () => {
  test('knows what is pending in the whole', () => {
    const asked: Key[] = []
    const inner = Object.assign(memoryStorage(), {
      isPending: (key: Key) => {
        asked.push(key)
        return key.at(-1) === 'late'
      },
    })
    const part = prefixed(inner, ['a'])
    expect([part.isPending?.(['late']), part.isPending?.(['other'])]).toEqual([true, false])
    expect(asked).toEqual([
      ['a', 'late'],
      ['a', 'other'],
    ])
    expect(Reflect.get(prefixed(memoryStorage(), ['a']), 'isPending')).toBeUndefined() // it writes at once
  })

  test('passes on how to write, and nothing else', async () => {
    const given: (PutOptions | undefined)[] = []
    const inner = memoryStorage()
    const spying = Object.assign(Object.create(inner) as typeof inner, {
      put: async (key: Key, bytes: Uint8Array, options?: PutOptions) => {
        given.push(options)
        return inner.put(key, bytes, options)
      },
    })
    const part = prefixed(spying, ['a'])
    await part.put(['b'], old)
    const more = { ifAbsent: true, durability: 'relaxed', more: 1 } as const
    await part.put(['b'], old, more)
    expect(given).toEqual([{ ifAbsent: false }, { ifAbsent: true, durability: 'relaxed' }])
  })

  test('shows what the whole throws of its own account as an SxError', async () => {
    const fail = (): never => {
      throw new TypeError('not for callers')
    }
    const names = ['get', 'put', 'delete', 'list', 'flush', 'getSync', 'putSync', 'deleteSync', 'listSync', 'isPending']
    const inner = Object.assign(memoryStorage(), Object.fromEntries(names.map((name) => [name, fail])))
    const part = prefixed(inner, ['a'])
    const calls: (() => unknown)[] = [
      () => part.get(['b']),
      () => part.put(['b'], old),
      () => part.delete(['b']),
      () => part.list([])[Symbol.asyncIterator]().next(),
      () => part.flush(),
      () => part.getSync(['b']),
      () => part.putSync(['b'], old),
      () => part.deleteSync(['b']),
      () => [...part.listSync([])],
      () => part.isPending?.(['b']),
      () => part.close(),
    ]
    for (const call of calls) expect(await codeOf(call)).toBe('StorageUnavailable')
  })

  test('of what is no storage is InvalidOption', async () => {
    for (const none of [revoked({}), null, undefined, 'text', {}]) {
      expect(await codeOf(() => prefixed(none as never, ['a']))).toBe('InvalidOption')
      expect(isSyncStorage(none as never)).toBe(false)
    }
  })
})

describe('keys', () => {
  test('that cannot be read are InvalidId', async () => {
    const getter = Object.defineProperty(['a', ''], '1', {
      get: () => {
        throw new Error('not for callers')
      },
    })
    for (const key of [revoked(['a']), getter, new Proxy(['a'], { get: () => ({}) })]) {
      expect(await codeOf(() => checkKey(key))).toBe('InvalidId')
      expect(await codeOf(() => prefixed(memoryStorage(), key))).toBe('InvalidId')
    }
    expect(await codeOf(() => compareKeys(revoked(['a']), ['a']))).toBe('InvalidId')
    expect(await codeOf(() => compareKeys(['a'], revoked(['a'])))).toBe('InvalidId')
  })

  test('are shown by their texts only', () => {
    let shared: unknown[] = []
    for (let depth = 0; depth < 100; depth++) shared = [shared, shared]
    const messageOf = (key: unknown): string => {
      try {
        checkKey(key as Key)
        return 'nothing'
      } catch (error) {
        return (error as SxError).found
      }
    }
    expect(messageOf(['a', shared])).toBe('A value that is not a string cannot be used as a name in the storage.')
    expect(messageOf(['a', 'b/c'])).toBe('"b/c" cannot be used as a name in the storage.')
    expect(messageOf([`${'x'.repeat(1 << 28)}/`])).toHaveLength(
      '"" cannot be used as a name in the storage.'.length + 128,
    )
  })

  test('are compared segment by segment', () => {
    const sorted: Key[] = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a-', 'a'], ['a.', 'a'], ['b']]
    for (const [at, a] of sorted.entries())
      for (const [other, b] of sorted.entries()) expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(at - other))
  })
})
