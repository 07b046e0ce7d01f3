/** What is put into signed pictures, or taken out of them, one thing each, to see which readers obey it. */
import { deflateSync, inflateSync } from 'node:zlib'
import { chunk, withSecondImage } from '../corpus/parts.mjs'
import type { Base } from './pictures.ts'
import {
  adobe,
  afterHead,
  chrm,
  exif,
  exifBlock,
  headless,
  iccp,
  insert,
  jfif,
  latin,
  packedData,
  raw,
  segment,
  srgb,
  swapped,
  textData,
  tiff,
  turning,
  u16,
  u32,
} from './pieces.ts'

/** One change: as the table calls it, of which picture, and what it makes of it. */
export type Mark = readonly [name: string, base: Base, change: (bytes: Buffer) => Buffer]

const put = (name: string, ...parts: Buffer[]): Mark => [name, 'jpg', (jpeg) => insert(jpeg, afterHead(jpeg), ...parts)]
const comment = (words: string): Mark =>
  put(`comment \`${words.replaceAll('\x01', '..')}\``, segment(0xfe, latin(words)))
const app = (number: number, data: string, name = data.split('\0')[0]): Mark =>
  put(`\`APP${number}\` \`${name}\``, segment(0xe0 + number, latin(data)))
const beforeEnd = (name: string, part: Buffer): Mark => [name, 'jpg', (jpeg) => insert(jpeg, jpeg.length - 2, part)]

const jpegMarks: Mark[] = [
  comment('Metasoft MJPEG Codec'),
  comment('CS=ITU601'),
  comment('MULTISCOPE II'),
  comment('AVID\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01'),
  comment('Lavc58.134.100'),
  comment('Intel(R) JPEG Library, version 1,2,3,4'),
  comment('A day at the sea'),
  comment('CREATOR: gd-jpeg v1.0 (using IJG JPEG v80), quality = 90\n'.trim()),
  comment('Created with GIMP'),
  comment('Created with The GIMP'),
  comment('Optimized by JPEGmini 3.9.20.0'),
  beforeEnd('comment `Metasoft MJPEG Codec` before `EOI`', segment(0xfe, latin('Metasoft MJPEG Codec'))),
  ['JFIF taken out', 'jpg', headless],
  [
    'JFIF after the tables',
    'jpg',
    (jpeg) => insert(headless(jpeg), headless(jpeg).indexOf(Buffer.from([0xff, 0xc0])), jfif(1, 1)),
  ],
  ['JFIF of 72 dpi in its place', 'jpg', (jpeg) => insert(headless(jpeg), 2, jfif(72, 72))],
  ['JFIF of 1:4 in its place', 'jpg', (jpeg) => insert(headless(jpeg), 2, jfif(1, 4))],
  ['JFIF with a thumbnail in its place', 'jpg', (jpeg) => insert(headless(jpeg), 2, jfif(1, 1, '\x01\x01abc'))],
  put('a second JFIF', jfif(1, 1)),
  put('a second JFIF of 1:4', jfif(1, 4)),
  app(0, 'JFXX\0\x13\x01\x01abc'),
  app(0, 'AVI1\x01\0\0\0\0\0\0\0\0\0', 'AVI1'),
  app(1, 'http://ns.adobe.com/xap/1.0/\0' + turning(6), 'http://ns.adobe.com/xap/1.0/'),
  put('`APP1` Exif, turned', exif(6)),
  put('`APP1` Exif, upright', exif(1)),
  put('`APP2` ICC profile', segment(0xe2, Buffer.concat([latin('ICC_PROFILE\0\x01\x01'), swapped]))),
  ['`APP2` `MPF` and a second picture', 'jpg', (jpeg) => withSecondImage(jpeg, jpeg)],
  app(2, 'urn:iso:std:iso:ts:21496:-1\0\0\0\0\0'),
  app(3, '_JPSJPS_\0\x04\0\0\x03\x01', '_JPS'),
  app(7, 'Fuji\0\0\0\0'),
  app(9, 'PhotoCap Magic\0'),
  app(10, 'LJIF\0\x10\0\x01\0\0\x01\0\x01\0\x03', 'LJIF'),
  app(11, 'JP\0\x01\0\0\0\x01\0\0\0\x08free', 'JP'),
  app(12, 'Ducky\0\x01\0\x04\0\0\0\x3c\0\0'),
  app(13, 'Photoshop 3.0\x008BIM\x03\xed\0\0\0\0\0\x10\0\x48\0\0\0\x01\0\x01\0\x90\0\0\0\x01\0\x01', 'Photoshop 3.0'),
  app(15, 'words'),
  ...[0, 1, 2].map((transform) => put(`Adobe with transform ${transform} beside JFIF`, adobe(transform))),
  put('Adobe of 13 bytes with transform 0 beside JFIF', adobe(0, 13)),
  put('Adobe of 13 bytes with transform 1 beside JFIF', adobe(1, 13)),
  put('Adobe of 11 bytes', segment(0xee, latin('Adobe\0\x64\0\0\0\0'))),
  put('Adobe with transform 0 in `APP13`', adobe(0, 12, 0xed)),
  ...[0, 1, 2].map(
    (transform): Mark => [
      `Adobe with transform ${transform} in the place of JFIF`,
      'jpg',
      (jpeg) => insert(headless(jpeg), 2, adobe(transform)),
    ],
  ),
  beforeEnd('Adobe with transform 0 before `EOI`', adobe(0)),
  ['Adobe of 13 bytes taken out (RGB)', 'rgb.jpg', headless],
  ['JFIF beside Adobe (RGB)', 'rgb.jpg', (jpeg) => insert(jpeg, 2, jfif(1, 1))],
  [
    'Exif that turns it taken out',
    'turned.jpg',
    (jpeg) => Buffer.concat([jpeg.subarray(0, 20), jpeg.subarray(20 + exif(6).length)]),
  ],
  put('fill bytes before a marker', Buffer.from([0xff, 0xff, 0xff])),
  put('a quantisation table that nothing uses', segment(0xdb, Buffer.concat([Buffer.from([3]), Buffer.alloc(64, 7)]))),
  put('`DRI` of no restarts', segment(0xdd, u16(0))),
  put('`DNL`', segment(0xdc, u16(50))),
  put('a restart marker', Buffer.from([0xff, 0xd0])),
  put('a second `SOI`', Buffer.from([0xff, 0xd8])),
  put('`TEM`', Buffer.from([0xff, 0x01])),
  put('`JPG0`', segment(0xf0, latin('words'))),
  ['bytes after `EOI`', 'jpg', (jpeg) => insert(jpeg, jpeg.length, latin('more'))],
]

const chunks = (name: string, parts: Buffer[], base: Base = 'png'): Mark => [
  name,
  base,
  (png) => insert(png, 33, ...parts),
]
const one = (kind: string, data: Buffer, name = `\`${kind}\``, base: Base = 'png'): Mark =>
  chunks(name, [chunk(kind, data)], base)
const words = (keyword: string, value: string, name = `\`tEXt\` \`${keyword}\``): Mark =>
  one('tEXt', textData(keyword, value), name)
const packed = (keyword: string, value: string): Mark =>
  one('zTXt', packedData(keyword, value), `\`zTXt\` \`${keyword}\``)
/** The picture as an animation of two frames, of which the second one is black. */
const animated = (png: Buffer): Buffer => {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const control = (sequence: number): Buffer =>
    chunk('fcTL', u32(sequence), u32(width), u32(height), u32(0), u32(0), u16(1), u16(10), Buffer.alloc(2))
  const black = deflateSync(Buffer.alloc((width * 3 + 1) * height))
  const at = png.length - 12
  const first = insert(png, at, control(1), chunk('fdAT', u32(2), black))
  return insert(first, 33, chunk('acTL', u32(2), u32(0)), control(0))
}

/** The colour of the first pixel of an RGB image whose lines have no filters. */
function firstColour(png: Buffer): number[] {
  const at = png.indexOf('IDAT')
  return [...inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))).subarray(1, 4)]
}

const pngMarks: Mark[] = [
  ...['icc', 'icm', 'ICC'].map((kind) => words(`Raw profile type ${kind}`, raw(kind, swapped))),
  ...['exif', 'APP1', 'EXIF'].map((kind) => words(`Raw profile type ${kind}`, raw(kind, exifBlock(6)))),
  words('raw profile type exif', raw('exif', exifBlock(6))),
  words('Raw profile type xmp', raw('xmp', latin(turning(6)))),
  words(
    'Raw profile type 8bim',
    raw('8bim', latin('8BIM\x03\xed\0\0\0\0\0\x10\0\x48\0\0\0\x01\0\x01\0\x90\0\0\0\x01\0\x01')),
  ),
  words('Raw profile type iptc', raw('iptc', latin('\x1c\x02\x78\0\x01x'))),
  packed('Raw profile type exif', raw('exif', exifBlock(6))),
  packed('Raw profile type icc', raw('icc', swapped)),
  one('iTXt', latin(`XML:com.adobe.xmp\0\0\0\0\0${turning(6)}`), '`iTXt` `XML:com.adobe.xmp`'),
  words('exif:Orientation', '6'),
  words('orientation', '6'),
  words('colorspace', 'CMYK'),
  words('gamma', '1.0'),
  words('page', '500x500+9+9'),
  words('density', '10x40'),
  ...[
    'Title',
    'Author',
    'Description',
    'Copyright',
    'Creation Time',
    'Software',
    'Disclaimer',
    'Warning',
    'Source',
    'Comment',
    'Collection',
    'date:create',
    'date:modify',
    'date:timestamp',
  ].map((keyword) => words(keyword, '2026-01-31T12:00:00+00:00')),
  one('iTXt', Buffer.from('Comment\0\0\0fr\0Mot\0La mer, \u00e9t\u00e9'), '`iTXt` `Comment`'),
  packed('Comment', 'words'),
  words('Comment', '%[fx:w] \\n <svg/> @/etc/hostname', '`tEXt` `Comment` that looks like orders'),
  one('eXIf', tiff(6), '`eXIf`, turned'),
  one('eXIf', tiff(1), '`eXIf`, upright'),
  one('iCCP', iccp(swapped)),
  one('gAMA', u32(100_000)),
  one('cHRM', Buffer.concat([31270, 32900, 15000, 6000, 30000, 60000, 64000, 33000].map(u32))),
  one('sRGB', Buffer.from([0])),
  chunks('`gAMA` and `cHRM` of sRGB', srgb),
  one('cICP', Buffer.from([9, 16, 0, 1])),
  one('mDCV', Buffer.concat([...chrm.map((value) => u16(value / 2)), u32(10_000_000), u32(1)])),
  one('cLLI', Buffer.concat([u32(10_000_000), u32(4_000_000)])),
  one('sBIT', Buffer.from([8, 8, 8]), '`sBIT` of all bits'),
  one('sBIT', Buffer.from([5, 6, 5]), '`sBIT` of fewer bits'),
  one('sBIT', Buffer.from([8, 8, 8, 8]), '`sBIT` of another length'),
  one('bKGD', Buffer.concat([0, 255, 0].map(u16)), '`bKGD`, partly transparent', 'alpha.png'),
  one('bKGD', Buffer.concat([0, 255, 0].map(u16))),
  one('tRNS', Buffer.concat([0, 1, 2].map(u16)), '`tRNS` of a colour that no pixel has'),
  [
    '`tRNS` of the colour of a pixel',
    'png',
    (png) => insert(png, 33, chunk('tRNS', Buffer.concat(firstColour(png).map(u16)))),
  ],
  one('PLTE', Buffer.from([0, 0, 0, 255, 255, 255]), '`PLTE` that only proposes colours'),
  one('pHYs', Buffer.concat([u32(2835), u32(2835), Buffer.from([1])]), '`pHYs`, square'),
  one('pHYs', Buffer.concat([u32(1), u32(4), Buffer.from([0])]), '`pHYs` of 1:4'),
  one('sTER', Buffer.from([0])),
  one('hIST', Buffer.alloc(2)),
  one('sPLT', latin('a\0\x08\0\0\0\xff\0\x01')),
  one('oFFs', Buffer.concat([u32(9), u32(9), Buffer.from([0])])),
  one('vpAg', Buffer.concat([u32(99), u32(99), Buffer.from([0])])),
  one('caNv', Buffer.concat([u32(99), u32(99), u32(9), u32(9)])),
  one('orNT', Buffer.from([6])),
  one('pCAL', latin('a\0\0\0\0\0\0\0\0\xff\0\x02m\x000\x001')),
  one('sCAL', latin('\x011\x004')),
  one('gIFg', Buffer.alloc(4)),
  one('iDOT', Buffer.alloc(28, 1)),
  one('tIME', Buffer.from([7, 234, 1, 31, 12, 0, 0])),
  one('caBX', latin('\0\0\0\x08jumb')),
  one('dSIG', latin('words')),
  one('zzZz', latin('words'), 'a chunk that nobody knows'),
  ['`acTL`, `fcTL` and `fdAT`', 'png', animated],
  ['`CgBI`', 'png', (png) => insert(png, 8, chunk('CgBI', Buffer.from([0x50, 0, 0x20, 2])))],
  ['bytes after `IEND`', 'png', (png) => insert(png, png.length, latin('more'))],
  ['another PNG after `IEND`', 'png', (png) => Buffer.concat([png, png])],
]

const webp = (kind: string, data: Buffer, name = `\`${kind.trim()}\``): Mark => [
  name,
  'webp',
  (file) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(data.length)
    const grown = insert(file, 30, latin(kind), size, data, Buffer.alloc(data.length & 1))
    grown.writeUInt32LE(grown.length - 8, 4)
    return grown
  },
]

const webpMarks: Mark[] = [
  webp('ICCP', swapped),
  webp('EXIF', tiff(6)),
  webp('XMP ', latin(turning(6))),
  webp('ANIM', Buffer.from([0, 0, 255, 255, 0, 0])),
  webp('ALPH', Buffer.alloc(20)),
  webp('zzzz', latin('words'), 'a chunk that nobody knows'),
  ['bytes after the RIFF', 'webp', (file) => insert(file, file.length, latin('more'))],
]

/** All of them, by format. */
export const marks: Readonly<Record<'jpg' | 'png' | 'webp', readonly Mark[]>> = {
  jpg: jpegMarks,
  png: pngMarks,
  webp: webpMarks,
}
