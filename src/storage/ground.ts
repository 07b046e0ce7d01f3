import type { Key, Storage } from './contract.ts'

/** The member by which a storage that is a view of another store names that store. */
export const GROUND: unique symbol = Symbol('ground')

/** What a storage shows: a part of a store. Views of one part of one store show the same entries. */
export interface Ground {
  /** The store, by its identity. */
  readonly store: object
  /** Where in it. */
  readonly path: Key
  /** Opens another view, which stays open when this one is closed. */
  readonly reopen: () => Storage
}

/** The ground of a storage. A storage that names no other store is its own. */
export function groundOf(storage: Storage & { readonly [GROUND]?: Ground }): Ground {
  return storage[GROUND] ?? { store: storage, path: [], reopen: () => storage }
}
