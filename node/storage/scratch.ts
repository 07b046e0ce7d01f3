/**
 * Names of temporary files, and what happens to those that a killed process left behind.
 *
 * A name tells who writes: a token of the machine (since it started, and of its namespace of process ids), the process
 * id, and 64 random bits. Files of dead processes of this machine go at once; whether a process elsewhere lives cannot
 * be known, so files of other machines go after a day. No write takes that long.
 *
 * @module
 */
import type { BigIntStats, Dirent } from 'node:fs'
import { errno } from './failure.ts'
import { call, type Procedure } from './procedure.ts'

const fs = process.getBuiltinModule('node:fs')
const nodePath = process.getBuiltinModule('node:path')

const NAME = /^(?:\.[^]+\.)?([0-9a-f]{12})-([0-9]{1,10})-[0-9a-f]{16}\.tmp$/
const DAY_MS = 86_400_000
/** So much of the target's name goes into the name of its temporary file, which must stay below 255 bytes. */
const SHOWN = 40

/** The value, or nothing where the system does not offer it (other systems than Linux, sandboxes). */
function offered(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Loaded by the first write: `node:crypto` alone takes longer than the rest of the import. */
const builtin = { crypto: () => process.getBuiltinModule('node:crypto'), os: () => process.getBuiltinModule('node:os') }

let machineToken: string | undefined

/** Names this machine since it started and this namespace of process ids, within which a process id means something. */
export function machine(): string {
  if (machineToken === undefined) {
    const names = [
      () => builtin.os().hostname(),
      () => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'),
      () => fs.readlinkSync('/proc/self/ns/pid'),
    ].map(offered)
    // Where none of them may be read, as in Deno without permissions, this process knows no other one.
    const known = names.some((name) => name !== '') ? names.join('') : builtin.crypto().randomBytes(16).toString('hex')
    machineToken = builtin.crypto().createHash('sha256').update(known).digest('hex').slice(0, 12)
  }
  return machineToken
}

/** A name that no other write uses. */
export function scratchName(): string {
  return `${machine()}-${process.pid}-${builtin.crypto().randomBytes(8).toString('hex')}.tmp`
}

/** A path for a temporary file next to `target`, hidden, with its name in it. */
export function scratchBeside(target: string): string {
  return nodePath.join(nodePath.dirname(target), `.${nodePath.basename(target).slice(0, SHOWN)}.${scratchName()}`)
}

/** What is in a folder; nothing if the folder is not there. */
export function* entriesOf(folder: string): Procedure<Dirent[]> {
  try {
    return yield* call('readdir', folder)
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return []
    throw error
  }
}

/** What is at a path, the link itself if it is one; `undefined` if nothing is. */
export function* inspect(path: string): Procedure<BigIntStats | undefined> {
  try {
    return yield* call('lstat', path)
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/**
 * Whether the two are one file, given that they are in one file system. The number of the volume is not compared: some
 * versions of libuv give another one by path than by descriptor on Windows (libuv 4698).
 */
export function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino
}

/** How many temporary files in a folder are further names of this very file. */
export function* scratchLinks(folder: string, file: BigIntStats): Procedure<bigint> {
  let count = 0n
  for (const { name } of yield* entriesOf(folder)) {
    if (!NAME.test(name)) continue
    const other = yield* inspect(nodePath.join(folder, name))
    if (other !== undefined && isSame(other, file)) count++
  }
  return count
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errno(error) !== 'ESRCH' // not allowed to signal it: it is there
  }
}

/** The folder is somebody else's, or on a read-only file system. */
const UNCHANGEABLE = new Set(['EACCES', 'EPERM', 'EROFS'])

/**
 * Remove from a folder the temporary files that nobody is writing any more. Those of other users in a shared folder
 * are theirs to remove.
 */
export function* sweep(folder: string): Procedure<void> {
  try {
    for (const { name } of yield* entriesOf(folder))
      if (yield* isLeftOver(folder, name)) yield* discard(nodePath.join(folder, name))
  } catch (error) {
    if (!UNCHANGEABLE.has(errno(error) ?? '')) throw error
  }
}

/** Whether a temporary file of a process that lives is a further name of this very file. */
export function* isHeld(folder: string, file: BigIntStats): Procedure<boolean> {
  for (const { name } of yield* entriesOf(folder)) {
    if (!NAME.test(name)) continue
    const other = yield* inspect(nodePath.join(folder, name))
    if (other !== undefined && isSame(other, file)) return !(yield* isLeftOver(folder, name))
  }
  return false
}

/** Whether a name is that of a temporary file which nobody is writing any more. */
export function* isLeftOver(folder: string, name: string): Procedure<boolean> {
  const [, host, pid] = NAME.exec(name) ?? []
  if (host === undefined || Number(pid) === process.pid) return false
  if (host === machine() && !isAlive(Number(pid))) return true
  const file = yield* inspect(nodePath.join(folder, name))
  return file !== undefined && Date.now() - Number(file.mtimeMs) > DAY_MS
}

/** Remove a temporary file; somebody else may have done so. */
export function* discard(path: string): Procedure<void> {
  try {
    yield* call('unlink', path)
  } catch (error) {
    if (errno(error) !== 'ENOENT') throw error
  }
}
