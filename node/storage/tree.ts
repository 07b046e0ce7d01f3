/**
 * The procedures on entries kept as files: a key's segments are folders below the root, the last one is the file.
 *
 * @module
 */
import type { Dirent } from 'node:fs'
import type { Found } from '../../src/storage/below.ts'
import { compareKeys, isSafeSegment, type Key, type Listing, storageError } from '../../src/storage/contract.ts'
import {
  draft,
  dropDraft,
  FILE_MODE,
  type LinkRules,
  nameDraft,
  readWhole,
  remove,
  replace,
  syncFolder,
  writeDraft,
} from './atomic.ts'
import { errno, guard, linkRefused, unsuitable } from './failure.ts'
import { addFolders, dropFolder, FOLDER_MODE, newFolder } from './folders.ts'
import { call, type Procedure } from './procedure.ts'
import { entriesOf, inspect, scratchName, sweep } from './scratch.ts'

const nodePath = process.getBuiltinModule('node:path')

/** No entry is larger: a document can hold 1 GiB at the most. */
const MAX_ENTRY = 1 << 30
/** Holds the writes under way; no key can name it (`isSafeSegment`). */
export const SCRATCH = '.tmp'
/** So often the folder of a write may be removed under our eyes before we give up. */
const ATTEMPTS = 100

/** How an entry is written. */
export interface EntryRules {
  readonly ifAbsent: boolean
  /** Survive a loss of power. New folders do in any case: entries that come into them later rely on it. */
  readonly durable: boolean
}

/** What is written of an entry, and waits for its name. */
export interface Draft {
  readonly key: Key
  readonly temporary: string
}

/** See {@link Tree.walk}. */
export interface Walk {
  (): Procedure<Key | undefined>
  /** The next key, where no folder has to be looked into for it. */
  ready(): Key | undefined
}

const NOTHING: Found = { bytes: undefined, error: undefined }

/** A folder of entries. The root itself may be a symbolic link, which is its owner's choice; nothing below it may. */
export class Tree {
  readonly #root: string
  readonly #links: LinkRules
  /** Where the links on the path of the root lead, as far as known. */
  #realRoot: string | undefined
  #swept = false

  /**
   * @param root absolute path; made with the first write
   * @param noFollow see {@link LinkRules}
   */
  constructor(root: string, noFollow: number) {
    this.#root = root
    this.#links = { scratch: nodePath.join(root, SCRATCH), noFollow }
  }

  /** The bytes of an entry. */
  read(key: Key): Procedure<Uint8Array | undefined> {
    return guard('Reading', this.#path(key), this.#read(key))
  }

  /** Write an entry; `false` if it must not be there and is. */
  write(key: Key, bytes: Uint8Array, rules: EntryRules): Procedure<boolean> {
    return guard('Writing', this.#path(key), this.#write(key, bytes, rules))
  }

  /** Make ready for writes. */
  prepare(): Procedure<void> {
    return guard('Writing', this.#root, this.#prepare())
  }

  /** Write the bytes of an entry, durably, to a temporary file that waits for its name. */
  draft(bytes: Uint8Array): Procedure<string> {
    const temporary = nodePath.join(this.#links.scratch, scratchName())
    const write = function* (): Procedure<string> {
      yield* writeDraft(bytes, { temporary, durable: true })
      return temporary
    }
    return guard('Writing', temporary, write())
  }

  /**
   * Give drafts their names, in folders that are made where they are missing. The names survive a loss of power once
   * each of the folders was {@link sync}ed.
   *
   * @returns whether all have theirs; it ends with the first that is another's
   */
  name(drafts: readonly Draft[]): Procedure<boolean> {
    return guard('Writing', this.#root, this.#name(drafts))
  }

  /** Have the names of entries in a folder survive a loss of power. */
  sync(folder: Key): Procedure<void> {
    return guard('Writing', this.#path(folder), syncFolder(this.#path(folder)))
  }

  /** Remove drafts that got no name. */
  *drop(drafts: readonly string[]): Procedure<void> {
    for (const temporary of drafts) yield* dropDraft(temporary)
  }

  /** The bytes of entries in one folder, or why one has none to give; the way there is looked at once. */
  readAll(folder: Key, keys: readonly Key[], take: (at: number, found: Found) => void): () => Procedure<boolean> {
    let at = 0
    const foundAt = (key: Key): Procedure<Found> => this.#found(key)
    const wayTo = (): Procedure<Found | undefined> => this.#way(folder)
    function* next(): Procedure<boolean> {
      const key = keys[at]
      if (key === undefined) {
        const way = yield* wayTo()
        if (way !== undefined) for (let gone = 0; gone < at; gone++) take(gone, way)
        return false
      }
      at += 1
      take(at - 1, yield* foundAt(key))
      return true
    }
    return () => guard('Reading', this.#path(folder), next())
  }

  /** What is found of entries in a folder that is not there, or that a link leads to. */
  *#way(folder: Key): Procedure<Found | undefined> {
    try {
      return (yield* guard('Reading', this.#path(folder), this.#find(folder))) ? undefined : NOTHING
    } catch (error) {
      return { bytes: undefined, error: storageError(error) }
    }
  }

  *#found(key: Key): Procedure<Found> {
    const path = this.#path(key)
    try {
      const bytes = yield* guard('Reading', path, readWhole(path, { links: this.#links, maxBytes: MAX_ENTRY }))
      return { bytes, error: undefined }
    } catch (error) {
      return { bytes: undefined, error: storageError(error) }
    }
  }

  /**
   * Remove an entry, and the folders that it leaves empty. Those right below the root stay: there are few of them, and
   * their owner may have given them other permissions.
   */
  remove(key: Key): Procedure<void> {
    return guard('Deleting', this.#path(key), this.#remove(key))
  }

  /** Write a file that no key can name, and remove it: throws what a write would throw. */
  probe(): Procedure<void> {
    return guard('Writing', this.#root, this.#probe())
  }

  /**
   * The keys below a prefix, ascending, one for each run of the procedure that is returned, then `undefined`.
   * Those that are known already need no run. Holds the names of the folders on the way to the current key, no more.
   */
  walk({ prefix, after }: Pick<Listing, 'prefix' | 'after'>): Walk {
    // The entries of a folder that are still to come, the next one last.
    const open: { readonly key: Key; readonly entries: Dirent[] }[] = []
    const path = (key: Key): string => this.#path(key)
    const find = (key: Key): Procedure<boolean> => this.#find(key)
    function* next(): Procedure<Key | undefined> {
      for (let folder = open.at(-1); folder; folder = open.at(-1)) {
        const entry = folder.entries.pop()
        if (entry === undefined) {
          open.pop()
          continue
        }
        const key = [...folder.key, entry.name]
        if (entry.isSymbolicLink()) throw linkRefused(path(key))
        if (entry.isFile() && compareKeys(key, after) > 0) return key
        // A folder that sorts before the beginning of `after` holds nothing that sorts behind it.
        if (entry.isDirectory() && compareKeys(key, after.slice(0, key.length)) >= 0) yield* enter(key)
      }
      return undefined
    }
    function* enter(key: Key): Procedure<void> {
      const entries = yield* entriesOf(path(key))
      const safe = entries.filter((entry) => isSafeSegment(entry.name))
      open.push({ key, entries: safe.sort((a, b) => (a.name < b.name ? 1 : -1)) })
    }
    function* start(): Procedure<Key | undefined> {
      if (yield* find(prefix)) yield* enter(prefix)
      return yield* next()
    }
    let started = false
    const walk = (): Procedure<Key | undefined> => {
      const procedure = started ? next() : start()
      started = true
      return guard('Listing', path(prefix), procedure)
    }
    const ready = (): Key | undefined => {
      const folder = open.at(-1)
      for (let entry = folder?.entries.at(-1); folder && entry?.isFile(); entry = folder.entries.at(-1)) {
        folder.entries.pop()
        const key = [...folder.key, entry.name]
        if (compareKeys(key, after) > 0) return key
      }
      return undefined
    }
    return Object.assign(walk, { ready })
  }

  #path(key: Key): string {
    return nodePath.join(this.#root, ...key)
  }

  *#read(key: Key): Procedure<Uint8Array | undefined> {
    // Opened first and the way looked at after that: a link on it that was there when it was opened is seen.
    const bytes = yield* readWhole(this.#path(key), { links: this.#links, maxBytes: MAX_ENTRY })
    return (yield* this.#find(key.slice(0, -1))) ? bytes : undefined
  }

  *#write(key: Key, bytes: Uint8Array, rules: EntryRules): Procedure<boolean> {
    const prepare = (): Procedure<void> => this.#make([key.slice(0, -1)])
    for (let attempt = 1; ; attempt++) {
      try {
        yield* this.#prepare()
        const temporary = nodePath.join(this.#links.scratch, scratchName())
        const links = this.#links
        return yield* replace(this.#path(key), bytes, {
          ...rules,
          temporary,
          links,
          prepare,
          mode: FILE_MODE,
          keep: false,
        })
      } catch (error) {
        // Another process has removed the folder, which was still empty. The entry has not got its name, and is written
        // anew: once it has, `replace` does not fail so.
        if (errno(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error
      }
    }
  }

  *#name(drafts: readonly Draft[]): Procedure<boolean> {
    const left = [...drafts]
    for (let attempt = 1; ; attempt++) {
      try {
        yield* this.#make(left.map(({ key }) => key.slice(0, -1)))
        for (let one = left[0]; one !== undefined; one = left[0]) {
          const rules = { temporary: one.temporary, durable: true, links: this.#links }
          if (!(yield* nameDraft(this.#path(one.key), rules))) return false
          left.shift()
        }
        return true
      } catch (error) {
        // As in `#write`: another process has removed the folder, which was still empty.
        if (errno(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error
      }
    }
  }

  *#probe(): Procedure<void> {
    yield* this.#prepare()
    yield* draft(nodePath.join(this.#links.scratch, scratchName()))
  }

  *#remove(key: Key): Procedure<void> {
    if (yield* this.#find(key.slice(0, -1))) yield* remove(this.#path(key))
    if (process.platform === 'win32') return // a folder that somebody looks into is in a state between there and gone
    for (let depth = key.length - 1; depth > 1; depth--)
      if (!(yield* dropFolder(this.#path(key.slice(0, depth))))) return
  }

  /** The root and the folder for writes under way; what killed processes left there goes, once. */
  *#prepare(): Procedure<void> {
    const { scratch } = this.#links
    if (!(yield* this.#isFolder(scratch))) {
      yield* addFolders(this.#root, FOLDER_MODE)
      if (!(yield* newFolder(scratch, FOLDER_MODE))) yield* this.#isFolder(scratch)
    }
    if (this.#swept) return
    yield* sweep(scratch)
    this.#swept = true
  }

  /** Whether there is a folder and no link; `false` if nothing is there, an error for anything else. */
  *#isFolder(path: string): Procedure<boolean> {
    const found = yield* inspect(path)
    if (found === undefined) return false
    if (found.isSymbolicLink()) throw linkRefused(path)
    if (!found.isDirectory()) throw unsuitable(path, 'a folder')
    return true
  }

  /** Whether there is such a folder; a link on the way is refused. */
  *#find(key: Key): Procedure<boolean> {
    if (yield* this.#isClear(key)) return true
    for (let depth = 1; depth <= key.length; depth++) {
      const path = this.#path(key.slice(0, depth))
      const found = yield* inspect(path)
      if (found?.isSymbolicLink()) throw linkRefused(path)
      if (!found?.isDirectory()) return false
    }
    return true
  }

  /** Make such folders where they are missing; a link on the way is refused. */
  *#make(folders: readonly Key[]): Procedure<void> {
    const missing: Key[] = []
    const different = new Map(folders.map((key) => [this.#path(key), key]))
    for (const key of different.values()) if (!(yield* this.#isClear(key))) missing.push(key)
    const deepest = missing.reduce((most, { length }) => Math.max(most, length), 0)
    for (let depth = 1; depth <= deepest; depth++) {
      const level = missing.filter(({ length }) => length >= depth)
      yield* this.#add(new Set(level.map((key) => this.#path(key.slice(0, depth)))))
    }
  }

  /** Make such folders in folders that are there, with one flush for all in one folder. */
  *#add(paths: ReadonlySet<string>): Procedure<void> {
    const grown = new Set<string>()
    try {
      for (const path of paths) {
        if (yield* this.#isFolder(path)) continue
        grown.add(nodePath.dirname(path))
        if (!(yield* newFolder(path, FOLDER_MODE))) yield* this.#isFolder(path) // or is a link what others put there?
      }
    } finally {
      // Also if one of them could not be made: the next write finds the others, and does not sync their names.
      for (const folder of grown) yield* syncFolder(folder)
    }
  }

  /**
   * Whether something is there and surely no link on the way: its real path is that of the root and then the key. If not
   * it has to be looked at step by step. Nothing may be there, or a link; or the system names folders by rules of its own
   * (another case of letters), or cannot tell.
   */
  *#isClear(key: Key): Procedure<boolean> {
    if (key.length === 0) return true
    try {
      const real = yield* call('realpath', this.#path(key))
      if (this.#realRoot !== undefined && real === nodePath.join(this.#realRoot, ...key)) return true
      this.#realRoot = yield* call('realpath', this.#root) // not known yet, or it leads somewhere else by now
      return real === nodePath.join(this.#realRoot, ...key)
    } catch (error) {
      if (errno(error) === undefined) throw error
      return false
    }
  }
}
