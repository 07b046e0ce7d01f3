/** A store that answers late and fails when told to, and a mirror of it: new ones for each test of a file. */
import { beforeEach } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { Key, Storage, SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'

export const one: Uint8Array<ArrayBuffer> = Uint8Array.of(1)
export const two: Uint8Array<ArrayBuffer> = Uint8Array.of(2)
export const three: Uint8Array<ArrayBuffer> = Uint8Array.of(3)

export let store: SyncStorage
/** The writes that have reached the store, in order. */
export let log: string[]
export let mirror: MirroredStorage

/** Writes and reads fail while an error is set; after so many failures, writes succeed again. */
export const faults: { writes: SxError | undefined; reads: SxError | undefined; left: number } = {
  writes: undefined,
  reads: undefined,
  left: Number.POSITIVE_INFINITY,
}

/** Uses another mirror from now on. */
export function replaceMirror(other: MirroredStorage): void {
  mirror = other
}

/** A store that answers late, and fails when told to. */
export function slow(inner: SyncStorage): Storage {
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
  const mayFail = (): void => {
    const error = faults.writes
    if (--faults.left === 0) faults.writes = undefined
    if (error) throw error
  }
  return {
    capabilities: { sync: false, durability: 'strict', shared: true },
    async get(key) {
      await turn()
      if (faults.reads) throw faults.reads
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
  Object.assign(faults, { writes: undefined, reads: undefined, left: Number.POSITIVE_INFINITY })
  log = []
  mirror = await mirrored(slow(store))
})

export const full = (): SxError => new SxError('StorageFull')
export const keysOf = (storage: SyncStorage): Key[] => [...storage.listSync([])]
/** Waits until a write has ended, without a call that would be told that it failed. */
export const ended = async (key: Key): Promise<void> => {
  while (mirror.isPending(key)) await new Promise((resolve) => setTimeout(resolve))
}
