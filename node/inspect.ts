/**
 * What `audit` is told of files: which of them others may read or change, and which are left of writes that broke off.
 *
 * @module
 */

import { type EffectOf, kind } from '../src/effects.ts'
import { names } from '../src/names.ts'
import type { InspectedFiles, LooseFile } from '../src/platform.ts'
import { errno, guard } from './storage/failure.ts'
import { call, type Procedure, runAsync, runSync } from './storage/procedure.ts'
import { entriesOf, inspect, isLeftOver } from './storage/scratch.ts'
import { nodeFileSystem } from './storage/seam.ts'
import { SCRATCH } from './storage/tree.ts'

const nodePath = process.getBuiltinModule('node:path')

/** Where the files of an agent are. */
export interface InspectedPlaces {
  readonly config: string
  /** Whether the configuration holds a password. */
  readonly hasPassword: boolean
  readonly keys: string
  readonly data: string
  /** The name of the private key file; its records begin with it. */
  readonly privateKey: string
  readonly passwordFile: string
}

/** Permission bits of the group and of others: to read or write, and to write. */
const ANY = 0o077
const WRITE = 0o022
/** To get to what is in a folder. */
const REACH = 0o011
const CHANGE = 'others can change or remove stored data. Remove their write permission (chmod go-w).'

/** Looks at files, and changes nothing. */
export function inspectFiles(places: InspectedPlaces): EffectOf<'inspectFiles'> {
  return { kind: INSPECT, places }
}

const work = ({ places }: EffectOf<'inspectFiles'>): Procedure<InspectedFiles> =>
  guard('Looking at', nodePath.dirname(places.config), looking(places))

const INSPECT = kind('inspectFiles', {
  async: (effect) => runAsync(work(effect), nodeFileSystem.async),
  sync: (effect) => runSync(work(effect), nodeFileSystem.sync),
})

function* looking(places: InspectedPlaces): Procedure<InspectedFiles> {
  const leftovers: string[] = []
  for (const folder of [
    nodePath.dirname(places.config),
    nodePath.join(places.keys, SCRATCH),
    nodePath.join(places.data, SCRATCH),
  ]) {
    for (const { name } of yield* entriesOf(folder)) {
      if (yield* isLeftOver(folder, name)) leftovers.push(nodePath.join(folder, name))
    }
  }
  // On Windows the bits say nothing about who may do what.
  return { loose: process.platform === 'win32' ? [] : yield* looseFiles(places), leftovers }
}

function* looseFiles(places: InspectedPlaces): Procedure<LooseFile[]> {
  const { config, hasPassword, keys, data, privateKey, passwordFile } = places
  const loose: LooseFile[] = []
  function* look(path: string, bits: number, why: string): Procedure<void> {
    const mode = yield* modeOf(path)
    if ((mode & bits) !== 0) loose.push({ path, mode, why })
  }
  const isRead = 'others can read or change the password of the private key. Restrict it to its owner (chmod 600).'
  const isWritten = 'others can name another agent in it. Remove their write permission (chmod go-w).'
  const isKey = 'others can copy the private key. Restrict it to its owner (chmod 600).'
  yield* look(config, hasPassword ? ANY : WRITE, hasPassword ? isRead : isWritten)
  yield* look(yield* real(keys), WRITE, 'others can put other keys there. Remove their write permission (chmod go-w).')
  for (const { name } of yield* entriesOf(keys)) {
    const path = nodePath.join(keys, name)
    if (name === privateKey || name.startsWith(`${privateKey}.`)) yield* look(path, ANY, isKey)
    else if (name === passwordFile) yield* look(path, ANY, isRead)
    else yield* look(path, WRITE, 'others can change it. Remove their write permission (chmod go-w).')
    // What is being written or created holds private keys as well.
    if (name === SCRATCH || name === names().staging) {
      for (const one of yield* entriesOf(path)) yield* look(nodePath.join(path, one.name), ANY, isKey)
    }
  }
  const root = yield* real(data)
  yield* look(root, WRITE, CHANGE)
  for (const entry of yield* entriesOf(root)) {
    const path = nodePath.join(root, entry.name)
    yield* look(path, WRITE, CHANGE)
    const isReached = ((yield* modeOf(root)) & REACH) !== 0
    if (isReached && entry.isDirectory()) yield* lookBelow(path, loose)
  }
  return loose
}

/**
 * Looks at all that is below a folder, where others can get to. It is one finding, whose path is that of the first of
 * them, however many there are. No link is followed.
 */
function* lookBelow(top: string, loose: LooseFile[]): Procedure<void> {
  let first: { readonly path: string; readonly mode: number } | undefined
  let count = 0
  const folders = [top]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (((yield* modeOf(folder)) & REACH) === 0) continue
    for (const entry of yield* entriesOf(folder)) {
      const path = nodePath.join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      const mode = yield* modeOf(path)
      if ((mode & WRITE) === 0) continue
      count++
      first ??= { path, mode }
    }
  }
  if (first === undefined) return
  const more = count === 1 ? '' : `The same applies to ${count - 1} more below ${top}. `
  loose.push({ ...first, why: CHANGE.replace('. ', `. ${more}`) })
}

/** Where a path leads to, if it is a link; the library follows one there, which is its owner's choice. */
function* real(path: string): Procedure<string> {
  try {
    return (yield* inspect(path))?.isSymbolicLink() === true ? yield* call('realpath', path) : path
  } catch (error) {
    if (errno(error) === 'ENOENT') return path // it leads nowhere
    throw error
  }
}

/** Permission bits; none of a link, which has none of its own, and where nothing is. */
function* modeOf(path: string): Procedure<number> {
  const found = yield* inspect(path)
  return found === undefined || found.isSymbolicLink() ? 0 : Number(found.mode) & 0o777
}
