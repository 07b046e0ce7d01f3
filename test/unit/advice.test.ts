// What is advised can be done by whoever hears it: one sentence for each code and audience, and what each must not name.
import { readFileSync } from 'node:fs'
import type { init } from 'sx-agent'
import { describe, expect, it } from 'vitest'
import { codes } from '#codes'
import { early } from '#glue/core/early.js'
import { advice as browser } from '../../browser/advice.ts'
import { advice as edge } from '../../edge/advice.ts'
import { adviceOn as adviceForVisitors } from '../../examples/page/advice.ts'
import { advice as node } from '../../node/advice.ts'
import { type Advice, adviceOn, isVerdict, SxError, type SxErrorCode } from '../../src/errors.ts'

const all = Object.keys(codes) as SxErrorCode[]

interface Audience {
  readonly advice: Advice
  /** What is not there. */
  readonly absent: RegExp
}

const audiences: Readonly<Record<'browser' | 'node' | 'edge', Audience>> = {
  browser: { advice: browser, absent: /\bSX_|environment|\bfolder|permission|\bdisk\b|\bNode\b|\bflags?\b|--\w|`sx/ },
  node: { advice: node, absent: /Content-Security|header|browser|\bpages?\b|\btabs?\b|reload|\bsite\b|--\w|`sx/ },
  edge: {
    advice: edge,
    absent:
      /Content-Security|header|browser|\bpages?\b|\btabs?\b|reload|\bsite\b|\bfolder|\bdisk\b|permission|createWorkerAgent|\bflags?\b|--\w|`sx/,
  },
}

/** Codes that cannot be met there, so that it does not matter what is advised. */
const unmet: Readonly<Record<keyof typeof audiences, readonly SxErrorCode[]>> = {
  browser: ['LinkRefused'],
  node: [],
  edge: ['LinkRefused'],
}

describe.each(Object.entries(audiences))('the advice for %s', (name, { advice, absent }) => {
  it.each(all.filter((code) => !unmet[name as keyof typeof unmet].includes(code)))('on %s', (code) => {
    const sentence = adviceOn(code, advice)
    expect(sentence).toMatch(/^[A-Z`].*\S\.$/)
    expect(sentence).not.toMatch(absent)
    expect(advice[code]).not.toBe(codes[code].then) // said everywhere, and so nowhere once more
  })

  // The core writes the reasons of verdicts, and they are the same wherever a document is verified.
  it('leaves what the core says of documents as it is', () => {
    expect(Object.keys(advice).filter((code) => isVerdict(code as SxErrorCode))).toEqual([])
  })

  it('is what the built package says there, and the only one that it brings along', async () => {
    const shared = new URL(`../../dist/${name}/shared.js`, import.meta.url)
    const text = readFileSync(shared, 'utf8')
    const built = (await import(new URL(`../../dist/${name}/index.js`, import.meta.url).href)) as {
      SxError: typeof SxError
      init: typeof init
    }
    const says = (codes: readonly SxErrorCode[]): unknown[] =>
      codes.map((code) => {
        const { found, advice } = new built.SxError(code)
        return [code, found, advice]
      })
    const expected = (list: readonly SxErrorCode[]): unknown[] =>
      list.map((code) => [code, codes[code].what, adviceOn(code, advice)])
    const first = Object.keys(early) as SxErrorCode[]
    expect(says(first)).toEqual(expected(first))
    await built.init(
      name === 'node' ? {} : { core: readFileSync(new URL('../../wasm/dist/core/core_bg.wasm', import.meta.url)) },
    )
    expect(says(all)).toEqual(expected(all))
    const others = Object.values(audiences).flatMap((other) => Object.values(other.advice))
    const own = Object.values(advice)
    expect(others.filter((sentence) => !own.includes(sentence) && text.includes(sentence.slice(0, 60)))).toEqual([])
  })
})

describe('the advice of the example page', () => {
  it.each(all)('on %s is for visitors', (code) => {
    expect(adviceForVisitors(code)).toMatch(/^[A-Z].*\S\.$/)
    expect(adviceForVisitors(code).replace('WebAssembly', '')).not.toMatch(
      /`|\bSX_|\bfolder|permission|[a-z][A-Z]|[Cc]ontent-Security|\bheader\b|\bfunctions?\b|\boptions?\b|\bPEM\b|UTF-8|double/,
    )
  })
})

it('is part of the message of an error', () => {
  expect(new SxError('WasmUnavailable', 'It is broken.')).toMatchObject({
    found: 'It is broken.',
    advice: node.WasmUnavailable,
    message: `WasmUnavailable: It is broken. ${node.WasmUnavailable}`,
  })
})
