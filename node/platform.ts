import type { Effect } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import { CLAIM_SUFFIX, DEFAULT_CONFIG_PATH, inConfig, storing } from '../src/home.ts'
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

/** Files on Node, Deno and Bun. */
export const platform: Platform = {
  defaultStorage: 'fs',
  environment: () => process.env,
  derivation,
  warn: (code, message) => process.emitWarning(message, { type: 'SxWarning', code }),
  home: (configPath) => {
    const path = absolute(configPath)
    return {
      kind: 'storage',
      async: async () => fileHome(path, await realPath(path)),
      sync: () => fileHome(path, realPathSync(path)),
    }
  },
  readFile: (path, maxBytes) => {
    const whole = absolute(path)
    const found = (bytes: Uint8Array | undefined): Uint8Array => {
      if (bytes === undefined) throw noFileAt(whole, path)
      return bytes
    }
    return {
      kind: 'storage',
      async: async () => found(await readFileSafely(whole, { maxBytes })),
      sync: () => found(readFileSafelySync(whole, { maxBytes })),
    }
  },
  scanFile: (path, maxBytes, take) =>
    scanFile(absolute(path) + (/[\\/]$/.test(path) ? nodePath.sep : ''), maxBytes, take),
  schemasBeside,
  editFile: (path, maxBytes) => editFile(absolute(path), maxBytes),
  writeFile: (path, bytes) => {
    const whole = absolute(path)
    const options = { mode: OUTPUT_MODE, writable: true }
    return {
      kind: 'storage',
      async: () => writeFileAtomically(whole, bytes, options),
      sync: () => writeFileAtomicallySync(whole, bytes, options),
    }
  },
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

function reading(path: string, options: ReadFileOptions): Effect<Uint8Array | undefined> {
  return {
    kind: 'storage',
    async: () => readFileSafely(path, { maxBytes: LARGEST, ...options }),
    sync: () => readFileSafelySync(path, { maxBytes: LARGEST, ...options }),
  }
}

function readingConfig(path: string): Effect<Uint8Array | undefined> {
  const read = reading(path, {})
  const found = (bytes: Uint8Array | undefined): Uint8Array | undefined => {
    if (bytes !== undefined || !isFolder(path)) return bytes
    const advice = `Pass the path of the configuration in it, such as ${nodePath.join(path, DEFAULT_CONFIG_PATH)}.`
    throw new SxError('NotFound', `${path} is a folder.`, { advice })
  }
  return { kind: 'storage', async: async () => found(await read.async()), sync: () => found(read.sync()) }
}

/** Writes a file, in a folder that is made if it is missing. */
function writing(path: string, bytes: Uint8Array, options: WriteFileOptions): Effect<boolean> {
  return {
    kind: 'storage',
    async: async () => {
      await makeFolder(nodePath.dirname(path), { mode: FOLDER_MODE })
      return await writeFileAtomically(path, bytes, options)
    },
    sync: () => {
      makeFolderSync(nodePath.dirname(path), { mode: FOLDER_MODE })
      return writeFileAtomicallySync(path, bytes, options)
    },
  }
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
    dropClaim: { kind: 'storage', async: () => removeFile(claimPath), sync: () => removeFileSync(claimPath) },
    tidy: {
      kind: 'storage',
      async: () => removeLeftovers(realPath),
      sync: () => removeLeftoversSync(realPath),
    },
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
        probeData: storing(
          () => data.probe(),
          () => data.probeSync(),
        ),
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
