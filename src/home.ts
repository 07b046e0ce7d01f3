import { get, put, putIfAbsent, remove } from './effects/entries.ts'
import { SxError } from './errors.ts'
import type { Config, Directories, Home } from './platform.ts'
import { checkKey, type Storage } from './storage/contract.ts'
import { prefixed } from './storage/prefix.ts'

/** Where a configuration stands if no place is named. */
export const DEFAULT_CONFIG_PATH = './sx.config.json'

/** Ends the name of what stands beside a configuration that was prepared, while an agent is being made for it. */
export const CLAIM_SUFFIX = '.agent'

/** The fields of the configuration that name directories. */
export const DIRECTORY_FIELDS = { keyDirectory: 'sxKeyDirectory', dataDirectory: 'sxDataDirectory' } as const

/** A directory cannot be where the configuration is, or the claim beside it. */
export function inConfig(directory: keyof typeof DIRECTORY_FIELDS): SxError {
  const field = DIRECTORY_FIELDS[directory]
  return new SxError(
    'InvalidConfig',
    `The configuration field '${field}' is the path of the configuration, or below it.`,
  )
}

/**
 * A home inside one storage, laid out as it would be in folders: `./sx.config.json` is the entry
 * `sx.config.json`, and the key and data directories are prefixes beside it.
 */
export function storageHome(storage: Storage, configPath: string): Home {
  const key = segments(configPath)
  checkKey(key)
  const folder = key.slice(0, -1)
  const claim = [...folder, `${key.at(-1)}${CLAIM_SUFFIX}`]
  const place = (name: keyof typeof DIRECTORY_FIELDS, directory: string): Storage => {
    if (/^(?:[/\\]|[a-z]:)/i.test(directory)) {
      throw new SxError('InvalidConfig', 'Absolute paths are not supported in this storage.')
    }
    const prefix = [...folder, ...segments(directory)]
    if ([key, claim].some((taken) => taken.every((segment, at) => segment === prefix[at]))) throw inConfig(name)
    return prefix.length > 0 ? prefixed(storage, prefix) : storage
  }
  return {
    configPath,
    realPath: configPath,
    readConfig: get(storage, key),
    probeConfig: get(storage, key),
    writeConfig: (bytes) => putIfAbsent(storage, key, bytes),
    replaceConfig: (bytes) => put(storage, key, bytes),
    readClaim: get(storage, claim),
    claimConfig: (bytes) => putIfAbsent(storage, claim, bytes),
    dropClaim: remove(storage, claim),
    open: ({ keyDirectory, dataDirectory }: Config): Directories => ({
      keys: place('keyDirectory', keyDirectory),
      data: place('dataDirectory', dataDirectory),
      keyDirectory: [...folder, ...segments(keyDirectory)].join('/'),
      dataDirectory: [...folder, ...segments(dataDirectory)].join('/'),
      keyPath: (file) => [...folder, ...segments(keyDirectory), file].join('/'),
      flush: () => storage.flush(),
      close: () => storage.flush(), // it is its owner's to close
    }),
  }
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.')
}
