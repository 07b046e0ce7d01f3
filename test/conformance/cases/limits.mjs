// T33: bombs are refused, before they cost more than reading them, and the limits are the caller's.
import { equal, ok, refused } from '../assert.mjs'

const deepText = (depth) => '['.repeat(depth) + ']'.repeat(depth)
function deepValue(depth) {
  let value = []
  for (let level = 1; level < depth; level++) value = level % 2 ? { a: value } : [value]
  return value
}
const ones = (count) => Array.from({ length: count }, () => 1)
const names = (count) => Array.from({ length: count }, (_, at) => `k${at}`)

const huge = 'x'.repeat(64 << 20)

/** Texts, and values where there is one that JSON.parse would give. */
const bombs = {
  'depth 100,000': () => ({ text: deepText(100_000), value: deepValue(100_000) }),
  'depth 100,000 of objects': () => ({ text: '{"a":'.repeat(100_000) }),
  'a string of 64 MiB': () => ({ text: `"${huge}"`, value: huge }),
  'a name of 64 MiB': () => ({ text: `{"${huge}":1}`, value: { [huge]: 1 } }),
  'a string of 64 MiB of escapes': () => ({ text: `"${'\\u0041'.repeat((64 << 20) / 6)}"` }),
  'a number of 64 MiB': () => ({ text: '1'.repeat(64 << 20) }),
  'white space of 64 MiB': () => ({ text: `${' '.repeat(64 << 20)}1` }),
  '1,000,000 members': () => {
    const value = Object.fromEntries(names(1_000_000).map((name) => [name, 1]))
    return { text: JSON.stringify(value), value }
  },
  '1,000,000 items': () => ({ text: `[${'1,'.repeat(999_999)}1]`, value: ones(1_000_000) }),
}

export function limits({ main, SxError, simple, stored, open }) {
  const password = 'a password for tests'
  let loaded
  /** The one agent of the simplified module, under these limits. */
  const load = async (given) => {
    if (loaded === undefined || loaded.limits !== given) {
      loaded = { limits: given, ...(await stored('ed25519', 'Author')) }
      await simple.load({ storage: loaded.store, password, limits: given })
    }
    return simple
  }
  return [
    ...Object.entries(bombs).map(([name, make]) => [
      `T33 ${name} is LimitExceeded`,
      async () => {
        const { verify, verifySync, signMessage, signMessageSync } = await load()
        const { text, value } = make()
        for (const { valid, code, data } of [await verify(text), verifySync(text)]) {
          equal([valid, code, data], [false, 'LimitExceeded', undefined])
        }
        equal(simple.verifyStandalone(text, { keyDirectory: {} }).code, 'LimitExceeded')
        if (value === undefined) return
        await refused(SxError, 'LimitExceeded', () => signMessage(value), 'as a value')
        await refused(SxError, 'LimitExceeded', async () => signMessageSync(value), 'as a value')
      },
    ]),
    [
      'T33 a bomb is no update',
      async () => {
        const { signMessage, updateDocument } = await load()
        const { documentId } = await signMessage(1)
        for (const change of [deepText(100_000), deepValue(100_000), `"${huge}"`, { a: huge }]) {
          await refused(SxError, 'LimitExceeded', () => updateDocument(documentId, change))
        }
      },
    ],
    [
      'T33 what is within the limits can be signed, verified and updated',
      async () => {
        const { signMessage, verify, updateDocument, verifyById } = await load()
        for (const value of [deepValue(127), names(499_000), 'x'.repeat(20 << 20)]) {
          const { raw, documentId } = await signMessage(value)
          const { valid, data } = await verify(raw)
          ok(valid && JSON.stringify(data) === JSON.stringify(value), 'it verifies')
          await updateDocument(documentId, typeof value === 'string' ? JSON.stringify(value) : value)
          equal((await verifyById(documentId)).valid, true, 'it is updated')
        }
      },
    ],
    [
      'T33 the limits are those that the caller gives',
      async () => {
        const { agent, agentId } = await open('ed25519', 'Author')
        const raw = await agent.createDocument(`{"content":${deepText(20)}}`, null, null, true)
        const keyDirectory = { [agentId]: agent.getPublicKey() }
        for (const [given, code] of [
          [{ depth: 20 }, 'LimitExceeded'],
          [{ depth: 21 }, undefined],
          [{ members: 10 }, 'LimitExceeded'],
          [{ members: 50 }, undefined],
          [{ bytes: raw.length - 1 }, 'LimitExceeded'],
          [{ bytes: raw.length }, undefined],
        ]) {
          equal(simple.verifyStandalone(raw, { keyDirectory, limits: given }).code, code, JSON.stringify(given))
        }
        const low = new main.SxAgent({
          storage: (await stored('ed25519', 'Author')).store,
          password,
          limits: { depth: 20 },
        })
        await low.load()
        await refused(SxError, 'LimitExceeded', () => low.verifyOrThrow(raw))
        await refused(SxError, 'LimitExceeded', () => low.createDocument(`{"content":${deepText(20)}}`))
        const { signMessage, verify } = await load({ depth: 512, members: 2_000_000 })
        for (const value of [deepValue(511), ones(1_000_000)]) {
          equal((await verify((await signMessage(value)).raw)).valid, true, 'raised limits')
        }
        await refused(SxError, 'LimitExceeded', () => signMessage(deepValue(512)))
      },
    ],
    [
      'T33 limits that make no sense are refused',
      async () => {
        const { raw } = await (await load()).signMessage(1)
        for (const given of [
          { depth: 0 },
          { depth: 513 },
          { members: -1 },
          { bytes: 9999.5 },
          { bytes: '9999' },
          { bytes: 1e12 },
          { width: 1 },
        ]) {
          const call = async () => simple.verifyStandalone(raw, { keyDirectory: {}, limits: given }).code
          await refused(SxError, 'InvalidOption', call, JSON.stringify(given))
        }
      },
    ],
  ]
}
