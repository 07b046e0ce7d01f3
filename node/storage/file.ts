/**
 * Single files outside a storage, at paths that a person chose: configuration, inputs and outputs.
 *
 * @module
 */
import { alone } from '../../src/plain.ts'
import { FILE_MODE, type LinkRules, readWhole, remove, replace } from './atomic.ts'
import { requireWritable } from './edit.ts'
import { errno, guard, linkRefused, unsuitable } from './failure.ts'
import { call, type Procedure, runAsync, runSync } from './procedure.ts'
import { inspect, scratchBeside, sweep } from './scratch.ts'
import { type FileSystem, nodeFileSystem, type SeamOptions } from './seam.ts'

const nodePath = process.getBuiltinModule('node:path')

/** Options of {@link readFileSafely}. */
export interface ReadFileOptions extends SeamOptions {
  /** Refuse a larger file with `LimitExceeded`; in bytes. */
  readonly maxBytes?: number
  /** Refuse a symbolic link and a file with a second hard link (`LinkRefused`). Off by default. */
  readonly noFollow?: boolean
  /**
   * If there is no file, refuse whatever else stands at the path: a link that leads to none (`LinkRefused`), a folder
   * (`StorageUnavailable`). Off by default.
   */
  readonly vacant?: boolean
}

/** Options of {@link writeFileAtomically}. */
export interface WriteFileOptions extends SeamOptions {
  /** Permission bits of a new file, less the umask; `0o600` by default. A file that is replaced keeps its own. */
  readonly mode?: number
  /** Leave a file that is there as it is, atomically. */
  readonly ifAbsent?: boolean
  /**
   * Refuse a path that is a symbolic link (`LinkRefused`); on by default. If off, the file it leads to is replaced; a
   * link that leads to none is refused. A file with a second hard link is refused in any case, because the other name
   * would keep the old bytes.
   */
  readonly noFollow?: boolean
  /** Refuse a file that may not be written (`StorageUnavailable`), although its folder may. Off by default. */
  readonly writable?: boolean
}

function linksBeside(path: string, { noFollow }: FileSystem): LinkRules {
  return { scratch: nodePath.dirname(path), noFollow }
}

function* read(path: string, options: ReadFileOptions, fs: FileSystem): Procedure<Uint8Array | undefined> {
  const { maxBytes, noFollow = false, vacant = false } = options
  const bytes = yield* readWhole(path, { maxBytes, links: noFollow ? linksBeside(path, fs) : undefined })
  if (bytes === undefined && vacant) yield* refuseOther(path)
  return bytes
}

/** Throws if anything stands at the path. */
function* refuseOther(path: string): Procedure<void> {
  const found = yield* inspect(path)
  if (found?.isSymbolicLink()) throw linkRefused(path)
  if (found !== undefined) throw unsuitable(path, 'a regular file')
}

function* write(path: string, bytes: Uint8Array, options: WriteFileOptions, fs: FileSystem): Procedure<boolean> {
  const { mode = FILE_MODE, ifAbsent = false, noFollow = true, writable = false } = options
  const target = noFollow ? path : yield* follow(path)
  if (writable && (yield* inspect(target))?.isFile() === true) yield* requireWritable(target, linksBeside(target, fs))
  yield* sweep(nodePath.dirname(target))
  return yield* replace(target, bytes, {
    temporary: scratchBeside(target),
    ifAbsent,
    mode,
    keep: true,
    durable: true,
    links: linksBeside(target, fs),
    prepare: undefined,
  })
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

/** Where the links on a path lead, as far as there is anything that can be looked at. */
function* locate(path: string): Procedure<string> {
  try {
    return yield* call('realpath', path)
  } catch (error) {
    if (errno(error) === undefined) throw error
    const parent = nodePath.dirname(path)
    return parent === path ? path : nodePath.join(yield* locate(parent), nodePath.basename(path))
  }
}

/** The path with the links on it followed, as far as there is anything. What is wrong with it shows when it is used. */
export async function realPath(path: string): Promise<string> {
  return runAsync(guard('Looking at', path, locate(path)), nodeFileSystem.async)
}

/** {@link realPath} without waiting. */
export function realPathSync(path: string): string {
  return runSync(guard('Looking at', path, locate(path)), nodeFileSystem.sync)
}

/** A procedure, and the file system to run it on. */
interface Work<T> {
  readonly procedure: Procedure<T>
  readonly fs: FileSystem
}

function reading(path: string, options: ReadFileOptions): Work<Uint8Array | undefined> {
  const own = alone(options)
  const { fs = nodeFileSystem } = own
  const whole = nodePath.resolve(path)
  return { fs, procedure: guard('Reading', whole, read(whole, own, fs)) }
}

function writing(path: string, bytes: Uint8Array, options: WriteFileOptions): Work<boolean> {
  const own = alone(options)
  const { fs = nodeFileSystem } = own
  const whole = nodePath.resolve(path)
  return { fs, procedure: guard('Writing', whole, write(whole, bytes, own, fs)) }
}

function removing(path: string, options: SeamOptions): Work<void> {
  const { fs = nodeFileSystem } = alone(options)
  const whole = nodePath.resolve(path)
  return { fs, procedure: guard('Deleting', whole, remove(whole)) }
}

/**
 * The bytes of a regular file; `undefined` if there is no file at the path. Never waits for a pipe or a device.
 *
 * Rejects with `StorageUnavailable`, `LimitExceeded` or `LinkRefused`.
 */
export async function readFileSafely(path: string, options: ReadFileOptions = {}): Promise<Uint8Array | undefined> {
  const { procedure, fs } = reading(path, options)
  return runAsync(procedure, fs.async)
}

/** {@link readFileSafely} without waiting. */
export function readFileSafelySync(path: string, options: ReadFileOptions = {}): Uint8Array | undefined {
  const { procedure, fs } = reading(path, options)
  return runSync(procedure, fs.sync)
}

/**
 * Write a file, whole or not at all, through a temporary file next to it that is synced before it takes the name. The
 * folder must be there. What killed processes left in that folder is removed.
 *
 * Rejects with `StorageFull`, `StorageUnavailable`, `LinkRefused` or `Busy`; the old file is then as it was, unless only
 * the sync of the folder failed.
 *
 * @returns `false` if `ifAbsent` was asked for and a file is there, whose bytes then survive a loss of power; else `true`
 */
export async function writeFileAtomically(
  path: string,
  bytes: Uint8Array,
  options: WriteFileOptions = {},
): Promise<boolean> {
  const { procedure, fs } = writing(path, new Uint8Array(bytes), options)
  return runAsync(procedure, fs.async)
}

/** {@link writeFileAtomically} without waiting. */
export function writeFileAtomicallySync(path: string, bytes: Uint8Array, options: WriteFileOptions = {}): boolean {
  const { procedure, fs } = writing(path, bytes, options)
  return runSync(procedure, fs.sync)
}

/**
 * Remove a file; it is gone after a loss of power too. It is no error if there is none.
 *
 * Rejects with `StorageUnavailable`, `Busy`, or `LinkRefused` for a symbolic link.
 */
export async function removeFile(path: string, options: SeamOptions = {}): Promise<void> {
  const { procedure, fs } = removing(path, options)
  return runAsync(procedure, fs.async)
}

/** {@link removeFile} without waiting. */
export function removeFileSync(path: string, options: SeamOptions = {}): void {
  const { procedure, fs } = removing(path, options)
  runSync(procedure, fs.sync)
}

function tidying(path: string, { fs = nodeFileSystem }: SeamOptions): Work<void> {
  const whole = nodePath.resolve(path)
  return { fs, procedure: guard('Clearing', whole, sweep(nodePath.dirname(whole))) }
}

/** Removes what killed processes have left beside a file, as every write to it does. Rejects as {@link removeFile} does. */
export async function removeLeftovers(path: string, options: SeamOptions = {}): Promise<void> {
  const { procedure, fs } = tidying(path, alone(options))
  return runAsync(procedure, fs.async)
}

/** {@link removeLeftovers} without waiting. */
export function removeLeftoversSync(path: string, options: SeamOptions = {}): void {
  const { procedure, fs } = tidying(path, alone(options))
  runSync(procedure, fs.sync)
}
