/**
 * Reading and replacing one file so that readers see the old bytes or the new ones, whole, and links are never followed.
 *
 * A write goes to a temporary file in the same file system, which is synced and then takes the name of the target: by
 * `rename`, or by `link` where the name must be free. Then the folder is synced, so that the name survives too.
 * If that last step fails the write is reported as failed although the new bytes can be read: they may be lost with power.
 *
 * @module
 */
import type { BigIntStats } from 'node:fs'
import { SxError } from '../../src/errors.ts'
import { errno, linkRefused, unsuitable } from './failure.ts'
import { call, type Procedure } from './procedure.ts'
import { discard, inspect, isSame, scratchLinks } from './scratch.ts'

const fs = process.getBuiltinModule('node:fs')
const nodePath = process.getBuiltinModule('node:path')

/** Or opening a named pipe would wait for a writer. Windows has neither. */
export const READ: number = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)
/** An exclusive creation follows no link. */
const CREATE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL
/** Windows syncs only files that are open for writing. */
const SYNCABLE = process.platform === 'win32' ? fs.constants.O_RDWR : READ

/** Permission bits of files: the owner only. */
export const FILE_MODE = 0o600
const PERMISSIONS = 0o777n
/** So often a file may be replaced under our eyes before we give up. */
const ATTEMPTS = 100

/** How links are told. */
export interface LinkRules {
  /** The folder in which a write that is under way, or was killed, may have left a second name of a file of ours. */
  readonly scratch: string
  /** The flag that refuses a symbolic link when a file is opened; 0 where the system has none (Windows). */
  readonly noFollow: number
}

/** How {@link readWhole} reads. */
export interface ReadRules {
  /** Refuse a larger file (`LimitExceeded`), in bytes. */
  readonly maxBytes: number | undefined
  /** Refuse symbolic links and files with a second hard link (`LinkRefused`). */
  readonly links: LinkRules | undefined
}

/** How {@link replace} writes. */
export interface WriteRules {
  /** The temporary file to use; in the same file system as the target, in a folder that is there. */
  readonly temporary: string
  /** Leave a file that is there as it is. */
  readonly ifAbsent: boolean
  /** Permission bits of a new file, less the umask of the process. */
  readonly mode: number
  /** Give the new file the owner and permission bits of the one it replaces. */
  readonly keep: boolean
  /** Survive a loss of power: sync the bytes before they get the name, and the name afterwards. */
  readonly durable: boolean
  readonly links: LinkRules
  /** Makes the folder ready, right before the file gets its name in it; or the folder must be there. */
  readonly prepare: (() => Procedure<void>) | undefined
}

/** The procedure, and then the file closed in any case. */
function* closing<T>(fd: number, procedure: Procedure<T>, close: 'close' | 'release' = 'close'): Procedure<T> {
  let result: T
  try {
    result = yield* procedure
  } catch (error) {
    try {
      yield* call(close, fd)
    } catch {
      // The first error is the one to report.
    }
    throw error
  }
  yield* call(close, fd)
  return result
}

/**
 * Throws `LinkRefused` if a file has a second hard link that is not one of our temporary files.
 *
 * Between `link` and `unlink` of a put-if-absent a file has two names for a moment, or until the next clean-up if the
 * process was killed there. Our own name is gone before it is missing in `scratch`, so a count that exceeds what is
 * found there, and is still the same when looked at again, comes from a foreign link.
 *
 * @param known the file as it was just found
 * @param look inspects it again; `undefined` if it is gone
 */
function* refuseLinked(
  path: string,
  scratch: string,
  known: BigIntStats,
  look: () => Procedure<BigIntStats | undefined>,
): Procedure<void> {
  let file: BigIntStats | undefined = known
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (file === undefined || file.nlink <= 1n) return
    const own = yield* scratchLinks(scratch, file)
    if (file.nlink <= 1n + own) return
    const again = yield* look()
    if (again !== undefined && isSame(again, file) && again.nlink === file.nlink) throw linkRefused(path)
    file = again
  }
  throw busy(path)
}

function busy(path: string): SxError {
  return new SxError('Busy', `${path} was replaced each time it was read.`)
}

/**
 * Whether the file that is open stands at the path itself. Where no flag can refuse a symbolic link, opening has
 * followed it; but the link cannot be the file it leads to.
 */
function* isAtPath(path: string, file: BigIntStats, { noFollow }: LinkRules): Procedure<boolean> {
  if (noFollow !== 0) return true
  const found = yield* inspect(path)
  if (found?.isSymbolicLink()) throw linkRefused(path)
  return found !== undefined && isSame(found, file)
}

/** Does something with a regular file that is open. */
type Use<T> = (fd: number, file: BigIntStats) => Procedure<T>

/** The file that was opened does not stand at the path any more. */
const REPLACED = Symbol('replaced')

function* useOpen<T>(
  fd: number,
  path: string,
  links: LinkRules | undefined,
  use: Use<T>,
): Procedure<T | undefined | typeof REPLACED> {
  const file = yield* call('fstat', fd)
  if (links !== undefined && !(yield* isAtPath(path, file, links))) return REPLACED
  if (file.isDirectory()) return undefined
  if (!file.isFile()) throw unsuitable(path, 'a regular file')
  if (links !== undefined) yield* refuseLinked(path, links.scratch, file, () => call('fstat', fd))
  return yield* use(fd, file)
}

function* openFile(path: string, flags: number, links: LinkRules | undefined): Procedure<number> {
  if (links === undefined) return yield* call('open', path, flags)
  try {
    return yield* call('open', path, flags | links.noFollow)
  } catch (error) {
    // Without the flag a link that leads nowhere looks like nothing.
    if (links.noFollow === 0 && (yield* inspect(path))?.isSymbolicLink()) throw linkRefused(path, error)
    throw error
  }
}

/** Open a regular file, do something with it and close it; `undefined` for a folder. Throws `ENOENT` if nothing is there. */
export function* useFile<T>(
  path: string,
  flags: number,
  links: LinkRules | undefined,
  use: Use<T>,
): Procedure<T | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const fd = yield* openFile(path, flags, links)
    const result = yield* closing(fd, useOpen(fd, path, links, use), 'release')
    if (result !== REPLACED) return result
  }
  throw busy(path)
}

/** The bytes of a file; `undefined` if there is none (nothing, or a folder). */
export function* readWhole(path: string, { maxBytes, links }: ReadRules): Procedure<Uint8Array | undefined> {
  const use: Use<Uint8Array> = (fd, file) => readOpen(fd, path, Number(file.size), maxBytes ?? Number.POSITIVE_INFINITY)
  try {
    return yield* useFile(path, READ, links, use)
  } catch (error) {
    const code = errno(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

function* readOpen(fd: number, path: string, size: number, maxBytes: number): Procedure<Uint8Array> {
  const tooLarge = (): SxError => new SxError('LimitExceeded', `${path} is larger than ${maxBytes} bytes.`)
  if (size > maxBytes) throw tooLarge()
  // One byte more than expected, so that one read shows the end; a file may change size while it is read.
  let bytes = new Uint8Array(size + 1)
  let length = 0
  for (;;) {
    const count = yield* call('read', fd, bytes, length, bytes.length - length)
    length += count
    if (length > maxBytes) throw tooLarge()
    if (count === 0 || length === size) return bytes.subarray(0, length)
    if (length < bytes.length) continue
    const larger = new Uint8Array(Math.min(2 * bytes.length, maxBytes + 1))
    larger.set(bytes)
    bytes = larger
  }
}

/** What stands at a path where a file may be written: a regular file or nothing, else an error. */
function* checkTarget(path: string, scratch: string): Procedure<BigIntStats | undefined> {
  const file = yield* inspect(path)
  if (file === undefined) return undefined
  if (file.isSymbolicLink()) throw linkRefused(path)
  if (!file.isFile()) throw unsuitable(path, 'a regular file')
  yield* refuseLinked(path, scratch, file, () => inspect(path))
  return file
}

/** Write the temporary file. */
function* fill(fd: number, bytes: Uint8Array, durable: boolean, like: BigIntStats | undefined): Procedure<void> {
  for (let at = 0; at < bytes.length; ) at += yield* call('write', fd, bytes, at, bytes.length - at)
  if (like !== undefined) {
    try {
      yield* call('fchown', fd, Number(like.uid), Number(like.gid))
    } catch (error) {
      if (errno(error) !== 'EPERM') throw error // only root gives files away
    }
    yield* call('fchmod', fd, Number(like.mode & PERMISSIONS))
  }
  if (durable) yield* call('fsync', fd)
}

/**
 * Write a file, whole or not at all. Throws `ENOENT` if the folder is removed meanwhile; the file has not got its name
 * then.
 *
 * @returns `false` if `ifAbsent` was asked for and a file is there, which then is as durable as this one would be
 */
export function* replace(path: string, bytes: Uint8Array, rules: WriteRules): Procedure<boolean> {
  const { temporary, ifAbsent, durable } = rules
  const known = ifAbsent ? undefined : yield* checkTarget(path, rules.links.scratch)
  let isDone = true
  try {
    const fd = yield* call('open', temporary, CREATE, rules.mode)
    yield* closing(fd, fill(fd, bytes, durable, rules.keep ? known : undefined))
    if (rules.prepare) yield* rules.prepare()
    if (ifAbsent) isDone = yield* claim(path, rules)
    else yield* call('rename', temporary, path)
  } catch (error) {
    yield* dropDraft(temporary)
    throw error
  }
  if (ifAbsent) yield* dropDraft(temporary)
  if (durable) yield* syncFolder(nodePath.dirname(path))
  return isDone
}

/** How {@link writeDraft} and {@link nameDraft} write. */
export type DraftRules = Pick<WriteRules, 'temporary' | 'durable' | 'links'>

/** Write a temporary file that is to get a name later; none is left if that fails. */
export function* writeDraft(
  bytes: Uint8Array,
  { temporary, durable }: Pick<DraftRules, 'temporary' | 'durable'>,
): Procedure<void> {
  try {
    const fd = yield* call('open', temporary, CREATE, FILE_MODE)
    yield* closing(fd, fill(fd, bytes, durable, undefined))
  } catch (error) {
    yield* dropDraft(temporary)
    throw error
  }
}

/**
 * Give such a file its name if that is free, and sync nothing but what is found there.
 *
 * @returns `false` if a file is there
 */
export function* nameDraft(path: string, rules: DraftRules): Procedure<boolean> {
  const isDone = yield* claim(path, rules)
  yield* dropDraft(rules.temporary)
  return isDone
}

/** Write a temporary file, and remove it. */
export function* draft(temporary: string): Procedure<void> {
  try {
    const fd = yield* call('open', temporary, CREATE, FILE_MODE)
    yield* closing(fd, fill(fd, Uint8Array.of(0), false, undefined))
  } finally {
    yield* dropDraft(temporary)
  }
}

/**
 * Remove a temporary file. What failed or was done before is what counts: one that stays is told from a foreign link,
 * and goes with the next clean-up.
 */
export function* dropDraft(temporary: string): Procedure<void> {
  try {
    yield* discard(temporary)
  } catch {}
}

/** Give the temporary file the name if it is free, atomically. */
function* claim(path: string, { temporary, durable, links }: DraftRules): Procedure<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      yield* call('link', temporary, path)
      return true
    } catch (error) {
      if (errno(error) !== 'EEXIST') throw error
    }
    if (yield* keepFound(path, durable, links)) return false
  }
  throw busy(path)
}

/** Refuses anything but a file at a name that is taken, and syncs its bytes; `false` if it is gone again. */
function* keepFound(path: string, durable: boolean, links: LinkRules): Procedure<boolean> {
  const sync = function* (fd: number): Procedure<true> {
    if (durable) yield* call('fsync', fd)
    return true
  }
  try {
    if (yield* useFile(path, SYNCABLE, links, sync)) return true
  } catch (error) {
    if (errno(error) === 'ENOENT') return false
    throw error
  }
  throw unsuitable(path, 'a regular file')
}

/** Remove a file. It is no error if there is none; a symbolic link is refused, a folder left alone. */
export function* remove(path: string): Procedure<void> {
  const file = yield* inspect(path)
  if (file === undefined || file.isDirectory()) return
  if (file.isSymbolicLink()) throw linkRefused(path)
  yield* discard(path)
  yield* syncFolder(nodePath.dirname(path))
}

/** Some file systems cannot sync a folder; theirs is all the durability there is. */
const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'])

/**
 * Make the names in a folder survive a loss of power. It is no error if the folder is gone, which happens when others
 * have removed the last entry in it.
 */
export function* syncFolder(path: string): Procedure<void> {
  if (process.platform === 'win32') return // folders cannot be opened there
  let fd: number
  try {
    fd = yield* call('open', path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY)
  } catch (error) {
    if (errno(error) === 'ENOENT') return
    throw error
  }
  yield* closing(fd, syncOpen(fd), 'release')
}

function* syncOpen(fd: number): Procedure<void> {
  try {
    yield* call('fsync', fd)
  } catch (error) {
    if (!CANNOT_SYNC.has(errno(error) ?? '')) throw error
  }
}
