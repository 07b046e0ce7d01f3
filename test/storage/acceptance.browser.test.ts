import { describe, expect, test } from 'vitest'
import { idbStore } from '../../browser/storage/idb-store.ts'
import { IndexedDbStorage, indexedDbStorage } from '../../browser/storage/indexeddb.ts'
import type { Storage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { storageAcceptance } from '../../src/storage/testing.ts'

const storages: Record<string, () => Storage | Promise<Storage>> = {
  memory: () => memoryStorage(),
  IndexedDB: () => indexedDbStorage('acceptance'),
  'IndexedDB without the mirror': () =>
    new IndexedDbStorage(idbStore('acceptance'), { channel: new BroadcastChannel('acceptance') }),
}

describe.each(Object.entries(storages))('%s', (_, open) => {
  test.each(storageAcceptance(open))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
