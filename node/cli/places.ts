/** Where an agent stands unless somebody says otherwise (protocol, section 13). */
import { lstatSync } from 'node:fs'

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
