/**
 * The calls of the file system that the storage makes, and no others: the one seam through which it reaches a disk.
 * Tests put a faulty one in its place.
 *
 * @module
 */
import type { BigIntStats, Dirent, NoParamCallback } from 'node:fs'
import { alone } from '../../src/plain.ts'

const fs = process.getBuiltinModule('node:fs')

/** The calls in their synchronous form. They throw the errors of `node:fs`. */
export interface Calls {
  open(path: string, flags: number, mode?: number): number
  close(fd: number): void
  /** Closes a file that was only read: unlike `close` it has nothing to wait for. */
  release(fd: number): void
  /** @returns how many bytes were read; 0 at the end of the file */
  read(fd: number, into: Uint8Array, offset: number, length: number): number
  /** @returns how many bytes were written */
  write(fd: number, from: Uint8Array, offset: number, length: number): number
  fsync(fd: number): void
  fstat(fd: number): BigIntStats
  lstat(path: string): BigIntStats
  /** Follows links. */
  stat(path: string): BigIntStats
  fchmod(fd: number, mode: number): void
  fchown(fd: number, uid: number, gid: number): void
  link(existing: string, path: string): void
  rename(from: string, to: string): void
  unlink(path: string): void
  mkdir(path: string, mode: number): void
  /** Removes a folder that is empty. */
  rmdir(path: string): void
  readdir(path: string): Dirent[]
  realpath(path: string): string
}

/** The same calls in their asynchronous form. */
export type AsyncCalls = { [K in keyof Calls]: (...args: Parameters<Calls[K]>) => Promise<ReturnType<Calls[K]>> }

/** A file system in both forms. */
export interface FileSystem {
  readonly sync: Calls
  readonly async: AsyncCalls
  /** The flag of `open` that refuses a symbolic link; 0 where there is none (Windows). */
  readonly noFollow: number
}

/** Options by which a test puts another file system in place of the runtime's. */
export interface SeamOptions {
  /** The file system to use in place of the runtime's; for tests. */
  readonly fs?: FileSystem
}

const BIGINT = alone({ bigint: true as const })
const TYPES = alone({ withFileTypes: true as const })

type Callback<T> = (error: NodeJS.ErrnoException | null, value: T) => void

/** A call that answers by a callback, as a promise; `fs.promises` takes more time for the same. */
function promise<T>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })
}

/** {@link promise} for a call that answers nothing. */
const done = promise as (call: (done: NoParamCallback) => void) => Promise<void>

/** The file system of the runtime. */
export const nodeFileSystem: FileSystem = {
  noFollow: fs.constants.O_NOFOLLOW ?? 0,
  sync: {
    open: fs.openSync,
    close: fs.closeSync,
    release: fs.closeSync,
    read: (fd, into, offset, length) => fs.readSync(fd, into, offset, length, null),
    write: (fd, from, offset, length) => fs.writeSync(fd, from, offset, length),
    fsync: fs.fsyncSync,
    fstat: (fd) => fs.fstatSync(fd, BIGINT),
    lstat: (path) => fs.lstatSync(path, BIGINT),
    stat: (path) => fs.statSync(path, BIGINT),
    fchmod: fs.fchmodSync,
    fchown: fs.fchownSync,
    link: fs.linkSync,
    rename: fs.renameSync,
    unlink: fs.unlinkSync,
    mkdir: (path, mode) => {
      fs.mkdirSync(path, mode)
    },
    rmdir: (path) => fs.rmdirSync(path),
    readdir: (path) => fs.readdirSync(path, TYPES),
    realpath: (path) => fs.realpathSync.native(path),
  },
  async: {
    open: (path, flags, mode) => promise((then) => fs.open(path, flags, mode, then)),
    close: (fd) => done((then) => fs.close(fd, then)),
    release: async (fd) => fs.closeSync(fd), // a trip to the thread pool would take longer
    read: (fd, into, offset, length) => promise((then) => fs.read(fd, into, offset, length, null, then)),
    write: (fd, from, offset, length) => promise((then) => fs.write(fd, from, offset, length, null, then)),
    fsync: (fd) => done((then) => fs.fsync(fd, then)),
    fstat: (fd) => promise((then) => fs.fstat(fd, BIGINT, then)),
    lstat: (path) => promise((then) => fs.lstat(path, BIGINT, then)),
    stat: (path) => promise((then) => fs.stat(path, BIGINT, then)),
    fchmod: (fd, mode) => done((then) => fs.fchmod(fd, mode, then)),
    fchown: (fd, uid, gid) => done((then) => fs.fchown(fd, uid, gid, then)),
    link: (existing, path) => done((then) => fs.link(existing, path, then)),
    rename: (from, to) => done((then) => fs.rename(from, to, then)),
    unlink: (path) => done((then) => fs.unlink(path, then)),
    mkdir: (path, mode) => done((then) => fs.mkdir(path, mode, then)),
    rmdir: (path) => done((then) => fs.rmdir(path, then)),
    readdir: (path) => promise((then) => fs.readdir(path, TYPES, then)),
    realpath: (path) => promise((then) => fs.realpath.native(path, then)),
  },
}
