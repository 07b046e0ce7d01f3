// Custom schemas, passed as objects: there are no folders here.
import { equal, ok, refused } from '../assert.mjs'

const HEADER = 'urn:sx-agent:schemas/header/v1/header.schema.json'

/** A schema that extends another one, by default the header. */
const custom = (name, own, base = HEADER) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: `https://example.com/schemas/${name}.schema.json`,
  allOf: [{ $ref: base }, own],
})

const order = custom('v1/order', {
  type: 'object',
  properties: { amount: { type: 'number', minimum: 0 }, paid: { type: 'boolean', default: false } },
  required: ['amount'],
})

export function schemas({ main, SxError, open }) {
  let opened
  const agent = async () => {
    opened ??= open('ed25519', 'Author')
    return (await opened).agent
  }
  return [
    [
      'schema: a document that fits is signed, with its defaults and its $schema, by both forms',
      async () => {
        const signer = await agent()
        const raw = await signer.createDocument({ amount: 1 }, { schema: order })
        const { $schema, amount, paid } = JSON.parse(raw)
        equal([$schema, amount, paid], [order.$id, 1, false])
        equal((await signer.verify(raw)).data, { amount: 1, paid: false })
        await main.init({ schema: true })
        const { paid: given } = JSON.parse(signer.createDocumentSync({ amount: 1, paid: true }, { schema: order }))
        equal(given, true)
      },
    ],
    [
      'schema: a document that does not fit is neither signed nor stored, and all that is wrong is named',
      async () => {
        const signer = await agent()
        const before = (await signer.listDocuments()).length
        let caught
        try {
          await signer.createDocument({ amount: -1, paid: 'no' }, { schema: JSON.stringify(order) })
        } catch (error) {
          caught = error
        }
        ok(caught instanceof SxError, 'it is refused')
        equal(caught.code, 'SchemaViolation')
        equal(caught.details.map(({ path, keyword }) => `${path} ${keyword}`).sort(), ['/amount minimum', '/paid type'])
        equal((await signer.listDocuments()).length, before)
      },
    ],
    [
      'schema: one refers to another by its $id, and to nothing else',
      async () => {
        const signer = await agent()
        const gift = custom('v1/gift', { required: ['to'] }, 'order.schema.json')
        const bytes = new TextEncoder().encode(JSON.stringify(order))
        const raw = await signer.createDocument({ amount: 1, to: 'Bob' }, { schema: gift, schemas: [bytes] })
        equal(JSON.parse(raw).paid, false)
        const options = { schema: gift, schemas: [order] }
        await refused(SxError, 'SchemaViolation', () => signer.createDocument({ amount: 1 }, options))
        await refused(SxError, 'RefNotAllowed', () => signer.createDocument({ amount: 1, to: 'Bob' }, { schema: gift }))
      },
    ],
    [
      'schema: an update fits it again, and a later schema migrates a document',
      async () => {
        const signer = await agent()
        const first = JSON.parse(await signer.createDocument({ amount: 1 }, { schema: order }))
        await refused(SxError, 'SchemaViolation', () => signer.updateDocument(first.sxId, '{"amount":"2"}'))
        const second = JSON.parse(await signer.updateDocument(first.sxId, '{"amount":2}'))
        equal([second.$schema, second.amount, second.paid], [order.$id, 2, false])
        const v2 = custom('v2/order', { properties: { currency: { default: 'EUR' } }, required: ['currency'] })
        const third = JSON.parse(await signer.updateDocument(first.sxId, '{"amount":3}', { schema: v2 }))
        equal([third.$schema, third.currency, third.sxPreviousVersion], [v2.$id, 'EUR', second.sxVersion])
      },
    ],
    [
      'schema: a verification looks at one where it is asked to',
      async () => {
        const signer = await agent()
        const raw = await signer.createDocument({ amount: -1 })
        equal((await signer.verify(raw)).valid, true)
        const { valid, code, data } = await signer.verify(raw, { schema: order })
        equal([valid, code, data], [false, 'SchemaViolation', undefined])
        await refused(SxError, 'SchemaViolation', () => signer.verifyOrThrow(raw, { schema: order }))
        const broken = raw.replace('-1', '-2')
        equal((await signer.verify(broken, { schema: order })).code, 'BadSignature')
      },
    ],
    [
      'T30 a pattern is matched in linear time, or refused',
      async () => {
        const signer = await agent()
        const nested = custom('v1/nested', { properties: { a: { pattern: '^(a+)+$' } } })
        const a = `${'a'.repeat(20_000)}!`
        await refused(SxError, 'SchemaViolation', () => signer.createDocument({ a }, { schema: nested }))
        for (const pattern of ['(?=(a+))\\1+b', '(?<!a)b', '(a)\\1']) {
          const schema = custom('v1/unsafe', { properties: { a: { pattern } } })
          await refused(SxError, 'UnsafePattern', () => signer.createDocument({ a: 'a' }, { schema }), pattern)
        }
      },
    ],
    [
      'T31 a schema refers to nothing that was not handed in',
      async () => {
        const signer = await agent()
        for (const $ref of ['http://169.254.169.254/', 'file:///etc/passwd', '../../k.json', '/etc/passwd']) {
          const schema = custom('v1/remote', { properties: { a: { $ref } } })
          await refused(SxError, 'RefNotAllowed', () => signer.createDocument({}, { schema }), $ref)
        }
      },
    ],
    [
      'T32 a schema that never ends is refused',
      async () => {
        const signer = await agent()
        const $defs = Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => {
            const next = { $ref: `#/$defs/a${n + 1}` }
            return [`a${n}`, { allOf: [next, next] }]
          }),
        )
        const bombs = [
          { ...custom('v1/bomb', { $ref: '#/$defs/a0' }), $defs: { ...$defs, a30: true } },
          custom('v1/bomb', { $ref: '#' }),
          custom('v1/bomb', { allOf: [{ $ref: '#/allOf/1' }] }),
        ]
        for (const schema of bombs) await refused(SxError, 'SchemaLimit', () => signer.createDocument({}, { schema }))
      },
    ],
    [
      'T32 references within references on a deep document: a verdict, or SchemaLimit',
      async () => {
        const signer = await agent()
        const chain = (length) => {
          const $defs = { c0: { properties: { n: { $ref: `#/$defs/c${length - 1}` } } } }
          for (let n = 1; n < length; n++) $defs[`c${n}`] = { allOf: [{ $ref: `#/$defs/c${n - 1}` }] }
          const own = { properties: { content: { $ref: `#/$defs/c${length - 1}` } } }
          return { ...custom('v1/chain', own), $defs }
        }
        let content = 1
        for (let level = 0; level < 100; level++) content = { n: content }
        const options = (length) => ({ schema: chain(length), noSave: true })
        ok(await signer.createDocument({ content }, options(5)), 'about 1,000 are looked at')
        await refused(SxError, 'SchemaLimit', () => signer.createDocument({ content }, options(30)))
      },
    ],
    [
      'T15 defaults named like members of prototypes are members',
      async () => {
        const signer = await agent()
        const own = JSON.parse('{"properties":{"__proto__":{"default":{"polluted":1}},"constructor":{"default":1}}}')
        const raw = await signer.createDocument({}, { schema: custom('v1/names', own) })
        equal({}.polluted, undefined)
        ok(raw.includes('"__proto__":{"polluted":1}') && raw.includes('"constructor":1'), 'the bytes keep them')
      },
    ],
  ]
}
