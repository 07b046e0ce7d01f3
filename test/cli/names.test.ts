// What an agent calls itself is its own choice: nothing in it may look like something that we say.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { escapeText, shorten } from '../../node/cli/output.ts'
import { Place } from './run.ts'

const verifier = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
afterAll(() => verifier.remove())

const KEY = 'A'.repeat(43)
const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
/** Rows of ours, so far to the right that a terminal shows them below. */
const padded = (gap: string, columns: number): string =>
  [`Billing${gap.repeat(columns)}`, `key${gap.repeat(3)}${KEY}${gap}`, `id${gap.repeat(4)}${ID}`].join(gap.repeat(2))
/** Names of at most 256 characters. The gaps are spaces, and what looks like them. */
const NAMES = [' ', '\u00a0', '\u2003', '\u3000', '\u2800', '\u{1d159}', '\u3164', '\t'].flatMap((gap) => [
  padded(gap, 40),
  padded(gap, 120),
])
const LONG = [...NAMES, 'x'.repeat(256), '漢'.repeat(256), `e${'\u0301'.repeat(255)}`, '😀'.repeat(100)]

/** What a terminal of so many columns shows. */
const screen = (text: string, columns: number): string[] =>
  text.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [])

describe('a name', () => {
  it.each(LONG)('is shown in at most 40 columns: %#', (name) => {
    const shown = shorten(name)
    expect(shown).not.toMatch(/\s\s|^\s|\s$|[^\S ]|[\u2800\u{1d159}\u3164]/u)
    const columns = Array.from(shown, (character) => ((character.codePointAt(0) ?? 0) < 0x11_00 ? 1 : 2))
    expect(columns.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(40 + 1) // … is one
    expect(escapeText(shown)).toBe(shown)
  })

  it('is shown as it is where it is short', () => {
    for (const name of ['Billing', 'Größe & Söhne', 'x'.repeat(40), '漢'.repeat(20), 'a b c']) {
      expect(shorten(name)).toBe(name)
    }
    expect(shorten('x'.repeat(41))).toBe(`${'x'.repeat(39)}…`)
    expect(shorten('漢'.repeat(21))).toBe(`${'漢'.repeat(19)}…`)
    expect(shorten(`${'x'.repeat(38)}\u202e`)).toBe(`${'x'.repeat(38)}…`) // an escape is whole or not there
  })

  it('shows its spaces where they could pass for a gap', () => {
    expect(escapeText(' a  b c ')).toBe('\\u{20}a\\u{20}\\u{20}b c\\u{20}')
    expect(escapeText('a\u00a0b\u3000c')).toBe('a\\u{a0}b\\u{3000}c')
  })
})

describe('fault 15: a name that is padded with spaces', () => {
  let outputs: Record<string, string>
  let key: string
  let id: string

  beforeAll(async () => {
    const signer = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    await verifier.quickstart('Verifier')
    id = await signer.quickstart(padded(' ', 60))
    key = String((await signer.json(['agent', 'show'])).value['keyId'])
    const input = await signer.done(['agent', 'export'])
    const signed = await signer.sx(['sign'], { input: '1' })
    outputs = {
      'trust add': (await verifier.sx(['trust', 'add'], { input })).stderr,
      'trust list': await verifier.done(['trust', 'list']),
      verify: await verifier.done(['verify'], { input: signed.stdout }),
      'verify itself': await signer.done(['verify'], { input: signed.stdout }),
      'agent show': await signer.done(['agent', 'show']),
      quickstart: await signer.done(['quickstart', '--name', padded(' ', 60), '--domain', 'example.com']),
      sign: signed.stderr,
    }
    signer.remove()
  })

  it('makes no rows, however wide the terminal is', () => {
    for (const [command, text] of Object.entries(outputs)) {
      for (let columns = 20; columns <= 240; columns++) {
        const rows = screen(text, columns).filter((line) =>
          /^ *(?:key id|key|id|signer|agent|of agent) {2,}/.test(line),
        )
        const strange = rows.filter((line) => line.includes(KEY.slice(0, 8)) || line.includes(ID.slice(0, 8)))
        expect({ command, columns, strange }).toEqual({ command, columns, strange: [] })
      }
      expect({ command, hasKey: text.includes(KEY), hasId: text.includes(ID) }).toEqual({
        command,
        hasKey: false,
        hasId: false,
      })
    }
  })

  it('fits into a line of 80 columns, beside what it is called', () => {
    for (const [command, text] of Object.entries(outputs)) {
      const lines = text.split('\n').filter((line) => line.includes('Billing'))
      expect({ command, lines: lines.length > 0, long: lines.filter((line) => line.length > 80) }).toEqual({
        command,
        lines: true,
        long: [],
      })
    }
  })

  it('comes after the key', () => {
    for (const command of ['trust add', 'verify', 'verify itself', 'agent show', 'quickstart']) {
      const lines = outputs[command]?.trimEnd().split('\n') ?? []
      const first = lines.find((line) => /^ *\w+(?: \w+)* {2,}/.test(line))
      expect({ command, first: first?.trim() }).toEqual({ command, first: expect.stringMatching(`^key id +${key}$`) })
      expect(lines.findIndex((line) => line.includes('Billing'))).toBeGreaterThan(
        lines.findIndex((line) => line.includes(id)),
      )
    }
    expect(outputs['trust list']).toMatch(new RegExp(`^${id} {2}Billing.*\\n {2}key id: ${key}\\n$`))
  })
})
