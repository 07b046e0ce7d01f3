/** Pictures that are signed to see what readers make of changes, and PNG written and read sample by sample. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deflateSync, inflateSync } from 'node:zlib'
import { chunk } from '../corpus/parts.mjs'
import { adobe, exif, headless, insert, u32 } from './pieces.ts'

/** Bare pictures, and a WebP, which has a signature of the file only. */
export type Base = 'jpg' | 'rgb.jpg' | 'turned.jpg' | 'png' | 'alpha.png' | 'webp'

/** Lines of pixels of samples of 8 bits. */
export type Lines = number[][][]

/** What `IHDR` calls the samples of a pixel. */
export const [GREY, RGB, PALETTE, RGBA] = [0, 2, 3, 6]
const channels: Record<number, number> = { [GREY]: 1, [RGB]: 3, [PALETTE]: 1, [RGBA]: 4 }

/** A PNG without filters, with these chunks before its samples; a sample of 16 bits has two equal bytes. */
export function png(lines: Lines, colour: number, depth: 8 | 16, ...parts: Buffer[]): Buffer {
  const bytes = lines.flatMap((line) => [0, ...line.flat().flatMap((value) => (depth === 8 ? value : [value, value]))])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', u32(lines[0]?.length ?? 0), u32(lines.length), Buffer.from([depth, colour, 0, 0, 0])),
    ...parts,
    chunk('IDAT', deflateSync(Buffer.from(bytes))),
    chunk('IEND'),
  ])
}

/** The pixels of such a PNG, and the chunks between its header and them. */
export function read(file: Buffer): { lines: Lines; parts: Buffer[] } {
  const parts: Buffer[] = []
  let at = 33
  const end = (): number => at + 12 + file.readUInt32BE(at)
  for (; file.toString('latin1', at + 4, at + 8) !== 'IDAT'; at = end()) parts.push(file.subarray(at, end()))
  const bytes = inflateSync(file.subarray(at + 8, end() - 4))
  const [width, height, size] = [file.readUInt32BE(16), file.readUInt32BE(20), (file[24] ?? 8) / 8]
  const count = channels[file[25] ?? RGB] ?? 0
  const pitch = 1 + width * count * size
  const lines = Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) =>
      Array.from({ length: count }, (_, channel) => bytes[y * pitch + 1 + (x * count + channel) * size] ?? 0),
    ),
  )
  return { lines, parts }
}

/** A picture of a width, pixel by pixel. */
export const drawn = (width: number, pixel: (x: number, y: number) => number[]): Lines =>
  Array.from({ length: (width * 3) / 4 }, (_, y) => Array.from({ length: width }, (_, x) => pixel(x, y)))

export const noise = (x: number, y: number, channel: number): number =>
  (x * 31 + y * 57 + channel * 91 + ((x * y) % 13) * 17) % 256
export const colourful = (x: number, y: number): number[] => [0, 1, 2].map((channel) => noise(x, y, channel))

export const data = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url)))

export const texture = data('texture.jpg')
/** Where its JFIF ends. */
export const HEAD = 20

export const sources: Record<Base, Buffer> = {
  jpg: texture,
  'rgb.jpg': Buffer.concat([texture.subarray(0, 2), adobe(0, 13), headless(texture).subarray(2)]),
  'turned.jpg': insert(texture, HEAD, exif(6)),
  png: png(drawn(64, colourful), RGB, 8),
  'alpha.png': png(
    drawn(64, (x, y) => [...colourful(x, y), x < 20 ? 128 : 255]),
    RGBA,
    8,
  ),
  webp: data('lossy.webp'),
}
