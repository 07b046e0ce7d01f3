// Signed texts at the edges of what docs/protocol.md, section 20, says: how blocks are cut off, how large they are, what
// their documents and keys are.
import refused from '../vectors/keys.json' with { type: 'json' }
import type { Members, Value } from './documents.ts'
import { blockOf, documentOf, seal, signedText, signers } from './forge.ts'

export interface Case {
  readonly name: string
  readonly file: Buffer
  /** Keys that are named. */
  readonly keys: Readonly<Record<string, string>>
}

const [ed25519, pq2025, third] = signers
const TEXT = Buffer.from('Alice pays 100.\n')
const DOCUMENT = documentOf(TEXT, ed25519)
const BLOCK = blockOf(DOCUMENT)
const BEGIN = '-----BEGIN SX SIGNATURE-----'
const END = '-----END SX SIGNATURE-----'
const NAME = `  agentID: "${ed25519.agentId}"`

const of = (name: string, file: Buffer | string, keys: Case['keys'] = {}): Case => ({
  name,
  file: typeof file === 'string' ? Buffer.from(file, 'latin1') : file,
  keys,
})

const idOf = (number: number): string => `0190d3a0-5555-7222-8333-${String(number).padStart(12, '0')}`

/** Blocks that name so many agents, whom nobody knows. */
function blocksOf(count: number): string[] {
  const signature = DOCUMENT['sxSignature'] as Members
  return Array.from({ length: count }, (_, n) =>
    blockOf({ ...DOCUMENT, sxSignature: { ...signature, agentID: idOf(n) } }),
  )
}

/** Texts with more signatures than a verifier reads. */
export function tooMany(): Case[] {
  const all = blocksOf(501)
  return [
    of('501 signers', signedText(TEXT, all)),
    of(
      'one signer 501 times',
      signedText(
        TEXT,
        Array.from({ length: 501 }, () => BLOCK),
      ),
    ),
    of(
      '501 that cannot be read',
      signedText(
        TEXT,
        Array.from({ length: 501 }, () => `${BEGIN}\n${END}`),
      ),
    ),
    of('500 signers, and a block that cannot be read', signedText(TEXT, [...all.slice(1), `${BEGIN}\n${END}`])),
    of('501 signers, then text', Buffer.concat([signedText(TEXT, all), TEXT])),
    of('501 signers, then a block without an end', Buffer.concat([signedText(TEXT, all), Buffer.from(BEGIN)])),
    of(
      'blanks in 501 blocks',
      signedText(
        TEXT,
        all.map((block) => block.replaceAll('\n', ' \n')),
      ),
    ),
  ]
}

function order(): Case[] {
  const all = blocksOf(501)
  const lines: readonly [string, string][] = [
    ['an end first', `${END}\n${BLOCK}\n`],
    ['an end with blanks first', `t\n${END} \t\n${BLOCK}\n`],
    ['two beginnings', `t\n${BEGIN}\n${BLOCK}\n`],
    ['two beginnings after a block', `t\n${BLOCK}\n${BEGIN}\n${BLOCK}\n`],
    ['two ends', `t\n${BLOCK}\n${END}\n`],
    ['a byte order mark before the beginning', `\xef\xbb\xbf${BLOCK}\n`],
    ['nothing before the block', `${BLOCK}\n`],
    ['no line feed at the end', `${TEXT.toString()}${BLOCK}`],
    ['a carriage return at the end', `${TEXT.toString()}${BLOCK}\r`],
    ['NUL and no marker', 'a\0b'],
    ['NUL and half a block', `a\0b\n${BEGIN}\n`],
    ['NUL between blocks', `a\n${BLOCK}\n\0\n${blockOf(documentOf(TEXT, pq2025))}\n`],
    ['NUL in a block', `a\n${BLOCK.replace('raw', 'r\0w')}\n`],
    ['no UTF-8 in the text', `a\xff\n${BLOCK}\n`],
    ['no UTF-8 after the block', `a\n${BLOCK}\n\xff\n`],
    ['a form feed after the block', `a\n${BLOCK}\n\f\n`],
    ['another space after the end', `a\n${BLOCK}\xc2\xa0\n`],
  ]
  return [
    ...lines.map(([name, file]) => of(name, file)),
    of('500 signers', signedText(TEXT, all.slice(1))),
    of('500 signers, then a block without an end', Buffer.concat([signedText(TEXT, all.slice(1)), Buffer.from(BEGIN)])),
    of('500 signers, text, another one', Buffer.concat([signedText(TEXT, all.slice(1)), TEXT, Buffer.from(all[0]!)])),
    of(
      '250 signers, text, 251 more',
      Buffer.concat([signedText(TEXT, all.slice(251)), signedText(TEXT, all.slice(0, 251))]),
    ),
  ]
}

function cuts(): Case[] {
  const filled = (length: number): string => `t\n${BEGIN}\nx${'y'.repeat(length - BEGIN.length - 3)}\n`
  const ends = [2047, 2048, 2049].flatMap((end) =>
    ['', '\n', '   \n', 'x\n'].map((rest) =>
      of(`named up to byte ${end} and ${JSON.stringify(rest)}`, filled(end - NAME.length) + NAME + rest),
    ),
  )
  const lines: readonly [string, string][] = [
    ['two names', `  agentID: "x"\n${NAME}\n`],
    ['other lines first', ` agentID: "x"\n   agentID: "x"\n${NAME}\n`],
    ['two spaces before the name', NAME.replace(': ', ':  ')],
    ['carriage returns', `${NAME}\r\n`],
    ['upper case', NAME.toUpperCase().replace('AGENTID', 'agentID')],
    ['an identifier of version 1', '  agentID: "0190d3a0-5555-1222-8333-000000000000"\n'],
    ['ML-DSA-87', blockOf(documentOf(TEXT, pq2025)).slice(BEGIN.length + 1, 3000)],
  ]
  const marked = ['', ' \t\r', '\r'].map((rest) => of(`a marker and ${JSON.stringify(rest)}`, `t\n${BEGIN}${rest}`))
  return [...ends, ...marked, ...lines.map(([name, line]) => of(`cut off: ${name}`, `t\n${BEGIN}\n${line}`))]
}

function documents(): Case[] {
  const put = (name: string, document: Members, isSealed = true): Case =>
    of(name, signedText(TEXT, [blockOf(isSealed ? seal(document, ed25519) : document)]))
  const extra = (count: number): Members => Object.fromEntries(Array.from({ length: count }, (_, n) => [`b${n}`, n]))
  const [content, signature] = [DOCUMENT['content'] as Members, DOCUMENT['sxSignature'] as Members]
  const { $schema: _, ...without } = DOCUMENT
  const later = { sxPreviousVersion: idOf(1), sxVersion: idOf(2) }
  const members: readonly [string, Members][] = [
    ['64 members', { ...DOCUMENT, ...extra(43) }],
    ['65 members', { ...DOCUMENT, ...extra(44) }],
    ['64 members, those of objects counted', { ...DOCUMENT, z: extra(42) }],
    ['65 members, those of objects counted', { ...DOCUMENT, z: extra(43) }],
    ['a space after a break', { ...DOCUMENT, z: `${'q'.repeat(64)} r` }],
    ['a space before a break', { ...DOCUMENT, z: `${'q'.repeat(63)} r` }],
    ['all signs', { ...DOCUMENT, z: ' ~!#&%@`{}[]|>*:,' }],
    ['a marker in a text', { ...DOCUMENT, z: 'q'.repeat(64) + END }],
    ['content is a text', { ...DOCUMENT, content: 'x' }],
    ['another scheme and another type', { ...DOCUMENT, sxType: 'message', content: { scheme: 'sx-text-v2' } }],
    ['a number as scheme', { ...DOCUMENT, content: { ...content, scheme: 1 } }],
    ['a text as length', { ...DOCUMENT, content: { ...content, length: '16' } }],
    ['a longer length', { ...DOCUMENT, content: { ...content, length: 17 } }],
    ['another hash', { ...DOCUMENT, content: { ...content, sha256: '' } }],
    ['more in content', { ...DOCUMENT, content: { ...content, x: 1 } }],
    ['another level', { ...DOCUMENT, sxLevel: 'config' }],
    ['an agent', { ...DOCUMENT, sxType: 'agent', content: { scheme: 'sx-text-v2' } }],
    ['an agent type', { ...DOCUMENT, sxAgentType: 'ai' }],
    ['a custom schema', { ...DOCUMENT, $schema: 'https://example.com/' }],
    ['a schema of ours', { ...DOCUMENT, $schema: 'urn:sx-agent:schemasx' }],
    ['a number as schema and another name', { ...DOCUMENT, $schema: 1, sxFoo: 1 }],
    ['no schema', without],
    ['no schema and another name', { ...without, sxFoo: 1 }],
    ['no schema and a number too large', { ...without, z: 2 ** 53 }],
    ['registered', { ...DOCUMENT, sxRegistration: { ...signature, date: '2020-01-01T00:00:00.000Z' } }],
    ['registered wrongly', { ...DOCUMENT, sxRegistration: { a: 1 } }],
    ['files', { ...DOCUMENT, sxFiles: 'x' }],
    ['a later version', { ...DOCUMENT, ...later }],
    ['a later version of before', { ...DOCUMENT, ...later, sxOriginalDate: '2027-01-01T00:00:00.000Z' }],
  ]
  const values: Readonly<Record<string, readonly Value[]>> = {
    signature: ['', 'AA==', 'AB==', 'A', 1],
    nonce: ['AAAAAAAAAAAAAAAAAAAAAB', '++++++++++++++++++++AA'],
    keyId: ['A'.repeat(43), `${'A'.repeat(42)}B`],
    signingAlgorithm: ['', 'Ed25519', 'pq2025', 1],
    agentVersion: ['x'],
    date: ['2026-01-02T03:04:05.679Z'],
  }
  const signatures = Object.entries(values).flatMap(([name, list]) =>
    list.map((value) =>
      put(`${name} ${JSON.stringify(value)}`, { ...DOCUMENT, sxSignature: { ...signature, [name]: value } }, false),
    ),
  )
  const lengths = [0, 63, 64, 65, 128, 129, 193]
  return [
    ...members.map(([name, document]) => put(name, document)),
    ...signatures,
    ...lengths.map((length) => put(`a text of ${length}`, { ...DOCUMENT, z: 'q'.repeat(length) })),
    put('another hash that was not signed', { ...DOCUMENT, sxSha256: '0'.repeat(64) }, false),
  ]
}

function keys(): Case[] {
  const file = signedText(TEXT, [blockOf(documentOf(TEXT, third))])
  const pem = third.publicKey
  const base64 = pem.split('\n')[1] ?? ''
  const wrapped = (width: number): string =>
    pem.replace(base64, base64.replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), '$&\n'))
  const texts: Readonly<Record<string, string>> = {
    'as it is': pem,
    'CR LF': pem.replaceAll('\n', '\r\n'),
    CR: pem.replaceAll('\n', '\r'),
    'line ends of two kinds': pem.replace('\n', '\r\n'),
    'white space around it': ` \u0085\u00a0\u2028${pem}\u3000\t`,
    'a byte order mark': `\ufeff${pem}`,
    'U+001C': `\u001c${pem}`,
    'a blank in a line': pem.replace(base64, `${base64} `),
    'an empty line': pem.replace(base64, `${base64}\n`),
    'lines of 3': wrapped(3),
    'lines of 4': wrapped(4),
    'lines of 21': wrapped(21),
    'a longer last line': pem.replace(base64, `${base64.slice(0, 20)}\n${base64.slice(20)}`),
    'lines of any length': pem.replace(base64, `${base64.slice(0, 20)}\n${base64.slice(20, 24)}\n${base64.slice(24)}`),
    'two blocks': pem + pem,
    'another label': pem.replaceAll('PUBLIC', 'PRIVATE'),
    'another label at the end': pem.replace('END PUBLIC', 'END PRIVATE'),
    'text before it': `x\n${pem}`,
    nothing: '',
    'as long as can be': pem.padEnd(65_536),
    'too long': pem.padEnd(65_537),
    'of another agent': ed25519.publicKey,
    'of another algorithm': pq2025.publicKey,
  }
  const named = [
    ...Object.entries(texts),
    ...refused.refusedPublicKeys.map(({ name, publicKey }): [string, string] => [name, publicKey]),
  ].map(([name, key]) => of(`a key: ${name}`, file, { [third.agentId]: key }))
  const trusted = signedText(TEXT, [BLOCK])
  return [
    ...named,
    of('the key of a trusted agent', trusted, { [ed25519.agentId]: ed25519.publicKey }),
    of('another key of a trusted agent', trusted, { [ed25519.agentId]: third.publicKey }),
    of('no key of a trusted agent', trusted, { [ed25519.agentId]: 'x' }),
  ]
}

const signedAs = (signed: string, now: string): Case =>
  of(
    `${JSON.stringify(signed)} and now ${JSON.stringify(now)}`,
    now + blockOf(documentOf(Buffer.from(signed), ed25519)),
  )

function advice(): Case[] {
  const pairs = [
    ['a\r\nb', 'a\nb\n'],
    ['a\r\nb', 'a \nb\n'],
    ['a\r\nb', 'a \r\nb\r\n'],
    ['a\r\nb', 'a\r \nb\n'],
    ['a\r\nb', 'a\nb\n\n'],
    ['a\r\nb\r\n', 'a \nb \n'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['a\nb\n', 'a \r\nb \r\n'],
    ['a\nb\n', 'a\r\nb\r\n'],
    ['a\nb', 'a \nb  \n'],
    ['a\nb', 'a \nb  \n\n'],
    ['a\nb', 'a\nb\n\n\n'],
    ['a\nb\n\n', 'a\nb\n'],
    [`a\nb${'\n'.repeat(17)}`, 'a\nb\n'],
    [`a\nb${'\n'.repeat(18)}`, 'a\nb\n'],
    ['a\nb\n\n\n', 'a\nb  \n'],
    ['a\nb  ', 'a\nb  \t\n'],
    ['a\nb  ', 'a\nb \n'],
    ['a \nb\n', 'a\nb\n'],
    ['a\r\nb\nc\r\n', 'a\nb\nc\n'],
    ['a\r\r\nb\n', 'a\r\nb\n'],
    ['a\n', 'a\r\r\n'],
    ['', '\n'],
    ['', '\r\n'],
    ['\n', '\r\n'],
    ['a', 'a\r\r\n'],
    ['\n', '\n\n'],
    ['a', 'a\n \n'],
  ] as const
  return pairs.map(([signed, now]) => signedAs(signed, now))
}

/** All but those with too many signatures. */
export function cases(): Case[] {
  return [...order(), ...cuts(), ...documents(), ...keys(), ...advice()]
}
