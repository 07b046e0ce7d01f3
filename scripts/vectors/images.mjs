import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as media from '../../wasm/dist/media/media.js'
import * as pixels from '../../wasm/dist/pixels/pixels.js'
import { root } from '../setup/shared.mjs'
import { fileOf } from '../setup/table.mjs'
import { agent } from './agents.mjs'
import { core, hex, moment, must, outcome, sha256, signedAt } from './core.mjs'
import { displays } from './displays.mjs'
import { trusted } from './documents.mjs'
import { key, signerOf } from './keys.mjs'
import { registered, resigned } from './sign.mjs'

for (const [name, glue] of Object.entries({ media, pixels }))
  glue.initSync({ module: new WebAssembly.Module(readFileSync(join(root, fileOf(name)))) })

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
  const payload = core.imageSignFile(signer(algorithm), hash, content.length, moment(signedAt, name))
  return { payload, signed: Buffer.from(media.embedPayload(bytes, payload)), sha256: hash, length: content.length }
}

/** Signs the picture. */
function signPixels(algorithm, bytes, name) {
  const sign = (hash, display) =>
    core.imageSignPixels(signer(algorithm), hash, display, moment(signedAt, `${name} pixels`))
  const { used, available, carriers, sha256: hash, display } = prepare(bytes, sign('0'.repeat(64), '{}'), '{}')
  const document = sign(hash, JSON.stringify(display))
  /** Another picture with what was signed of this one: of the same pixels. */
  const put = (other) =>
    Buffer.from(
      pixels.embedInPixels(other, document, Uint32Array.of(used, available, ...carriers), Buffer.from(hash, 'hex')),
    )
  return { document, used, sha256: hash, display, signed: withPixels(bytes, document), put }
}

/** What a signature of the pixels is to cover that has its own `display` where this draft has that. */
function prepare(bytes, draft, display) {
  const [before, ...after] = draft.split(display)
  return JSON.parse(pixels.preparePixels(bytes, before, after.join(display)))
}

/** The picture with this text in its pixels. */
function withPixels(bytes, text) {
  const { display } = JSON.parse(text).content
  const { used, available, carriers, sha256: hash } = prepare(bytes, text, JSON.stringify(display ?? {}))
  const room = new Uint32Array([used, available, ...carriers])
  return Buffer.from(pixels.embedInPixels(bytes, text, room, Buffer.from(hash, 'hex')))
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

/** The PNG with other bytes as its zlib stream, in one chunk. */
function repacked(png, change) {
  const parts = []
  const kept = []
  for (let at = 8; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, end - 4))
    else kept.push(png.subarray(at, end))
    at = end
  }
  const end = kept.pop()
  return Buffer.concat([png.subarray(0, 8), ...kept, chunk('IDAT', change(Buffer.concat(parts))), end])
}

/** A RIFF chunk, and a WebP of such chunks. */
function riff(kind, data) {
  const head = Buffer.alloc(8)
  head.write(kind)
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
function webpOf(...chunks) {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  return riff('RIFF', body)
}
function riffChunks(webp) {
  const found = []
  for (let at = 12; at < webp.length; ) {
    const size = webp.readUInt32LE(at + 4)
    found.push(webp.subarray(at, at + 8 + size + (size % 2)))
    at += 8 + size + (size % 2)
  }
  return found
}

const C2PA_UUID = '6332706100110010800000aa00389b71'

/** A C2PA store in JPEG segments of so many bytes of its content; of the first segment on the number can be another. */
function c2paSegments(number, sizes, declared) {
  const description = Buffer.concat([
    Buffer.from('0000001e6a756d64', 'hex'),
    Buffer.from(C2PA_UUID, 'hex'),
    Buffer.from('\x03c2pa\0'),
  ])
  const content = Buffer.concat([
    description,
    Buffer.alloc(sizes.reduce((a, b) => a + b, 0) - description.length, 0x5a),
  ])
  const box = Buffer.alloc(8)
  box.writeUInt32BE(declared ?? content.length + 8)
  box.write('jumb', 4)
  let at = 0
  return Buffer.concat(
    sizes.map((size, n) => {
      const part = content.subarray(at, (at += size))
      const head = Buffer.from([0x4a, 0x50, number >> 8, number & 255, 0, 0, 0, n + 1])
      return segment(0xeb, Buffer.concat([head, box, part]))
    }),
  )
}

/** What decides about the metadata channel at the edges of the formats, each signed or put into a signed file. */
function edges(png, jpeg, webp) {
  const sign = (name, bytes) => signFile('ed25519', bytes, `image edge ${name}`).signed
  const plainPng = fixture('rgb.png')
  const plainJpeg = fixture('exif.jpg')
  const keyword = 'sx-agent.signature'
  const likeness = (count) => Buffer.from(`${keyword.slice(0, count)}${'~'.repeat(18 - count)}`.padEnd(24, '\0'))
  const text = (data) => insert(plainPng, AFTER_IHDR, chunk('teXt', data))
  const ownEnd = AFTER_IHDR + 12 + png.readUInt32BE(AFTER_IHDR)
  const store = (data) => chunk('caBX', Buffer.from(data))
  const idat = (bytes) => bytes.indexOf('IDAT') - 4
  const sos = (bytes) => bytes.indexOf(Buffer.from([0xff, 0xda]))
  const dqt = (bytes) => bytes.indexOf(Buffer.from([0xff, 0xdb]))
  const ours = jpeg.subarray(jpeg.indexOf(Buffer.from('JPSX')) - 4)
  const description = Buffer.from(ours.subarray(24, 64))
  const like = (count) => Buffer.concat([Buffer.alloc(20), description.subarray(0, count), Buffer.alloc(44 - count, 1)])
  const mpf = segment(0xe2, Buffer.from('4d50460049492a000800000000000000', 'hex'))
  const [vp8x, image, xmp] = riffChunks(webp)
  const [plainImage] = riffChunks(fixture('lossy.webp'))
  const namespace = Buffer.from('urn:sx-agent:schemas/image/v1/')
  const junk = Buffer.from('junk')
  const marker = (byte) => Buffer.from([0xff, byte])
  return [
    ['PNG: eight bytes of the keyword in a chunk', text(likeness(8))],
    ['PNG: nine bytes of the keyword in a chunk', text(likeness(9))],
    ['PNG: the keyword one byte later', text(Buffer.concat([Buffer.from(' '), likeness(18)]))],
    ['PNG: the keyword two bytes later', text(Buffer.concat([Buffer.from('  '), likeness(18)]))],
    ['PNG: the keyword in a C2PA store', insert(png, ownEnd, store(keyword))],
    ['PNG: the keyword in a second C2PA store', insert(png, ownEnd, store('a'), store(keyword))],
    ['PNG: a C2PA store before IHDR', insert(png, 8, store('anything'))],
    ['PNG: the same without a signature', insert(plainPng, 8, store('anything'))],
    ['PNG: a C2PA store before the signature', insert(png, AFTER_IHDR, store('anything'))],
    [
      'PNG: a C2PA store after iDOT',
      insert(
        sign('idot', insert(plainPng, idat(plainPng), chunk('iDOT', Buffer.alloc(28)))),
        idat(png) + 40,
        store('anything'),
      ),
    ],
    ['PNG: a C2PA store after the data', insert(png, png.length - 12, store('anything'))],
    [
      'PNG: bytes of a chunk of ours in an image that ends early',
      Buffer.concat([plainPng.subarray(0, 60), Buffer.from(`${keyword}\0\0\0\0\0`)]),
    ],
    [
      'PNG: a checksum of another chunk that is wrong',
      sign('crc', put(plainPng, AFTER_IHDR - 1, plainPng[AFTER_IHDR - 1] ^ 1)),
    ],
    ['JPEG: stray bytes before the tables', sign('stray', insert(plainJpeg, dqt(plainJpeg), junk))],
    [
      'JPEG: stray bytes directly after SOI',
      sign('stray first', insert(plainJpeg, 2, marker(0xff), marker(0xff), marker(0))),
    ],
    ...[0x00, 0x01, 0xd0, 0xd8].map((byte) => [
      `JPEG: FF ${byte.toString(16).padStart(2, '0').toUpperCase()} before the tables`,
      sign(`marker ${byte}`, insert(plainJpeg, dqt(plainJpeg), marker(byte))),
    ]),
    ['JPEG: FF 01 that came later', insert(jpeg, dqt(jpeg), marker(1))],
    ['JPEG: fill bytes before the segments', sign('fill', insert(plainJpeg, 2, marker(0xff)))],
    ['JPEG: fill bytes before the signature', insert(jpeg, jpeg.indexOf(Buffer.from('JPSX')) - 4, Buffer.from([0xff]))],
    ['JPEG: no EOI', sign('no end', plainJpeg.subarray(0, -2))],
    ['JPEG: no start of scan', jpeg.subarray(0, sos(jpeg))],
    ['JPEG: 19 bytes of the description in a segment', insert(plainJpeg, dqt(plainJpeg), segment(0xe5, like(19)))],
    ['JPEG: 20 bytes of the description in a segment', insert(plainJpeg, dqt(plainJpeg), segment(0xe5, like(20)))],
    ['JPEG: the description among stray bytes', insert(plainJpeg, dqt(plainJpeg), Buffer.from([1]), description)],
    [
      'JPEG: the description in a segment where it is not looked for',
      insert(plainJpeg, dqt(plainJpeg), segment(0xe5, Buffer.concat([Buffer.alloc(30), description]))),
    ],
    [
      'JPEG: a box number that is taken',
      sign('number', insert(plainJpeg, dqt(plainJpeg), segment(0xeb, Buffer.from('HDSX and more')))),
    ],
    ['JPEG: a C2PA store that came later', insert(jpeg, dqt(jpeg), c2paSegments(0x0211, [60, 60]))],
    ['JPEG: a C2PA store of another box number', insert(jpeg, dqt(jpeg), c2paSegments(7, [60]))],
    ['JPEG: a C2PA store that is longer than it says', insert(jpeg, dqt(jpeg), c2paSegments(0x0211, [60, 60], 100))],
    [
      'JPEG: a C2PA store after the index of other pictures',
      insert(sign('mpf', insert(plainJpeg, dqt(plainJpeg), mpf)), dqt(jpeg) + mpf.length, c2paSegments(0x0211, [60])),
    ],
    [
      'JPEG: a C2PA store after stray bytes',
      insert(sign('stray store', insert(plainJpeg, dqt(plainJpeg), junk)), dqt(jpeg) + 4, c2paSegments(0x0211, [60])),
    ],
    ['JPEG: two C2PA stores', insert(jpeg, dqt(jpeg), c2paSegments(0x0211, [60]), c2paSegments(0x0212, [60]))],
    ['WebP: a chunk that nobody knows before VP8X', webpOf(riff('abcd', junk), vp8x, image, xmp)],
    ['WebP: a chunk that nobody knows before XMP', webpOf(vp8x, image, riff('abcd', junk), xmp)],
    ['WebP: a C2PA store before VP8X', webpOf(riff('C2PA', junk), vp8x, image, xmp)],
    ['WebP: a C2PA store before the image', webpOf(vp8x, riff('C2PA', junk), image, xmp)],
    ['WebP: a C2PA store after the image', webpOf(vp8x, image, riff('C2PA', junk), xmp)],
    ['WebP: our namespace in a C2PA store', webpOf(vp8x, image, riff('C2PA', namespace), xmp)],
    ['WebP: two C2PA chunks', webpOf(vp8x, image, xmp, riff('C2PA', junk), riff('C2PA', junk))],
    ['WebP: two XMP chunks', webpOf(vp8x, image, xmp, xmp)],
    ['WebP: two XMP chunks, one of them foreign', webpOf(vp8x, image, xmp, riff('XMP ', junk))],
    ['WebP: no image data', webpOf(vp8x, xmp)],
    ['WebP: no image data and no signature', webpOf(vp8x)],
    ['WebP: our namespace in a chunk that nobody knows', webpOf(plainImage, riff('abcd', namespace))],
    ['WebP: our namespace in Exif', webpOf(plainImage, riff('EXIF', namespace))],
    [
      'WebP: a padding that is not zero',
      (() => {
        const size = xmp.readUInt32LE(4)
        const odd = size % 2 === 1
        return odd ? webpOf(vp8x, image, put(xmp, -1, 7)) : webpOf(vp8x, image, riff('XMP ', xmp.subarray(8, -1)))
      })(),
    ],
  ]
}

/** Pictures that are signed in their pixels, and what stands in the way of reading them. */
function strict(picture, photo) {
  const idat = picture.indexOf('IDAT') - 4
  const before = (...parts) => insert(picture, AFTER_IHDR, ...parts)
  const end = picture.length - 12
  const whole = repacked(picture, (data) => data)
  return [
    ['pixels: two empty palettes', before(chunk('PLTE', Buffer.alloc(0)), chunk('PLTE', Buffer.alloc(0)))],
    ['pixels: an empty palette', before(chunk('PLTE', Buffer.alloc(0)))],
    ['pixels: a palette of five bytes', before(chunk('PLTE', Buffer.alloc(5)))],
    ['pixels: a palette of two colours that came later', before(chunk('PLTE', Buffer.alloc(6)))],
    ['pixels: sBIT of every bit', before(chunk('sBIT', Buffer.alloc(picture[25] === 6 ? 4 : 3, 8)))],
    ['pixels: sBIT that is too long', before(chunk('sBIT', Buffer.alloc(picture[25] === 6 ? 5 : 4, 8)))],
    ['pixels: all data in one chunk', whole],
    ['pixels: a byte after the zlib stream', repacked(picture, (data) => Buffer.concat([data, Buffer.alloc(1)]))],
    ['pixels: an empty chunk of data', insert(picture, idat, chunk('IDAT', Buffer.alloc(0)))],
    [
      'pixels: a checksum of the zlib stream that is wrong',
      repacked(picture, (data) => put(data, -1, data.at(-1) ^ 1)),
    ],
    [
      'pixels: data in two runs',
      insert(picture, end, chunk('tEXt', Buffer.from('Title\0Sunset')), chunk('IDAT', Buffer.alloc(0))),
    ],
    ['pixels: an end with data', Buffer.concat([picture.subarray(0, end), chunk('IEND', Buffer.from('a'))])],
    ['pixels: bytes after the end of a PNG', insert(picture, picture.length, Buffer.from('a'))],
    ['pixels: a critical chunk', before(chunk('ABCD', Buffer.alloc(0)))],
    ['pixels: a C2PA store, PNG', before(chunk('caBX', Buffer.from('a')))],
    ['pixels: a comment that came later', insert(photo, 2, segment(0xfe, Buffer.from('CS=ITU601')))],
    ['pixels: a comment of GIMP', insert(photo, 2, segment(0xfe, Buffer.from('Created with GIMP')))],
    ['pixels: a second SOI', insert(photo, 2, Buffer.from([0xff, 0xd8]))],
    ['pixels: TEM', insert(photo, 2, Buffer.from([0xff, 0x01]))],
    ['pixels: fill bytes', insert(photo, 2, Buffer.from([0xff, 0xff]))],
    ['pixels: stray bytes', insert(photo, photo.indexOf(Buffer.from([0xff, 0xdb])), Buffer.from([0]))],
    ['pixels: no EOI', photo.subarray(0, -2)],
    ['pixels: bytes after the end of a JPEG', insert(photo, photo.length, Buffer.from('a'))],
    ['pixels: Adobe with transform 1', insert(photo, photo.indexOf(Buffer.from([0xff, 0xdb])), adobe(1))],
    ['pixels: Adobe with transform 0', insert(photo, photo.indexOf(Buffer.from([0xff, 0xdb])), adobe(0))],
    ['pixels: Adobe of 11 bytes', insert(photo, 2, segment(0xee, adobe(1).subarray(4, -1)))],
    ['pixels: a C2PA store, JPEG', insert(photo, photo.indexOf(Buffer.from([0xff, 0xdb])), c2paSegments(0x0211, [60]))],
  ]
}

const adobe = (transform) => segment(0xee, Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]))

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
    ['pixels: the signature of another picture', withPixels(fixture('texture.jpg'), pictures[1].document)],
    ['pixels: a document that is not canonical', withPixels(fixture('interlaced.png'), `${pictures[1].document} `)],
    ['pixels: the claim of a file', withPixels(fixture('texture.jpg'), document)],
    ...edges(png, jpeg, webp),
    ...strict(picture('pixels'), photo('pixels')),
    ...senses(),
    ...displays({ signPixels, insert, chunk, segment, adobe, photo: fixture('texture.jpg') }),
  ]
}

/** A JPEG of four components, of which the first has something in each block; what tells their sense comes first. */
function fourComponents(...first) {
  const bits = []
  const write = (text) => bits.push(...text)
  // Codes: no difference of the constant part; a coefficient of 3 bits, `0`; the end of the block, `10`.
  const coefficient = (n) => ['100', '101', '110', '111', '011', '010', '001', '000'][n % 8]
  const scan = (id, count) => {
    bits.length = 0
    for (let block = 0; block < 128; block++) {
      write('0')
      for (let n = 0; n < count; n++) write(`0${coefficient(block * 7 + n * n)}`)
      write('10')
    }
    while (bits.length % 8 > 0) write('1')
    const coded = bits
      .join('')
      .match(/.{8}/g)
      .flatMap((byte) => (byte === '11111111' ? [255, 0] : [Number.parseInt(byte, 2)]))
    return [segment(0xda, Buffer.from([1, id, 0, 0, 63, 0])), Buffer.from(coded)]
  }
  const table = (kind, counts, symbols) => {
    const lengths = Buffer.alloc(16)
    lengths.set(counts)
    return segment(0xc4, Buffer.from([kind, ...lengths, ...symbols]))
  }
  const components = [1, 2, 3, 4].flatMap((id) => [id, 0x11, 0])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...first,
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 4)])),
    segment(0xc0, Buffer.from([8, 0, 64, 0, 128, 4, ...components])),
    table(0x00, [1], [0]),
    table(0x10, [1, 1], [3, 0]),
    ...[1, 2, 3, 4].flatMap((id) => scan(id, id === 1 ? 32 : 0)),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** Pictures of four components, by what tells the sense of their colours. */
function senses() {
  const signed = (...first) => signPixels('ed25519', fourComponents(...first), `image sense ${first.length}`).signed
  const bare = signed()
  const put = (bytes) => insert(bytes, 2, adobe(0))
  return [
    ['pixels: four components', bare],
    ['pixels: four components, Adobe with transform 0', signed(adobe(0))],
    ['pixels: four components, Adobe with transform 2', signed(adobe(2))],
    ['pixels: four components, Adobe with transform 1', signed(adobe(1))],
    ['pixels: four components, Adobe with transform 0 that came later', put(bare)],
    [
      'pixels: four components, Adobe with transform 0 that is lost',
      Buffer.concat([bare.subarray(0, 2), signed(adobe(0)).subarray(18)]),
    ],
  ]
}

function described([name, image, keys]) {
  const found = verify(image, keys)
  const { status, valid, coverage = null, signerId, trusted: isTrusted, unsignedRegions, lost, code = null } = found
  const gone = lost.length === 0 ? {} : { lost }
  const members = { status, valid, coverage, signerId, trusted: isTrusted, unsignedRegions, ...gone, code }
  return { name, ...members, image: base64(image) }
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
    '`cases`: the verdict on `image` by a verifier that trusts both agents: status, whether it is valid, what is covered, the signer that is named, whether it is trusted, what is not covered, what the picture has lost if it has lost something (`lost`), and the code if it is not valid.',
    '`refusals`: images that are not signed, and the code of the refusal.',
  ],
  files,
  pictures,
  cases: [...[...files, ...pictures].map(({ name, signed }) => [name, Buffer.from(signed, 'base64')]), ...cases()].map(
    described,
  ),
  refusals: refusals(),
})
