import { SxError } from '../errors.ts'
import type { Key, Storage } from './contract.ts'

/** So many entries are read at a time. */
const AT_ONCE = 64

/** What a storage has thrown, as an `SxError`; an error of its own making is `StorageUnavailable`, with the cause. */
export function storageError(error: unknown): SxError {
  return error instanceof SxError ? error : new SxError('StorageUnavailable', undefined, { cause: error })
}

/** A call of the storage below, which rejects with an `SxError`. */
export async function below<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw storageError(error)
  }
}

/** What a storage holds of an entry, or why that is not known. */
export type Found = { readonly bytes: Uint8Array | undefined } | { readonly error: SxError }

/** Reads an entry. Never rejects. */
export async function look(storage: Storage, key: Key): Promise<Found> {
  try {
    return { bytes: await storage.get(key) }
  } catch (error) {
    return { error: storageError(error) }
  }
}

/** Works on all items, some at a time. */
export async function inBatches<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < AT_ONCE) continue
    await Promise.all(batch.map(work))
    batch = []
  }
  await Promise.all(batch.map(work))
}
