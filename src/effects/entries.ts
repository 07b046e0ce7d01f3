/** Effects on the entries of a storage, and how they are done. What a storage throws by itself is not shown to callers. */
import { isBelated, letPass } from '../belated.ts'
import { kind, type Performer } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { Found } from '../storage/below.ts'
import { isBulk, isSyncBulk, type NewEntry, readAll, readAllSync } from '../storage/bulk.ts'
import {
  foundBytes,
  foundKey,
  isSyncStorage,
  type Key,
  requireSync,
  type Storage,
  storageError,
} from '../storage/contract.ts'
import type { Effect, EffectOf, Kind } from './kinds.ts'

/** {@link kind} for what is asked of a storage. */
/* @__NO_SIDE_EFFECTS__ */
export function storing<K extends Kind>(name: K, performer: Performer<K>): K {
  return kind<K>(name, {
    async: async (effect, start) => {
      try {
        return await performer.async(effect, start)
      } catch (error) {
        throw storageError(error)
      }
    },
    sync: (effect, start) => {
      try {
        return performer.sync(effect, start)
      } catch (error) {
        throw storageError(error)
      }
    },
  })
}

const GET = /* @__PURE__ */ storing('get', {
  async: async ({ storage, key }) => foundBytes(await storage.get(key)),
  sync: ({ storage, key }) => foundBytes(requireSync(storage).getSync(key)),
})

/** Reads an entry. */
export function get(storage: Storage, key: Key): EffectOf<'get'> {
  return { kind: GET, storage, key }
}

/** Reads two entries at the same time. */
export function getBoth(
  storage: Storage,
  first: Key,
  second: Key,
): Effect<readonly [Uint8Array | undefined, Uint8Array | undefined]> {
  return together(get(storage, first), get(storage, second))
}

function throwBelated(error: unknown): void {
  if (isBelated(error)) throw error
}

const ALL = /* @__PURE__ */ kind('all', {
  async: async ({ effects }, start) => {
    const running = effects.map(async (effect) => start(effect))
    await Promise.all(running.map((one) => one.catch(throwBelated)))
    return Promise.all(running)
  },
  sync: ({ effects }, start) => effects.map((effect) => start(effect)),
})

/**
 * Does several things at the same time. If one fails it waits for the others: each of them may be told that an earlier
 * write has failed, which nobody would hear afterwards.
 */
export function together<T extends readonly unknown[]>(
  ...effects: { readonly [I in keyof T]: Effect<T[I]> }
): Effect<T> {
  const all: EffectOf<'all'> = { kind: ALL, effects }
  return all as Effect<readonly unknown[]> as Effect<T>
}

const AGAIN = /* @__PURE__ */ kind('again', {
  async: async ({ effect }, start) => {
    try {
      return await start(effect)
    } catch (error) {
      letPass(error)
      return await start(effect)
    }
  },
  sync: ({ effect }, start) => {
    try {
      return start(effect)
    } catch (error) {
      letPass(error)
      return start(effect)
    }
  },
})

/** Does something once more if it fails. */
export function again<T>(effect: Effect<T>): Effect<T> {
  const twice: EffectOf<'again'> = { kind: AGAIN, effect }
  return twice as Effect<unknown> as Effect<T>
}

const UNLESS = /* @__PURE__ */ kind('unless', {
  async: ({ effect }, start) => start(effect),
  sync: ({ unseen }) => unseen,
})

/** What a synchronous call does not do, since it has to be awaited: it takes this for the answer. */
export function orUnseen<T>(effect: Effect<T>, unseen: T): Effect<T> {
  const either: EffectOf<'unless'> = { kind: UNLESS, effect, unseen }
  return either as Effect<unknown> as Effect<T>
}

const PUT = /* @__PURE__ */ storing('put', {
  async: ({ storage, key, bytes, options }) => storage.put(key, bytes, options),
  sync: ({ storage, key, bytes, options }) => requireSync(storage).putSync(key, bytes, options),
})

/** Writes an entry. */
export function put(storage: Storage, key: Key, bytes: Uint8Array): EffectOf<'put'> {
  return { kind: PUT, storage, key, bytes, options: undefined }
}

/** Writes an entry unless there is one; says whether it did. */
export function putIfAbsent(storage: Storage, key: Key, bytes: Uint8Array): EffectOf<'put'> {
  return { kind: PUT, storage, key, bytes, options: { ifAbsent: true } }
}

/** Writes an entry that may be lost again: it only says where to look first. */
export function putHint(storage: Storage, key: Key, bytes: Uint8Array): EffectOf<'put'> {
  return { kind: PUT, storage, key, bytes, options: { durability: 'relaxed' } }
}

const PUT_ALL = /* @__PURE__ */ storing('putAll', {
  async: async ({ storage, entries }) => (isBulk(storage) ? storage.putAll(entries) : undefined),
  sync: ({ storage, entries }) => (isSyncBulk(storage) ? storage.putAllSync(entries) : undefined),
})

/** Writes entries that are not there; `undefined` where the storage has no way to do that in one go. */
export function putAll(storage: Storage, entries: readonly NewEntry[]): EffectOf<'putAll'> {
  return { kind: PUT_ALL, storage, entries }
}

function heard(found: readonly Found[]): readonly Found[] {
  for (const { error } of found) throwBelated(error)
  return found
}

const GET_ALL = /* @__PURE__ */ storing('getAll', {
  async: async ({ storage, keys }) => heard(await readAll(storage, keys)),
  sync: ({ storage, keys }) => heard(readAllSync(storage, keys)),
})

/** Reads entries, all at the same time. An error about one entry is reported for that entry, but the error of an earlier write is thrown at once. */
export function getAll(storage: Storage, keys: readonly Key[]): EffectOf<'getAll'> {
  return { kind: GET_ALL, storage, keys }
}

const DELETE = /* @__PURE__ */ storing('delete', {
  async: ({ storage, key }) => storage.delete(key),
  sync: ({ storage, key }) => requireSync(storage).deleteSync(key),
})

/** Removes an entry. */
export function remove(storage: Storage, key: Key): EffectOf<'delete'> {
  return { kind: DELETE, storage, key }
}

/** A place in the list of the keys below a prefix. */
export interface Cursor {
  readonly storage: Storage
  readonly prefix: Key
  /** The list begins after it. */
  readonly after: Key | undefined
  readonly steps: Steps
}

/** How far a cursor has come. */
class Steps {
  later?: AsyncIterator<Key>
  now?: Iterator<Key>
  last?: Key
}

function stepTo({ steps, after }: Cursor, { done, value }: IteratorResult<Key>): Key | undefined {
  if (done === true) return undefined
  steps.last = foundKey(value, steps.last ?? after)
  return steps.last
}

const listed = ({ after }: Cursor): { after?: Key } => (after === undefined ? {} : { after })

const NEXT = /* @__PURE__ */ storing('next', {
  async: async ({ cursor }) => {
    const { storage, prefix, steps } = cursor
    steps.later ??= storage.list(prefix, listed(cursor))[Symbol.asyncIterator]()
    return stepTo(cursor, await steps.later.next())
  },
  sync: ({ cursor }) => {
    const { storage, prefix, steps } = cursor
    steps.now ??= requireSync(storage).listSync(prefix, listed(cursor))[Symbol.iterator]()
    return stepTo(cursor, steps.now.next())
  },
})

/** Steps through the keys below a prefix; `undefined` after the last one. */
export function cursor(storage: Storage, prefix: Key, after?: Key): EffectOf<'next'> {
  return { kind: NEXT, cursor: { storage, prefix, after, steps: new Steps() } }
}

const PROBE = /* @__PURE__ */ storing('probe', {
  async: ({ storage }) => storage.probe(),
  sync: ({ storage }) => storage.probeSync(),
})

/** Fails as a write would. */
export function probe(storage: EffectOf<'probe'>['storage']): EffectOf<'probe'> {
  return { kind: PROBE, storage }
}

const IS_CURRENT = /* @__PURE__ */ kind('isCurrent', { async: () => true, sync: ({ isCopy }) => !isCopy })

/** Whether what is read is what the storage holds now, not what a copy of it remembers. */
export function isCurrent(storage: Storage): EffectOf<'isCurrent'> {
  return { kind: IS_CURRENT, isCopy: isSyncStorage(storage) && storage.isPending !== undefined }
}

const REFRESH = /* @__PURE__ */ storing('refresh', {
  async: ({ view }) => view.refresh(),
  sync: ({ view }) => view.refreshSync(),
})

/** Has synchronous calls show what a storage holds now. */
export function refreshed(view: EffectOf<'refresh'>['view']): EffectOf<'refresh'> {
  return { kind: REFRESH, view }
}

const FLUSH = /* @__PURE__ */ kind('flush', {
  async: ({ of }) => of.flush(),
  sync: ({ refusal }) => {
    if (refusal !== undefined) throw new SxError('SyncStorageUnavailable', refusal)
  },
})

/**
 * Waits for what was written. A synchronous call does not: what it reads shows that already.
 *
 * @param refusal what a synchronous call is told that has to wait
 */
export function flushed(of: EffectOf<'flush'>['of'], refusal?: string): EffectOf<'flush'> {
  return { kind: FLUSH, of, refusal }
}

const CLOSE = /* @__PURE__ */ kind('close', {
  async: ({ of }) => of.close(),
  sync: ({ of }) => void of.close().catch(() => {}),
})

/** Lets go of what was opened for one call. A synchronous one does not wait; nothing that counts was left to be written. */
export function closed(of: EffectOf<'close'>['of']): EffectOf<'close'> {
  return { kind: CLOSE, of }
}

const WORK = /* @__PURE__ */ kind('work', { async: ({ later }) => later(), sync: ({ now }) => now() })

/** Work that is no data, since its two forms differ; by its name alone it is known. */
export function work<T>(name: string, later: () => T | Promise<T>, now: () => T): Effect<T> {
  const opaque: EffectOf<'work'> = { kind: WORK, name, later, now }
  return opaque as Effect<unknown> as Effect<T>
}
