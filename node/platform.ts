import { lstatSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { env } from 'node:process'
import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Home, Platform } from '../src/platform.ts'
import { errno } from './storage/failure.ts'
import { readFileSafely, readFileSafelySync, writeFileAtomically, writeFileAtomicallySync } from './storage/file.ts'
import { filesystemStorage } from './storage/filesystem.ts'
import { makeFolder, makeFolderSync } from './storage/folders.ts'

/** Files on Node, Deno and Bun. */
export const platform: Platform = {
  defaultStorage: 'fs',
  defaultFolders: { keys: './sx_keys', data: './sx_data' },
  environment: () => env,
  home: (configPath) => {
    const open = (): Home => fileHome(absolute(configPath))
    return { kind: 'storage', async: open, sync: open }
  },
  folder: (path) => filesystemStorage(absolute(path)),
  readFile: (path, maxBytes) => {
    const found = (bytes: Uint8Array | undefined): Uint8Array => {
      if (bytes === undefined) throw new SxError('NotFound', `There is no file at ${path}.`)
      return bytes
    }
    const whole = absolute(path)
    return {
      kind: 'storage',
      async: async () => found(await readFileSafely(whole, { maxBytes })),
      sync: () => found(readFileSafelySync(whole, { maxBytes })),
    }
  },
}

/** No configuration is larger. */
const LARGEST = 64 << 20

/** An absolute path of what a caller passed in. */
function absolute(path: string): string {
  if (path.includes('\0')) throw new SxError('InvalidOption', 'A path holds a NUL character.')
  try {
    return resolve(path)
  } catch (cause) {
    throw new SxError('StorageUnavailable', 'The working folder does not exist any more.', { cause })
  }
}

/** Whether something is there, also a link that leads nowhere. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    if (errno(cause) === 'ENOTDIR') return false // it is below a file
    throw new SxError('StorageUnavailable', `What is at ${path} cannot be looked at.`, { cause })
  }
}

/** Permission bits of a new folder for a configuration, less the umask: it is the user's, other files may stand there. */
const FOLDER_MODE = 0o777

/** A configuration file, with the key and data directories relative to its folder. */
function fileHome(configPath: string): Home {
  const folder = dirname(configPath)
  const reading = { cleanUp: true, maxBytes: LARGEST }
  const probing = { noFollow: true, maxBytes: LARGEST }
  const vacant = (bytes: Uint8Array | undefined): Uint8Array | undefined => {
    if (bytes !== undefined || !isThere(configPath)) return bytes
    throw new SxError('StorageUnavailable', `${configPath} is no file, so no configuration can be written there.`)
  }
  const writing = { mode: 0o600 }
  const write = (bytes: Uint8Array, options: { ifAbsent?: boolean }): Effect<boolean> => ({
    kind: 'storage',
    async: async () => {
      await makeFolder(folder, { mode: FOLDER_MODE })
      return await writeFileAtomically(configPath, bytes, { ...writing, ...options })
    },
    sync: () => {
      makeFolderSync(folder, { mode: FOLDER_MODE })
      return writeFileAtomicallySync(configPath, bytes, { ...writing, ...options })
    },
  })
  return {
    configPath,
    probeConfig: {
      kind: 'storage',
      async: async () => vacant(await readFileSafely(configPath, probing)),
      sync: () => vacant(readFileSafelySync(configPath, probing)),
    },
    readConfig: {
      kind: 'storage',
      async: () => readFileSafely(configPath, reading),
      sync: () => readFileSafelySync(configPath, reading),
    },
    writeConfig: (bytes) => write(bytes, { ifAbsent: true }),
    replaceConfig: (bytes) => write(bytes, {}),
    readClaim: { kind: 'storage', async: () => readFileSafely(`${configPath}.agent`), sync: () => readFileSafelySync(`${configPath}.agent`) },
    claimConfig: () => { throw new SxError('Unsupported') },
    dropClaim: { kind: 'storage', async: async () => {}, sync: () => {} },
    open: ({ keyDirectory, dataDirectory }) => {
      const keys = resolve(folder, keyDirectory)
      return {
        keys: filesystemStorage(keys),
        data: filesystemStorage(resolve(folder, dataDirectory)),
        keyDirectory: keys,
        keyPath: (file) => join(keys, file),
        flush: async () => {},
        close: async () => {},
      }
    },
  }
}
