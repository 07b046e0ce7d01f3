import { type Bulk, hasMany, type NewEntry } from '../../src/storage/bulk.ts'
import type { Key, ListOptions, Storage, SyncStorage } from '../../src/storage/contract.ts'
import type { Disk } from './disk.ts'
import type { Access } from './faults.ts'
import type { Actor } from './history.ts'

/** How a process gets at the disk: with the scheduler and the faults in between. */
export interface Ports {
  readonly disk: Disk
  /** What the storage says of other processes. */
  readonly isShared?: boolean
  /** When it is the actor's turn. */
  readonly later: <T>(actor: Actor, access: Access, what: string, perform: () => T) => Promise<T>
  /** At once. */
  readonly now: <T>(actor: Actor, access: Access, what: string, perform: () => T) => T
}

const pathOf = (key: Key): string => key.join('/')
const kept = (bytes: Uint8Array | undefined): Uint8Array | undefined => bytes && new Uint8Array(bytes)

/** As the library marks its own. */
function marked<S extends Storage>(storage: S): S {
  hasMany(storage)
  return storage
}

/** A storage that has to be awaited. */
export function awaitedStorage({ disk, later, isShared = true }: Ports): (actor: Actor) => Storage & Partial<Bulk> {
  return (actor) =>
    marked<Storage & Partial<Bulk>>({
      capabilities: { sync: false, durability: 'strict', shared: isShared },
      get: (key) => later(actor, 'read', `get ${pathOf(key)}`, () => kept(disk.get(pathOf(key)))),
      put: (key, bytes, { ifAbsent = false, durability } = {}) => {
        const [path, copy] = [pathOf(key), new Uint8Array(bytes)]
        const [access, what] = ifAbsent ? (['claim', `claim ${path}`] as const) : (['write', `put ${path}`] as const)
        return later(actor, access, what, () => disk.put(path, copy, ifAbsent, durability === 'relaxed'))
      },
      delete: (key) => later(actor, 'remove', `delete ${pathOf(key)}`, () => disk.delete(pathOf(key))),
      async *list(prefix, { after, limit = Number.POSITIVE_INFINITY }: ListOptions = {}) {
        const folder = pathOf(prefix)
        let last = after && pathOf(after)
        for (let left = limit; left > 0; left--) {
          const next = await later(actor, 'read', `list ${folder}`, () => disk.next(folder, last))
          if (next === undefined) return
          yield next.split('/')
          last = next
        }
      },
      flush: () => later(actor, 'flush', 'flush', () => {}),
      close: () => Promise.resolve(),
      // What a page's storage can do, as one transaction.
      ...(actor.kind === 'page' && {
        putAll: (entries: readonly NewEntry[]): Promise<boolean> => {
          const own = entries.map(({ key, bytes }) => [pathOf(key), new Uint8Array(bytes)] as const)
          return later(actor, 'claim', `claim ${own.length} entries`, () => {
            if (own.some(([path]) => disk.get(path) !== undefined)) return false
            for (const [path, bytes] of own) disk.put(path, bytes, true)
            return true
          })
        },
      }),
    })
}

/** A storage that answers at once, as files do. */
export function immediateStorage({ disk, now, isShared = true }: Ports): (actor: Actor) => SyncStorage & Bulk {
  return (actor) => {
    const getSync = (key: Key): Uint8Array | undefined =>
      now(actor, 'read', `get ${pathOf(key)}`, () => kept(disk.get(pathOf(key))))
    const putSync: SyncStorage['putSync'] = (key, bytes, { ifAbsent = false, durability } = {}) => {
      const [path, copy] = [pathOf(key), new Uint8Array(bytes)]
      const [access, what] = ifAbsent ? (['claim', `claim ${path}`] as const) : (['write', `put ${path}`] as const)
      return now(actor, access, what, () => disk.put(path, copy, ifAbsent, durability === 'relaxed'))
    }
    // As files do: the bytes first, and then one name after the other.
    const putAllSync = (entries: readonly NewEntry[]): boolean => {
      for (const { key } of entries) now(actor, 'write', `draft of ${pathOf(key)}`, () => {})
      return entries.every(({ key, bytes }) => putSync(key, bytes, { ifAbsent: true }))
    }
    const deleteSync = (key: Key): void => now(actor, 'remove', `delete ${pathOf(key)}`, () => disk.delete(pathOf(key)))
    function* listSync(prefix: Key, { after, limit = Number.POSITIVE_INFINITY }: ListOptions = {}): Iterable<Key> {
      const folder = pathOf(prefix)
      let last = after && pathOf(after)
      for (let left = limit; left > 0; left--) {
        const next = now(actor, 'read', `list ${folder}`, () => disk.next(folder, last))
        if (next === undefined) return
        yield next.split('/')
        last = next
      }
    }
    return marked({
      capabilities: { sync: true, durability: 'strict', shared: isShared },
      getSync,
      putSync,
      deleteSync,
      listSync,
      putAllSync,
      putAll: async (entries) => putAllSync(entries),
      get: async (key) => getSync(key),
      put: async (key, bytes, options) => putSync(key, bytes, options),
      delete: async (key) => deleteSync(key),
      async *list(prefix, options) {
        yield* listSync(prefix, options)
      },
      flush: async () => {},
      close: async () => {},
    })
  }
}
