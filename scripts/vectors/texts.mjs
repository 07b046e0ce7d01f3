import { agent } from './agents.mjs'
import { core, hex, moment, must, outcome, sha256, signedAt } from './core.mjs'
import { trusted } from './documents.mjs'
import { key, otherKey, publicPem, signerOf } from './keys.mjs'

const BEGIN = '-----BEGIN SX SIGNATURE-----'
const END = '-----END SX SIGNATURE-----'
const second = Date.UTC(2026, 0, 2, 4)

/** Signs bytes as an agent; gives the bytes of the signed text, and what was signed. */
function sign(algorithm, bytes, name, at = signedAt) {
  const signer = signerOf(key[algorithm], agent[algorithm].first.raw)
  const { from, to, insert, length, sha256: hash } = JSON.parse(core.textSign(signer, bytes, moment(at, name)))
  const signed = Buffer.concat([bytes.subarray(0, from), Buffer.from(insert), bytes.subarray(to)])
  return { signed, length, hash }
}

/** The core's verdict on bytes with these keys. */
function verify(bytes, keys) {
  const ring = core.ringNew('')
  try {
    for (const { agentId, source, bytes } of keys) core.ringSet(ring, agentId, source, Buffer.from(bytes))
    const answer = core.textFinish(core.textStart(ring, bytes), ring)
    return JSON.parse(answer.slice(answer.indexOf('\n') + 1))
  } finally {
    core.free(ring)
  }
}

const inputs = {
  markdown: '# Contract\n\nAlice pays 100.  \nBob delivers.\n',
  'no line feed at the end': 'Alice pays 100.',
  empty: '',
  'CRLF and a byte order mark': '\ufeffAlice;100\r\nZoë;世界 🌍\r\n',
}

function signedText(algorithm, name) {
  const input = Buffer.from(inputs[name])
  const { signed, length, hash } = sign(algorithm, input, `text ${name}`)
  must(hash === hex(sha256(input)) && length === input.length, `what is signed of ${name}`)
  must(signed.subarray(0, length).equals(input), `${name} stays as it is`)
  const text = signed.toString()
  return { name: `${algorithm} ${name}`, algorithm, input: inputs[name], signedAt, length, sha256: hash, text }
}

const texts = Object.keys(agent).flatMap((algorithm) => Object.keys(inputs).map((name) => signedText(algorithm, name)))
const byName = (name) => texts.find((text) => text.name === name).text

/** A text that both agents have signed. */
const both = sign('pq2025', Buffer.from(byName('ed25519 markdown')), 'text both', second).signed.toString()

const changed = (text, ...edits) =>
  edits.reduce((present, [found, put]) => {
    must(present.includes(found), `${found} is there`)
    return present.replace(found, () => put)
  }, text)

function cases() {
  const one = byName('ed25519 markdown')
  const bare = byName('ed25519 no line feed at the end')
  const edit = (...edits) => changed(one, ...edits)
  const level = (put) => edit(['sxLevel: "raw"', put])
  const secondBlock = both.lastIndexOf(BEGIN)
  return [
    ['two signers', both],
    [
      'the same in the other order',
      `${inputs.markdown}${both.slice(secondBlock)}\n${both.slice(inputs.markdown.length, secondBlock)}`,
    ],
    ['without the line feed at its end', one.trimEnd()],
    ['blanks after the block', `${one} \t\r\n\n`],
    ['no signature', inputs.markdown],
    ['empty', ''],
    ['a word changed', edit(['100', '900'])],
    ['T17 another normal form', changed(byName('ed25519 CRLF and a byte order mark'), ['Zoë', 'Zoe\u0308'])],
    [
      'T18 signed with what is not seen',
      sign('ed25519', Buffer.from('a\u202eb\u200bc\u{e0041}\n'), 'text hidden').signed.toString(),
    ],
    ['T18 a marker in Cyrillic letters', `text\n${BEGIN.replace('B', 'В')}\n`],
    ['T19 text after the last block', `${one}pay 9999\n`],
    ['T20 text between two blocks', `${both.slice(0, secondBlock)}pay 9999\n${both.slice(secondBlock)}`],
    ['T20 a block inside a block', edit(['sxId', `${BEGIN}\nsxId`])],
    ['T20 text before the first block', edit([BEGIN, `pay 9999\n${BEGIN}`])],
    ...['\f', '\v', '\0', '\u2028', '\rpay 9999'].map((end) => [
      `T21 ${JSON.stringify(end)} at the end of a line`,
      edit(['delivers.\n', `delivers.${end}\n`]),
    ]),
    ['T22 two spaces at the end of a line', changed(bare, ['100.', '100.  '])],
    ['T22 a line feed before the block', edit([BEGIN, `\n${BEGIN}`])],
    ['T22 a space in the block', level('sxLevel: "raw" ')],
    ['T23 converted to CRLF', one.replaceAll('\n', '\r\n')],
    ['T23 no line feed at the end, converted to CRLF', bare.replaceAll('\n', '\r\n')],
    ['T23 converted to LF', byName('ed25519 CRLF and a byte order mark').replaceAll('\r\n', '\n')],
    ['T24 an anchor', level('sxLevel: &a "raw"')],
    ['T24 a tag', level('sxLevel: !!js "raw"')],
    ['T24 an alias', level('sxLevel: *a')],
    ['T24 an escape sequence of a terminal', level('sxLevel: "\u001b[2Jraw"')],
    ['T24 an end in a value', level(`sxLevel: "\n${END}\nraw"`)],
    ['other quotes', level("sxLevel: 'raw'")],
    ['the line feed before the block removed', bare.replace(`\n${BEGIN}`, BEGIN)],
    ['the marker at the beginning damaged', edit(['BEGIN', 'BEGIM'])],
    ['the end cut off', one.slice(0, -END.length)],
    ['cut off in the block', one.slice(0, one.indexOf('  signature:'))],
    ['an end alone', `text\n${END}\n`],
    ['an empty block', `text\n${BEGIN}\n${END}\n`],
    ['two blocks of one signer', `${one}${one.slice(inputs.markdown.length)}`],
    ['another length', edit([`length: ${inputs.markdown.length}`, `length: ${inputs.markdown.length - 1}`])],
    ['another scheme', edit(['sx-text-v1', 'sx-text-v2'])],
    ['another key id', edit([/keyId: "(.)/.exec(one)[0], 'keyId: "B'])],
    ['another algorithm', edit(['"ed25519"', '"pq2025"'])],
    ...[
      '9007199254740991',
      '9007199254740992',
      '18446744073709550000',
      '18446744073709552000',
      '1e21',
      '-1',
      '044',
    ].map((number) => [`${number} as a length`, edit([/length: \d+/.exec(one)[0], `length: ${number}`])]),
    ['two signers and another line between', `${both.slice(0, secondBlock)}a\n${both.slice(secondBlock)}`],
    [
      'two signers, the second block damaged',
      changed(both, [both.slice(secondBlock), both.slice(secondBlock).replace('"raw"', 'raw')]),
    ],
    ['two signers, the first block damaged', both.replace('"raw"', 'raw')],
    ['two signers, the second one without an end', both.slice(0, both.lastIndexOf(END))],
    ['two signers, the second one cut off before it is named', both.slice(0, both.indexOf('sxSignature', secondBlock))],
    ['an end after two signers', `${both}${END}\n`],
    ['a block of one signer after an end', `${inputs.markdown}${END}\n${one.slice(inputs.markdown.length)}`],
  ]
}

const ofSigner = ({ signerId, status, code = null }) => ({ signerId, status, code })

function described([name, text, keys = trusted]) {
  const { status, valid, length, code = null, signers, warnings } = verify(Buffer.from(text), keys)
  return { name, text, status, valid, length, code, signers: signers.map(ofSigner), warnings }
}

/** What the verifier holds decides. */
function sources() {
  const text = byName('ed25519 markdown')
  const { first } = agent.ed25519
  const held = (source, bytes) => ({ agentId: first.id, source, bytes })
  const stranger = publicPem(
    'ed25519',
    Buffer.from(otherKey.ed25519.pem.replace(/-----[^-]+-----/g, ''), 'base64').subarray(12),
  )
  return [
    ['no key', []],
    ['the public key in the key directory', [held('directory', key.ed25519.pem)]],
    ['the public key among those that are named', [held('named', key.ed25519.pem)]],
    ['T06 another key in the key directory', [held('trust', first.raw), held('directory', stranger)]],
    ['T06 another key among those that are named', [held('trust', first.raw), held('named', stranger)]],
    ['only another key', [held('named', stranger)]],
    ['the key revoked', [held('trust', agent.ed25519.revoked)]],
  ].map(([name, keys]) => {
    const { signers } = verify(Buffer.from(text), keys)
    const [{ trusted: isTrusted }] = signers
    return { name, text: 'ed25519 markdown', sources: keys, signers: signers.map(ofSigner), trusted: isTrusted }
  })
}

/** Texts that are not signed. */
const refusals = () =>
  [
    ['a line that begins a block', `text\n${BEGIN}\n`],
    ['the same with blanks behind it', `text\n${BEGIN} \t\r\n`],
    ['a line that ends a block', `${END}\n`],
    ['a damaged signature', byName('ed25519 markdown').replace('sxLevel: "raw"', 'sxLevel: raw')],
    ['text after a signature', `${byName('ed25519 markdown')}pay 9999\n`],
    ['a NUL', 'a\0b\n'],
  ].map(([name, text]) => {
    const { code } = outcome(() => sign('ed25519', Buffer.from(text), 'refused'))
    must(code !== undefined, `${name} is refused`)
    return { name, text, code }
  })

export const signedTexts = () => ({
  description: 'Signed texts, the verdicts on them and on what they can become, and texts that are not signed.',
  about: [
    'The signers are those of agents.json, under the keys of keys.json.',
    '`texts`: `input` was signed at `signedAt` (Unix milliseconds) and became `text`; `length` and `sha256` are those of its UTF-8 bytes.',
    '`cases`: the verdict on `text` by a verifier that trusts both agents: status, whether it is valid, the bytes that all have signed, the code if it is not valid, each signer with status and code, and the warnings.',
    '`sources`: the verdict on the text of that name where the verifier holds nothing but `sources`, and whether its signer is trusted then.',
    '`refusals`: texts that are not signed, and the code of the refusal.',
  ],
  texts,
  cases: [...texts.map(({ name, text }) => [name, text]), ...cases()].map(described),
  sources: sources(),
  refusals: refusals(),
})
