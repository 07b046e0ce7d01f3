// Texts reach the core as they are, whichever way they take: encoded by the runtime, or copied and encoded there.
import { createHash } from 'node:crypto'
import { hashString, type SxError } from 'sx-agent'
import { beforeAll, describe, expect, test } from 'vitest'
import * as core from '#core'
import { call, isWellFormed } from '../../src/core.ts'

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** With the replacement character in place of halves of surrogate pairs. */
const replaced = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')

/** Copied are texts of more and of no more units than these. */
const [SHORTEST, LONGEST] = [96, 1 << 21]

beforeAll(() => call(() => core.errorTable())) // the core says what is copied once it is there

test('short texts are encoded by the runtime, and very long ones', () => {
  const lengths = [0, SHORTEST, SHORTEST + 1, LONGEST, LONGEST + 1]
  expect(lengths.map((length) => core.isCopied('x'.repeat(length)))).toEqual([false, false, true, true, false])
})

const characters = [
  'a',
  '\u0000',
  '\u007f',
  '\u0080',
  'ß',
  '\u07ff',
  '\u0800',
  '€',
  '\ufeff',
  '\uffff',
  '😀',
  '\u{10ffff}',
]
const halves = ['\ud800', '\udbff', '\udc00', '\udfff']

const HALVED = "The argument 'data' contains a lone surrogate."

/** The hash of a text, or why there is none. */
function hashed(text: string): string {
  try {
    return hashString(text)
  } catch (error) {
    return (error as SxError).found
  }
}

describe.each([...characters, ...halves])('%j', (character) => {
  const isHalf = halves.includes(character)

  test('wherever it stands', () => {
    for (const length of [0, 1, SHORTEST, SHORTEST + 1, 4096, LONGEST - 1]) {
      for (const text of [character + 'x'.repeat(length), 'x'.repeat(length) + character, character.repeat(length)]) {
        expect(isWellFormed(text)).toBe(replaced(text) === text)
        expect(hashed(text)).toBe(replaced(text) === text ? sha256(text) : HALVED)
      }
    }
  })

  if (!isHalf) return
  test('becomes the replacement character where nobody asks', () => {
    const text = `{"a":"${'ß'.repeat(SHORTEST)}${character}"}`
    expect(core.isCopied(text)).toBe(true)
    expect(call(() => core.hashString(text))).toBe(sha256(replaced(text)))
  })
})

test('texts of random characters', () => {
  let state = 1
  const below = (most: number): number => {
    state = Math.imul(state, 48_271) % 0x7fffffff
    return Math.abs(state) % most
  }
  const all = [...characters, 'plain text, eight and more', ' ']
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: below(120) }, () => all[below(all.length)]).join('')
    expect(isWellFormed(text)).toBe(true)
    expect(hashString(text)).toBe(sha256(text))
    const [at, half] = [below(text.length + 1), halves[below(4)] ?? '']
    const damaged = text.slice(0, at) + half + text.slice(at)
    expect(isWellFormed(damaged)).toBe(replaced(damaged) === damaged)
  }
})
