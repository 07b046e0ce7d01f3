// What happens to signed texts: seeded changes of their bytes, lines and documents.
import { verifyText } from 'sx-agent/simple'
import { Random } from '../simulation/random.ts'
import type { Members, Value } from './documents.ts'
import { blockOf, documentOf, type Signer, seal, signedText, signers } from './forge.ts'
import { answers, named, sourcesWith } from './text-answers.ts'
import { type TextVerdict, verifySignedText } from './texts.ts'

/** A signed text, and what it was made of. */
export interface Base {
  readonly text: Buffer
  readonly signers: readonly Signer[]
  readonly documents: readonly Members[]
  readonly file: Buffer
}

const BODIES = [
  '',
  'Alice pays 100.',
  '# Contract\n\nAlice pays 100.  \nBob delivers.\n',
  '\ufeffone\r\ntwo\r\n',
  'a\r\nb',
  'tab\t\nblank \n\n\n',
  'no\u2028line\u0085ends\rhere\u202e\n',
  '\n',
  'mixed\r\nends\nhere\n\r\n',
]

/** Texts by one, two and three agents. */
export function bases(): Base[] {
  const [a, b, c] = signers
  const sets = [[a], [b], [c], [a, b], [c, a], [b, c, a]]
  return BODIES.flatMap((body, n) => {
    const text = Buffer.from(body)
    return [sets[n % 6]!, sets[(n + 3) % 6]!].map((set) => {
      const documents = set.map((signer) => documentOf(text, signer))
      return { text, signers: set, documents, file: signedText(text, documents.map(blockOf)) }
    })
  })
}

const SPECIAL = [
  '\0',
  '\ufeff',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u200b',
  '\u202e',
  '\u2800',
  '\x1b',
  '\r',
  '\v',
  '\f',
  ' ',
  '\t',
  '\n',
  'é',
]
const BROKEN = ['ff', 'c0af', 'eda080', 'e282', 'f4908080', '80'].map((hex) =>
  Buffer.from(hex, 'hex').toString('latin1'),
)
const MARKERS = ['-----BEGIN SX SIGNATURE-----', '-----END SX SIGNATURE-----']
const BLANKS = [' ', '\t', '\r', '  ', ' \t', '\r\r', '\r ']

type Change = (file: string, random: Random, other: string) => string

const insert = (file: string, at: number, what: string): string => file.slice(0, at) + what + file.slice(at)
const blockParts = (file: string): string[] => file.split(/(?=^-----BEGIN SX)/m)

function onLines(change: (lines: string[], at: number, random: Random) => void): Change {
  return (file, random) => {
    const lines = file.split('\n')
    change(lines, random.below(lines.length), random)
    return lines.join('\n')
  }
}

/** A line that begins or ends a block, if the dice say so. */
const markerOr = (lines: readonly string[], at: number, random: Random): number => {
  const found = lines.flatMap((line, n) => (MARKERS.includes(line) ? [n] : []))
  return found.length > 0 && random.chance(0.5) ? random.pick(found) : at
}

/** By name; the first ones change bytes, then lines, then whole blocks. */
const changes: Readonly<Record<string, Change>> = {
  'another byte': (file, random) => {
    const at = random.below(file.length)
    return file.slice(0, at) + String.fromCharCode(random.below(256)) + file.slice(at + 1)
  },
  'a bit flipped': (file, random) => {
    const at = random.below(file.length)
    return file.slice(0, at) + String.fromCharCode(file.charCodeAt(at) ^ (1 << random.below(8))) + file.slice(at + 1)
  },
  'a byte removed': (file, random) => {
    const at = random.below(file.length)
    return file.slice(0, at) + file.slice(at + 1)
  },
  'a character inserted': (file, random) =>
    insert(file, random.below(file.length + 1), Buffer.from(random.pick(SPECIAL)).toString('latin1')),
  'a character at the end of a line': onLines((lines, at, random) => {
    lines[at] += Buffer.from(random.pick(SPECIAL)).toString('latin1')
  }),
  'bytes that are no UTF-8': (file, random) => insert(file, random.below(file.length + 1), random.pick(BROKEN)),
  'cut off': (file, random) => file.slice(0, random.below(file.length)),
  'the beginning cut off': (file, random) => file.slice(random.below(file.length)),
  'bytes at the end': (file, random) =>
    file + random.pick([...SPECIAL, ...BLANKS, ...MARKERS, 'x', '\n\n \n', `\n${MARKERS[0]}\n`]),
  'a line removed': onLines((lines, at, random) => void lines.splice(markerOr(lines, at, random), 1)),
  'a line doubled': onLines((lines, at, random) => {
    const from = markerOr(lines, at, random)
    lines.splice(from, 0, lines[from] ?? '')
  }),
  'lines exchanged': onLines((lines, at, random) => {
    const to = random.chance(0.5) ? Math.min(at + 1, lines.length - 1) : random.below(lines.length)
    ;[lines[at], lines[to]] = [lines[to] ?? '', lines[at] ?? '']
  }),
  'a line indented': onLines((lines, at, random) => {
    const to = markerOr(lines, at, random)
    lines[to] = random.pick([' ', '  ', '\t', '> ']) + lines[to]
  }),
  'blanks at the end of a line': onLines((lines, at, random) => {
    lines[markerOr(lines, at, random)] += random.pick(BLANKS)
  }),
  'blanks at the ends of some lines': (file, random) =>
    file.replaceAll('\n', () => (random.chance(0.2) ? `${random.pick(BLANKS)}\n` : '\n')),
  'blanks taken away': (file) => file.replaceAll(/[ \t\r]+(?=\n)/g, ''),
  'CRLF everywhere': (file, random) => file.replaceAll(/\r?\n/g, '\r\n') + random.pick(['', '\r', ' ']),
  'CRLF in some lines': (file, random) => file.replaceAll('\n', () => (random.chance(0.5) ? '\r\n' : '\n')),
  'LF everywhere': (file) => file.replaceAll('\r\n', '\n'),
  'CR alone': (file, random) => file.replaceAll('\n', () => (random.chance(0.1) ? '\r' : '\n')),
  'an empty line': onLines((lines, at, random) => void lines.splice(at, 0, random.pick(['', '', ...BLANKS]))),
  'empty lines before the first block': (file, random) =>
    file.replace(/^-----BEGIN/m, `${random.pick(['\n', ' \n', '\r\n', '\n\n\n', '\n'.repeat(17)])}-----BEGIN`),
  'the last line feed of the text gone': (file) => file.replace(/\n+-----BEGIN/, '\n-----BEGIN'),
  'a marker somewhere': onLines(
    (lines, at, random) => void lines.splice(at, 0, random.pick(MARKERS) + random.pick(['', '', ...BLANKS])),
  ),
  'a marker changed': (file, random) => {
    const marker = random.pick(MARKERS)
    const other = random.pick([
      marker.toLowerCase(),
      marker.slice(1),
      `${marker}-`,
      marker.replace('SX', 'PGP'),
      `${marker} x`,
      marker.replaceAll(' ', '  '),
    ])
    return file.replace(marker, other)
  },
  'a block doubled': (file, random) => file + random.pick(blockParts(file)),
  'blocks exchanged': (file) => {
    const [before = '', ...blocks] = blockParts(file)
    return before + blocks.toReversed().join('')
  },
  'a block removed': (file, random) => {
    const parts = blockParts(file)
    parts.splice(random.below(parts.length), 1)
    return parts.join('')
  },
  'the blocks of another text': (file, random, other) => {
    const [[before = '', ...own], [, ...others]] = [blockParts(file), blockParts(other)] as [string[], string[]]
    return before + random.pick([others, [...own, ...others], [...others, ...own]]).join('')
  },
  'text after a block': (file, random) => {
    const parts = blockParts(file)
    const at = random.below(parts.length)
    parts[at] += random.pick(['Bob pays 900.\n', ' x\n', '#\n', '\u0085\n', '\v\n'])
    return parts.join('')
  },
  'another order of members': (file, random) => {
    const lines = file.split('\n')
    const at = lines.indexOf(MARKERS[0]!) + 1 + random.below(8)
    const to = Math.min(at + 1 + random.below(3), lines.length - 1)
    lines.splice(to, 0, ...lines.splice(at, 1))
    return lines.join('\n')
  },
  'a value written otherwise': (file, random) => {
    const lines = file.split('\n')
    const places = lines.flatMap((line, n) => (/^ *\w+: /.test(line) ? [n] : []))
    if (places.length === 0) return file
    const at = random.pick(places)
    const [, name = '', value = ''] = /^( *\w+: )(.*)$/.exec(lines[at] ?? '') ?? []
    const bare = value.replaceAll('"', '')
    lines[at] =
      name +
      random.pick([
        bare,
        `'${bare}'`,
        `${value} # x`,
        ` ${value}`,
        `!!str ${value}`,
        `&a ${value}`,
        '"\\u0041"',
        '""',
        '0',
        '-0',
        '1.0',
        '007',
        '1e3',
        '18446744073709551615',
        '18446744073709550000',
        '9007199254740992',
        '9007199254740993',
        'null',
        '[]',
        '{}',
        '|',
      ])
    return lines.join('\n')
  },
  'a name written otherwise': onLines((lines, at, random) => {
    lines[at] = (lines[at] ?? '').replace(
      /^( *)(\w+):/,
      (_, indent: string, name: string) =>
        `${indent}${random.pick([`"${name}"`, `${name} `, `${name}x`, name.toUpperCase(), `_${name}`, `${name}.a`, `? ${name}`])}:`,
    )
  }),
  'a long text broken otherwise': (file, random) =>
    file.replace(
      /\\\n {2,4}/,
      random.pick(['', '\n    ', '\\\n   ', '\\\n     ', '\\\n\n    ', '\\ \n    ', '\\\n  ']),
    ),
}

const BAD_DATES = [
  '2026-02-30T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2026-01-02T03:04:60.000Z',
  '2026-01-02T03:04:05Z',
  '2026-01-02T24:00:00.000Z',
]
const VALUES: readonly Value[] = [
  '',
  'agent',
  'message',
  'sx-text',
  'sx-text-v2',
  'a'.repeat(64),
  'a'.repeat(65),
  'a.b',
  'a..b',
  'config',
  'artifact',
  'urn:sx-agent:schemas',
  'urn:sx-agent:schemas/header/v2/header.schema.json',
  'https://example.com/schema.json',
  '2026-01-02T03:04:05.678Z',
  '2026-01-02T03:04:05.679Z',
  '9999-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2024-02-29T12:00:00.000Z',
  ...BAD_DATES,
  '0190d3a0-2222-7333-8444-000000000009',
  '0190d3a0-2222-1333-8444-000000000009',
  '0190D3A0-2222-7333-8444-000000000009',
  '0'.repeat(64),
  'AAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAB',
  `${'A'.repeat(42)}B`,
  'A'.repeat(43),
  'AA==',
  'AB==',
  'AA',
  'ed25519',
  'pq2025',
  'Ed25519',
  `${' '.repeat(64)}b`,
  `${'a'.repeat(64)} b`,
  `${'a'.repeat(63)} ${' b'.repeat(40)}`,
  'a'.repeat(128),
  '-----END SX SIGNATURE-----',
  0,
  1,
  2 ** 53 - 1,
  2 ** 53,
  18446744073709550000,
  { a: 1 },
  { length: 1, scheme: 'sx-text-v1', sha256: '' },
  { length: 0, scheme: 'sx-text-v2', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
]
const NAMES =
  'a,A,0,$a,sx,sxa,sxA,sxFoo,sxAgentType,sxAgentDomain,sxPublicKeys,sxKeyRotation,sxFormerKeys,sxFiles,sxRegistration,sxPreviousVersion,sxAgreement,jacsId,proof,payload,name,description,content,constructor,hasOwnProperty'.split(
    ',',
  )

function changedMembers(members: Members, random: Random): Members {
  const changed: { [name: string]: Value } = { ...members }
  const name = random.pick(Object.keys(members))
  const value = members[name]!
  const action = random.below(10)
  if (action < 4) changed[name] = random.pick(VALUES)
  else if (action === 4) delete changed[name]
  else if (action === 5) changed[random.pick(NAMES)] = random.pick(VALUES)
  else if (typeof value === 'object') changed[name] = changedMembers(value, random)
  else if (action === 6 && typeof value === 'string' && value !== '') {
    const at = random.below(value.length)
    changed[name] = value.slice(0, at) + random.pick(['a', '0', '-', 'Z', ' ', '=']) + value.slice(at + 1)
  } else if (action === 7) changed['sxRegistration'] = members['sxSignature'] ?? { a: 1 }
  else if (action === 8) for (let n = random.below(70); n > 0; n--) changed[`a${n}`] = n
  else return changedMembers(changed, random)
  return changed
}

/** A signed text of which one block says something else, signed so or not. */
function changedDocument({ text, signers: by, documents }: Base, random: Random): Buffer {
  const at = random.below(documents.length)
  const signer = by[at]!
  let document = changedMembers(documents[at]!, random)
  if (random.chance(0.3)) document = changedMembers(document, random)
  const isSealed = signer.algorithm === 'ed25519' && random.chance(0.8) && typeof document['sxSignature'] === 'object'
  const blocks = documents.map((one, n) => blockOf(n === at ? (isSealed ? seal(document, signer) : document) : one))
  return signedText(text, blocks)
}

function changedText(all: readonly Base[], random: Random): { how: string; file: Buffer } {
  const base = random.pick(all)
  if (random.chance(0.25)) return { how: 'a document changed', file: changedDocument(base, random) }
  const how: string[] = []
  let file = base.file.toString('latin1')
  for (let left = random.chance(0.2) ? 2 : 1; left > 0; left--) {
    const name = random.pick(Object.keys(changes))
    how.push(name)
    file = changes[name]!(file, random, random.pick(all).file.toString('latin1'))
  }
  return { how: how.join(', '), file: Buffer.from(file, 'latin1') }
}

export interface ChangedAnswers {
  /** Seed, change and file. */
  readonly how: string
  readonly found: TextVerdict | string
  readonly answers: readonly [stranger: unknown, library: unknown]
}

/** What a stranger and the library say of a changed text, for each of these seeds. */
export async function* answersOnChanged(first: number, last: number): AsyncGenerator<ChangedAnswers> {
  const all = bases()
  const sourcesOf = sourcesWith(named)
  for (let seed = first; seed <= last; seed++) {
    const { how, file } = changedText(all, new Random(seed))
    const found = verifySignedText(file, sourcesOf)
    const result = await verifyText(file, { keys: named })
    yield { how: `seed ${seed}, ${how}: ${file.toString('base64')}`, found, answers: answers(found, result) }
  }
}
