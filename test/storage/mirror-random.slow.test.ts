// Several mirrors of one storage that fails, answers late and out of order, and contradicts what it has done: whatever
// they are told to do, in whatever order, what they say has to be true of the storage below.
import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { SxError } from '../../src/errors.ts'
import type { Key, PutOptions, Storage, SyncStorage } from '../../src/storage/contract.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type MirroredStorage, mirrored } from '../../src/storage/mirror.ts'

const SEEDS = Number(process.env['SX_MIRROR_SEEDS'] ?? 500)
const STEPS = 120
const WRITERS = 3
/** Places that all writers claim, once and for good. */
const PLACES: readonly Key[] = Array.from({ length: 6 }, (_, at) => ['chain', `${at + 1}.json`])

type Random = (below: number) => number

/** Mulberry32: whole numbers from 0 up to a bound. */
function randomOf(seed: number): Random {
  let state = seed
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const nameOf = (key: Key): string => key.join('/')
const isImmutable = (key: Key): boolean => key[0] === 'chain'

const FAILED_WRITE = 'the write failed'

/** The storage below: calls that wait until they are let through, and what has been written. */
class Below {
  readonly #entries: SyncStorage = memoryStorage()
  readonly #random: Random
  /** Everything that an entry has been, by its name. */
  readonly #history = new Map<string, (string | undefined)[]>()
  /** Calls that have not been answered. */
  readonly waiting: (() => void)[] = []
  /** What writes have done, in order: `writer put key bytes` or `writer delete key`. */
  readonly log: string[] = []
  faults = false

  constructor(random: Random) {
    this.#random = random
  }

  /** What an entry is now. */
  now(key: Key): string | undefined {
    return textOf(this.#entries.getSync(key))
  }

  /** What an entry is and has been, the oldest first. */
  history(key: Key): (string | undefined)[] {
    const name = nameOf(key)
    const known = this.#history.get(name) ?? [undefined]
    this.#history.set(name, known)
    return known
  }

  answer(): void {
    const [next] = this.waiting.splice(this.#random(this.waiting.length), 1)
    next?.()
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  #happens(oneIn: number): boolean {
    return this.faults && this.#random(oneIn) === 0
  }

  #mayFail(oneIn: number, message: string): void {
    if (this.#happens(oneIn)) throw this.#random(2) === 0 ? new SxError('StorageFull', message) : new TypeError(message)
  }

  #done(line: string, key: Key): void {
    this.log.push(line)
    this.history(key).push(this.now(key))
  }

  /** The storage as one writer has it. */
  for(writer: string): Storage {
    const entries = this.#entries
    /** Keys that were called taken; reading those does not fail, so that all failures of writes can be told apart. */
    const taken = new Set<string>()
    return {
      capabilities: { sync: false, durability: 'strict', shared: true },
      get: async (key) => {
        await this.#turn()
        if (!taken.has(nameOf(key))) this.#mayFail(12, 'the read failed')
        const bytes = entries.getSync(key)
        if (this.#random(2) === 0) await this.#turn()
        return bytes
      },
      put: async (key, bytes, options: PutOptions = {}) => {
        await this.#turn()
        this.#mayFail(10, FAILED_WRITE)
        const done = entries.putSync(key, bytes, options)
        if (done) this.#done(`${writer} put ${nameOf(key)} ${textOf(bytes)}`, key)
        if (this.#random(2) === 0) await this.#turn()
        this.#mayFail(10, FAILED_WRITE)
        const answer = done && !(options.ifAbsent && this.#happens(6)) // as if it had done it twice
        if (!answer) taken.add(nameOf(key))
        return answer
      },
      delete: async (key) => {
        await this.#turn()
        this.#mayFail(10, FAILED_WRITE)
        entries.deleteSync(key)
        this.#done(`${writer} delete ${nameOf(key)}`, key)
        if (this.#random(2) === 0) await this.#turn()
        this.#mayFail(10, FAILED_WRITE)
      },
      list: (prefix, options) => entries.list(prefix, options),
      flush: () => this.#turn(),
      close: () => Promise.resolve(),
    }
  }
}

/** One mirror and whoever uses it. */
class Writer {
  readonly mirror: MirroredStorage
  readonly #name: string
  readonly #below: Below
  readonly #random: Random
  /** Entries that nobody else writes. */
  readonly #own: readonly Key[]
  /** Synchronous writes since a failure was told, as the log names them. */
  #behind: string[] = []
  /** How many of them have been done. */
  #done = 0
  /** What they show, by the name of the entry. */
  #shown = new Map<string, string | undefined>()
  /** So much of the log has been read. */
  #read = 0
  #count = 0
  readonly #running = new Set<Promise<void>>()
  readonly #broken: unknown[] = []

  constructor(name: string, mirror: MirroredStorage, below: Below, random: Random) {
    this.#name = name
    this.mirror = mirror
    this.#below = below
    this.#random = random
    this.#own = ['a', 'b', 'c'].map((last) => [name, last])
  }

  /** Something to do, drawn by lot. */
  act(): void {
    const place = PLACES[this.#random(PLACES.length)] as Key
    const own = this.#own[this.#random(this.#own.length)] as Key
    const text = `${this.#name}-${this.#count++}`
    const acts = [
      () => this.#now(() => this.#claimBehind(place, text)),
      () => this.#now(() => this.#writeBehind(own, text)),
      () => this.#now(() => this.#deleteBehind(own)),
      () => this.#later('write', () => this.#claim(place, text)),
      () => this.#later('write', () => this.#put([this.#name, 'awaited', own.at(-1) ?? ''], text)),
      () => this.#later('read', () => this.#get(place)),
      () => this.#later('read', () => this.#get(place)),
      () => this.#later('read', () => this.#get(own)),
      () => this.#later('read', () => this.#get(own)),
      () => this.#later('read', () => this.mirror.invalidate([place, own])),
      () => this.#later('read', () => this.#flush()),
    ]
    acts[this.#random(acts.length)]?.()
  }

  #claimBehind(place: Key, text: string): void {
    const known = this.mirror.getSync(place)
    const done = this.mirror.putSync(place, bytesOf(text), { ifAbsent: true })
    assert.equal(done, known === undefined)
    if (done) this.#behind.push(`put ${nameOf(place)} ${text}`)
  }

  #writeBehind(own: Key, text: string): void {
    assert.equal(this.mirror.putSync(own, bytesOf(text)), true)
    this.#behind.push(`put ${nameOf(own)} ${text}`)
    this.#shown.set(nameOf(own), text)
    assert.equal(textOf(this.mirror.getSync(own)), text)
  }

  #deleteBehind(own: Key): void {
    this.mirror.deleteSync(own)
    this.#behind.push(`delete ${nameOf(own)}`)
    this.#shown.set(nameOf(own), undefined)
  }

  async #claim(place: Key, text: string): Promise<void> {
    const done = await this.mirror.put(place, bytesOf(text), { ifAbsent: true })
    const there = this.#below.now(place)
    assert.notEqual(there, undefined)
    if (done) assert.equal(there, text)
  }

  async #put(key: Key, text: string): Promise<void> {
    assert.equal(await this.mirror.put(key, bytesOf(text)), true)
    assert(this.#below.history(key).includes(text))
  }

  /** What is read was there at some moment of the call, and after what this writer had written before. */
  async #get(key: Key): Promise<void> {
    const [list, written] = [this.#behind, this.#shown.get(nameOf(key))]
    const history = this.#below.history(key)
    let from = history.length - 1
    const got = textOf(await this.mirror.get(key))
    if (written !== undefined && this.#behind === list) from = Math.max(from, history.lastIndexOf(written))
    assert(history.slice(from).includes(got), `${nameOf(key)} was not ${got}`)
  }

  async #flush(): Promise<void> {
    const [list, asked] = [this.#behind, this.#behind.length]
    await this.mirror.flush()
    this.#follow()
    if (this.#behind === list) assert(this.#done >= asked)
  }

  /** A synchronous call; what it throws is the failure of a write behind, or about an entry that cannot be read. */
  #now(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#told(error)
    }
  }

  /** A call that nobody waits for. */
  #later(kind: 'read' | 'write', call: () => Promise<void>): void {
    // What failed before is told now, so that an awaited write is rejected for reasons of its own.
    this.#now(() => this.mirror.getSync(['none']))
    const running = call()
      .catch((error: unknown) => {
        assert(error instanceof SxError)
        if (kind === 'read') this.#told(error)
      })
      .catch((error: unknown) => this.#broken.push(error))
      .then(() => {
        this.#running.delete(running)
      })
    this.#running.add(running)
  }

  /** If it is the failure of a write behind, it has to be true, and what waited after that write was given up. */
  #told(error: unknown): void {
    if (!(error instanceof SxError)) throw error
    const { code, message, cause } = error
    if (code === 'VersionConflict') {
      const [, place = ''] = /wrote (\S+) at the same time/.exec(message) ?? []
      const there = this.#below.now(place.split('/'))
      assert.notEqual(there, undefined, message)
      assert(!this.#behind.includes(`put ${place} ${there}`), message)
    } else if (!(cause instanceof TypeError ? cause : error).message.includes(FAILED_WRITE)) return
    else if (message.includes('could not be read again')) return
    this.#follow()
    this.#behind = []
    this.#shown = new Map()
    this.#done = 0
  }

  /** Writes behind are done in order, none is left out, and none is done after it was given up. */
  #follow(): void {
    const { log } = this.#below
    for (; this.#read < log.length; this.#read++) {
      const [writer, ...rest] = (log[this.#read] ?? '').split(' ')
      const write = rest.join(' ')
      if (writer !== this.#name || !this.#isBehind(write)) continue
      if (write === this.#behind[this.#done]) this.#done++
      else assert.equal(write, this.#behind[this.#done - 1]) // tried once more
    }
  }

  /** Awaited writes are to places and entries of their own. */
  #isBehind(write: string): boolean {
    return this.#behind.includes(write) || this.#own.some((key) => write.split(' ')[1] === nameOf(key))
  }

  /** What was written shows, and what is not pending is below. */
  check(): void {
    for (const error of this.#broken) throw error
    this.#follow()
    for (const key of [...PLACES, ...this.#own]) {
      this.#now(() => {
        const shown = textOf(this.mirror.getSync(key))
        if (this.#shown.has(nameOf(key))) assert.equal(shown, this.#shown.get(nameOf(key)))
        if (this.mirror.isPending(key)) return
        if (shown !== undefined || !isImmutable(key)) assert.equal(shown, this.#below.now(key))
      })
    }
  }

  /** At the end, with a storage that fails no more. */
  async end(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
    await this.mirror.flush().catch((error: unknown) => this.#told(error))
    await this.mirror.flush()
    this.check()
    assert.equal(this.#done, this.#behind.length)
  }

  /** After the end of all, what is shown is what is there. */
  async compare(): Promise<void> {
    await Promise.all([...PLACES, ...this.#own].map((key) => this.mirror.get(key)))
    for (const key of [...PLACES, ...this.#own]) {
      assert.equal(this.mirror.isPending(key), false)
      assert.equal(textOf(this.mirror.getSync(key)), this.#below.now(key))
    }
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Answers calls of the storage below, in any order, until this is over. */
async function over<T>(below: Below, working: Promise<T>): Promise<T> {
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  working.then(end, end)
  while (!isOver) {
    below.answer()
    await settled()
  }
  return working
}

async function simulate(seed: number): Promise<void> {
  const random = randomOf(seed)
  const below = new Below(random)
  const opening = Array.from({ length: WRITERS }, async (_, at) => {
    const name = `w${at}`
    return new Writer(name, await mirrored(below.for(name), { isImmutable }), below, random)
  })
  const writers = await over(below, Promise.all(opening))
  below.faults = true
  for (let step = 0; step < STEPS; step++) {
    if (random(2) === 0) writers[random(WRITERS)]?.act()
    for (let answers = random(4); answers > 0; answers--) {
      below.answer()
      await settled()
    }
    writers[random(WRITERS)]?.check()
  }
  below.faults = false
  await over(below, Promise.all(writers.map(async (writer) => writer.end())))
  await over(below, Promise.all(writers.map(async (writer) => writer.compare())))
}

test(`${SEEDS} random histories`, async () => {
  const only = process.env['SX_MIRROR_SEED']
  const first = only === undefined ? 1 : Number(only)
  const last = only === undefined ? SEEDS : first
  const failures: string[] = []
  for (let seed = first; seed <= last; seed++) {
    await simulate(seed).catch((error: Error) => failures.push(`SX_MIRROR_SEED=${seed} repeats ${error.stack}`))
    if (failures.length > 0) break
  }
  expect(failures).toEqual([])
})
