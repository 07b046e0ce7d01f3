import type { SxError } from '../errors.ts'
import { foundBytes, type Key, type Storage, storageError } from './contract.ts'

/** So many entries are read at a time. */
const AT_ONCE = 64

/** A call of the storage below, which rejects with an `SxError`. */
export async function below<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw storageError(error)
  }
}

/** What a storage holds of an entry, or why that is not known. */
export type Found =
  | { readonly bytes: Uint8Array | undefined; readonly error: undefined }
  | { readonly bytes: undefined; readonly error: SxError }

/** Reads an entry. Never rejects. */
export async function look(storage: Storage, key: Key): Promise<Found> {
  try {
    return { bytes: foundBytes(await storage.get(key)), error: undefined }
  } catch (error) {
    return { bytes: undefined, error: storageError(error) }
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
