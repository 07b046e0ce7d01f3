import { readFileSync } from 'node:fs'
import * as media from '../../wasm/dist/media/media.js'
import * as pixels from '../../wasm/dist/pixels/pixels.js'
import { mediaSource, pixelsSource } from '../../wasm/images.js'
import { agent } from './agents.mjs'
import { core, entropy, hex, must, outcome, sha256, signedAt } from './core.mjs'
import { trusted } from './documents.mjs'
import { key, signerOf } from './keys.mjs'
import { registered, resigned } from './sign.mjs'

media.initSync({ module: new WebAssembly.Module(readFileSync(mediaSource())) })
pixels.initSync({ module: new WebAssembly.Module(readFileSync(pixelsSource())) })

const fixture = (name) => readFileSync(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url))
const base64 = (bytes) => Buffer.from(bytes).toString('base64')
const url = (text) => Buffer.from(text).toString('base64url')
const text = (payload) => Buffer.from(payload, 'base64url').toString()

const contentOf = (bytes) => {
  const { content, length } = JSON.parse(media.scanImage(bytes))
  const pieces = content.map((piece) =>
    typeof piece === 'string' ? Buffer.from(piece, 'hex') : bytes.subarray(...piece),
  )
  const whole = Buffer.concat(pieces)
  must(whole.length === length, 'the length of the content')
  return whole
}

const signer = (algorithm) => signerOf(key[algorithm], agent[algorithm].first.raw)

/** Signs the file. */
function signFile(algorithm, bytes, name) {
  const content = contentOf(bytes)
  const hash = hex(sha256(content))
  const payload = core.imageSignFile(signer(algorithm), hash, content.length, signedAt, entropy(name))
  return { payload, signed: Buffer.from(media.embedPayload(bytes, payload)), sha256: hash, length: content.length }
}

/** Signs the picture. */
function signPixels(algorithm, bytes, name) {
  const sign = (hash, display) =>
    core.imageSignPixels(signer(algorithm), hash, display, signedAt, entropy(`${name} pixels`))
  const used = pixels.neededBits(sign('0'.repeat(64), '{}'))
  const { sha256: hash, display } = JSON.parse(pixels.preparePixels(bytes, used))
  const document = sign(hash, JSON.stringify(display))
  return { document, used, sha256: hash, display, signed: Buffer.from(pixels.embedInPixels(bytes, document, used)) }
}

/** The core's verdict on an image. */
function verify(bytes, keys = trusted) {
  const scan = media.scanImage(bytes)
  const { status } = JSON.parse(scan)
  const ring = core.ringNew('')
  try {
    for (const { agentId, source, bytes: held } of keys) core.ringSet(ring, agentId, source, Buffer.from(held))
    const hash = status === 'signed' ? hex(sha256(contentOf(bytes))) : ''
    const found = status === 'none' ? pixels.readPixels(bytes) : ''
    const answer = core.imageFinish(core.imageStart(scan, hash, found), ring)
    return JSON.parse(answer.slice(answer.indexOf('\n') + 1))
  } finally {
    core.free(ring)
  }
}

const files = ['rgb.png', 'exif.jpg', 'lossy.webp', 'xmp.webp'].flatMap((fixtureName) =>
  Object.keys(agent).map((algorithm) => {
    const input = fixture(fixtureName)
    const name = `${algorithm} ${fixtureName}`
    const { payload, signed, length, sha256: hash } = signFile(algorithm, input, `image ${name}`)
    must(input.equals(media.stripPayload(signed)), `${name} is what it was without its signature`)
    must(hash === hex(sha256(input)) && length === input.length, `what is signed of ${name}`)
    return { name, algorithm, signedAt, length, sha256: hash, payload, input: base64(input), signed: base64(signed) }
  }),
)

const pictures = ['texture.jpg', 'interlaced.png'].map((fixtureName) => {
  const input = fixture(fixtureName)
  const name = `ed25519 ${fixtureName}`
  const { document, used, display, sha256: hash, signed } = signPixels('ed25519', input, `image ${name}`)
  const file = signFile('ed25519', signed, `image ${name}`)
  return {
    name,
    algorithm: 'ed25519',
    signedAt,
    usedBits: used,
    sha256: hash,
    display,
    document,
    input: base64(input),
    pixels: base64(signed),
    signed: base64(file.signed),
  }
})

const bytesOf = (list, name, member = 'signed') => Buffer.from(list.find((one) => one.name === name)[member], 'base64')

/** These bytes in place of those at a place; counted from the end if that is negative. */
function put(bytes, at, ...values) {
  const changed = Buffer.from(bytes)
  changed.set(values, at < 0 ? bytes.length + at : at)
  return changed
}

function insert(bytes, at, ...parts) {
  return Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)])
}

/** A JPEG segment, or a PNG chunk. */
const segment = (marker, data) => Buffer.concat([Buffer.from([0xff, marker, 0, data.length + 2]), data])

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let crc = n
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc >>> 0
})
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data])
  const crc = ~body.reduce((found, byte) => crcTable[(found ^ byte) & 255] ^ (found >>> 8), -1) >>> 0
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length)
  body.copy(out, 4)
  out.writeUInt32BE(crc, body.length + 4)
  return out
}

const AFTER_IHDR = 33

function cases() {
  const png = bytesOf(files, 'ed25519 rgb.png')
  const jpeg = bytesOf(files, 'ed25519 exif.jpg')
  const webp = bytesOf(files, 'ed25519 lossy.webp')
  const plain = fixture('rgb.png')
  const own = chunk('iTXt', Buffer.from(`sx-agent.signature\0\0\0\0\0${files[0].payload}`))
  must(png.subarray(AFTER_IHDR, AFTER_IHDR + own.length).equals(own), 'where the signature of a PNG stands')
  const document = text(files[0].payload)
  const carrying = (raw) => Buffer.from(media.embedPayload(plain, url(raw)))
  const changed = (change, options) => carrying(resigned(document, key.ed25519, change, options))
  const photo = (member) => bytesOf(pictures, 'ed25519 texture.jpg', member)
  const picture = (member) => bytesOf(pictures, 'ed25519 interlaced.png', member)
  const exif = Buffer.from(
    '457869660000 4d4d002a00000008 0001 0112 0003 00000001 00060000 00000000'.replace(/ /g, ''),
    'hex',
  )
  const { sxSignature } = JSON.parse(document)
  const later = {
    sxVersion: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    sxVersionDate: '2026-01-02T03:04:06.678Z',
  }
  return [
    ['no signature, PNG', plain],
    ['no signature, JPEG', fixture('exif.jpg')],
    ['no signature, WebP', fixture('lossy.webp')],
    ...[png, jpeg, webp].flatMap((bytes, at) => {
      const format = ['PNG', 'JPEG', 'WebP'][at]
      return [
        [`T35 ${format}: bytes after the end`, insert(bytes, bytes.length, Buffer.from('pay 9999'))],
        [`T35 ${format}: a byte of the picture changed`, put(bytes, -20, bytes.at(-20) ^ 1)],
        [`${format}: cut off`, bytes.subarray(0, -1)],
      ]
    }),
    ['T35 two signatures', insert(png, AFTER_IHDR, own)],
    [
      'T35 a signature before IHDR',
      Buffer.concat([png.subarray(0, 8), own, png.subarray(8, AFTER_IHDR), png.subarray(AFTER_IHDR + own.length)]),
    ],
    ['T35 a bad checksum', put(png, AFTER_IHDR + own.length - 1, png[AFTER_IHDR + own.length - 1] ^ 1)],
    [
      'T35 XMP beside the signature edited',
      (() => {
        const bytes = bytesOf(files, 'ed25519 xmp.webp')
        const at = bytes.indexOf('<rdf:Description')
        return put(bytes, at - 1, bytes[at - 1] === 0x20 ? 0x0a : 0x20)
      })(),
    ],
    ['the signature of another file', Buffer.from(media.embedPayload(fixture('exif.jpg'), files[0].payload))],
    ['garbage in the place of a signature', carrying('garbage')],
    ['base64url that nobody writes', Buffer.from(media.embedPayload(plain, 'e31'))],
    ['blanks in the document', carrying(`${document} `)],
    ['a member of the claim more', changed((value) => Object.assign(value.content, { more: 1 }))],
    ['another scheme', changed((value) => Object.assign(value.content, { scheme: 'sx-image-v2' }))],
    ['the scheme of pixels', changed((value) => Object.assign(value.content, { scheme: 'sx-pixels-v1' }))],
    ['another length', changed((value) => Object.assign(value.content, { length: plain.length + 1 }))],
    ['a fraction of a length', changed((value) => Object.assign(value.content, { length: plain.length + 0.5 }))],
    ['a member beside the claim', changed((value) => Object.assign(value, { title: 'Sunset' }))],
    ['another type', changed((value) => Object.assign(value, { sxType: 'document' }))],
    ['another schema', changed((value) => Object.assign(value, { $schema: 'https://example.com/schema.json' }))],
    [
      'a later version',
      changed((value) =>
        Object.assign(value, later, {
          sxPreviousVersion: value.sxVersion,
          sxSignature: { ...value.sxSignature, date: later.sxVersionDate },
        }),
      ),
    ],
    ['a registration', carrying(registered(document, key.ed25519, sxSignature))],
    [
      'the hash of another document',
      changed((value) => Object.assign(value, { sxSha256: '0'.repeat(64) }), { keepHash: true }),
    ],
    ['a C2PA chunk that came later', insert(png, AFTER_IHDR + own.length, chunk('caBX', Buffer.from('anything')))],
    [
      'two C2PA chunks',
      insert(png, AFTER_IHDR + own.length, chunk('caBX', Buffer.from('a')), chunk('caBX', Buffer.from('b'))),
    ],
    ['JPEG without its metadata', photo('pixels')],
    ['PNG without its metadata', picture('pixels')],
    [
      'pixels: a text that came later',
      insert(picture('pixels'), AFTER_IHDR, chunk('tEXt', Buffer.from('Title\0Sunset'))),
    ],
    ['pixels: an orientation that came later', insert(photo('pixels'), 2, segment(0xe1, exif))],
    [
      'pixels: a gamma that came later',
      insert(picture('pixels'), AFTER_IHDR, chunk('gAMA', Buffer.from([0, 0, 1, 0]))),
    ],
    ['pixels: no more of them', fixture('texture.jpg')],
    [
      'pixels: the signature of another picture',
      (() => {
        const { document: foreign, usedBits } = pictures[1]
        return Buffer.from(pixels.embedInPixels(fixture('texture.jpg'), foreign, usedBits))
      })(),
    ],
    [
      'pixels: a document that is not canonical',
      Buffer.from(pixels.embedInPixels(fixture('interlaced.png'), `${pictures[1].document} `, pictures[1].usedBits)),
    ],
    [
      'pixels: the claim of a file',
      Buffer.from(pixels.embedInPixels(fixture('texture.jpg'), document, pixels.neededBits(document))),
    ],
  ]
}

function described([name, image, keys]) {
  const found = verify(image, keys)
  const { status, valid, coverage = null, signerId, trusted: isTrusted, unsignedRegions, code = null } = found
  return { name, status, valid, coverage, signerId, trusted: isTrusted, unsignedRegions, code, image: base64(image) }
}

/** Images that are not signed. */
const refusals = () =>
  [
    ['no image', Buffer.from('no image')],
    ['half an image', fixture('rgb.png').subarray(0, 60)],
    ['an image with a C2PA chunk', insert(fixture('rgb.png'), AFTER_IHDR, chunk('caBX', Buffer.from('anything')))],
    ['an image with a damaged signature', put(bytesOf(files, 'ed25519 rgb.png'), 90, 0x80)],
  ].map(([name, image]) => {
    const { code } = outcome(() => {
      core.imageAdmit(media.scanImage(image), '', false, false)
      media.embedPayload(image, files[0].payload)
    })
    must(code !== undefined, `${name} is refused`)
    return { name, code, image: base64(image) }
  })

export const signedImages = () => ({
  description: 'Signed images, the verdicts on them and on what they can become, and images that are not signed.',
  about: [
    'The signers are those of agents.json, under the keys of keys.json. Images are in base64.',
    '`files`: `input` was signed at `signedAt` (Unix milliseconds) and became `signed`; `length` and `sha256` are those of its content, `payload` is what stands in its metadata.',
    '`pictures`: the picture of `input` was signed in `usedBits` carriers and became `pixels`, whose file was signed and became `signed`; `sha256` and `display` are those of the picture, `document` is what its pixels hold.',
    '`cases`: the verdict on `image` by a verifier that trusts both agents: status, whether it is valid, what is covered, the signer that is named, whether it is trusted, what is not covered, and the code if it is not valid.',
    '`refusals`: images that are not signed, and the code of the refusal.',
  ],
  files,
  pictures,
  cases: [...[...files, ...pictures].map(({ name, signed }) => [name, Buffer.from(signed, 'base64')]), ...cases()].map(
    described,
  ),
  refusals: refusals(),
})
