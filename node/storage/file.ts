/**
 * Single files outside a storage, at paths that a person chose: configuration, inputs and outputs.
 *
 * @module
 */
import { dirname, resolve } from 'node:path'
import { FILE_MODE, readWhole, replace } from './atomic.ts'
import { errno, guard } from './failure.ts'
import { call, type Procedure, runAsync, runSync } from './procedure.ts'
import { scratchBeside, sweep } from './scratch.ts'
import { type FileSystem, nodeFileSystem } from './seam.ts'

/** Options of {@link readFileSafely}. */
export interface ReadFileOptions {
  /** Remove what killed processes left in the folder; off by default. */
  readonly cleanUp?: boolean
  /** Refuse a larger file with `LimitExceeded`; in bytes. */
  readonly maxBytes?: number
  /** Refuse a symbolic link and a file with a second hard link (`LinkRefused`). Off by default. */
  readonly noFollow?: boolean
  /** The file system to use in place of the runtime's; for tests. */
  readonly fs?: FileSystem
}

/** Options of {@link writeFileAtomically}. */
export interface WriteFileOptions {
  /** Permission bits of a new file, less the umask; `0o600` by default. A file that is replaced keeps its own. */
  readonly mode?: number
  /** Leave a file that is there as it is, atomically. */
  readonly ifAbsent?: boolean
  /**
   * Refuse a path that is a symbolic link (`LinkRefused`); on by default. If off, the file it leads to is replaced.
   * A file with a second hard link is refused in any case, because the other name would keep the old bytes.
   */
  readonly noFollow?: boolean
  /** The file system to use in place of the runtime's; for tests. */
  readonly fs?: FileSystem
}

function* read(path: string, options: ReadFileOptions): Procedure<Uint8Array | undefined> {
  const { maxBytes, noFollow = false, cleanUp = false } = options
  if (cleanUp) yield* sweep(dirname(path))
  return yield* readWhole(path, { maxBytes, scratch: noFollow ? dirname(path) : undefined })
}

function* write(path: string, bytes: Uint8Array, options: WriteFileOptions): Procedure<boolean> {
  const { mode = FILE_MODE, ifAbsent = false, noFollow = true } = options
  const target = noFollow ? path : yield* follow(path)
  yield* sweep(dirname(target))
  return yield* replace(target, bytes, { temporary: scratchBeside(target), ifAbsent, mode, keep: true })
}

/** Where the links on a path lead; the path itself if nothing is there. */
function* follow(path: string): Procedure<string> {
  try {
    return yield* call('realpath', path)
  } catch (error) {
    if (errno(error) !== 'ENOENT') throw error
    return path
  }
}

function reading(path: string, options: ReadFileOptions): Procedure<Uint8Array | undefined> {
  const whole = resolve(path)
  return guard('Reading', whole, read(whole, options))
}

function writing(path: string, bytes: Uint8Array, options: WriteFileOptions): Procedure<boolean> {
  const whole = resolve(path)
  return guard('Writing', whole, write(whole, bytes, options))
}

/**
 * The bytes of a regular file; `undefined` if there is no file at the path. Never waits for a pipe or a device.
 *
 * Rejects with `StorageUnavailable`, `LimitExceeded` or `LinkRefused`.
 */
export async function readFileSafely(path: string, options: ReadFileOptions = {}): Promise<Uint8Array | undefined> {
  return runAsync(reading(path, options), (options.fs ?? nodeFileSystem).async)
}

/** {@link readFileSafely} without waiting. */
export function readFileSafelySync(path: string, options: ReadFileOptions = {}): Uint8Array | undefined {
  return runSync(reading(path, options), (options.fs ?? nodeFileSystem).sync)
}

/**
 * Write a file, whole or not at all, through a temporary file next to it that is synced before it takes the name. The
 * folder must be there. What killed processes left in that folder is removed.
 *
 * Rejects with `StorageFull`, `StorageUnavailable`, `LinkRefused` or `Busy`; the old file is then as it was, unless only
 * the sync of the folder failed.
 *
 * @returns `false` if `ifAbsent` was asked for and something is there; else `true`
 */
export async function writeFileAtomically(
  path: string,
  bytes: Uint8Array,
  options: WriteFileOptions = {},
): Promise<boolean> {
  return runAsync(writing(path, new Uint8Array(bytes), options), (options.fs ?? nodeFileSystem).async)
}

/** {@link writeFileAtomically} without waiting. */
export function writeFileAtomicallySync(path: string, bytes: Uint8Array, options: WriteFileOptions = {}): boolean {
  return runSync(writing(path, bytes, options), (options.fs ?? nodeFileSystem).sync)
}
