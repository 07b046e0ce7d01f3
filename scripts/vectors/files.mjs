import { agent } from './agents.mjs'
import { core, hex, made, making, moment, must, sha256, signedAt, verify } from './core.mjs'
import { trusted } from './documents.mjs'
import { key, signerOf } from './keys.mjs'
import { resigned } from './sign.mjs'

const describe = (filename, text, embedded = false) => ({
  filename,
  mimeType: 'text/plain',
  size: Buffer.byteLength(text),
  sha256: hex(sha256(text)),
  embedded,
  ...(embedded && { contents: Buffer.from(text).toString('base64') }),
})

/** Names as they may stand in a document. Those that are safe become themselves. */
const names = [
  'invoice.pdf',
  'Zoë 世界.txt',
  '../../etc/passwd',
  '..\\..\\boot.ini',
  'C:\\Users\\x\\notes.txt',
  '',
  '..',
  'folder/',
  ' . ',
  '  name. .',
  'a\u0000b\r\n\u001b[31mc\u0085',
  'invoice\u202efdp.exe',
  'pay\u200bpal\u{e0041}\ufeff.html',
  'a\u2028b',
  'a.txt:stream',
  '<>:"|?*',
  'CON',
  'nul.tar.gz',
  'con .txt',
  'com\u00b9',
  'lpt1. ',
  'console',
  'é'.repeat(300),
  `con.${'x'.repeat(251)}`,
]

function sign(algorithm, description) {
  const signer = signerOf(key[algorithm], agent[algorithm].first.raw)
  const answer = core.documentCreate(
    signer,
    '{"sxType":"file"}',
    making(false),
    JSON.stringify(description),
    moment(signedAt, 'file'),
  )
  return made(answer).raw
}

const offer = describe('offer.txt', 'an offer', true)
const empty = describe('empty.txt', '', true)
const draft = describe('draft.txt', 'a draft')

/** What becomes of the entry of the offer, and the code that says so. */
const entries = {
  'without a name': [{ filename: undefined }, 'InvalidDocument'],
  'with a member more': [{ path: 'offer.txt' }, 'InvalidDocument'],
  'of another case in its type': [{ mimeType: 'Text/plain' }, 'InvalidDocument'],
  'with parameters in its type': [{ mimeType: 'text/plain; charset=utf-8' }, 'InvalidDocument'],
  'of half a byte': [{ size: 8.5 }, 'InvalidDocument'],
  'of a negative size': [{ size: -8 }, 'InvalidDocument'],
  'with a hash in capitals': [{ sha256: offer.sha256.toUpperCase() }, 'InvalidDocument'],
  'that is not embedded and has contents': [{ embedded: false }, 'InvalidDocument'],
  'that is embedded and has none': [{ contents: undefined }, 'InvalidDocument'],
  'of another size': [{ size: 9 }, 'HashMismatch'],
  'of another size that is the same in 32 bits': [{ size: 4_294_967_304 }, 'HashMismatch'],
  'of another hash': [{ sha256: draft.sha256 }, 'HashMismatch'],
  'with other contents': [{ contents: Buffer.from('an Offer').toString('base64') }, 'HashMismatch'],
  'with contents that are not canonical': [
    { contents: offer.contents.replace(/.=$/, (end) => `${end[0] === 'x' ? 'y' : 'x'}=`) },
    'HashMismatch',
  ],
  'with contents without padding': [{ contents: offer.contents.replace(/=+$/, '') }, 'HashMismatch'],
}

function cases(algorithm) {
  const raw = sign(algorithm, [offer, empty, draft])
  const judged = (name, text, code) => {
    const { attachments, warnings, code: found = null } = verify(text, trusted)
    must(found === code, `${name} is ${found}`)
    return { name: `${algorithm} ${name}`, text, code, attachments, warnings }
  }
  const changed = (change) => resigned(raw, key[algorithm], (document) => change(document.sxFiles, document))
  return [
    judged('as it is', raw, null),
    judged('a name changed', raw.replace('offer.txt', 'order.txt'), 'BadSignature'),
    judged(
      'no entry',
      changed((files) => files.splice(0)),
      'InvalidDocument',
    ),
    judged(
      'no list',
      changed((_, document) => Object.assign(document, { sxFiles: {} })),
      'InvalidDocument',
    ),
    judged(
      'names that are not safe',
      changed((files) => files.splice(0, 3, ...names.map((name) => describe(name, 'x')))),
      null,
    ),
    judged(
      'twice the same name',
      changed((files) => files.push(describe('OFFER.txt', 'another'))),
      null,
    ),
    ...Object.entries(entries).map(([name, [change, code]]) =>
      judged(
        `an entry ${name}`,
        changed((files) => Object.assign(files[0], change)),
        code,
      ),
    ),
  ]
}

export const files = () => ({
  description: 'Documents with files, and how the names of these are shown.',
  about: [
    'The signers are those of agents.json, under the keys of keys.json.',
    'Each of `cases` is the `text` of a document. `code` is that of its verdict, null if it is valid; `attachments` and `warnings` are those of the result, with `content` in base64.',
    '`names` maps names as they may stand in `sxFiles` to the ones that are shown.',
  ],
  names: names.map((name) => ({ name, shown: shown(name) })),
  cases: Object.keys(agent).flatMap(cases),
})

/** What the core makes of a name. */
function shown(name) {
  const [file] = JSON.parse(sign('ed25519', [describe(name, 'x')])).sxFiles
  return file.filename
}
