// Chains of numbered entries: finding the latest one, and winning a place.
import { SxError } from 'sx-agent'
import { type Key, memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeEach, describe, expect, it } from 'vitest'
import { encode } from '../../src/bytes.ts'
import { type Operation, runAsync, runSync } from '../../src/effects.ts'
import type { ChainNames } from '../../src/names.ts'
import { append, claim, type Entry, readLatest } from '../../src/state/chain.ts'
import { remote } from './remote.ts'

const names: ChainNames = {
  label: 'the chain',
  entry: (number) => ['c', `x.${number}.json`],
  latest: () => ['c', 'x.latest'],
  index: (version) => ['c', `x.${version}`],
}
const failsWith = (code: string, text = ''): unknown =>
  expect.objectContaining({ name: 'SxError', code, message: expect.stringContaining(text) as string })
const entryOf = (number: number): Entry => ({ number, bytes: encode(`entry ${number}`) })

let storage: SyncStorage

/** Has a storage hold these entries, and a hint. */
function holding(numbers: Iterable<number>, hint?: string): void {
  storage = memoryStorage()
  for (const number of numbers) storage.putSync(names.entry(number), entryOf(number).bytes)
  if (hint !== undefined) storage.putSync(names.latest(), encode(hint))
}
const upTo = (length: number): number[] => Array.from({ length }, (_, at) => at + 1)
const latest = (known?: number): number | undefined => runSync(() => readLatest(storage, names, known))?.number

describe('the latest entry', () => {
  it('is found from wherever the search begins', () => {
    for (const length of [1, 2, 3, 4, 5, 7, 8, 9, 31, 33]) {
      for (const hint of [undefined, '', 'x', '0', '01', ...upTo(length).map(String)]) {
        holding(upTo(length), hint)
        expect(latest(), `${length} with the hint ${hint}`).toBe(length)
      }
      for (const known of upTo(length)) expect(latest(known), `${length} from ${known}`).toBe(length)
    }
  })

  it('costs no more than the logarithm of what is new', () => {
    holding(upTo(1000))
    let reads = 0
    const counting: Storage = remote(storage, { get: (key) => (reads++, storage.get(key)) })
    return runAsync(() => readLatest(counting, names)).then((found) => {
      expect(found).toEqual(entryOf(1000))
      expect(reads).toBeLessThan(30)
    })
  })

  it('is none where there is no chain', () => {
    holding([])
    expect(latest()).toBeUndefined()
    holding([], '1')
    expect(latest()).toBeUndefined()
  })

  it('is Rollback where an entry is missing that is known or that the hint names', () => {
    holding(upTo(2), '3')
    expect(() => latest()).toThrow(failsWith('Rollback', 'Entry 3 of the chain'))
    holding(upTo(2))
    expect(() => latest(3)).toThrow(failsWith('Rollback', 'Entry 3 of the chain'))
    holding([])
    expect(() => latest(1)).toThrow(failsWith('Rollback', 'Entry 1 of the chain'))
  })

  it('is CorruptStore where there is a hole, and the entry is named', () => {
    holding([2, 3])
    expect(() => latest()).toThrow(failsWith('CorruptStore', 'Entry 1 of the chain'))
    holding([1, 3])
    expect(() => latest()).toThrow(failsWith('CorruptStore', 'Entry 2 of the chain'))
  })

  it('is recognised by who knows it', () => {
    holding(upTo(3))
    const seen: number[] = []
    runSync(() => readLatest(storage, names, 2, ({ number }) => seen.push(number)))
    expect(seen).toEqual([2])
  })
})

describe('the greatest number', () => {
  const greatest = Number.MAX_SAFE_INTEGER
  const after = names.entry(greatest + 1)

  it('that only a hint names is Rollback in both forms', async () => {
    holding(upTo(2), String(greatest))
    const rollback = failsWith('Rollback', `Entry ${greatest} of the chain`)
    expect(() => latest()).toThrow(rollback)
    await expect(runAsync(() => readLatest(remote(storage), names))).rejects.toThrow(rollback)
  })

  it('is found as the latest, whatever stands behind it', () => {
    holding([...upTo(2), greatest - 1, greatest], String(greatest))
    storage.putSync(after, encode('beyond'))
    expect(latest()).toBe(greatest)
    expect([latest(greatest), latest(greatest - 1)]).toEqual([greatest, greatest])
  })

  it('is found in no more steps than the logarithm takes where every entry is there', () => {
    let reads = 0
    storage = Object.assign(memoryStorage(), {
      getSync: (key: Key) => (reads++, key.at(-1)?.endsWith('.json') ? encode(key.join('/')) : undefined),
    })
    expect(latest()).toBe(greatest)
    expect(reads).toBeLessThan(200)
  })

  it('lets nothing come after it, and the entry is named', () => {
    holding([greatest], String(greatest))
    const appended = (): unknown => runSync(() => append(storage, names, entryOf(greatest + 1)))
    expect(appended).toThrow(failsWith('CorruptStore', `No entry can follow entry ${greatest} of the chain`))
    expect(storage.getSync(after)).toBeUndefined()
  })

  it.each([greatest + 1, '9'.repeat(17), '9'.repeat(400), `0${greatest}`, '03', '3.0', '3e0', ' 3', '3\n'])(
    'is that of a hint too: %j names none',
    (hint) => {
      holding(upTo(2), String(hint))
      expect(latest()).toBe(2)
    },
  )
})

describe('a place', () => {
  const bytes = encode('mine')
  const key = names.entry(1)
  const claimed = (place: Storage): Promise<boolean> => runAsync((): Operation<boolean> => claim(place, key, bytes))
  const down = (): Promise<never> => Promise.reject(new SxError('StorageUnavailable'))

  beforeEach(() => {
    storage = memoryStorage()
  })

  it('is won by the first one, and by who finds the own bytes there', async () => {
    expect(await claimed(storage)).toBe(true)
    expect(await claimed(storage)).toBe(true)
    storage.putSync(key, encode("another's"))
    expect(await claimed(storage)).toBe(false)
  })

  it('is asked for once more after a failure, whether that has written or not', async () => {
    for (const hasWritten of [true, false]) {
      storage = memoryStorage()
      let calls = 0
      const failing = remote(storage, {
        put: async (at, value, how) => {
          if (++calls > 1 || hasWritten) await storage.put(at, value, how)
          return calls > 1 ? storage.getSync(at) !== undefined && !hasWritten : await down()
        },
      })
      expect(await claimed(failing)).toBe(true)
      expect([calls, storage.getSync(key)]).toEqual([2, bytes])
    }
  })

  it('is reported as failed after two failures', async () => {
    let calls = 0
    await expect(claimed(remote(storage, { put: () => (calls++, down()) }))).rejects.toThrow(
      failsWith('StorageUnavailable'),
    )
    expect(calls).toBe(2)
  })
})

describe('appending', () => {
  it('writes the hints from the second entry on', () => {
    storage = memoryStorage()
    expect(runSync(() => append(storage, names, entryOf(1), 'v1'))).toBe(true)
    expect([...storage.listSync([])]).toEqual([names.entry(1)])
    expect(runSync(() => append(storage, names, entryOf(2), 'v2'))).toBe(true)
    expect([names.latest(), ['c', 'x.v2']].map((key) => storage.getSync(key))).toEqual([encode('2'), encode('2')])
  })

  it('writes nothing where another entry stands', () => {
    holding([1])
    storage.putSync(names.entry(2), encode('faster'))
    expect(runSync(() => append(storage, names, entryOf(2), 'v2'))).toBe(false)
    expect(storage.getSync(names.entry(2))).toEqual(encode('faster'))
    expect(storage.getSync(names.latest())).toBeUndefined()
  })

  it('has not failed if a hint cannot be written', async () => {
    holding([1])
    const full = remote(storage, {
      put: (key, bytes, how) =>
        how?.ifAbsent === true ? storage.put(key, bytes, how) : Promise.reject(new SxError('StorageFull')),
    })
    expect(await runAsync(() => append(full, names, entryOf(2), 'v2'))).toBe(true)
    expect(latest()).toBe(2)
  })
})
