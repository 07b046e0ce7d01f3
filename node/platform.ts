import { probe } from '../src/effects/entries.ts'
import { type EffectOf, kind } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import { CLAIM_SUFFIX, DEFAULT_CONFIG_PATH, inConfig } from '../src/home.ts'
import { names } from '../src/names.ts'
import type { Home, Platform } from '../src/platform.ts'
import { derivation } from './derivation.ts'
import { inspectFiles } from './inspect.ts'
import { absolute } from './paths.ts'
import { schemasBeside } from './schemas.ts'
import { editFile } from './storage/edit.ts'
import { isFolder, noFileAt } from './storage/failure.ts'
import {
  type ReadFileOptions,
  readFileSafely,
  readFileSafelySync,
  realPath,
  realPathSync,
  removeFile,
  removeFileSync,
  removeLeftovers,
  removeLeftoversSync,
  type WriteFileOptions,
  writeFileAtomically,
  writeFileAtomicallySync,
} from './storage/file.ts'
import { filesystemStorage } from './storage/filesystem.ts'
import { makeFolder, makeFolderSync } from './storage/folders.ts'
import { scanFile } from './storage/scan.ts'

const nodePath = process.getBuiltinModule('node:path')

const HOME = kind('home', {
  async: async ({ configPath }) => {
    const path = absolute(configPath)
    return fileHome(path, await realPath(path))
  },
  sync: ({ configPath }) => {
    const path = absolute(configPath)
    return fileHome(path, realPathSync(path))
  },
})

const READ = kind('readFile', {
  async: ({ path, options }) => readFileSafely(path, options),
  sync: ({ path, options }) => readFileSafelySync(path, options),
})

function config(bytes: Uint8Array | undefined, path: string): Uint8Array | undefined {
  if (bytes !== undefined || !isFolder(path)) return bytes
  const advice = `Pass the path of the configuration in it, such as ${nodePath.join(path, DEFAULT_CONFIG_PATH)}.`
  throw new SxError('NotFound', `${path} is a folder.`, { advice })
}

const READ_CONFIG = kind('readConfig', {
  async: async ({ path, maxBytes }) => config(await readFileSafely(path, { maxBytes }), path),
  sync: ({ path, maxBytes }) => config(readFileSafelySync(path, { maxBytes }), path),
})

function named(bytes: Uint8Array | undefined, { path, shown }: EffectOf<'readNamedFile'>): Uint8Array {
  if (bytes === undefined) throw noFileAt(path, shown)
  return bytes
}

const READ_NAMED = kind('readNamedFile', {
  async: async (effect) => named(await readFileSafely(effect.path, { maxBytes: effect.maxBytes }), effect),
  sync: (effect) => named(readFileSafelySync(effect.path, { maxBytes: effect.maxBytes }), effect),
})

const WRITE = kind('writeFile', {
  async: async ({ path, bytes, options, folderMode }) => {
    if (folderMode !== undefined) await makeFolder(nodePath.dirname(path), { mode: folderMode })
    return await writeFileAtomically(path, bytes, options)
  },
  sync: ({ path, bytes, options, folderMode }) => {
    if (folderMode !== undefined) makeFolderSync(nodePath.dirname(path), { mode: folderMode })
    return writeFileAtomicallySync(path, bytes, options)
  },
})

const REMOVE = kind('removeFile', { async: ({ path }) => removeFile(path), sync: ({ path }) => removeFileSync(path) })

const TIDY = kind('removeLeftovers', {
  async: ({ path }) => removeLeftovers(path),
  sync: ({ path }) => removeLeftoversSync(path),
})

/** Files on Node, Deno and Bun. */
export const platform: Platform = {
  defaultStorage: 'fs',
  environment: () => process.env,
  derivation,
  warn: (code, message) => process.emitWarning(message, { type: 'SxWarning', code }),
  home: (configPath) => ({ kind: HOME, configPath }),
  readFile: (path, maxBytes) => ({ kind: READ_NAMED, path: absolute(path), shown: path, maxBytes }),
  scanFile: (path, maxBytes, take) =>
    scanFile(absolute(path) + (/[\\/]$/.test(path) ? nodePath.sep : ''), maxBytes, take),
  schemasBeside,
  editFile: (path, maxBytes) => editFile(absolute(path), maxBytes),
  writeFile: (path, bytes) => ({
    kind: WRITE,
    path: absolute(path),
    bytes,
    options: { mode: OUTPUT_MODE, writable: true },
    folderMode: undefined,
  }),
  isSamePath: (path, other) => absolute(path) === absolute(other),
  sha256: () => {
    const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
    return { add: (bytes) => hash.update(bytes), finish: () => hash.digest('hex'), drop: () => {} }
  },
}

/** Permission bits of a new file that the caller names, less the umask. */
const OUTPUT_MODE = 0o666

/** No configuration is larger. */
const LARGEST = 64 << 20

/** Permission bits of a new folder for a configuration, less the umask: it is the user's, other files may stand there. */
const FOLDER_MODE = 0o777

function reading(path: string, options: ReadFileOptions): EffectOf<'readFile'> {
  return { kind: READ, path, options: { maxBytes: LARGEST, ...options } }
}

function readingConfig(path: string): EffectOf<'readConfig'> {
  return { kind: READ_CONFIG, path, maxBytes: LARGEST }
}

/** Writes a file, in a folder that is made if it is missing. */
function writing(path: string, bytes: Uint8Array, options: WriteFileOptions): EffectOf<'writeFile'> {
  return { kind: WRITE, path, bytes, options, folderMode: FOLDER_MODE }
}

function removing(path: string): EffectOf<'removeFile'> {
  return { kind: REMOVE, path }
}

function tidying(path: string): EffectOf<'removeLeftovers'> {
  return { kind: TIDY, path }
}

/**
 * A configuration file, with the key and data directories relative to its folder. That the file is a symbolic link is its
 * owner's choice: it is read and replaced where the link leads, and the claim stands there too. Of the claim, which is the
 * library's own, no link is followed.
 */
function fileHome(configPath: string, realPath: string): Home {
  const folder = nodePath.dirname(configPath)
  const claimPath = `${realPath}${CLAIM_SUFFIX}`
  return {
    configPath,
    realPath,
    readConfig: readingConfig(configPath),
    probeConfig: reading(configPath, { vacant: true }),
    writeConfig: (bytes) => writing(configPath, bytes, { noFollow: false, ifAbsent: true }),
    replaceConfig: (bytes) => writing(configPath, bytes, { noFollow: false }),
    readClaim: reading(claimPath, { noFollow: true }),
    claimConfig: (bytes) => writing(claimPath, bytes, { ifAbsent: true }),
    dropClaim: removing(claimPath),
    tidy: tidying(realPath),
    inspect: ({ keyDirectory, dataDirectory, privateKeyFilename, password }) =>
      inspectFiles({
        config: realPath,
        hasPassword: password !== null,
        keys: nodePath.resolve(folder, keyDirectory),
        data: nodePath.resolve(folder, dataDirectory),
        privateKey: privateKeyFilename,
        passwordFile: names().passwordFile,
      }),
    open: ({ keyDirectory, dataDirectory }) => {
      const folderOfKeys = nodePath.resolve(folder, keyDirectory)
      const folderOfData = nodePath.resolve(folder, dataDirectory)
      for (const own of [configPath, realPath, claimPath]) {
        if (`${folderOfKeys}${nodePath.sep}`.startsWith(`${own}${nodePath.sep}`)) throw inConfig('keyDirectory')
        if (`${folderOfData}${nodePath.sep}`.startsWith(`${own}${nodePath.sep}`)) throw inConfig('dataDirectory')
      }
      const both = [filesystemStorage(folderOfKeys), filesystemStorage(folderOfData)] as const
      const [keys, data] = both
      return {
        keys,
        data,
        probeData: probe(data),
        keyDirectory: folderOfKeys,
        dataDirectory: folderOfData,
        keyPath: (file) => nodePath.join(folderOfKeys, file),
        flush: async () => {
          await Promise.all(both.map((storage) => storage.flush()))
        },
        close: async () => {
          await Promise.all(both.map((storage) => storage.close()))
        },
      }
    },
  }
}
