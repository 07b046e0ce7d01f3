// Documents with random damage: never an exception, never valid unless it is the same document.
import fc from 'fast-check'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, newFolder } from './fixtures.ts'

const RUNS = 2000

let info: sx.AgentInfo
let original: string
beforeAll(async () => {
  info = await sx.create(agentIn(newFolder()))
  const payload = {
    amount: 1,
    text: 'grüße 世界 \u{1F600} "\\\n',
    list: [1.5, -0.25, 1e30, true, null, {}],
    nested: { a: { b: [] } },
  }
  original = (await sx.signMessage(payload)).raw
})

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\uD800',
  '\0',
  '\uFEFF',
  ' ',
  '-',
  '0',
  '1e999',
  'null',
  'true',
  '"sxId":1,',
  '"__proto__":{},',
  '"a":',
]

/** A change at a place, which is a fraction of the length. */
const change = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'replace', 'double', 'cut', 'flip'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
  text: fc.oneof(fc.constantFrom(...TOKENS), fc.string({ unit: 'binary', maxLength: 8 })),
})

function changed(
  text: string,
  { kind, at, length, text: inserted }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): string {
  const place = Math.floor(at * text.length)
  const [head, tail] = [text.slice(0, place), text.slice(place)]
  switch (kind) {
    case 'insert':
      return head + inserted + tail
    case 'remove':
      return head + tail.slice(length)
    case 'replace':
      return head + inserted + tail.slice(length)
    case 'double':
      return head + tail.slice(0, length) + tail
    case 'cut':
      return head
    case 'flip':
      return head + String.fromCharCode((tail.charCodeAt(0) || 0) ^ 1) + tail.slice(1)
  }
}

/** The same JSON value as the original; a change of white space or of an escape is none. */
function isSame(text: string): boolean {
  try {
    expect(JSON.parse(text)).toEqual(JSON.parse(original))
    return true
  } catch {
    return false
  }
}

function check(text: string, result: sx.VerificationResult): void {
  expect(Object.isFrozen(result)).toBe(true)
  expect(Object.isFrozen(result.errors) && Object.isFrozen(result.attachments)).toBe(true)
  if (result.valid) {
    expect(isSame(text)).toBe(true)
    return
  }
  expect('data' in result && result.data === undefined).toBe(true)
  expect(result.attachments).toEqual([])
  expect(result.trusted).toBe(false)
  expect(result.errors.length).toBeGreaterThan(0)
  expect(result.errors[0]).toMatch(new RegExp(`^${result.code}: .`))
  expect(result.code).not.toBe('Internal')
}

describe(`${RUNS} damaged documents`, () => {
  it('give a verdict each', async () => {
    let damaged = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const text = changes.reduce(changed, original)
        check(text, await sx.verify(text))
        check(text, sx.verifySync(text))
        check(text, sx.verifyStandalone(text, { keyDirectory: { [info.agentId]: sx.getPublicKey() } }))
        if (!isSame(text)) damaged += 1
      }),
      { numRuns: RUNS },
    )
    expect(damaged).toBeGreaterThan(RUNS / 2)
    expect((await sx.verify(original)).valid).toBe(true)
  })

  it('of which a member has another value, give a verdict each', async () => {
    const document = JSON.parse(original)
    const paths = [
      ...Object.keys(document).map((name) => [name]),
      ...Object.keys(document.sxSignature).map((name) => ['sxSignature', name]),
    ]
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('', '../x', '\0', 'x'.repeat(10_000), info.agentId, -1, 1e21),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), values, fc.boolean(), async (path, value, removes) => {
        const copy = structuredClone(document)
        const holder = path.length === 1 ? copy : copy.sxSignature
        if (removes) delete holder[path.at(-1) ?? '']
        else holder[path.at(-1) ?? ''] = value
        const text = JSON.stringify(copy)
        check(text, await sx.verify(text))
        check(text, sx.verifySync(text))
      }),
      { numRuns: RUNS },
    )
  })
})
