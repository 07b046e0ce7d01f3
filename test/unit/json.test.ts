import { runInNewContext } from 'node:vm'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJsonText } from '../../src/json.ts'

describe('toJsonText', () => {
  test('writes what JSON.stringify writes, for values that JSON can show', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(toJsonText(value)).toBe(JSON.stringify(value))
      }),
      { numRuns: 500 },
    )
  })

  test('keeps every character of a string, and half a surrogate pair as an escape', () => {
    const text = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).join(' ')
    expect(JSON.parse(toJsonText(text))).toBe(text)
    expect(toJsonText('\ud800')).toBe('"\\ud800"')
    expect(toJsonText('\u2028')).toBe('"\u2028"')
  })

  test('takes plain objects of another realm, and refuses its others', () => {
    const foreign = (source: string): unknown => runInNewContext(source)
    expect(toJsonText(foreign('({a: [1, {b: null}]})'))).toBe('{"a":[1,{"b":null}]}')
    for (const source of ['new Date(0)', 'new Map()', 'new String("a")', 'new Uint8Array(2)', '/a/']) {
      expect(() => toJsonText(foreign(source))).toThrow(expect.objectContaining({ code: 'NotJson' }))
    }
  })

  test('says what it found, and keeps the error of a getter as its cause', () => {
    expect(() => toJsonText(undefined)).toThrow('The value contains undefined, which')
    expect(() => toJsonText([undefined])).toThrow('The value contains undefined at /0, which')
    expect(() => toJsonText({ b: [1, {}], a: [0, { 'x/y~': 1n }] })).toThrow('a bigint at /a/1/x~1y~0, which')
    expect(() => toJsonText({ ['n'.repeat(300)]: new Date() })).toThrow(`at /${'n'.repeat(199)}…, which`)
    const cause = new Error('no')
    const value = {
      get a(): never {
        throw cause
      },
    }
    expect(() => toJsonText(value)).toThrow(expect.objectContaining({ code: 'NotJson', cause }))
    expect(() => toJsonText([{ b: value }])).toThrow('a property that cannot be read at /0/b/a, which')
  })

  test('counts levels as the core does', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(toJsonText(nested(3), { depth: 3 })).toBe('[[[1]]]')
    expect(() => toJsonText(nested(4), { depth: 3 })).toThrow(expect.objectContaining({ code: 'LimitExceeded' }))
  })
})

describe('the core beside JSON.parse and canonicalize', () => {
  const readerCodes = ['NotJson', 'DuplicateKey', 'LossyNumber', 'LimitExceeded']

  beforeAll(async () => {
    const storage = memoryStorage()
    await simple.create({ name: 'Property', algorithm: 'ed25519', password: 'p', storage })
  })

  /** Whether the value holds an integer that only its digits could show. */
  function isLossy(value: unknown): boolean {
    if (typeof value === 'number') return Math.abs(value) >= 2 ** 53 && Math.abs(value) < 1e21
    return typeof value === 'object' && value !== null && Object.values(value).some(isLossy)
  }

  /** The code with which the reader refuses a text; undefined if it reads it, whatever comes after. */
  function readerCode(text: string): string | undefined {
    const { code } = simple.verifySync(text)
    return readerCodes.includes(code ?? '') ? code : undefined
  }

  const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger(), fc.integer())
  const strings = fc.string({ unit: 'binary' })
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, false),
      numbers,
      strings,
      fc.array(tie('value')),
      fc.dictionary(fc.oneof(strings, fc.constantFrom('__proto__', 'constructor', 'toString')), tie('value')),
    ),
  })).value

  test('any value that is signed comes back as it was, in the canonical form', () => {
    fc.assert(
      fc.property(values, (value) => {
        fc.pre(!isLossy(value))
        const { raw } = simple.signMessageSync(value)
        const text = canonicalize(value) ?? ''
        expect(raw).toContain(`"content":${text},"sxId"`)
        const { data } = simple.verifyOrThrowSync(raw)
        expect(data).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 1000 },
    )
  })

  test('a value with an integer that loses digits is refused', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 2 ** 53, max: 1e21, maxExcluded: true, noNaN: true }),
        fc.boolean(),
        (number, isNegative) => {
          const value = { a: [isNegative ? -number : number] }
          expect(() => simple.signMessageSync(value)).toThrow(expect.objectContaining({ code: 'LossyNumber' }))
        },
      ),
    )
  })

  /** What the core does with a text, and whether JSON.parse's answer bears it out. */
  function compare(text: string): { does: string; isRight: boolean } {
    const does = readerCode(text) ?? 'reads'
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      return { does, isRight: does !== 'reads' } // which mistake comes first is the reader's business
    }
    // What JSON.parse takes and the core does not: names twice, numbers that change, half pairs.
    const reasons: Record<string, () => boolean> = {
      reads: () => simple.signMessageSync(parsed).raw.includes(`"content":${canonicalize(parsed)},"sxId"`),
      DuplicateKey: () => text.split(':').length > 2,
      LossyNumber: () => /\d{16}|\de/i.test(text),
      NotJson: () => /\\ud[89a-f]/i.test(text),
    }
    return { does, isRight: isLossy(parsed) ? does === 'LossyNumber' : (reasons[does]?.() ?? false) }
  }

  test('it reads no text that JSON.parse refuses, and refuses others for a reason that can be seen', () => {
    const letters = Array.from('{}[],:"\\0123456789.-+eE \t\n')
    const words = ['true', 'null', '"a"', '"a":', '\\u0061', '\\ud83d', '1e400', '\ufeff', '\u0000']
    const jsonish = fc.array(fc.constantFrom(...letters, ...words), { maxLength: 12 }).map((parts) => parts.join(''))
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '0', 'e9', '}', '\\'))
      .map(([text, at, put]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + put + text.slice(place + 1)
      })
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(fc.oneof(jsonish, damaged, fc.json()), (text) => {
        const { does, isRight } = compare(text)
        seen.set(does, (seen.get(does) ?? 0) + 1)
        expect({ does, isRight }).toEqual({ does, isRight: true })
      }),
      { numRuns: 5000 },
    )
    expect(seen.get('reads')).toBeGreaterThan(500)
    expect(seen.get('NotJson')).toBeGreaterThan(500)
  })

  test.each([
    ['{"a":1,"a":1}', 'DuplicateKey'],
    ['[1e400]', 'LossyNumber'],
    ['"\\ud83d"', 'NotJson'],
    ['[1,2]', 'reads'],
  ])('%s: it %s', (text, does) => {
    expect(compare(text)).toEqual({ does, isRight: true })
  })
})
