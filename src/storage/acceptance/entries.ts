/** The cases about entries: written, read, listed, kept. */
import { compareKeys, isSyncStorage, type Key } from '../contract.ts'
import { bytesOf, collect, fail, listed, type Requirement, refused, same, show } from './check.ts'

export const aboutEntries = (largest: number): Requirement[] => [
  [
    'a missing entry is undefined and can be deleted',
    async (storage, root) => {
      same(await storage.get([root, 'none']), undefined, 'get')
      same(await storage.get([root, 'none', 'deeper']), undefined, 'get below a missing key')
      await storage.delete([root, 'none'])
      same(await listed(storage, root), [], 'list')
    },
  ],
  [
    'get returns exactly the stored bytes: none, every value, and many',
    async (storage, root) => {
      const large = new Uint8Array(largest).map((_, at) => (at * 31) ^ (at >> 8))
      for (const [name, bytes] of Object.entries({ none: bytesOf(), every: large.slice(0, 0), large })) {
        const value = name === 'every' ? Uint8Array.from({ length: 256 }, (_, at) => at) : bytes
        same(await storage.put([root, name], value), true, `put ${name}`)
        const found = await storage.get([root, name])
        if (!(found instanceof Uint8Array)) fail(`get ${name}`, show(found), 'a Uint8Array')
        same(found, value, `get ${name}`)
      }
    },
  ],
  [
    'put replaces an entry with longer and shorter bytes',
    async (storage, root) => {
      for (const bytes of [bytesOf(1, 2, 3), bytesOf(4, 5, 6, 7), bytesOf(8)]) {
        same(await storage.put([root, 'a', 'b'], bytes), true, 'put')
        same(await storage.get([root, 'a', 'b']), bytes, 'get')
      }
    },
  ],
  [
    'put with ifAbsent writes only once until the entry is deleted',
    async (storage, root) => {
      const key = [root, 'claims', 'one']
      same(await storage.put(key, bytesOf(1), { ifAbsent: true }), true, 'first put')
      same(await storage.put(key, bytesOf(2), { ifAbsent: true }), false, 'second put')
      same(await storage.get(key), bytesOf(1), 'get')
      same(await storage.put(key, bytesOf(1), { ifAbsent: true }), false, 'put of the same bytes')
      await storage.delete(key)
      same(await storage.get(key), undefined, 'get after delete')
      same(await storage.put(key, bytesOf(3), { ifAbsent: true }), true, 'put after delete')
      same(await storage.put(key, bytesOf(4), { ifAbsent: false }), true, 'plain put')
      same(await storage.get(key), bytesOf(4), 'get at the end')
    },
  ],
  [
    'exactly one of 20 concurrent puts with ifAbsent succeeds, and its bytes are stored',
    async (storage, root) => {
      for (const round of ['1', '2', '3', '4', '5']) {
        const key = [root, 'race', round]
        const won = await Promise.all(
          Array.from({ length: 20 }, (_, at) => storage.put(key, bytesOf(at), { ifAbsent: true })),
        )
        same(won.filter(Boolean).length, 1, 'number of winners')
        same(await storage.get(key), bytesOf(won.indexOf(true)), 'bytes')
      }
    },
  ],
  [
    'list returns the keys below a prefix in ascending order, segment by segment',
    async (storage, root) => {
      // '-' and '.' sort below '/', so a store that compares joined names would get these wrong.
      const names = ['a/b', 'a/b-', 'a-/a', 'a.x', 'a0', 'B', 'b/a/c', 'b/a.c', 'b_', 'aa/z', 'a/Z', 'b/b/a/x']
      const sorted = names.map((name) => name.split('/')).sort(compareKeys)
      for (const name of names) await storage.put([root, ...name.split('/')], bytesOf(1))
      const expected = sorted.map((key) => key.join('/'))
      same(expected[0], 'B', 'first of compareKeys')
      same(await listed(storage, root), expected, 'list all')
      same(await listed(storage, root, ['a']), ['a/Z', 'a/b', 'a/b-'], 'list below a')
      same(await listed(storage, root, ['b', 'a']), ['b/a/c'], 'list below b/a')
      same(await listed(storage, root, ['a', 'b']), [], 'list below an entry')
      same(await listed(storage, root, ['nothing']), [], 'list below nothing')
      const all = await collect(storage.list([]))
      same(all.filter((key) => key[0] === root).length, names.length, 'list of everything')
      same(all, [...all].sort(compareKeys), 'order of everything')
      for (const name of names.slice(0, 6)) await storage.delete([root, ...name.split('/')])
      same(
        await listed(storage, root),
        expected.filter((name) => !names.slice(0, 6).includes(name)),
        'list after deletes',
      )
    },
  ],
  [
    'list continues after any key, stored or not, and stops at the limit',
    async (storage, root) => {
      const keys = ['a', 'b', 'c'].flatMap((one) => ['a', 'b.x', 'c'].map((two) => [one, two]))
      for (const key of keys) await storage.put([root, ...key], bytesOf(1))
      const expected = keys.map((key) => key.join('/'))
      const probes: Key[] = [...keys, ['a'], ['b'], ['b', 'b'], ['b', 'b.x', 'z'], ['b', 'z'], ['0'], ['zz'], ['b-']]
      for (const after of probes) {
        const rest = keys.filter((key) => compareKeys(key, after) > 0).map((key) => key.join('/'))
        same(await listed(storage, root, [], { after }), rest, `list after ${after.join('/')}`)
        same(await listed(storage, root, [], { after, limit: 2 }), rest.slice(0, 2), `two after ${after.join('/')}`)
        const inB = rest.filter((name) => name.startsWith('b/'))
        same(await listed(storage, root, ['b'], { after }), inB, `list b after ${after.join('/')}`)
      }
      for (const limit of [0, 1, 4, 9, 10])
        same(await listed(storage, root, [], { limit }), expected.slice(0, limit), `${limit}`)
      const pages: string[] = []
      for (let after: Key | undefined; ; ) {
        const page = await listed(storage, root, [], after ? { after, limit: 2 } : { limit: 2 })
        pages.push(...page)
        after = page.at(-1)?.split('/')
        if (page.length < 2) break
      }
      same(pages, expected, 'pages put together')
      for (const limit of [-1, 0.5, Number.NaN])
        await refused('InvalidOption', () => collect(storage.list([root], { limit })), `limit ${limit}`)
    },
  ],
  [
    'list returns each remaining entry exactly once while others are written and deleted',
    async (storage, root) => {
      const staying = Array.from({ length: 30 }, (_, at) => `k${10 + at}`)
      for (const name of staying) await storage.put([root, name, 'x'], bytesOf(1))
      const seen: string[] = []
      for await (const key of storage.list([root])) {
        seen.push(key[1] ?? '')
        await storage.put([root, `a${seen.length}`, 'x'], bytesOf(2))
        await storage.put([root, `z${seen.length}`, 'x'], bytesOf(2))
        await storage.delete([root, `z${seen.length - 1}`, 'x'])
        if (seen.length > 500) break
      }
      same(
        seen.filter((name) => name.startsWith('k')),
        staying,
        'keys that stayed',
      )
    },
  ],
  [
    'a relaxed write is complete, visible at once, and persists after reopening',
    async (storage, root, open) => {
      const key = [root, 'hint', 'latest']
      const relaxed = { durability: 'relaxed' } as const
      same(await storage.put(key, bytesOf(1), relaxed), true, 'first put')
      same(await storage.get(key), bytesOf(1), 'get')
      same(await storage.put(key, bytesOf(2, 3), relaxed), true, 'put over it')
      same(await storage.put(key, bytesOf(4), { ...relaxed, ifAbsent: true }), false, 'put with ifAbsent')
      same(await storage.put([root, 'other'], bytesOf(5), { ...relaxed, ifAbsent: true }), true, 'put of another')
      same(await storage.put(key, bytesOf(6), { ifAbsent: true }), false, 'lasting put with ifAbsent')
      same(await storage.get(key), bytesOf(2, 3), 'get at the end')
      await storage.flush()
      await storage.close()
      if (storage.capabilities.durability === 'none') return
      const again = await open()
      try {
        same(await again.get(key), bytesOf(2, 3), 'get after opening again')
        same(await listed(again, root), ['hint/latest', 'other'], 'list after opening again')
      } finally {
        await again.close()
      }
    },
  ],
  [
    'bytes are copied: later changes to them do not affect the entry',
    async (storage, root) => {
      const bytes = bytesOf(1, 2, 3)
      const key = [root, 'copied']
      const writing = storage.put(key, bytes)
      bytes.fill(9)
      await writing
      const first = await storage.get(key)
      same(first, bytesOf(1, 2, 3), 'bytes changed by the writer')
      first?.fill(9)
      same(await storage.get(key), bytesOf(1, 2, 3), 'bytes changed by a reader')
      const part = new Uint8Array([7, 8, 9, 10]).subarray(1, 3)
      await storage.put(key, part)
      same(await storage.get(key), bytesOf(8, 9), 'a part of a buffer')
    },
  ],
  [
    'flushed entries persist after reopening, and a closed storage rejects all calls',
    async (storage, root, open) => {
      const key = [root, 'kept', 'entry']
      await storage.put(key, bytesOf(1, 2))
      await storage.put([root, 'gone'], bytesOf(3))
      await storage.delete([root, 'gone'])
      await storage.flush()
      await storage.close()
      await storage.close()
      await refused('StorageUnavailable', () => storage.get(key), 'get after close')
      await refused('StorageUnavailable', () => storage.put(key, bytesOf(1)), 'put after close')
      await refused('StorageUnavailable', () => storage.delete(key), 'delete after close')
      await refused('StorageUnavailable', () => collect(storage.list([root])), 'list after close')
      await refused('StorageUnavailable', () => storage.flush(), 'flush after close')
      if (storage.capabilities.durability === 'none') return
      const again = await open()
      try {
        same(await again.get(key), bytesOf(1, 2), 'get after opening again')
        same(await listed(again, root), ['kept/entry'], 'list after opening again')
      } finally {
        await again.close()
      }
    },
  ],
]

/** Only where there is a synchronous form. */
export const bothForms: Requirement = [
  'the asynchronous and synchronous methods see the same entries at once',
  async (storage, root) => {
    if (!isSyncStorage(storage)) fail('capabilities.sync', 'true', 'the methods of SyncStorage')
    const key = [root, 'both']
    same(storage.putSync(key, bytesOf(1), { ifAbsent: true }), true, 'putSync')
    same(await storage.get(key), bytesOf(1), 'get')
    same(await storage.put(key, bytesOf(2), { ifAbsent: true }), false, 'put after putSync')
    await storage.put(key, bytesOf(3))
    same(storage.getSync(key), bytesOf(3), 'getSync')
    same([...storage.listSync([root])], await collect(storage.list([root])), 'lists')
    storage.deleteSync(key)
    same(await storage.get(key), undefined, 'get after deleteSync')
    same(await storage.put(key, bytesOf(4), { ifAbsent: true }), true, 'put after deleteSync')
    storage.putSync(key, bytesOf(5))
    await storage.put(key, bytesOf(6))
    same(storage.getSync(key), bytesOf(6), 'getSync after putSync and put')
    await storage.flush()
  },
]
