/**
 * The calls of the file system that the storage makes, and no others: the one seam through which it reaches a disk.
 * Tests put a faulty one in its place.
 *
 * @module
 */
import fs from 'node:fs'

/** The calls in their synchronous form. They throw the errors of `node:fs`. */
export interface Calls {
  open(path: string, flags: number, mode?: number): number
  close(fd: number): void
  /** @returns how many bytes were read; 0 at the end of the file */
  read(fd: number, into: Uint8Array, offset: number, length: number): number
  /** @returns how many bytes were written */
  write(fd: number, from: Uint8Array, offset: number, length: number): number
  fsync(fd: number): void
  fstat(fd: number): fs.BigIntStats
  lstat(path: string): fs.BigIntStats
  /** Follows links. */
  stat(path: string): fs.BigIntStats
  fchmod(fd: number, mode: number): void
  fchown(fd: number, uid: number, gid: number): void
  link(existing: string, path: string): void
  rename(from: string, to: string): void
  unlink(path: string): void
  mkdir(path: string, mode: number): void
  /** Removes a folder that is empty. */
  rmdir(path: string): void
  readdir(path: string): fs.Dirent[]
  realpath(path: string): string
}

/** The same calls in their asynchronous form. */
export type AsyncCalls = { [K in keyof Calls]: (...args: Parameters<Calls[K]>) => Promise<ReturnType<Calls[K]>> }

/** A file system in both forms. */
export interface FileSystem {
  readonly sync: Calls
  readonly async: AsyncCalls
}

type Callback<T> = (error: NodeJS.ErrnoException | null, value: T) => void

/** A call that answers by a callback, as a promise. */
function promise<T>(call: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })
}

/** The file system of the runtime. */
export const nodeFileSystem: FileSystem = {
  sync: {
    open: fs.openSync,
    close: fs.closeSync,
    read: (fd, into, offset, length) => fs.readSync(fd, into, offset, length, null),
    write: (fd, from, offset, length) => fs.writeSync(fd, from, offset, length),
    fsync: fs.fsyncSync,
    fstat: (fd) => fs.fstatSync(fd, { bigint: true }),
    lstat: (path) => fs.lstatSync(path, { bigint: true }),
    stat: (path) => fs.statSync(path, { bigint: true }),
    fchmod: fs.fchmodSync,
    fchown: fs.fchownSync,
    link: fs.linkSync,
    rename: fs.renameSync,
    unlink: fs.unlinkSync,
    mkdir: (path, mode) => {
      fs.mkdirSync(path, mode)
    },
    rmdir: (path) => fs.rmdirSync(path),
    readdir: (path) => fs.readdirSync(path, { withFileTypes: true }),
    realpath: (path) => fs.realpathSync.native(path),
  },
  async: {
    open: (path, flags, mode) => promise((done) => fs.open(path, flags, mode, done)),
    close: (fd) => promise((done: Callback<void>) => fs.close(fd, done as fs.NoParamCallback)),
    read: (fd, into, offset, length) => promise((done) => fs.read(fd, into, offset, length, null, done)),
    write: (fd, from, offset, length) => promise((done) => fs.write(fd, from, offset, length, null, done)),
    fsync: (fd) => promise((done: Callback<void>) => fs.fsync(fd, done as fs.NoParamCallback)),
    fstat: (fd) => promise((done) => fs.fstat(fd, { bigint: true }, done)),
    lstat: (path) => fs.promises.lstat(path, { bigint: true }),
    stat: (path) => fs.promises.stat(path, { bigint: true }),
    fchmod: (fd, mode) => promise((done: Callback<void>) => fs.fchmod(fd, mode, done as fs.NoParamCallback)),
    fchown: (fd, uid, gid) => promise((done: Callback<void>) => fs.fchown(fd, uid, gid, done as fs.NoParamCallback)),
    link: fs.promises.link,
    rename: fs.promises.rename,
    unlink: fs.promises.unlink,
    mkdir: (path, mode) => fs.promises.mkdir(path, mode),
    rmdir: (path) => fs.promises.rmdir(path),
    readdir: (path) => fs.promises.readdir(path, { withFileTypes: true }),
    realpath: (path) => promise((done) => fs.realpath.native(path, done)),
  },
}
