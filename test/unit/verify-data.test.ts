// The data of a verdict stand in the text that was verified, where that is canonical.
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, test } from 'vitest'
import * as core from '#core'
import { encode } from '../../src/bytes.ts'
import { call } from '../../src/core.ts'

let keys: Record<string, string>

beforeAll(() => {
  const storage = memoryStorage()
  const { agentId } = simple.createSync({
    name: 'Data',
    algorithm: 'ed25519',
    password: 'a password for tests',
    storage,
  })
  keys = { [agentId]: simple.getPublicKey() }
})

/** What the core answers: where the data stand, and a result with `null` for them, or with them. */
function answerOf(raw: string): { within: unknown; data: unknown } {
  const [agentId = '', key = ''] = Object.entries(keys)[0] ?? []
  const ring = call(() => core.ringNew(''))
  call(() => core.ringSet(ring, agentId, 'named', encode(key)))
  const verification = call(() => core.verifyStart(ring, raw))
  const answer = call(() => core.verifyFinish(verification, ring))
  call(() => core.free(ring))
  const [head = '', result = ''] = answer.split('\n')
  return {
    within: (JSON.parse(head) as { within: unknown }).within,
    data: (JSON.parse(result) as { data: unknown }).data,
  }
}

const dataOf = (raw: string): unknown => {
  const found = simple.verifyStandalone(raw, { keys })
  if (!found.valid) throw new Error(found.code)
  return found.data
}

const payloads = {
  'a text': 'abc',
  'a number': 1.5,
  nothing: null,
  'an empty object': {},
  'members before and after the header': { a: 1, $a: 2, z: 3, ß: 4 },
  'members before it only': { a: 'x' },
  'members behind it only': { z: 'ü' },
  'characters of two, three and four bytes': { 'ä€😀': '😀€ä', z: ['😀', { '€': 'ä' }] },
  'what looks like its end': { content: '},"sxId":"x","z":{' },
  escapes: { a: '"\\\n\u0000\u007f\u2028' },
  'members of prototypes': JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":"3"}') as unknown,
  'a list': [1, [2, { b: '😀' }]],
  'a member called as that of a message': { content: { content: 1 } },
  'a text that is longer than all the rest': { z: '€'.repeat(400_000), a: '😀' },
}

describe.each(Object.entries(payloads))('%s', (_, payload) => {
  for (const [form, sign] of [
    ['a message', () => simple.signMessageSync(payload).raw],
    ['a document', () => simple.createDocumentSync(JSON.stringify(payload), null, null, true)],
  ] as const) {
    const isDocument = typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    test.skipIf(form === 'a document' && !isDocument)(`as ${form}`, () => {
      const raw = sign()
      const text = JSON.stringify(payload)
      expect(JSON.stringify(sorted(dataOf(raw)))).toBe(JSON.stringify(sorted(JSON.parse(text))))
      const { within, data } = answerOf(raw)
      expect(within).toMatchObject({ lengths: expect.any(Array) as unknown })
      expect(data).toBe(null)

      // The same document, not canonical: the core says the data itself, and they are the same to the byte.
      const blanks = [` ${raw}`, `${raw}\n`, raw.replace('":', '" :'), raw.replace('{"', '{\n"')]
      for (const other of [...blanks, raw.replace('"sxId"', '"sx\\u0049d"'), backwards(raw)]) {
        const said = answerOf(other)
        expect(said.within).toBe(null)
        expect(JSON.stringify(said.data)).toBe(JSON.stringify(dataOf(raw)))
        expect(JSON.stringify(dataOf(other))).toBe(JSON.stringify(dataOf(raw)))
      }
    })
  }
})

/** The text of an object with its members in the opposite order. */
function backwards(text: string): string {
  const members = Object.entries(JSON.parse(text) as object).toReversed()
  return `{${members.map((member) => member.map((part) => JSON.stringify(part)).join(':')).join(',')}}`
}

/** With the members of objects in one order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return members.map(([name, member]) => [name, sorted(member)])
}

test('what is not valid has no data', () => {
  const { raw } = simple.signMessageSync({ amount: 1 })
  const found = simple.verifyStandalone(raw.replace('"amount":1', '"amount":2'), { keys })
  expect(found).toMatchObject({ valid: false, data: undefined })
})
