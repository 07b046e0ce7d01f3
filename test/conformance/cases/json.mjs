// Strict JSON and its canonical form, from texts and from JavaScript values.
import vectors from '../../vectors/json.json' with { type: 'json' }
import { equal, ok, outcome, own, refused } from '../assert.mjs'

const readerCodes = ['NotJson', 'DuplicateKey', 'LossyNumber', 'LimitExceeded']

/** The canonical text of a message's payload. */
function contentOf(raw) {
  const start = raw.indexOf('"content":') + '"content":'.length
  return raw.slice(start, raw.lastIndexOf(',"sxId":"'))
}

/** Everything that JSON text cannot show, so that its signer would not know what was signed. */
const notJson = () => ({
  undefined: undefined,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '1e400': Number('1e400'),
  BigInt: 1n,
  symbol: Symbol('s'),
  function: () => 1,
  Date: new Date(0),
  Map: new Map([['a', 1]]),
  Set: new Set([1]),
  Uint8Array: new Uint8Array(2),
  ArrayBuffer: new ArrayBuffer(2),
  'boxed String': new String('a'),
  'boxed Number': new Number(1),
  'boxed Boolean': new Boolean(false),
  RegExp: /a/,
  Error: new Error('a'),
  Promise: Promise.resolve(1),
  'sparse array': Object.assign([], { length: 2 }),
  'array with toJSON': Object.assign([1], { toJSON: () => 2 }),
  'class instance': new (class A {
    a = 1
  })(),
  toJSON: { toJSON: () => 1 },
  'inherited toJSON': Object.create({ toJSON: () => 1 }),
  'own prototype': Object.create({ a: 1 }),
  'lone high surrogate': '\ud800',
  'lone low surrogate': 'a\udc00b',
  'lone surrogate in a name': { '\udfff': 1 },
  'getter that throws': {
    get a() {
      throw new TypeError('no')
    },
  },
})

export function json({ SxError, open }) {
  let opened
  const agentOf = async () => {
    opened ??= open('ed25519', 'Reader')
    return (await opened).agent
  }
  const sign = async (text) => (await agentOf()).createDocument(text, null, null, true)
  return [
    ...vectors.accepted.map(({ name, text, canonical }) => [
      `JSON: ${name}`,
      async () => {
        const agent = await agentOf()
        const { code } = await outcome(SxError, () => agent.verifyOrThrow(text))
        ok(!readerCodes.includes(code), `it is read, but ${code}`)
        if (name === 'depth 128') return // it leaves no level for a document around it
        const wrapped = await sign(`{"sxType":"message","content":${text}}`)
        equal(contentOf(wrapped), canonical, 'canonical text')
        equal(JSON.stringify((await agent.verifyOrThrow(wrapped)).data), JSON.stringify(JSON.parse(canonical)), 'data')
      },
    ]),
    ...vectors.refused.map(({ name, text, code }) => [
      `JSON: ${name} is ${code}`,
      async () => {
        const agent = await agentOf()
        await refused(SxError, code, () => agent.verifyOrThrow(text), 'verify')
        await refused(SxError, code, () => sign(text), 'sign')
        ok(!agent.verifyDocumentSync(text), 'verifyDocument')
      },
    ]),
  ]
}

export function values({ SxError, simple, storage }) {
  const sign = async (value) => {
    if (!simple.isLoaded()) {
      await simple.create({ name: 'Signer', algorithm: 'ed25519', password: 'p', storage: storage.memoryStorage() })
    }
    return simple.signMessage(value)
  }
  const inside = {
    itself: (value) => value,
    'in an array': (value) => [1, value],
    'in an object': (value) => ({ a: { b: value } }),
  }
  return [
    ...Object.keys(notJson()).flatMap((name) =>
      Object.entries(inside).map(([where, put]) => [
        `T11 ${name}, ${where}, is NotJson`,
        async () => {
          await refused(SxError, 'NotJson', () => sign(put(notJson()[name])))
          await refused(SxError, 'NotJson', async () => simple.signMessageSync(put(notJson()[name])))
        },
      ]),
    ),
    [
      'T11 a cycle is NotJson, the same object twice is not',
      async () => {
        const cycle = { a: [] }
        cycle.a.push(cycle)
        await refused(SxError, 'NotJson', () => sign(cycle))
        const twice = { a: 1 }
        equal(contentOf((await sign([twice, twice])).raw), '[{"a":1},{"a":1}]')
      },
    ],
    [
      'T11 -0 is 0, and the order of names is that of UTF-16 code units',
      async () => {
        equal(contentOf((await sign([-0, { a: -0 }])).raw), '[0,{"a":0}]')
        equal(contentOf((await sign({ '\ufb33': 1, '\u{1f600}': 2 })).raw), '{"\u{1f600}":2,"\ufb33":1}')
      },
    ],
    [
      'T13 integers from 2^53 on are refused as values too',
      async () => {
        for (const value of [2 ** 53, -(2 ** 53), 1e20, 999999999999999900000]) {
          await refused(SxError, 'LossyNumber', () => sign({ value }), String(value))
        }
        for (const value of [2 ** 53 - 1, 1e21, 1e30, 5e-324, 0.1, 1.7976931348623157e308]) {
          equal((await simple.verify((await sign(value)).raw)).data, value, String(value))
        }
      },
    ],
    [
      'T16 a getter is read once, and what it gave is what is signed',
      async () => {
        let reads = 0
        const value = {
          get a() {
            return ++reads
          },
          list: Object.defineProperty([0], 0, { get: () => ++reads, enumerable: true }),
        }
        const { raw } = await sign(value)
        equal(reads, 2, 'reads')
        const { valid, data } = await simple.verify(raw)
        equal([valid, data], [true, { a: 1, list: [2] }])
      },
    ],
    [
      'T16 a getter named toJSON is read once',
      async () => {
        let reads = 0
        const { raw } = await sign({
          get toJSON() {
            return ++reads
          },
        })
        equal(reads, 1, 'reads')
        equal((await simple.verify(raw)).data, { toJSON: 1 })
      },
    ],
    [
      'T16 every property of a proxy is read once',
      async () => {
        const reads = {}
        const target = { a: 1, b: [2, { c: 3 }] }
        const counting = (object, path) =>
          new Proxy(object, {
            get: (from, name) => {
              const value = from[name]
              if (typeof name === 'string' && Object.hasOwn(from, name) && name !== 'length') {
                reads[`${path}${name}`] = (reads[`${path}${name}`] ?? 0) + 1
              }
              return typeof value === 'object' && value !== null ? counting(value, `${path}${name}.`) : value
            },
          })
        equal((await simple.verify((await sign(counting(target, ''))).raw)).data, target)
        equal(reads, { a: 1, b: 1, 'b.0': 1, 'b.1': 1, 'b.1.c': 1 })
      },
    ],
    [
      'objects without a prototype are plain',
      async () => {
        const value = Object.assign(Object.create(null), { b: 1, a: [] })
        const { data } = await simple.verify((await sign(value)).raw)
        equal(own(data, 'b'), 1)
      },
    ],
  ]
}
