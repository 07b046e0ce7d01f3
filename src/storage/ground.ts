import type { Key, Storage } from './contract.ts'

/** What a storage shows: a part of a store. Views of one part of one store show the same entries. */
export interface Ground {
  /** The store, by its identity. */
  readonly store: object
  /** Where in it. */
  readonly path: Key
  /** Opens another view, which stays open when this one is closed. */
  readonly reopen: () => Storage
}

const grounds = /* @__PURE__ */ new WeakMap<Storage, () => Ground>()

/** Says what a storage shows that is a view of another store. */
export function standsOn(storage: Storage, ground: () => Ground): void {
  grounds.set(storage, ground)
}

/** The ground of a storage. A storage that names no other store is its own. */
export function groundOf(storage: Storage): Ground {
  return grounds.get(storage)?.() ?? { store: storage, path: [], reopen: () => storage }
}
