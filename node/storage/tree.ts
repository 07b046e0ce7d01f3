/**
 * The procedures on entries kept as files: a key's segments are folders below the root, the last one is the file.
 *
 * @module
 */
import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { compareKeys, isSafeSegment, type Key, type ListOptions } from '../../src/storage/contract.ts'
import { FILE_MODE, readWhole, remove, replace } from './atomic.ts'
import { errno, guard, linkRefused, unsuitable } from './failure.ts'
import { addFolder, addFolders, dropFolder, FOLDER_MODE } from './folders.ts'
import { call, type Procedure } from './procedure.ts'
import { entriesOf, inspect, scratchName, sweep } from './scratch.ts'

/** No entry is larger: a document can hold 1 GiB at the most. */
const MAX_ENTRY = 1 << 30
/** Holds the writes under way; no key can name it (`isSafeSegment`). */
const SCRATCH = '.tmp'
/** So often the folder of a write may be removed under our eyes before we give up. */
const ATTEMPTS = 100

/** A folder of entries. The root itself may be a symbolic link, which is its owner's choice; nothing below it may. */
export class Tree {
  readonly #root: string
  readonly #scratch: string
  #swept = false

  /** @param root absolute path; made with the first write */
  constructor(root: string) {
    this.#root = root
    this.#scratch = join(root, SCRATCH)
  }

  /** The bytes of an entry. */
  read(key: Key): Procedure<Uint8Array | undefined> {
    return guard('Reading', this.#path(key), this.#read(key))
  }

  /** Write an entry; `false` if it must not be there and is. */
  write(key: Key, bytes: Uint8Array, ifAbsent: boolean): Procedure<boolean> {
    return guard('Writing', this.#path(key), this.#write(key, bytes, ifAbsent))
  }

  /**
   * Remove an entry, and the folders that it leaves empty. Those right below the root stay: there are few of them, and
   * their owner may have given them other permissions.
   */
  remove(key: Key): Procedure<void> {
    return guard('Deleting', this.#path(key), this.#remove(key))
  }

  /**
   * The keys below a prefix, ascending, one for each run of the procedure that is returned, then `undefined`.
   * Holds the names of the folders on the way to the current key, no more.
   */
  walk(prefix: Key, { after = [] }: ListOptions): () => Procedure<Key | undefined> {
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
    return () => {
      const procedure = started ? next() : start()
      started = true
      return guard('Listing', path(prefix), procedure)
    }
  }

  #path(key: Key): string {
    return join(this.#root, ...key)
  }

  *#read(key: Key): Procedure<Uint8Array | undefined> {
    yield* this.#sweep()
    if (!(yield* this.#find(key.slice(0, -1)))) return undefined
    return yield* readWhole(this.#path(key), { scratch: this.#scratch, maxBytes: MAX_ENTRY })
  }

  *#write(key: Key, bytes: Uint8Array, ifAbsent: boolean): Procedure<boolean> {
    yield* this.#prepare()
    for (let attempt = 1; ; attempt++) {
      try {
        yield* this.#make(key.slice(0, -1))
        const temporary = join(this.#scratch, scratchName())
        return yield* replace(this.#path(key), bytes, { temporary, ifAbsent, mode: FILE_MODE, keep: false })
      } catch (error) {
        // Another process has removed the folder, which was still empty. The entry has not got its name, and is written
        // anew: once it has, `replace` does not fail so.
        if (errno(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error
      }
    }
  }

  *#remove(key: Key): Procedure<void> {
    if (yield* this.#find(key.slice(0, -1))) yield* remove(this.#path(key))
    if (process.platform === 'win32') return // a folder that somebody looks into is in a state between there and gone
    for (let depth = key.length - 1; depth > 1; depth--)
      if (!(yield* dropFolder(this.#path(key.slice(0, depth))))) return
  }

  /** The root and the folder for writes under way, cleaned up once. */
  *#prepare(): Procedure<void> {
    if ((yield* inspect(this.#scratch)) === undefined) yield* addFolders(this.#root, FOLDER_MODE)
    yield* this.#make([SCRATCH])
    yield* this.#sweep()
  }

  /** Removes what killed processes left, once. */
  *#sweep(): Procedure<void> {
    if (this.#swept) return
    yield* sweep(this.#scratch)
    this.#swept = true
  }

  /** Whether there is such a folder; a link on the way is refused. */
  *#find(key: Key): Procedure<boolean> {
    for (let depth = 1; depth <= key.length; depth++) {
      const path = this.#path(key.slice(0, depth))
      const found = yield* inspect(path)
      if (found?.isSymbolicLink()) throw linkRefused(path)
      if (!found?.isDirectory()) return false
    }
    return true
  }

  /** Make such a folder where it is missing; a link on the way is refused. */
  *#make(key: Key): Procedure<void> {
    for (let depth = 1; depth <= key.length; depth++) {
      const path = this.#path(key.slice(0, depth))
      let found = yield* inspect(path)
      if (found === undefined) {
        yield* addFolder(path, FOLDER_MODE)
        found = yield* call('lstat', path)
      }
      if (found.isSymbolicLink()) throw linkRefused(path)
      if (!found.isDirectory()) throw unsuitable(path, 'a folder')
    }
  }
}
