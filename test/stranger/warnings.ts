// Warnings of signed texts but `ConfusableMarker`, of which docs/protocol.md, section 20, does not fix where it is given.

export interface Warning {
  readonly code: string
  readonly line: number
  readonly column: number
  readonly character: string | undefined
}

const ranges = (text: string): [number, number][] =>
  text.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)]
  })

const TABLE: readonly [code: string, characters: readonly [number, number][]][] = [
  ['BidiControl', ranges('61c 200e 200f 202a-202e 2066-2069')],
  [
    'ZeroWidth',
    ranges(
      'ad 34f 115f 1160 17b4 17b5 180b-180f 200b-200d 2060-2065 206a-206f 3164 fe00-fe0f ffa0 fff0-fffb 13430-1343f 16fe4 1bca0-1bca3 1d173-1d17a feff',
    ),
  ],
  ['BlankCharacter', ranges('2800 1d159')],
  ['LineBreak', ranges('b c d 85 2028 2029')],
  ['ControlCharacter', ranges('1-8 e-1f 7f-84 86-9f')],
  ['TagCharacter', ranges('e0000-e0fff')],
]

const MOST = 100

export function warningsOf(text: string): Warning[] {
  const warnings: Warning[] = []
  let [line, column, at] = [1, 1, 0]
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    const found = TABLE.find(([, characters]) => characters.some(([first, last]) => point >= first && point <= last))
    const isHarmless = (point === 0xfeff && at === 0) || (character === '\r' && text[at + 1] === '\n')
    at += character.length
    if (found !== undefined && !isHarmless) {
      if (warnings.length === MOST) return [...warnings, { code: 'MoreWarnings', line, column, character: undefined }]
      const name = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
      warnings.push({ code: found[0], line, column, character: name })
    }
    ;[line, column] = character === '\n' ? [line + 1, 1] : [line, column + 1]
  }
  return warnings
}
