/**
 * Replacing a file that somebody chose by what was made of its bytes: only while these are still its bytes, and one
 * process at a time.
 *
 * Who wants to replace a file claims to follow the bytes that it has: a name beside the file, made of a hash of them,
 * that only one can take. A claim counts as long as the temporary file lives that it is a second name of; the next
 * number is free when its process has died. Who has the claim looks at the file again, right before the rename, so that a
 * claim of bytes that the file no longer has is worth nothing. Only a program that knows of none of this, and puts another
 * file there by a rename between that look and ours, is not seen.
 *
 * @module
 */
import { equalBytes } from '../../src/bytes.ts'
import { type EffectOf, kind } from '../../src/effects.ts'
import { isSxError, SxError } from '../../src/errors.ts'
import type { EditedFile } from '../../src/platform.ts'
import { FILE_MODE, type LinkRules, readWhole, replace, syncFolder } from './atomic.ts'
import { errno, guard, noFileAt, unsuitable } from './failure.ts'
import { call, type Procedure, runAsync, runSync } from './procedure.ts'
import { discard, entriesOf, inspect, isHeld, isSame, scratchBeside, sweep } from './scratch.ts'
import { type FileSystem, nodeFileSystem } from './seam.ts'

const fs = process.getBuiltinModule('node:fs')
const nodePath = process.getBuiltinModule('node:path')

/** An exclusive creation follows no link. */
const CREATE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL
const WRITE = fs.constants.O_WRONLY | (fs.constants.O_NONBLOCK ?? 0)
const ANY_WRITE = 0o222n
/** So many processes may die over the same bytes, or come and go, before we give up. */
const ATTEMPTS = 1000
/** How long others may take; in milliseconds. */
const PATIENCE = 30_000
const PAUSE = 15

/** The bytes of the file changed. */
class Changed extends Error {}
/** Another process, or call, is about to replace the same bytes. */
const BUSY = Symbol('busy')

/** A file, and the bytes that were read of it. */
interface Known {
  readonly path: string
  readonly bytes: Uint8Array
  readonly links: LinkRules
}

/** Reads a file that is to be changed. A link is refused (`LinkRefused`), and what is no file `NotFound`. */
export function editFile(path: string, maxBytes: number, fs: FileSystem = nodeFileSystem): EffectOf<'editFile'> {
  return { kind: EDIT, path, maxBytes, fs }
}

type Editing = EffectOf<'editFile'>
type Replacing = EffectOf<'replaceFile'>

const fsOf = ({ fs }: Editing | Replacing): FileSystem => fs as FileSystem

const linksOf = (effect: Editing): LinkRules => ({
  scratch: nodePath.dirname(effect.path),
  noFollow: fsOf(effect).noFollow,
})

function read(effect: Editing): Procedure<Uint8Array | undefined> {
  const { path, maxBytes } = effect
  return guard('Reading', path, readWhole(path, { maxBytes, links: linksOf(effect) }))
}

function found(effect: Editing, bytes: Uint8Array | undefined): EditedFile {
  const { path, fs } = effect
  if (bytes === undefined) throw noFileAt(path)
  const known = { path, bytes, links: linksOf(effect) }
  return { bytes, replace: (by): Replacing => ({ kind: REPLACE, known, bytes: by, fs }) }
}

const EDIT = kind('editFile', {
  async: async (effect) => found(effect, await runAsync(read(effect), fsOf(effect).async)),
  sync: (effect) => found(effect, runSync(read(effect), fsOf(effect).sync)),
})

const replacing = ({ known, bytes }: Replacing): Procedure<boolean | typeof BUSY> =>
  guard('Writing', known.path, replaceClaimed(known as Known, bytes))

const REPLACE = kind('replaceFile', {
  async: async (effect) => {
    const end = Date.now() + PATIENCE
    for (;;) {
      const done = await runAsync(replacing(effect), fsOf(effect).async)
      if (done !== BUSY) return done
      if (Date.now() > end) throw busy(effect.known.path)
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  },
  sync: (effect) => {
    const done = runSync(replacing(effect), fsOf(effect).sync)
    if (done === BUSY) throw busy(effect.known.path)
    return done
  },
})

function busy(path: string): SxError {
  return new SxError('Busy', `Other processes are changing ${path}.`)
}

/** Replaces the file, if nobody else is about to; `false` if its bytes are others by now. */
function* replaceClaimed(known: Known, by: Uint8Array): Procedure<boolean | typeof BUSY> {
  const { path } = known
  yield* sweep(nodePath.dirname(path))
  const own = scratchBeside(path)
  const claim = claimOf(known)
  try {
    yield* call('release', yield* call('open', own, CREATE, FILE_MODE))
    yield* dropStale(known, claim(0))
    const number = yield* take(own, claim)
    if (number === undefined) return BUSY
    let isDone = false
    try {
      isDone = yield* replaceUnchanged(known, by)
      return isDone
    } finally {
      // Claims of processes that have died count until the bytes are others.
      for (let one = isDone ? 0 : number; one <= number; one++) yield* drop(claim(one))
    }
  } finally {
    yield* drop(own)
  }
}

/** Removes what is no longer needed. One that stays counts for nothing, and goes with a later clean-up. */
function* drop(path: string): Procedure<void> {
  try {
    yield* discard(path)
  } catch {}
}

/** The names of the claims to follow these bytes, by number. */
function claimOf({ path, bytes }: Known): (number: number) => string {
  const name = nodePath.basename(path)
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(`${name}\0`).update(bytes)
  const prefix = nodePath.join(nodePath.dirname(path), `${prefixOf(path)}${hash.digest('hex').slice(0, 32)}.`)
  return (number) => `${prefix}${number}.sx-claim`
}

/** How claims on a file begin. Files whose long names begin alike share it: then more is looked at. */
function prefixOf(path: string): string {
  return `.${nodePath.basename(path).slice(0, 40)}.`
}

/** Takes the first claim that no living process has; gives its number, or nothing if one lives. */
function* take(own: string, claim: (number: number) => string): Procedure<number | undefined> {
  let number = 0
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      yield* call('link', own, claim(number))
      return number
    } catch (error) {
      if (errno(error) !== 'EEXIST') throw error
    }
    const held = yield* isClaimHeld(claim(number))
    if (held) return undefined
    if (held === false) number++
  }
  throw busy(claim(0))
}

/** Whether who took a claim lives; nothing if there is none. */
function* isClaimHeld(path: string): Procedure<boolean | undefined> {
  const file = yield* inspect(path)
  if (file === undefined) return undefined
  if (yield* isHeld(nodePath.dirname(path), file)) return true
  return (yield* inspect(path)) === undefined ? undefined : false
}

/** Removes what processes that died have claimed of bytes that the file no longer has. */
function* dropStale({ path }: Known, present: string): Procedure<void> {
  const folder = nodePath.dirname(path)
  const kept = nodePath.basename(present).slice(0, -'0.sx-claim'.length)
  for (const { name } of yield* entriesOf(folder)) {
    if (!name.startsWith(prefixOf(path)) || !name.endsWith('.sx-claim') || name.startsWith(kept)) continue
    const stale = nodePath.join(folder, name)
    if ((yield* isClaimHeld(stale)) === false) yield* drop(stale)
  }
}

/**
 * The file keeps a second name while it is replaced: what somebody writes into it at the last moment is found there, and
 * gets its place back.
 */
function* replaceUnchanged(known: Known, by: Uint8Array): Procedure<boolean> {
  const { path, links } = known
  const kept = scratchBeside(path)
  const check = function* (): Procedure<void> {
    yield* call('link', path, kept)
    if (!(yield* isUnchanged({ ...known, path: kept }))) throw new Changed()
    const [old, present] = [yield* inspect(kept), yield* inspect(path)]
    if (old === undefined || present === undefined || !isSame(old, present)) throw new Changed()
  }
  try {
    if (!(yield* isUnchanged(known))) return false
    yield* requireWritable(path, links)
    yield* replace(path, by, {
      temporary: scratchBeside(path),
      ifAbsent: false,
      mode: FILE_MODE,
      keep: true,
      durable: true,
      links,
      prepare: check,
    })
    if (yield* isUnchanged({ ...known, path: kept })) return true
    yield* call('rename', kept, path)
    yield* syncFolder(nodePath.dirname(path))
    return false
  } catch (error) {
    if (error instanceof Changed) return false
    throw error
  } finally {
    yield* drop(kept)
  }
}

function* isUnchanged({ path, bytes, links }: Known): Procedure<boolean> {
  try {
    const found = yield* readWhole(path, { maxBytes: bytes.length, links })
    return found !== undefined && equalBytes(found, bytes)
  } catch (error) {
    if (isSxError(error) && error.code === 'LimitExceeded') return false
    throw error
  }
}

/** A file that may not be written is not replaced either, although its folder would allow it. */
export function* requireWritable(path: string, { noFollow }: LinkRules): Procedure<void> {
  const file = yield* inspect(path)
  if (file !== undefined && (file.mode & ANY_WRITE) === 0n) throw unsuitable(path, 'writable')
  yield* call('release', yield* call('open', path, WRITE | noFollow))
}
