import { call } from '../core.ts'

interface Names {
  readonly documents: string
  readonly trust: string
  readonly output: string
  readonly passwordFile: string
}

/** Names of the storage's top entries; the core has them. */
export function names(): Names {
  return JSON.parse(call((core) => core.storageNames())) as Names
}
