import { isBelated } from './belated.ts'
import type { Effect } from './effects.ts'
import { SxError } from './errors.ts'
import type { Config, Directories, Home } from './platform.ts'
import type { Found } from './storage/below.ts'
import { isBulk, isSyncBulk, type NewEntry, readAll, readAllSync } from './storage/bulk.ts'
import {
  checkKey,
  foundBytes,
  foundKey,
  type Key,
  requireSync,
  type Storage,
  storageError,
} from './storage/contract.ts'
import { prefixed } from './storage/prefix.ts'

/** Both forms of a call to a storage. What a storage throws on its own account is not shown to callers. */
export function storing<T>(later: () => Promise<T>, now: () => T): Effect<T> {
  return {
    kind: 'storage',
    async: async () => {
      try {
        return await later()
      } catch (error) {
        throw storageError(error)
      }
    },
    sync: () => {
      try {
        return now()
      } catch (error) {
        throw storageError(error)
      }
    },
  }
}

/** Reads an entry. */
export function get(storage: Storage, key: Key): Effect<Uint8Array | undefined> {
  return storing(
    async () => foundBytes(await storage.get(key)),
    () => foundBytes(requireSync(storage).getSync(key)),
  )
}

/** Reads two entries at the same time. */
export function getBoth(
  storage: Storage,
  first: Key,
  second: Key,
): Effect<readonly [Uint8Array | undefined, Uint8Array | undefined]> {
  return together(get(storage, first), get(storage, second))
}

function throwBelated(error: unknown): void {
  if (isBelated(error)) throw error
}

/**
 * Does several things at the same time. If one fails it waits for the others: each of them may be told that an earlier
 * write has failed, which nobody would hear afterwards.
 */
export function together<T extends readonly unknown[]>(
  ...effects: { readonly [I in keyof T]: Effect<T[I]> }
): Effect<T> {
  return {
    kind: 'storage',
    async: async () => {
      const running = effects.map(async (effect) => effect.async())
      await Promise.all(running.map((one) => one.catch(throwBelated)))
      return (await Promise.all(running)) as readonly unknown[] as T
    },
    sync: () => effects.map((effect) => effect.sync()) as readonly unknown[] as T,
  }
}

/** Writes an entry. */
export function put(storage: Storage, key: Key, bytes: Uint8Array): Effect<boolean> {
  return storing(
    () => storage.put(key, bytes),
    () => requireSync(storage).putSync(key, bytes),
  )
}

/** Writes an entry unless there is one; says whether it did. */
export function putIfAbsent(storage: Storage, key: Key, bytes: Uint8Array): Effect<boolean> {
  const options = { ifAbsent: true }
  return storing(
    () => storage.put(key, bytes, options),
    () => requireSync(storage).putSync(key, bytes, options),
  )
}

/** Writes entries that are not there; `undefined` where the storage has no way to do that in one go. */
export function putAll(storage: Storage, entries: readonly NewEntry[]): Effect<boolean | undefined> {
  return storing<boolean | undefined>(
    async () => (isBulk(storage) ? storage.putAll(entries) : undefined),
    () => (isSyncBulk(storage) ? storage.putAllSync(entries) : undefined),
  )
}

/** Reads entries, all at the same time. What is wrong with one is told of that one, but a write that failed before at once. */
export function getAll(storage: Storage, keys: readonly Key[]): Effect<readonly Found[]> {
  const heard = (found: readonly Found[]): readonly Found[] => {
    for (const { error } of found) throwBelated(error)
    return found
  }
  return storing(
    async () => heard(await readAll(storage, keys)),
    () => heard(readAllSync(storage, keys)),
  )
}

/** Writes an entry that may be lost again: it only says where to look first. */
export function putHint(storage: Storage, key: Key, bytes: Uint8Array): Effect<boolean> {
  const options = { durability: 'relaxed' } as const
  return storing(
    () => storage.put(key, bytes, options),
    () => requireSync(storage).putSync(key, bytes, options),
  )
}

/** Removes an entry. */
export function remove(storage: Storage, key: Key): Effect<void> {
  return storing(
    () => storage.delete(key),
    () => requireSync(storage).deleteSync(key),
  )
}

/** Steps through the keys below a prefix; `undefined` after the last one. */
export function cursor(storage: Storage, prefix: Key, after?: Key): Effect<Key | undefined> {
  const options = after === undefined ? {} : { after }
  let waiting: AsyncIterator<Key> | undefined
  let direct: Iterator<Key> | undefined
  let last = after
  const found = ({ done, value }: IteratorResult<Key>): Key | undefined => {
    if (done === true) return undefined
    last = foundKey(value, last)
    return last
  }
  return storing(
    async () => {
      waiting ??= storage.list(prefix, options)[Symbol.asyncIterator]()
      return found(await waiting.next())
    },
    () => {
      direct ??= requireSync(storage).listSync(prefix, options)[Symbol.iterator]()
      return found(direct.next())
    },
  )
}

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
