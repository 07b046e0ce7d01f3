import { call } from '../core.ts'
import { SxError } from '../errors.ts'

/** A document's id, with or without one of its versions. */
export interface DocumentKey {
  readonly id: string
  readonly version: string | null
}

/**
 * Reads `id` or `id:version`; the core knows the rule.
 *
 * @throws SxError `InvalidId`
 */
export function parseKey(key: unknown): DocumentKey {
  if (typeof key !== 'string') throw new SxError('InvalidId')
  return JSON.parse(call((core) => core.documentKey(key))) as DocumentKey
}

/** Whether a name in the storage is the id of an agent or a document; people may keep other things there. */
export function isId(name: string): boolean {
  try {
    return parseKey(name).version === null
  } catch (error) {
    if (error instanceof SxError && error.code === 'InvalidId') return false
    throw error
  }
}
