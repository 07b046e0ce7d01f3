/**
 * Reading a file of any size in one buffer, and seeing whether it stayed the same meanwhile.
 *
 * @module
 */
import type { BigIntStats } from 'node:fs'
import { type EffectOf, kind } from '../../src/effects.ts'
import { SxError } from '../../src/errors.ts'
import type { TakePiece } from '../../src/platform.ts'
import { READ, useFile } from './atomic.ts'
import { errno, guard, noFileAt } from './failure.ts'
import { call, type Procedure, runAsync, runSync } from './procedure.ts'
import { type FileSystem, nodeFileSystem } from './seam.ts'

/** Large enough that what a call costs does not count beside hashing; in bytes. */
const PIECE = 1 << 20
const SMALL = 1 << 16

/**
 * Hands over a regular file piece by piece; links are followed, as whoever opens the file would.
 *
 * Fails with `NotFound` for what is no file, `LimitExceeded` before anything of a larger file is read, `FileChanged`,
 * `StorageUnavailable` also for devices and pipes, which are not waited for.
 */
export function scanFile(
  path: string,
  maxBytes: number,
  take: TakePiece,
  fs: FileSystem = nodeFileSystem,
): EffectOf<'scanFile'> {
  return { kind: SCAN, path, maxBytes, take, fs }
}

const steps = ({ path, maxBytes, take }: EffectOf<'scanFile'>): Procedure<void> =>
  guard('Reading', path, scan(path, maxBytes, take))

const SCAN = kind('scanFile', {
  async: (effect) => runAsync(steps(effect), (effect.fs as FileSystem).async),
  sync: (effect) => runSync(steps(effect), (effect.fs as FileSystem).sync),
})

function* scan(path: string, maxBytes: number, take: TakePiece): Procedure<void> {
  const tooLarge = (): SxError => new SxError('LimitExceeded', `${path} has more than ${maxBytes} bytes.`)
  const use = function* (fd: number, file: BigIntStats): Procedure<true> {
    const size = Number(file.size)
    if (size > maxBytes) throw tooLarge()
    // One byte more, so that one read shows the end of a small file. Some files of the system say 0 and have bytes.
    const buffer = new Uint8Array(size === 0 ? SMALL : Math.min(PIECE, size + 1))
    let done = 0
    for (let count = -1; count !== 0 && (size === 0 || done < size); ) {
      count = yield* call('read', fd, buffer, 0, buffer.length)
      done += count
      if (done > maxBytes) throw tooLarge()
      if (!take(buffer.subarray(0, count), size)) return true
    }
    const isWhole = size === 0 || done === size
    if (isWhole && isUnchanged(file, yield* call('fstat', fd))) return true
    throw new SxError('FileChanged', `${path} was changed while it was being read.`)
  }
  try {
    if (yield* useFile(path, READ, undefined, use)) return
  } catch (error) {
    const code = errno(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  }
  throw noFileAt(path)
}

/** Each change sets the time of the change, whatever time of modification is put there afterwards. */
function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs
}
