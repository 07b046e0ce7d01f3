/** Segments and chunks of pictures that say something to readers. */
import { deflateSync } from 'node:zlib'
import { chunk, profile } from '../corpus/parts.mjs'

export const latin = (words: string): Buffer => Buffer.from(words, 'latin1')
export const u16 = (value: number): Buffer => Buffer.from([value >>> 8, value])
export const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value)])

export const insert = (bytes: Buffer, at: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([bytes.subarray(0, at), ...parts, bytes.subarray(at)])

/** A segment of a JPEG. */
export const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), u16(data.length + 2), data])

/** Where the segments begin that are neither JFIF nor Adobe. */
export function afterHead(jpeg: Buffer): number {
  let at = 2
  while ([0xe0, 0xee].includes(jpeg[at + 1] ?? 0)) at += 2 + jpeg.readUInt16BE(at + 2)
  return at
}

/** A JPEG without its JFIF and Adobe segments. */
export const headless = (jpeg: Buffer): Buffer => Buffer.concat([jpeg.subarray(0, 2), jpeg.subarray(afterHead(jpeg))])

/** A segment of Adobe with this transform, of so many bytes. */
export const adobe = (transform: number, length = 12, marker = 0xee): Buffer => {
  const data = Buffer.alloc(length)
  latin('Adobe\0\x64').copy(data)
  data[11] = transform
  return segment(marker, data)
}

/** TIFF data that say how a picture is turned. */
export const tiff = (orientation: number): Buffer =>
  latin(`MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(orientation)}\0\0\0\0\0\0`)

/** A segment of Exif that says how a picture is turned. */
export const exif = (orientation: number): Buffer => segment(0xe1, exifBlock(orientation))

const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'

/** A packet of XMP that says how a picture is turned. */
export const turning = (orientation: number): string =>
  `${xmp}<rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="${orientation}"/></rdf:RDF></x:xmpmeta>`

/** A segment of JFIF of this shape of the pixels. */
export const jfif = (x: number, y: number, more = '\0\0'): Buffer =>
  segment(0xe0, Buffer.concat([latin('JFIF\0\x01\x01\0'), u16(x), u16(y), latin(more)]))

/** A profile that exchanges red and blue. */
export const swapped = ((): Buffer => {
  const icc = profile()
  const [red, blue] = [icc.indexOf('rXYZ'), icc.indexOf('bXYZ')]
  icc.write('bXYZ', red)
  icc.write('rXYZ', blue)
  return icc
})()

/** A text of ImageMagick that holds a block of other metadata. */
export const raw = (kind: string, data: Buffer): string =>
  `\n${kind}\n${String(data.length).padStart(8)}\n${data.toString('hex')}\n`

/** What such a text holds of Exif. */
export const exifBlock = (orientation: number): Buffer => Buffer.concat([latin('Exif\0\0'), tiff(orientation)])

/** Data of a text that is not compressed, and of one that is. */
export const textData = (keyword: string, value: string): Buffer => latin(`${keyword}\0${value}`)
export const packedData = (keyword: string, value: string): Buffer =>
  Buffer.concat([latin(`${keyword}\0\0`), deflateSync(latin(value))])

/** Data of `iCCP` with this profile. */
export const iccp = (icc: Buffer): Buffer => packedData('a', icc.toString('latin1'))

/** Primaries of sRGB, and these with its gamma. */
export const chrm = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]
export const srgb = [chunk('gAMA', u32(45455)), chunk('cHRM', ...chrm.map(u32))]
