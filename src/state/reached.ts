// Up to which entry of a chain this process has read. A copy in memory may have that entry without a hint of it.

import { isSyncStorage, type Key, type Storage } from '../storage/contract.ts'
import { groundOf } from '../storage/ground.ts'
import { putRecent } from './recent.ts'

/** So many chains of a store are remembered, those that were read last. */
const CAPACITY = 10_000

/** By store, so that an agent that is loaded again knows what the one before it did. */
const stores = /* @__PURE__ */ new WeakMap<object, Map<string, number>>()

const nameOf = (path: Key, hint: Key): string => [...path, ...hint].join('/')

const isCopy = (storage: Storage): boolean => isSyncStorage(storage) && storage.isPending !== undefined

/** Notes the latest entry that was found in the storage below a copy. */
export function noteReached(storage: Storage, hint: Key, number: number): void {
  if (!isCopy(storage)) return
  const { store, path } = groundOf(storage)
  const chains = stores.get(store) ?? new Map<string, number>()
  stores.set(store, chains)
  const name = nameOf(path, hint)
  putRecent(chains, name, Math.max(chains.get(name) ?? 0, number), CAPACITY)
}

/** The latest entry that was found below a copy; 0 if none was. */
export function reachedIn(storage: Storage, hint: Key): number {
  if (!isCopy(storage)) return 0
  const { store, path } = groundOf(storage)
  return stores.get(store)?.get(nameOf(path, hint)) ?? 0
}
