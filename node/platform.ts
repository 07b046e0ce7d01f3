import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { cwd, env } from 'node:process'
import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Home, Platform } from '../src/platform.ts'
import { readFileSafely, readFileSafelySync, writeFileAtomically, writeFileAtomicallySync } from './storage/file.ts'
import { filesystemStorage } from './storage/filesystem.ts'

/** Files on Node, Deno and Bun. */
export const platform: Platform = {
  defaultStorage: 'fs',
  defaultFolders: { keys: './sx_keys', data: './sx_data' },
  environment: () => env,
  home: (configPath) => {
    const open = (): Home => fileHome(resolve(cwd(), configPath))
    return { async: open, sync: open }
  },
  folder: (path) => filesystemStorage(resolve(cwd(), path)),
  readFile: (path) => {
    const found = (bytes: Uint8Array | undefined): Uint8Array => {
      if (bytes === undefined) throw new SxError('NotFound', `There is no file at ${path}.`)
      return bytes
    }
    return { async: async () => found(await readFileSafely(path)), sync: () => found(readFileSafelySync(path)) }
  },
}

/** A configuration file, with the key and data directories relative to its folder. */
function fileHome(configPath: string): Home {
  const folder = dirname(configPath)
  const writing = { mode: 0o600, ifAbsent: true }
  return {
    configPath,
    readConfig: { async: () => readFileSafely(configPath), sync: () => readFileSafelySync(configPath) },
    writeConfig: (bytes): Effect<boolean> => ({
      async: () => {
        mkdirSync(folder, { recursive: true })
        return writeFileAtomically(configPath, bytes, writing)
      },
      sync: () => {
        mkdirSync(folder, { recursive: true })
        return writeFileAtomicallySync(configPath, bytes, writing)
      },
    }),
    open: ({ keyDirectory, dataDirectory }) => {
      const keys = resolve(folder, keyDirectory)
      return {
        keys: filesystemStorage(keys),
        data: filesystemStorage(resolve(folder, dataDirectory)),
        keyDirectory: keys,
        keyPath: (file) => join(keys, file),
      }
    },
  }
}
