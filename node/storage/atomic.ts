/**
 * Reading and replacing one file so that readers see the old bytes or the new ones, whole, and links are never followed.
 *
 * A write goes to a temporary file in the same file system, which is synced and then takes the name of the target: by
 * `rename`, or by `link` where the name must be free. Then the folder is synced, so that the name survives too.
 * If that last step fails the write is reported as failed although the new bytes can be read: they may be lost with power.
 *
 * @module
 */
import { type BigIntStats, constants } from 'node:fs'
import { dirname } from 'node:path'
import { SxError } from '../../src/errors.ts'
import { errno, linkRefused, unsuitable } from './failure.ts'
import { call, type Procedure } from './procedure.ts'
import { discard, inspect, scratchLinks } from './scratch.ts'

// Windows has neither of the two flags; there the checks by `lstat` have to do.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
/** Or opening a named pipe would wait for a writer. */
const NO_WAIT = constants.O_NONBLOCK ?? 0
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW

/** Permission bits of files: the owner only. */
export const FILE_MODE = 0o600
const PERMISSIONS = 0o777n
/** So often a file may be replaced under our eyes before we give up. */
const ATTEMPTS = 100

/** How {@link readWhole} reads. */
export interface ReadRules {
  /** Refuse a larger file (`LimitExceeded`), in bytes. */
  readonly maxBytes?: number | undefined
  /**
   * Refuse links (`LinkRefused`); this is the folder in which a write that is under way, or was killed, may have left
   * a second name of the file.
   */
  readonly scratch?: string | undefined
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
}

/** The procedure, and then the file closed in any case. */
function* closing<T>(fd: number, procedure: Procedure<T>): Procedure<T> {
  let result: T
  try {
    result = yield* procedure
  } catch (error) {
    try {
      yield* call('close', fd)
    } catch {
      // The first error is the one to report.
    }
    throw error
  }
  yield* call('close', fd)
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
    if (again?.ino === file.ino && again.dev === file.dev && again.nlink === file.nlink) throw linkRefused(path)
    file = again
  }
  throw new SxError('Busy', `${path} is being replaced all the time.`)
}

function* readOpen(fd: number, path: string, rules: ReadRules): Procedure<Uint8Array | undefined> {
  const { maxBytes = Number.POSITIVE_INFINITY, scratch } = rules
  const file = yield* call('fstat', fd)
  if (file.isDirectory()) return undefined
  if (!file.isFile()) throw unsuitable(path, 'a regular file')
  if (scratch !== undefined) yield* refuseLinked(path, scratch, file, () => call('fstat', fd))
  // One byte more than expected, so that the end shows without growing; a file may change size while it is read.
  let bytes = new Uint8Array(Math.min(Number(file.size), maxBytes) + 1)
  let length = 0
  for (;;) {
    const count = yield* call('read', fd, bytes, length, bytes.length - length)
    length += count
    if (length > maxBytes) throw new SxError('LimitExceeded', `${path} is larger than ${maxBytes} bytes.`)
    if (count === 0) return bytes.subarray(0, length)
    if (length < bytes.length) continue
    const larger = new Uint8Array(Math.min(2 * bytes.length, maxBytes + 1))
    larger.set(bytes)
    bytes = larger
  }
}

/** The bytes of a file; `undefined` if there is none (nothing, or a folder). */
export function* readWhole(path: string, rules: ReadRules = {}): Procedure<Uint8Array | undefined> {
  const flags = constants.O_RDONLY | NO_WAIT | (rules.scratch === undefined ? 0 : NO_FOLLOW)
  let fd: number
  try {
    fd = yield* call('open', path, flags)
  } catch (error) {
    const code = errno(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
  return yield* closing(fd, readOpen(fd, path, rules))
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

function* fill(fd: number, bytes: Uint8Array, like: BigIntStats | undefined): Procedure<void> {
  for (let at = 0; at < bytes.length; ) at += yield* call('write', fd, bytes, at, bytes.length - at)
  if (like !== undefined) {
    try {
      yield* call('fchown', fd, Number(like.uid), Number(like.gid))
    } catch (error) {
      if (errno(error) !== 'EPERM') throw error // only root gives files away
    }
    yield* call('fchmod', fd, Number(like.mode & PERMISSIONS))
  }
  yield* call('fsync', fd)
}

/**
 * Write a file, whole or not at all. The folder must be there.
 *
 * @returns `false` if `ifAbsent` was asked for and something is there
 */
export function* replace(path: string, bytes: Uint8Array, rules: WriteRules): Procedure<boolean> {
  const { temporary, ifAbsent } = rules
  const known = yield* checkTarget(path, dirname(temporary))
  if (ifAbsent && known !== undefined) return false
  let done: boolean
  try {
    const fd = yield* call('open', temporary, CREATE, rules.mode)
    yield* closing(fd, fill(fd, bytes, rules.keep ? known : undefined))
    done = yield* ifAbsent ? claim(temporary, path) : take(temporary, path)
  } catch (error) {
    try {
      yield* discard(temporary)
    } catch {
      // The first error is the one to report; what stays goes with the next clean-up.
    }
    throw error
  }
  if (done) yield* syncFolder(dirname(path))
  return done
}

function* take(temporary: string, path: string): Procedure<true> {
  yield* call('rename', temporary, path)
  return true
}

/** Give the temporary file the name if it is free, atomically; its first name goes in any case. */
function* claim(temporary: string, path: string): Procedure<boolean> {
  let free = true
  try {
    yield* call('link', temporary, path)
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error
    free = false
  }
  try {
    yield* discard(temporary)
  } catch {
    // The outcome stands; a second name of ours is told from a foreign link, and goes with the next clean-up.
  }
  return free
}

/** Remove a file. It is no error if there is none; a symbolic link is refused, a folder left alone. */
export function* remove(path: string): Procedure<void> {
  const file = yield* inspect(path)
  if (file === undefined || file.isDirectory()) return
  if (file.isSymbolicLink()) throw linkRefused(path)
  yield* discard(path)
  yield* syncFolder(dirname(path))
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
    fd = yield* call('open', path, constants.O_RDONLY | constants.O_DIRECTORY)
  } catch (error) {
    if (errno(error) === 'ENOENT') return
    throw error
  }
  yield* closing(fd, syncOpen(fd))
}

function* syncOpen(fd: number): Procedure<void> {
  try {
    yield* call('fsync', fd)
  } catch (error) {
    if (!CANNOT_SYNC.has(errno(error) ?? '')) throw error
  }
}
