/** The storage on files. */
import { resolve } from 'node:path'
import {
  type Capabilities,
  checkKey,
  checkList,
  closedError,
  type Key,
  type ListOptions,
  type PutOptions,
  type SyncStorage,
} from '../../src/storage/contract.ts'
import { Gate } from './gate.ts'
import { type Procedure, runAsync, runSync } from './procedure.ts'
import { type FileSystem, nodeFileSystem } from './seam.ts'
import { Tree } from './tree.ts'

/** So many asynchronous calls work at a time; each holds one or two files open. */
const PLACES = 64

/** Options of {@link filesystemStorage}. */
export interface FilesystemOptions {
  /** The file system to use in place of the runtime's; for tests. */
  readonly fs?: FileSystem
}

class FilesystemStorage implements SyncStorage {
  readonly capabilities: Capabilities = { sync: true, durability: 'strict', shared: true }
  readonly #tree: Tree
  readonly #fs: FileSystem
  readonly #gate = new Gate(PLACES)
  #closed = false

  constructor(root: string, { fs = nodeFileSystem }: FilesystemOptions) {
    this.#tree = new Tree(resolve(root))
    this.#fs = fs
  }

  getSync(key: Key): Uint8Array | undefined {
    this.#check(key)
    return this.#now(this.#tree.read(key))
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    this.#check(key)
    return this.#later(this.#tree.read([...key]))
  }

  putSync(key: Key, bytes: Uint8Array, { ifAbsent = false }: PutOptions = {}): boolean {
    this.#check(key)
    return this.#now(this.#tree.write(key, bytes, ifAbsent))
  }

  async put(key: Key, bytes: Uint8Array, { ifAbsent = false }: PutOptions = {}): Promise<boolean> {
    this.#check(key)
    return this.#later(this.#tree.write([...key], new Uint8Array(bytes), ifAbsent))
  }

  deleteSync(key: Key): void {
    this.#check(key)
    this.#now(this.#tree.remove(key))
  }

  async delete(key: Key): Promise<void> {
    this.#check(key)
    return this.#later(this.#tree.remove([...key]))
  }

  *listSync(prefix: Key, options: ListOptions = {}): Iterable<Key> {
    checkList(prefix, options)
    const next = this.#tree.walk(prefix, options)
    for (let left = options.limit ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      this.#refuseClosed()
      const key = this.#now(next())
      if (key === undefined) return
      yield key
    }
  }

  async *list(prefix: Key, options: ListOptions = {}): AsyncIterable<Key> {
    checkList(prefix, options)
    const next = this.#tree.walk(prefix, options)
    for (let left = options.limit ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      this.#refuseClosed()
      const key = await this.#later(next())
      if (key === undefined) return
      yield key
    }
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

  #check(key: Key): void {
    this.#refuseClosed()
    checkKey(key)
  }
}

/**
 * A storage on files below a folder, for Node, Deno and Bun.
 *
 * Durable (`strict`), atomic among processes, private (files 0600, folders 0700; folders that are there keep their
 * permissions), never following a link below the root (`LinkRefused`). Reading makes nothing; the root is made with the
 * first write, which also removes what killed processes left unfinished. Put-if-absent needs a file system with hard
 * links; where there are none (FAT, some network drives) it fails with `StorageUnavailable`, and nothing weaker is done
 * in its place.
 *
 * @param root the folder; relative paths are resolved now
 */
export function filesystemStorage(root: string, options: FilesystemOptions = {}): SyncStorage {
  return new FilesystemStorage(root, options)
}
