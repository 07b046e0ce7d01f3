/** What operations on a storage end in, and what they leave on the disk. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

export const old: Uint8Array = Uint8Array.of(1, 2, 3)
export const fresh: Uint8Array = new Uint8Array(5000).fill(7)
/** The temporary files of the storage in a folder. */
export function scratchOf(root: string): string[] {
  return existsSync(join(root, '.tmp')) ? readdirSync(join(root, '.tmp')).sort() : []
}

/** The code of the error that the work ends in. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work()
    return 'no error'
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    return error.code
  }
}

/** Each operation in both forms; deleting comes last. */
function operations(storage: SyncStorage, key: string[], bytes: Uint8Array = fresh): Record<string, () => unknown> {
  return {
    get: () => storage.get(key),
    getSync: () => storage.getSync(key),
    put: () => storage.put(key, bytes),
    putSync: () => storage.putSync(key, bytes),
    claim: () => storage.put(key, bytes, { ifAbsent: true }),
    claimSync: () => storage.putSync(key, bytes, { ifAbsent: true }),
    list: async () => {
      for await (const found of storage.list([])) expect(found).toEqual(key)
    },
    listSync: () => expect([...storage.listSync([])].length).toBeLessThan(2),
    delete: () => storage.delete(key),
    deleteSync: () => storage.deleteSync(key),
  }
}

/** What each operation ends in. */
export async function outcomes(storage: SyncStorage, key: string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, work] of Object.entries(operations(storage, key))) found[name] = await codeOf(work)
  return found
}

/** The same outcome for all operations but those named, which end without an error. */
export function all(code: string, ...fine: string[]): Record<string, string> {
  const names = Object.keys(operations(memoryStorage(), []))
  return Object.fromEntries(names.map((name) => [name, fine.includes(name.replace('Sync', '')) ? 'no error' : code]))
}
