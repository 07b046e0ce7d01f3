/** What is moved in signed pictures, or stored in another way, to see which readers then show another picture. */
import { chunk, profile } from '../corpus/parts.mjs'
import {
  colourful,
  data,
  drawn,
  GREY,
  HEAD,
  type Lines,
  noise,
  PALETTE,
  png,
  RGB,
  RGBA,
  read,
  sources,
  texture,
} from './pictures.ts'
import {
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
  swapped,
  textData,
  tiff,
  turning,
  u32,
} from './pieces.ts'

/** One change: as the table calls it, of which picture, and what it makes of it once that is signed. */
export interface Rewrite {
  readonly name: string
  readonly source: Buffer
  readonly change: (signed: Buffer) => Buffer
}

/** A file without a part of it. */
export function without(bytes: Buffer, part: Buffer): Buffer {
  const at = bytes.indexOf(part)
  if (at < 0) throw new Error('A part that was signed is not in the file.')
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + part.length)])
}

/** Where the first segment with one of these markers ends; a scan ends with its coded data. */
function endOf(jpeg: Buffer, ...markers: number[]): number {
  const isCoded = (at: number): boolean => jpeg[at] !== 0xff || jpeg[at + 1] === 0 // they have no restarts
  for (let at = 2; at < jpeg.length - 4; ) {
    const marker = jpeg[at + 1] ?? 0
    at += 2 + jpeg.readUInt16BE(at + 2)
    while (marker === 0xda && isCoded(at)) at += 1
    if (markers.includes(marker)) return at
  }
  throw new Error('The JPEG has none of these segments.')
}
const afterFrame = (jpeg: Buffer): number => endOf(jpeg, 0xc0, 0xc1, 0xc2)
const afterScan = (jpeg: Buffer): number => endOf(jpeg, 0xda)

/** A part that stands elsewhere afterwards. */
const moved =
  (part: Buffer, place: (rest: Buffer) => number): Rewrite['change'] =>
  (signed) => {
    const rest = without(signed, part)
    return insert(rest, place(rest), part)
  }

const icc = segment(0xe2, Buffer.concat([latin('ICC_PROFILE\0\x01\x01'), swapped]))
const comment = (words: string): Buffer => segment(0xfe, latin(words))
/** Exif that Photoshop keeps. */
const resource = ((): Buffer => {
  const block = tiff(3)
  return segment(0xed, Buffer.concat([latin('Photoshop 3.0\x008BIM\x04\x22\0\0'), u32(block.length), block]))
})()

/** Two segments, of which the second one is moved before the first one. */
const exchangedSegments = (name: string, first: Buffer, second: Buffer, jpeg = texture, at = HEAD): Rewrite => ({
  name,
  source: insert(jpeg, at, first, second),
  change: moved(second, () => at),
})

/** A segment after JFIF, moved elsewhere. */
const movedSegment = (
  name: string,
  part: Buffer,
  place: (jpeg: Buffer) => number,
  jpeg: Buffer = texture,
): Rewrite => ({
  name,
  source: insert(jpeg, HEAD, part),
  change: moved(part, place),
})

const progressive = data('texture-progressive.jpg')
const xmp = segment(0xe1, latin(`http://ns.adobe.com/xap/1.0/\0${turning(3)}`))
const jpegRewrites: Rewrite[] = [
  exchangedSegments('Exif and XMP that turn it otherwise: XMP first', exif(6), xmp),
  exchangedSegments('Exif and Exif of `APP13` that turn it otherwise: `APP13` first', exif(6), resource),
  exchangedSegments(
    'JFIF of 1:4 and comment `MULTISCOPE II`: the comment first',
    jfif(1, 4),
    comment('MULTISCOPE II'),
    headless(texture),
    2,
  ),
  movedSegment('comment `CS=ITU601` moved behind the frame header', comment('CS=ITU601'), afterFrame),
  movedSegment('ICC profile moved behind the frame header', icc, afterFrame),
  movedSegment('Exif that turns it moved behind the frame header', exif(6), afterFrame),
  movedSegment('Exif that turns it moved behind the first scan', exif(6), afterScan, progressive),
]

type Pixel = (pixel: number[]) => number[]
const changed = (lines: Lines, pixel: Pixel): Lines => lines.map((line) => line.map(pixel))

/** The same chunks, and other pixels or others ways to store them. */
const stored =
  (colour: number, depth: 8 | 16, pixel: Pixel): Rewrite['change'] =>
  (signed) => {
    const { lines, parts } = read(signed)
    return png(changed(lines, pixel), colour, depth, ...parts)
  }
const same: Pixel = (pixel) => pixel

/** The same picture with a palette, before the other chunks or after them. */
const indexed =
  (isFirst: boolean): Rewrite['change'] =>
  (signed) => {
    const { lines, parts } = read(signed)
    const colours = [...new Set(lines.flat().map((pixel) => pixel.join()))]
    const palette = chunk('PLTE', Buffer.from(colours.flatMap((colour) => colour.split(',').map(Number))))
    const numbers = changed(lines, (pixel) => [colours.indexOf(pixel.join())])
    return png(numbers, PALETTE, 8, ...(isFirst ? [palette, ...parts] : [...parts, palette]))
  }

/** A quarter of the pixels is invisible, and has colours or is black. */
const invisible = (isBlack: boolean): Buffer => {
  const pixel = (x: number, y: number): number[] => [
    ...(x < 16 && isBlack ? [0, 0, 0] : colourful(x, y)),
    x < 16 ? 0 : 255,
  ]
  return png(drawn(64, pixel), RGBA, 8)
}
const behind = (name: string, isBlack: boolean, colour: number[]): Rewrite => ({
  name: `the colours of invisible pixels: ${name}`,
  source: invisible(isBlack),
  change: stored(RGBA, 8, (pixel) => (pixel[3] === 0 ? [...colour, 0] : pixel)),
})

const kinds = {
  iCCP: chunk('iCCP', iccp(swapped)),
  gAMA: chunk('gAMA', u32(100_000)),
  cICP: chunk('cICP', Buffer.from([9, 16, 0, 1])),
}
const few = drawn(64, (x, y) => {
  const number = noise(x, y, 0) >> 4
  return [number * 16, 255 - number * 9, (number * 53) % 256]
})
/** An RGB picture that is grey; each pixel has one carrier only. */
const greys = drawn(96, (x, y) => Array<number>(3).fill(noise(x, y, 0)))
const one: Pixel = (pixel) => pixel.slice(0, 1)
const three: Pixel = ([grey = 0]) => [grey, grey, grey]

/** What is said of a picture with these chunks. */
const having = (parts: Buffer[]): string => (parts.length === 0 ? '' : ' with `gAMA`')
const deepened = (parts: Buffer[]): Rewrite[] => [
  {
    name: `RGB of 8 bits${having(parts)}: stored with 16`,
    source: png(drawn(64, colourful), RGB, 8, ...parts),
    change: stored(RGB, 16, same),
  },
  {
    name: `grey of 8 bits${having(parts)}: stored with 16`,
    source: png(changed(greys, one), GREY, 8, ...parts),
    change: stored(GREY, 16, same),
  },
  {
    name: `RGB of 16 bits${having(parts)}: stored with 8`,
    source: png(drawn(64, colourful), RGB, 16, ...parts),
    change: stored(RGB, 8, same),
  },
  {
    name: `grey of 16 bits${having(parts)}: stored with 8`,
    source: png(changed(greys, one), GREY, 16, ...parts),
    change: stored(GREY, 8, same),
  },
]

const [text, packed] = [
  chunk('tEXt', textData('Raw profile type exif', raw('exif', exifBlock(6)))),
  chunk('zTXt', packedData('Raw profile type exif', raw('exif', exifBlock(3)))),
]
const exchangedChunks = (name: string, first: Buffer, second: Buffer): Rewrite => ({
  name,
  source: insert(sources.png, 33, first, second),
  change: moved(second, () => 33),
})

const pngRewrites: Rewrite[] = [
  behind('others', false, [255, 0, 255]),
  behind('black', false, [0, 0, 0]),
  behind('white where they were black', true, [255, 255, 255]),
  { name: 'RGB of few colours: stored with a palette', source: png(few, RGB, 8), change: indexed(false) },
  ...Object.entries(kinds).flatMap(([kind, part]) =>
    [false, true].map((isFirst) => ({
      name: `RGB of few colours with \`${kind}\`: stored with a palette that is ${isFirst ? 'before' : 'after'} it`,
      source: png(few, RGB, 8, part),
      change: indexed(isFirst),
    })),
  ),
  { name: 'RGB that is grey: stored as grey', source: png(greys, RGB, 8), change: stored(GREY, 8, one) },
  { name: 'grey: stored as RGB', source: png(changed(greys, one), GREY, 8), change: stored(RGB, 8, three) },
  {
    name: 'RGB that is grey with an RGB profile: stored as grey with this profile',
    source: png(greys, RGB, 8, chunk('iCCP', iccp(profile()))),
    change: stored(GREY, 8, one),
  },
  { name: 'RGB: stored with alpha', source: sources.png, change: stored(RGBA, 8, (pixel) => [...pixel, 255]) },
  ...deepened([]),
  ...deepened([kinds.gAMA]),
  exchangedChunks('`tEXt` and `zTXt` `Raw profile type exif` that turn it otherwise: `zTXt` first', text, packed),
  exchangedChunks(
    '`eXIf` and `zTXt` `Raw profile type exif` that turn it otherwise: `zTXt` first',
    chunk('eXIf', tiff(6)),
    packed,
  ),
  exchangedChunks('`sRGB` and `iCCP`: `iCCP` first', chunk('sRGB', Buffer.from([0])), kinds.iCCP),
]

/** All of them, by format. */
export const rewrites: Readonly<Record<'jpg' | 'png', readonly Rewrite[]>> = { jpg: jpegRewrites, png: pngRewrites }
