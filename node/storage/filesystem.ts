/** The storage on files. */
import { alone } from '../../src/plain.ts'
import type { Found } from '../../src/storage/below.ts'
import { type Bulk, type BulkReading, hasMany, type NewEntry, ownEntries } from '../../src/storage/bulk.ts'
import {
  type Capabilities,
  closedError,
  type Key,
  type ListOptions,
  ownBytes,
  ownKey,
  ownList,
  ownPutOptions,
  type PutOptions,
  type SyncStorage,
} from '../../src/storage/contract.ts'
import { Gate } from './gate.ts'
import { getAll, getAllSync, putAll, putAllSync } from './many.ts'
import { Pace, type Procedure, runAsync, runSync, runTogether } from './procedure.ts'
import { type FileSystem, nodeFileSystem, type SeamOptions } from './seam.ts'
import { Tree } from './tree.ts'

const nodePath = process.getBuiltinModule('node:path')

/** So many asynchronous calls work at a time; each holds one or two files open. */
const PLACES = 64

/** A storage on files that can say whether it takes writes, and changes nothing by it. */
export interface FolderStorage extends SyncStorage {
  /** Rejects with what a write would reject with. */
  probe(): Promise<void>
  probeSync(): void
}

class FilesystemStorage implements FolderStorage, Bulk, BulkReading {
  readonly capabilities: Capabilities = { sync: true, durability: 'strict', shared: true }
  readonly #tree: Tree
  readonly #fs: FileSystem
  readonly #gate = new Gate(PLACES)
  #closed = false

  constructor(root: string, fs: FileSystem) {
    this.#tree = new Tree(nodePath.resolve(root), fs.noFollow)
    this.#fs = fs
    hasMany(this)
  }

  getSync(key: Key): Uint8Array | undefined {
    this.#refuseClosed()
    return this.#now(this.#tree.read(ownKey(key)))
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    this.#refuseClosed()
    return this.#later(this.#tree.read(ownKey(key)))
  }

  putSync(key: Key, bytes: Uint8Array, options?: PutOptions): boolean {
    return this.#now(this.#write(key, bytes, options))
  }

  async put(key: Key, bytes: Uint8Array, options?: PutOptions): Promise<boolean> {
    return this.#later(this.#write(key, bytes, options))
  }

  async putAll(entries: readonly NewEntry[]): Promise<boolean> {
    this.#refuseClosed()
    const pace = new Pace()
    const run = <T>(procedure: Procedure<T>): Promise<T> => this.#gate.run(() => runTogether(procedure, this.#fs, pace))
    return putAll(this.#tree, ownEntries(entries), run)
  }

  putAllSync(entries: readonly NewEntry[]): boolean {
    this.#refuseClosed()
    return putAllSync(this.#tree, ownEntries(entries), this.#fs.sync)
  }

  async getAll(keys: readonly Key[]): Promise<Found[]> {
    this.#refuseClosed()
    return getAll(this.#tree, keys.map(ownKey), this.#fs.sync, (procedure) => this.#later(procedure))
  }

  getAllSync(keys: readonly Key[]): Found[] {
    this.#refuseClosed()
    return getAllSync(this.#tree, keys.map(ownKey), this.#fs.sync)
  }

  deleteSync(key: Key): void {
    this.#refuseClosed()
    this.#now(this.#tree.remove(ownKey(key)))
  }

  async delete(key: Key): Promise<void> {
    this.#refuseClosed()
    return this.#later(this.#tree.remove(ownKey(key)))
  }

  *listSync(prefix: Key, options?: ListOptions): Iterable<Key> {
    const listing = ownList(prefix, options)
    const next = this.#tree.walk(listing)
    for (let left = listing.limit; left > 0; left--) {
      this.#refuseClosed()
      const key = next.ready() ?? this.#now(next())
      if (key === undefined) return
      yield key
    }
  }

  async *list(prefix: Key, options?: ListOptions): AsyncIterable<Key> {
    const listing = ownList(prefix, options)
    const next = this.#tree.walk(listing)
    const pace = new Pace()
    for (let left = listing.limit; left > 0; left--) {
      this.#refuseClosed()
      const key = next.ready() ?? (await this.#gate.run(() => runTogether(next(), this.#fs, pace)))
      if (key === undefined) return
      yield key
    }
  }

  async probe(): Promise<void> {
    this.#refuseClosed()
    return this.#later(this.#tree.probe())
  }

  probeSync(): void {
    this.#refuseClosed()
    this.#now(this.#tree.probe())
  }

  async flush(): Promise<void> {
    this.#refuseClosed()
    await this.#gate.idle()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#gate.idle()
  }

  #now<T>(procedure: Procedure<T>): T {
    return runSync(procedure, this.#fs.sync)
  }

  #later<T>(procedure: Procedure<T>): Promise<T> {
    return this.#gate.run(() => runAsync(procedure, this.#fs.async))
  }

  #refuseClosed(): void {
    if (this.#closed) throw closedError()
  }

  #write(key: Key, bytes: Uint8Array, options?: PutOptions): Procedure<boolean> {
    this.#refuseClosed()
    const { ifAbsent, durability } = ownPutOptions(options)
    return this.#tree.write(ownKey(key), ownBytes(bytes), { ifAbsent, durable: durability === undefined })
  }
}

/**
 * A storage on files below a folder, for Node, Deno and Bun.
 *
 * Durable (`strict`; a write with relaxed durability survives the end of the process), atomic among processes, private
 * (files 0600, folders 0700; folders that are there keep their permissions), never following a link below the root
 * (`LinkRefused`). Reading changes nothing; the root is made with the first write, which also removes what killed
 * processes left unfinished. Put-if-absent needs a file system with hard links; where there are none (FAT, some network
 * drives) it fails with `StorageUnavailable`, and nothing weaker is done in its place.
 *
 * @param root the folder; relative paths are resolved now
 */
export function filesystemStorage(root: string, options: SeamOptions = {}): FolderStorage {
  return new FilesystemStorage(root, alone(options).fs ?? nodeFileSystem)
}
