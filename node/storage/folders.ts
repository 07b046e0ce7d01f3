/**
 * Making folders, one after the other, and removing those that have become empty.
 *
 * Node's own recursive `mkdir` is not used: it never ends below some folders of the system (`/proc`, `/dev/fd`), where
 * making a folder says that the folder above is missing, although it is there.
 *
 * @module
 */
import { alone } from '../../src/plain.ts'
import { syncFolder } from './atomic.ts'
import { errno, guard, unsuitable } from './failure.ts'
import { call, type Procedure, runAsync, runSync } from './procedure.ts'
import { type FileSystem, nodeFileSystem, type SeamOptions } from './seam.ts'

const nodePath = process.getBuiltinModule('node:path')

/** Permission bits of folders: the owner only. */
export const FOLDER_MODE = 0o700

/** Options of {@link makeFolder}. */
export interface MakeFolderOptions extends SeamOptions {
  /** Permission bits of new folders, less the umask; `0o700` by default. */
  readonly mode?: number
}

/**
 * Make one folder in a folder that is there.
 *
 * @returns `false` if its name is taken; another process may have been faster
 */
export function* newFolder(path: string, mode: number): Procedure<boolean> {
  try {
    yield* call('mkdir', path, mode)
    return true
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error
    return false
  }
}

/** Make a folder and those above it that are missing. Links are followed, as a person who names a path expects. */
export function* addFolders(path: string, mode: number): Procedure<void> {
  const missing: string[] = []
  for (let above = path; !(yield* isFolder(above)); above = nodePath.dirname(above)) {
    missing.push(above)
    if (nodePath.dirname(above) === above) break // a drive that is not there
  }
  for (const folder of missing.reverse()) {
    yield* newFolder(folder, mode)
    yield* syncFolder(nodePath.dirname(folder)) // also if another process made it
    if (!(yield* isFolder(folder))) throw unsuitable(folder, 'a folder')
  }
}

/** Whether a path leads to a folder; `false` if nothing is there, an error for anything else. */
function* isFolder(path: string): Procedure<boolean> {
  try {
    if ((yield* call('stat', path)).isDirectory()) return true
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return false
    throw error
  }
  throw unsuitable(path, 'a folder')
}

/** Remove a folder if it is empty. @returns whether there is none any more */
export function* dropFolder(path: string): Procedure<boolean> {
  try {
    yield* call('rmdir', path)
    return true
  } catch (error) {
    const code = errno(error)
    if (code === undefined) throw error
    return code === 'ENOENT' // mostly it is not empty; whatever the reason, a folder that stays does no harm
  }
}

function making(path: string, options: MakeFolderOptions): { procedure: Procedure<void>; fs: FileSystem } {
  const { mode = FOLDER_MODE, fs = nodeFileSystem } = alone(options)
  const whole = nodePath.resolve(path)
  return { fs, procedure: guard('Creating the folder', whole, addFolders(whole, mode)) }
}

/**
 * Make a folder and those above it that are missing; their names survive a loss of power. Folders that are there stay as
 * they are, links on the path are followed.
 *
 * Rejects with `StorageFull`, `StorageUnavailable`, `LinkRefused` (a circle of links) or `Busy`.
 */
export async function makeFolder(path: string, options: MakeFolderOptions = {}): Promise<void> {
  const { procedure, fs } = making(path, options)
  return runAsync(procedure, fs.async)
}

/** {@link makeFolder} without waiting. */
export function makeFolderSync(path: string, options: MakeFolderOptions = {}): void {
  const { procedure, fs } = making(path, options)
  runSync(procedure, fs.sync)
}
