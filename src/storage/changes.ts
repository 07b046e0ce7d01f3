/** Storages that count their changes: where nothing has changed, what was read need not be read again. */
import { isOwn } from './bulk.ts'
import type { Storage } from './contract.ts'

export interface Counting {
  /** How many calls have changed an entry. `undefined` where that is not known. */
  readonly changes: number | undefined
}

/** How often a storage was changed, by anybody; `undefined` where it does not count that, or others can write to its store. */
export function changesOf(storage: Storage): number | undefined {
  return isOwn(storage) ? (storage as Partial<Counting>).changes : undefined
}
