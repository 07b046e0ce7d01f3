// What has not changed need not be read again: a storage that says so has to say it of every change.
import { describe, expect, it } from 'vitest'
import { isSyncBulk } from '../../src/storage/bulk.ts'
import { changesOf } from '../../src/storage/changes.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { prefixed } from '../../src/storage/prefix.ts'

const bytes = new Uint8Array([1])

/** Whether a call is counted. */
function counts(storage: SyncStorage, work: () => unknown): boolean {
  const before = changesOf(storage)
  expect(before).toBeTypeOf('number')
  work()
  return changesOf(storage) !== before
}

describe('changesOf', () => {
  for (const [name, open] of [
    ['memory', memoryStorage],
    ['a part of it', () => prefixed(memoryStorage(), ['part'])],
  ] as const) {
    it(`${name}: counts every change, and nothing else`, () => {
      const storage = open()
      expect(counts(storage, () => storage.putSync(['a'], bytes))).toBe(true)
      expect(counts(storage, () => storage.putSync(['a'], bytes))).toBe(true) // it may be another value
      expect(counts(storage, () => storage.putSync(['a'], bytes, { ifAbsent: true }))).toBe(false)
      expect(counts(storage, () => isSyncBulk(storage) && storage.putAllSync([{ key: ['b'], bytes }]))).toBe(true)
      expect(counts(storage, () => isSyncBulk(storage) && storage.putAllSync([{ key: ['b'], bytes }]))).toBe(false)
      expect(counts(storage, () => storage.getSync(['a']))).toBe(false)
      expect(counts(storage, () => storage.deleteSync(['a']))).toBe(true)
      expect(counts(storage, () => storage.deleteSync(['a']))).toBe(false)
      expect(counts(storage, () => [...storage.listSync([])])).toBe(false)
    })

    it(`${name}: is not known once it is closed`, async () => {
      const storage = open()
      await storage.close()
      expect(changesOf(storage)).toBeUndefined()
    })
  }

  it('sees what another part of the storage changes', () => {
    const storage = memoryStorage()
    const part = prefixed(storage, ['part'])
    expect(counts(part, () => storage.putSync(['part', 'a'], bytes))).toBe(true)
    expect(counts(part, () => prefixed(storage, ['part']).deleteSync(['a']))).toBe(true)
  })

  it('is not known of a proxy or a copy, which may read elsewhere', () => {
    const storage = memoryStorage()
    expect(changesOf(new Proxy(storage, {}))).toBeUndefined()
    expect(changesOf(Object.create(storage) as SyncStorage)).toBeUndefined()
    expect(changesOf(prefixed(new Proxy(storage, {}), ['part']))).toBeUndefined()
  })
})
