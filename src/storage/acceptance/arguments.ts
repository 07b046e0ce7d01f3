/** The cases about arguments: names that are safe or not, and values that are none or cannot be read. */
import { SxError } from '../../errors.ts'
import type { Key, ListOptions, PutOptions } from '../contract.ts'
import { bytesOf, collect, listed, type Requirement, refused, same, show } from './check.ts'

/** Names that would leave the storage, or mean something else, on some system (attack case T28). */
const UNSAFE: readonly unknown[] = [
  ...'|.|..|../x|..%2f|a/b|/a|a\\b|C:\\x|c:|x:y|\0|a\0b| |a |a.|a\n|~|é|%2e%2e|*|\u202e'.split('|'),
  ...'con|CON|nul.txt|Aux|prn.|com1|LPT9.tar.gz|com0|.tmp|.TMP'.split('|'),
  'a'.repeat(129),
  'a'.repeat(300),
  null,
  undefined,
  7,
  ['a'],
  {},
]

/** Names of the library and of people, which must fit. */
const SAFE: readonly string[] = [
  ...'0190d3a4-7b1c-7c3e-9f00-0123456789ab|0190d3a4-7b1c-7c3e-9f00-0123456789ab.public.pem|sx.private.pem'.split('|'),
  ...'.sx_password|sx.config.json|Report_2026-01-31.final.json|-|_|0|console|com10'.split('|'),
  'a'.repeat(128),
]

/** A proxy of which nothing can be read any more. */
function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** An object of which one property throws when it is read. */
function throwing<T extends object>(target: T, name: string): T {
  return Object.defineProperty(target, name, {
    enumerable: true,
    get: () => {
      throw new Error(`${name} was read`)
    },
  })
}

/** An array in itself twice, and so on: its text has more than 2^60 characters. */
function nested(): unknown {
  let value: unknown[] = ['a']
  for (let depth = 0; depth < 60; depth++) value = [value, value]
  return value
}

/** What is neither a key nor the beginning of one. */
const NO_KEYS: readonly unknown[] = [
  'abc',
  undefined,
  null,
  7,
  { length: 1, 0: 'a' },
  [nested()],
  revoked(['a']),
  throwing(['a', 'b'], '1'),
  Array.from({ length: 2 }),
]

/** What are no bytes; numbers and lists would make some. */
const NO_BYTES: readonly unknown[] = [
  undefined,
  null,
  3,
  'abc',
  [1, 2],
  { length: 1, 0: 1 },
  new ArrayBuffer(2),
  new DataView(new ArrayBuffer(2)),
  new Uint16Array(2),
  new Proxy(new Uint8Array(2), {}),
  revoked(new Uint8Array(2)),
]

/** What are no options of any call. */
const NO_OPTIONS: readonly unknown[] = [null, 7, 'ifAbsent', [], new Map(), Object.create({ limit: 1 }), revoked({})]

/** Does something while every object seems to have more properties. */
function polluted<T>(properties: Record<string, unknown>, work: () => T): T {
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(Object.prototype, name, { value, configurable: true })
  try {
    return work()
  } finally {
    for (const name of Object.keys(properties)) Reflect.deleteProperty(Object.prototype, name)
  }
}
export const aboutArguments: readonly Requirement[] = [
  [
    'T28 every method rejects an unsafe name with InvalidId',
    async (storage, root) => {
      for (const name of UNSAFE as readonly string[]) {
        for (const key of [[name], [root, name], [root, name, 'x']]) {
          const what = show(key)
          await refused('InvalidId', () => storage.get(key), `get ${what}`)
          await refused('InvalidId', () => storage.put(key, bytesOf(1)), `put ${what}`)
          await refused('InvalidId', () => storage.delete(key), `delete ${what}`)
          await refused('InvalidId', () => collect(storage.list(key)), `list ${what}`)
          await refused('InvalidId', () => collect(storage.list([], { after: key })), `list after ${what}`)
        }
      }
      await refused('InvalidId', () => storage.get([]), 'get of an empty key')
      same(await listed(storage, root), [], 'list')
    },
  ],
  [
    'malformed or unreadable arguments are rejected with InvalidId or InvalidOption and have no effect',
    async (storage, root) => {
      const key = [root, 'a']
      for (const [at, value] of NO_KEYS.entries()) {
        const none = value as Key
        await refused('InvalidId', () => storage.get(none), `get of malformed key ${at}`)
        await refused('InvalidId', () => storage.put(none, bytesOf(1)), `put of malformed key ${at}`)
        await refused('InvalidId', () => storage.delete(none), `delete of malformed key ${at}`)
        await refused('InvalidId', () => collect(storage.list(none)), `list of malformed key ${at}`)
        if (value === undefined) continue
        await refused(
          'InvalidId',
          () => collect(storage.list([root], { after: none })),
          `list after malformed key ${at}`,
        )
      }
      for (const [at, none] of NO_BYTES.entries())
        await refused('InvalidOption', () => storage.put(key, none as Uint8Array), `put of malformed bytes ${at}`)
      const ofPut = [{ ifAbsent: 'yes' }, { ifAbsent: null }, { durability: 'none' }, throwing({}, 'ifAbsent')]
      for (const [at, none] of [...NO_OPTIONS, ...ofPut].entries())
        await refused(
          'InvalidOption',
          () => storage.put(key, bytesOf(1), none as PutOptions),
          `put, malformed options ${at}`,
        )
      const ofList = [{ limit: '1' }, { limit: null }, { limit: Number.POSITIVE_INFINITY }, throwing({}, 'after')]
      for (const [at, none] of [...NO_OPTIONS, ...ofList].entries())
        await refused(
          'InvalidOption',
          () => collect(storage.list(key, none as ListOptions)),
          `list, malformed options ${at}`,
        )
      same(await listed(storage, root), [], 'list')
    },
  ],
  [
    'only own properties of options are read, even if Object.prototype is polluted',
    async (storage, root) => {
      const key = [root, 'a']
      await storage.put(key, bytesOf(1))
      await storage.put([root, 'b'], bytesOf(1))
      const foreign = { ifAbsent: true, durability: 'none', limit: 0, after: ['zz'] }
      for (const options of [undefined, {}]) {
        same(await polluted(foreign, () => storage.put(key, bytesOf(2), options)), true, 'put')
        const keys = storage.list([root], options)[Symbol.asyncIterator]()
        const first = await polluted(foreign, () => keys.next())
        same(first.value, key, 'first key')
        await keys.return?.()
      }
      same(await storage.get(key), bytesOf(2), 'get')
    },
  ],
  [
    'a key that changes while it is read is rejected, or its first value is used',
    async (storage, root) => {
      let reads = 0
      const second = (): string => (reads++ === 0 ? 'a' : '..')
      const shifting = Object.defineProperty([root, ''], '1', { get: second })
      let outcome = 'InvalidId'
      try {
        await storage.put(shifting, bytesOf(1))
        outcome = 'written'
      } catch (error) {
        if (!(error instanceof SxError && error.code === 'InvalidId')) throw error
      }
      same(await listed(storage, root), outcome === 'written' ? ['a'] : [], `list, ${outcome}`)
    },
  ],
  [
    'names of the library and ordinary file names are safe',
    async (storage, root) => {
      for (const name of SAFE) {
        same(await storage.put([root, name], bytesOf(1)), true, `put ${name}`)
        same(await storage.get([root, name]), bytesOf(1), `get ${name}`)
      }
      same(await listed(storage, root), [...SAFE].sort(), 'list')
    },
  ],
]
