import type * as main from 'sx-agent'
import type * as simple from 'sx-agent/simple'
import type * as storage from 'sx-agent/storage'

/** The modules of the library that the cases are about. */
export interface Library {
  main: typeof main
  simple: typeof simple
  storage: typeof storage
}

/** A case: its name, and what rejects with an error that says why it failed. */
export type Case = [name: string, run: () => Promise<void>]

/** The cases that must have one outcome in every runtime and in every build. Run them one at a time. */
export declare function cases(library: Library): Case[]
