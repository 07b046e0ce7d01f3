import { equalBytes } from '../bytes.ts'
import { SxError } from '../errors.ts'
import { Failures } from '../failures.ts'
import { below, type Found, inBatches, look } from './below.ts'
import { type Bulk, hasMany, isBulk, isScan, type NewEntry, ownEntries } from './bulk.ts'
import {
  type Capabilities,
  checkKey,
  checkStorage,
  closedError,
  foundKeys,
  type Key,
  type ListOptions,
  ownBytes,
  ownKey,
  ownKeys,
  ownList,
  ownMirrorOptions,
  ownPutOptions,
  type PutOptions,
  type Storage,
  type SyncStorage,
  storageError,
} from './contract.ts'
import { isDamage, MirrorView } from './mirror-view.ts'
import { prefixed } from './prefix.ts'
import { Readings } from './readings.ts'
import { nameOf, type Together, type Write, WriteQueue } from './write-queue.ts'

/** So many writes go together at most. */
const MOST_TOGETHER = 1000

/** Options of {@link mirrored}. */
export interface MirrorOptions {
  /**
   * Mirror only the entries below this prefix, under keys without it (as {@link prefixed} does). Closing the mirror
   * then leaves the storage below open.
   */
  readonly prefix?: Key
  /**
   * Whether an entry that is there never changes. Others are read again by every asynchronous `get`; left out: all of
   * them.
   */
  readonly isImmutable?: (key: Key) => boolean
}

/** A storage in memory in front of another one. */
export interface MirroredStorage extends SyncStorage {
  /** See {@link SyncStorage.isPending}. */
  isPending(key: Key): boolean
  /**
   * Read entries again that somebody else has changed in the storage below. Resolves when the mirror shows them; what
   * waits to be written wins over what is read.
   *
   * @param keys of the entries, under which the mirror has them
   * @throws SxError `InvalidId`, `InvalidOption` for what is no list; `StorageUnavailable` after closing; what the
   *   storage below rejects with
   */
  invalidate(keys: Iterable<Key>): Promise<void>
}

class Mirror implements MirroredStorage {
  readonly capabilities: Capabilities
  /** Only where the storage below can put all or none. */
  readonly putAll?: Bulk['putAll']
  readonly putAllSync?: Bulk['putAllSync']
  readonly #inner: Storage
  readonly #bulk: Pick<Bulk, 'putAll'> | undefined
  readonly #together: Together | undefined
  readonly #isImmutable: (key: Key) => boolean
  readonly #queue = new WriteQueue()
  readonly #view = new MirrorView(this.#queue)
  readonly #readings: Readings
  #working: Promise<void> | undefined
  /** What has made writes behind fail. */
  readonly #failures = new Failures()
  #closed = false

  constructor(inner: Storage, isImmutable: (key: Key) => boolean) {
    this.capabilities = { ...inner.capabilities, sync: true }
    this.#inner = inner
    hasMany(this)
    if (isBulk(inner)) {
      this.#bulk = inner
      this.putAll = (entries) => this.#putAll(entries)
      this.putAllSync = (entries) => this.#putAllNow(entries)
    }
    this.#together = 'writeTogether' in inner ? (inner as Storage & Together) : undefined
    this.#isImmutable = isImmutable
    this.#readings = new Readings(inner, this.#queue, this.#view)
  }

  async load(): Promise<void> {
    const inner = this.#inner
    const know = (key: Key, found: Found): void => {
      if (found.error !== undefined && !isDamage(found.error)) throw found.error
      this.#view.know(key, found)
    }
    if (isScan(inner)) {
      for await (const some of inner.scan()) for (const [key, found] of some) know(key, found)
    } else await inBatches(foundKeys(inner.list([])), async (key) => know(key, await look(inner, key)))
  }

  isPending(key: Key): boolean {
    checkKey(key)
    return this.#view.isPending(key)
  }

  getSync(key: Key): Uint8Array | undefined {
    const own = this.#own(key)
    this.#readAgain(own)
    return this.#view.get(own)
  }

  putSync(key: Key, bytes: Uint8Array, options: PutOptions = {}): boolean {
    const own = this.#own(key)
    const [copy, how] = [ownBytes(bytes), ownPutOptions(options)]
    if (!this.#view.put(own, copy, how)) return false
    this.#enqueue({ key: own, bytes: copy, options: how, isShown: true })
    return true
  }

  deleteSync(key: Key): void {
    const own = this.#own(key)
    this.#view.delete(own)
    this.#enqueue({ key: own, bytes: undefined, options: {}, isShown: true })
  }

  *listSync(prefix: Key, options: ListOptions = {}): Iterable<Key> {
    this.#guard()
    const [own, how] = listing(prefix, options)
    for (const key of this.#view.unknownBelow(own)) this.#readAgain(key)
    for (const key of this.#view.list(own, how)) {
      yield key
      this.#guard()
    }
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    const own = this.#own(key)
    if (!this.#queue.isWaiting(nameOf(own)) && this.#view.isKnown(own)) {
      const known = this.#view.get(own)
      // Others may have written it without our having heard of it: another process, or another view of the same store.
      if (known && this.#isImmutable(own)) return known
    }
    const bytes = await this.#readings.read(own)
    // A write that failed in the meantime is reported to the next call: the caller of this one may no longer be waiting.
    if (this.#closed) throw closedError()
    return bytes && new Uint8Array(bytes)
  }

  async put(key: Key, bytes: Uint8Array, options: PutOptions = {}): Promise<boolean> {
    const own = this.#own(key)
    // The storage below decides whether a key is free, so nothing shows before it has.
    const [copy, how] = [ownBytes(bytes), ownPutOptions(options)]
    const isShown = !how.ifAbsent
    if (isShown) this.#view.show(own, copy)
    return this.#awaited({ key: own, bytes: copy, options: how, isShown })
  }

  async delete(key: Key): Promise<void> {
    const own = this.#own(key)
    this.#view.show(own, undefined)
    await this.#awaited({ key: own, bytes: undefined, options: {}, isShown: true })
  }

  async #putAll(entries: readonly NewEntry[]): Promise<boolean> {
    this.#guard()
    const own = ownEntries(entries)
    return own.length === 0 || new Promise((resolve, reject) => this.#enqueueAll(own, { resolve, reject }))
  }

  #putAllNow(entries: readonly NewEntry[]): boolean {
    this.#guard()
    const own = ownEntries(entries)
    if (own.some(({ key }) => this.#view.get(key) !== undefined)) return false
    for (const { key, bytes } of own) this.#view.put(key, bytes, {})
    this.#enqueueAll(own)
    return true
  }

  /** Enqueues writes that are done together, or not at all. Those that nobody awaits show already. */
  #enqueueAll(entries: readonly NewEntry[], caller?: NonNullable<Write['caller']>): void {
    const group: Write[] = []
    const more = { options: { ifAbsent: true }, isShown: caller === undefined, group, ...(caller && { caller }) }
    for (const entry of entries) group.push({ ...entry, ...more })
    this.#enqueue(...group)
  }

  async *list(prefix: Key, options: ListOptions = {}): AsyncIterable<Key> {
    this.#guard()
    const [own, how] = listing(prefix, options)
    await this.#queue.allEnded()
    this.#guard()
    try {
      for await (const key of this.#inner.list(own, how)) {
        this.#guard()
        yield key
      }
    } catch (error) {
      throw storageError(error)
    }
  }

  async flush(): Promise<void> {
    if (this.#closed) throw closedError()
    await this.#drain()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#drain()
    } finally {
      await this.#view.close()
      await below(() => this.#inner.close())
    }
  }

  async invalidate(keys: Iterable<Key>): Promise<void> {
    if (this.#closed) throw closedError()
    await inBatches(ownKeys(keys), async (key) => {
      try {
        await this.#readings.read(key)
      } catch (error) {
        this.#view.know(key, { bytes: undefined, error: storageError(error) })
        throw error
      }
    })
  }

  /** Has an entry that could not be read be read behind, so that a later call finds it. */
  #readAgain(key: Key): void {
    if (this.#view.isKnown(key) || this.#readings.isReading(key)) return
    this.#readings.read(key).catch(() => {}) // the entry stays unknown, which this call says already
  }

  /** What every call begins with. */
  #guard(): void {
    if (this.#closed) throw closedError()
    this.#failures.throw()
  }

  #own(key: Key): Key {
    this.#guard()
    return ownKey(key)
  }

  #awaited(write: Omit<Write, 'caller'>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ ...write, caller: { resolve, reject } })
    })
  }

  /** Work begins at once, so all that belongs together comes in one call. */
  #enqueue(...writes: Write[]): void {
    for (const write of writes) {
      this.#queue.add(write)
      this.#readings.overtake(nameOf(write.key))
    }
    this.#working ??= this.#work()
  }

  /** Resolves when everything that waits has been written. Calls that run at the same time all throw what has failed. */
  async #drain(): Promise<void> {
    const failures = this.#failures.take()
    while (this.#working) await this.#working
    await inBatches(this.#view.unknownBelow([]), async (key) => {
      await this.#readings.read(key).catch(() => {}) // nothing of it waits to be written
    })
    failures.throw()
    await below(() => this.#inner.flush())
  }

  async #work(): Promise<void> {
    // What is written without a pause is there after this, and goes together.
    if (this.#together !== undefined) await Promise.resolve()
    while (!this.#queue.isEmpty) {
      const behind = this.#together === undefined ? [] : this.#queue.behind(MOST_TOGETHER)
      if (behind.length > 0 && (await this.#together?.writeTogether(behind)) === true) {
        for (const write of behind) this.#done(write)
        continue
      }
      // One by one, to learn which of them fails.
      for (let left = Math.max(1, behind.length); left > 0; left--) {
        const write = this.#queue.next()
        if (write === undefined) break
        if (write.group === undefined) await this.#perform(write)
        else {
          for (let more = write.group.length; more > 1; more--) this.#queue.next()
          await this.#performAll(write.group)
          left -= write.group.length - 1
        }
      }
    }
    this.#working = undefined
  }

  /** The oldest write has been done. */
  #done({ key, bytes }: Write): void {
    const write = this.#queue.next()
    if (write === undefined) return
    this.#queue.end(write)
    this.#view.know(key, { bytes, error: undefined })
  }

  /** One write at the storage below; afterwards memory is right about its entry. Never rejects. */
  async #perform(write: Write): Promise<void> {
    const { key, bytes, options, caller } = write
    let outcome = await this.#attempt(write)
    let found: Found = { bytes, error: undefined }
    if (outcome !== true) {
      found = await look(this.#inner, key)
      const isThere = found.error === undefined && equalBytes(found.bytes, bytes)
      if (outcome instanceof SxError && isThere) {
        // It failed, and was done. Once more, to learn whether it will stay.
        const again = await this.#attempt(write)
        outcome = again instanceof SxError ? again : true
      } else if (outcome === false && caller === undefined) {
        // Taken by the write itself, which the storage has tried twice, or by somebody else.
        outcome = isThere || (found.error ?? takenError(key))
      }
    }
    // Nothing depends on a write that may be lost, and no caller repeats it.
    if (outcome instanceof SxError && caller === undefined && options.durability !== 'relaxed') {
      await this.#abandon([write], [found], outcome)
      return
    }
    this.#queue.end(write)
    // A hint may be lost anyway. If it cannot be read back, the entry that it names can still be read.
    if (options.durability !== 'relaxed' || found.error === undefined) this.#view.know(key, found)
    if (outcome instanceof SxError) caller?.reject(outcome)
    else caller?.resolve(outcome)
  }

  /** Writes that are done together; afterwards memory is right about their entries. Never rejects. */
  async #performAll(group: readonly Write[]): Promise<void> {
    const caller = group[0]?.caller
    let outcome = await this.#attemptAll(group)
    let found: Found[] = group.map(({ bytes }) => ({ bytes, error: undefined }))
    if (outcome !== true) {
      found = await Promise.all(group.map(({ key }) => look(this.#inner, key)))
      const isThere = found.every(({ error, bytes }, at) => error === undefined && equalBytes(bytes, group[at]?.bytes))
      // As in `#perform`: it failed and was done, or was done twice.
      if (isThere) {
        const again = outcome === false ? true : await this.#attemptAll(group)
        outcome = again instanceof SxError ? again : true
      }
    }
    if (outcome !== true && caller === undefined) {
      const [taken] = group.filter((_, at) => found[at]?.bytes !== undefined)
      await this.#abandon(
        group,
        found,
        outcome === false ? takenError((taken ?? group[0] ?? { key: [] }).key) : outcome,
      )
      return
    }
    for (const [at, write] of group.entries()) {
      this.#queue.end(write)
      this.#view.know(write.key, found[at] as Found)
    }
    if (outcome instanceof SxError) caller?.reject(outcome)
    else caller?.resolve(outcome)
  }

  async #attemptAll(group: readonly Write[]): Promise<boolean | SxError> {
    const entries = group.map(({ key, bytes }) => ({ key, bytes: bytes as Uint8Array }))
    try {
      return (await this.#bulk?.putAll(entries)) ?? false
    } catch (error) {
      return storageError(error)
    }
  }

  /** `false` if the key is taken, or the error. */
  async #attempt({ key, bytes, options }: Write): Promise<boolean | SxError> {
    try {
      if (bytes !== undefined) return await this.#inner.put(key, bytes, options)
      await this.#inner.delete(key)
      return true
    } catch (error) {
      return storageError(error)
    }
  }

  /**
   * A write behind has failed. What waits after it may build on it, so nothing of that is written, and memory goes
   * back to what the storage below holds: all at once, so that no call sees a part of it.
   */
  async #abandon(failed: readonly Write[], there: readonly Found[], error: SxError): Promise<void> {
    const given = [...failed]
    const found = new Map(
      failed.map(({ key }, at) => [nameOf(key), [key, there[at] as Found] as readonly [Key, Found]]),
    )
    while (!this.#queue.isEmpty) {
      await inBatches(this.#rest(), async (write) => {
        given.push(write)
        const name = nameOf(write.key)
        if (!found.has(name)) found.set(name, [write.key, await look(this.#inner, write.key)])
      })
    }
    for (const write of given) this.#queue.end(write)
    for (const [key, of] of found.values()) this.#view.know(key, of)
    this.#failures.note(error)
    for (const { key, caller } of given) caller?.reject(givenUpError(key, error))
  }

  *#rest(): Iterable<Write> {
    for (let write = this.#queue.next(); write; write = this.#queue.next()) yield write
  }
}

/** The arguments of a list as they are now. */
function listing(prefix: Key, options: ListOptions): [Key, ListOptions] {
  const { prefix: own, after, limit } = ownList(prefix, options)
  const isBounded = limit < Number.POSITIVE_INFINITY
  return [own, { ...(after.length > 0 && { after }), ...(isBounded && { limit }) }]
}

function takenError(key: Key): SxError {
  return new SxError('VersionConflict', `Another process wrote ${nameOf(key)} at the same time.`)
}

/** For an awaited write that was not tried: nobody has written its entry. */
function givenUpError(key: Key, error: SxError): SxError {
  if (error.code !== 'VersionConflict') return error
  return new SxError('StorageUnavailable', `${nameOf(key)} was not written, because an earlier write failed.`, {
    cause: error,
  })
}

/**
 * A copy in memory of a storage, which gives it a synchronous form and fast reads. Everything has to fit in memory.
 *
 * - Asynchronous writes resolve when the storage below has them. Synchronous ones show at once and are written behind,
 *   in order; {@link Storage.flush} waits for them, and {@link MirroredStorage.isPending} says of an entry whether it
 *   still has to.
 * - If a write behind fails, those that wait after it are given up with it, memory goes back to what the storage below
 *   holds, and the next call of any kind, or `flush`, throws the error; once.
 * - Put-if-absent is decided by the storage below. The synchronous one can only answer from memory; if somebody else has
 *   taken the key, that is a failed write behind (`VersionConflict`).
 * - A write that failed and was done nevertheless is tried once more, and has succeeded if that succeeds.
 * - If an entry cannot be read again when it has to be, calls on it and lists over it throw `StorageUnavailable`, until
 *   an asynchronous one has read it. An entry that is damaged fails calls on itself only.
 * - The asynchronous `get` and `list` ask the storage below and see what others have written, also through another view
 *   of it in this process; of entries that never change ({@link MirrorOptions.isImmutable}) only those that memory does
 *   not have. To the synchronous ones it shows after that, or after {@link MirroredStorage.invalidate}.
 *
 * Closing the mirror closes `inner`, unless there is a `prefix`.
 *
 * @param inner the storage below; its entries are read before the Promise resolves
 * @throws SxError `InvalidId` for a prefix that {@link checkKey} refuses, `InvalidOption` for a storage that is none and
 *   for other options, and what `inner` rejects with
 * @example
 * const below = memoryStorage()
 * const storage = await mirrored(below)
 * storage.putSync(['notes', 'a'], new Uint8Array([1, 2]))
 * await storage.flush()
 * console.log(await below.get(['notes', 'a'])) // Uint8Array(2) [ 1, 2 ]
 */
export async function mirrored(inner: Storage, options: MirrorOptions = {}): Promise<MirroredStorage> {
  checkStorage(inner)
  const { prefix, isImmutable } = ownMirrorOptions(options)
  const mirror = new Mirror(prefix ? prefixed(inner, prefix) : inner, isImmutable)
  await below(() => mirror.load())
  return mirror
}
