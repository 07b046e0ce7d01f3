import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import type { Storage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mirrored } from '../../src/storage/mirror.ts'
import { prefixed } from '../../src/storage/prefix.ts'
import { storageAcceptance } from '../../src/storage/testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'sx-storage-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A storage without the synchronous form. */
function asyncOnly(storage: Storage): Storage {
  return {
    capabilities: { ...storage.capabilities, sync: false },
    get: (key) => storage.get(key),
    put: (key, bytes, options) => storage.put(key, bytes, options),
    delete: (key) => storage.delete(key),
    list: (prefix, options) => storage.list(prefix, options),
    flush: () => storage.flush(),
    close: () => storage.close(),
  }
}

const storages: Record<string, () => Storage | Promise<Storage>> = {
  memory: () => memoryStorage(),
  filesystem: () => filesystemStorage(join(folder, 'plain', 'deeper')),
  'part of memory': () => prefixed(memoryStorage(), ['a', 'b']),
  'part of a filesystem': () => prefixed(filesystemStorage(join(folder, 'part')), ['a', 'b']),
  'part of an asynchronous one': () => prefixed(asyncOnly(filesystemStorage(join(folder, 'part'))), ['c']),
  'mirror of memory': () => mirrored(memoryStorage()),
  'mirror of a filesystem': () => mirrored(asyncOnly(filesystemStorage(join(folder, 'mirror')))),
  'mirror of a part': () => mirrored(asyncOnly(filesystemStorage(join(folder, 'mirror'))), { prefix: ['a'] }),
}

describe.each(Object.entries(storages))('%s', (_, open) => {
  test.each(storageAcceptance(open))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
