/** Where an agent stands unless somebody says otherwise (protocol, section 13). */
import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { SxError } from '../../src/simple.ts'

/** The configuration. */
export const DEFAULT_CONFIG_PATH = './sx.config.json'

/** The folders of keys and of data. */
export const DEFAULT_FOLDERS = { keys: './sx_keys', data: './sx_data' } as const

/** Whether nothing at all stands at a path. What cannot be looked at is not missing: using it says why. */
export function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** In characters. No system has longer paths. */
const LONGEST_PATH = 32_767

/** An absolute path of what was typed. */
export function absolute(path: string): string {
  if (path.length > LONGEST_PATH) throw new SxError('InvalidOption', `A path has more than ${LONGEST_PATH} characters.`)
  try {
    return resolve(path)
  } catch (cause) {
    throw new SxError('StorageUnavailable', 'The working directory no longer exists.', { cause })
  }
}
