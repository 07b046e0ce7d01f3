// The pixels of a PNG as docs/images.md has them. What is refused throws.
import { createHash } from 'node:crypto'
import { crc32, inflateSync } from 'node:zlib'
import { sha256 as hashOf, isPlainText, Record } from './display.ts'
import type { Picture } from './pixels.ts'

type Pixel = readonly [red: number, green: number, blue: number, alpha: number]

function refuse(why: string): never {
  throw new RangeError(why)
}

interface Header {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly isInterlaced: boolean
}

function headerOf(data: Buffer): Header {
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = data.subarray(8)
  const depths = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] }[colour] ?? []
  const isKnown = depths.includes(depth) && compression === 0 && filter === 0 && interlace < 2
  if (!isKnown || width === 0 || height === 0 || width * height > 2 ** 26) refuse('IHDR')
  return { width, height, depth, colour, isInterlaced: interlace === 1 }
}

const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function paeth(a: number, b: number, c: number): number {
  const near = (value: number): number => Math.abs(a + b - c - value)
  if (near(a) <= near(b) && near(a) <= near(c)) return a
  return near(b) <= near(c) ? b : c
}

/** The samples of all pixels, row by row, as they are stored. */
function samplesOf({ width, height, depth, colour, isInterlaced }: Header, packed: Buffer): number[][][] {
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colour] ?? 0
  const step = Math.max(1, (channels * depth) / 8)
  const grids = (isInterlaced ? PASSES : [[0, 0, 1, 1] as const])
    .map(([x, y, across, down]) => ({
      x,
      y,
      across,
      down,
      columns: Math.ceil((width - x) / across),
      rows: Math.ceil((height - y) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
  const lineOf = (columns: number): number => 1 + Math.ceil((columns * channels * depth) / 8)
  const size = grids.reduce((sum, { columns, rows }) => sum + rows * lineOf(columns), 0)
  const window = 256 << ((packed[0] ?? 0) >> 4)
  if (window > 32_768 || window < Math.min(size, 32_768)) refuse('the window')
  const { buffer: lines, engine } = inflateSync(packed, { info: true }) as unknown as {
    buffer: Buffer
    engine: { bytesWritten: number }
  }
  if (lines.length !== size || engine.bytesWritten !== packed.length) refuse('the zlib stream')
  const rows: number[][][] = Array.from({ length: height }, () => [])
  let at = 0
  for (const { x, y, across, down, columns, rows: count } of grids) {
    let above: Buffer = Buffer.alloc(lineOf(columns) - 1)
    for (let row = 0; row < count; row++) {
      const filter = lines[at] ?? 0
      if (filter > 4) refuse('a filter')
      const line = lines.subarray(at + 1, (at += lineOf(columns)))
      for (const n of line.keys()) {
        const [left, up, corner] = [line[n - step] ?? 0, above[n] ?? 0, above[n - step] ?? 0]
        const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
        line[n] = ((line[n] ?? 0) + predicted) & 255
      }
      above = line
      for (let column = 0; column < columns; column++) {
        const sample = (n: number): number => {
          const bit = (column * channels + n) * depth
          if (depth === 16) return line.readUInt16BE(bit / 8)
          return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
        }
        const pixels = rows[y + row * down] ?? []
        pixels[x + column * across] = Array.from({ length: channels }, (_, n) => sample(n))
      }
    }
  }
  return rows
}

/** All pixels with samples of 16 bits. */
function pixelsOf(header: Header, packed: Buffer, plte: Buffer | undefined, trns: Buffer | undefined): Pixel[][] {
  const { depth, colour } = header
  const colours = (plte?.length ?? 0) / 3
  const isListed = colour === 3
  if (isListed && (colours < 1 || colours > 2 ** depth || (trns?.length ?? 0) > colours)) refuse('PLTE')
  const length = { 0: 2, 2: 6 }[colour]
  if (trns !== undefined && !isListed && (trns.length !== length || depth === 16)) refuse('tRNS')
  const key =
    isListed || trns === undefined
      ? undefined
      : Array.from({ length: trns.length / 2 }, (_, n) => trns.readUInt16BE(2 * n))
  if (key?.some((sample) => sample >= 2 ** depth)) refuse('tRNS')
  const wide = (sample: number): number => (depth === 16 ? sample : (sample * 0xffff) / (2 ** depth - 1))
  const pixel = (stored: readonly number[]): Pixel => {
    const [a = 0, b = 0, c = 0, d = 0] = stored
    if (isListed) {
      if (a >= colours) refuse('a number of no colour')
      const of = (n: number): number => (plte?.[3 * a + n] ?? 0) * 257
      return [of(0), of(1), of(2), (trns?.[a] ?? 255) * 257]
    }
    const opaque = key !== undefined && key.every((sample, n) => sample === stored[n]) ? 0 : 0xffff
    if (colour === 0) return [wide(a), wide(a), wide(a), opaque]
    if (colour === 2) return [wide(a), wide(b), wide(c), opaque]
    return colour === 4 ? [wide(a), wide(a), wide(a), wide(b)] : [wide(a), wide(b), wide(c), wide(d)]
  }
  return samplesOf(header, packed).map((row) => row.map(pixel))
}

export function png(file: Buffer): Picture {
  const record = new Record()
  let header: Header | undefined
  let plte: Buffer | undefined
  let trns: Buffer | undefined
  const packed: Buffer[] = []
  const hasOneShape = count(file, 'pHYs') === 1
  let [at, isEnded, isDone] = [8, false, false]
  while (!isDone) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const data = file.subarray(at + 8, at + 8 + length)
    const isFirst = at === 8
    if (crc32(file.subarray(at + 4, at + 8 + length)) !== file.readUInt32BE(at + 8 + length)) refuse('a checksum')
    at += 12 + length
    const isLate = packed.length > 0
    if (isFirst !== (type === 'IHDR')) refuse('IHDR')
    if (type === 'IDAT' && !isEnded) {
      packed.push(data)
      continue
    }
    isEnded = isLate
    if (type === 'IHDR') header = headerOf(data)
    else if (type === 'PLTE' && plte === undefined && trns === undefined && !isLate && header !== undefined) {
      if (header.colour % 4 === 0 && header.colour !== 4) refuse('PLTE in a grey image')
      if (header.colour === 4 || length === 0 || length % 3 !== 0 || length > 768) refuse('PLTE')
      if (header.colour !== 3) record.add(type, 0, data)
      plte = data
    } else if (type === 'tRNS' && trns === undefined && !isLate) trns = data
    else if (type === 'IEND' && length === 0) isDone = true
    else if (/^[A-Z]/.test(type) || !/^[A-Za-z]{4}$/.test(type)) refuse(type)
    else if (header !== undefined && !isHarmless(type, data, isLate || (type === 'pHYs' && !hasOneShape), header)) {
      if (type === 'eXIf') record.orientation(type, data)
      record.add(type, placeOf(type, isLate, plte !== undefined, header), data)
    }
  }
  if (header === undefined || packed.length === 0) refuse('no picture')
  if (at < file.length) record.add('end', 1, file.subarray(at))
  const rows = pixelsOf(header, Buffer.concat(packed), plte, trns)
  const all = rows.flat()
  const isDeepSample = (sample: number): boolean => sample >> 8 !== (sample & 255)
  const isGrey = all.every(([red, green, blue, alpha]) => alpha === 0 || (red === green && green === blue))
  const isDeep = all.some((pixel) => isDeepSample(pixel[3]) || (pixel[3] !== 0 && pixel.some(isDeepSample)))
  const low = (sample: number): number => (isDeep ? sample : sample & 255)
  const samples = ([red, green, blue]: Pixel): number[] => (isGrey ? [red] : [red, green, blue]).map(low)
  const carriers = all
    .filter(([, , , alpha]) => alpha === 0xffff)
    .flatMap((pixel) => samples(pixel).map((sample) => sample & 1))
  const sha256 = (isUsed: (carrier: number) => boolean, used: number): string => {
    const head = Buffer.alloc(14)
    head.writeUInt32BE(header.width, 0)
    head.writeUInt32BE(header.height, 4)
    head.set([Number(isGrey), Number(isDeep)], 8)
    head.writeUInt32BE(used, 10)
    let carrier = 0
    const values = all.flatMap((pixel) => {
      const [, , , alpha] = pixel
      if (alpha === 0) return [...samples(pixel).map(() => 0), 0]
      const isCarrying = alpha === 0xffff
      return [...samples(pixel).map((sample) => (isCarrying && isUsed(carrier++) ? sample & ~1 : sample)), low(alpha)]
    })
    const bytes = isDeep ? values.flatMap((value) => [value >> 8, value & 255]) : values
    return createHash('sha256').update('sx-pixels-v1 png\n').update(head).update(Buffer.from(bytes)).digest('hex')
  }
  const unseen = all.filter(([, , , alpha]) => alpha === 0).flatMap((pixel) => pixel.slice(0, 3))
  const bytesOf = unseen.some(isDeepSample) ? (n: number) => [n >> 8, n & 255] : (n: number) => [n & 255]
  const hidden = Buffer.from(unseen.flatMap(bytesOf))
  const display = {
    ...record.end(),
    ...(hidden.some((byte) => byte > 0) && { transparent: hashOf(hidden) }),
    ...(header.depth === 16 && !isDeep && { depth: hashOf(Buffer.from([16])) }),
  }
  return { carriers, sha256, display }
}

const COLOURS = ['cHRM', 'cICP', 'cLLI', 'gAMA', 'iCCP', 'mDCV', 'sBIT', 'sRGB']

/** The byte for the place of a piece. */
function placeOf(type: string, isLate: boolean, isAfterPalette: boolean, { colour }: Header): number {
  const place = isAfterPalette && COLOURS.includes(type) ? 2 : 0
  return (isLate ? 1 : place) + (type === 'iCCP' && [0, 4].includes(colour) ? 4 : 0)
}

/** How many chunks of a type there are. */
function count(file: Buffer, type: string): number {
  let found = 0
  for (let at = 8; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === type) found++
  }
  return found
}

/** Whether a chunk is not recorded. */
function isHarmless(type: string, data: Buffer, isLate: boolean, { colour, depth }: Header): boolean {
  if (type === 'caBX') return true
  if (type === 'tIME') return data.length === 7
  if (['tEXt', 'zTXt', 'iTXt'].includes(type)) return isPlainText(type, data)
  if (isLate) return false
  if (type === 'pHYs')
    return data.length === 9 && data.readUInt32BE(0) === data.readUInt32BE(4) && data.readUInt32BE(0) > 0
  const channels = { 0: 1, 4: 2, 6: 4 }[colour] ?? 3
  return type === 'sBIT' && data.length === channels && data.every((bits) => bits === (colour === 3 ? 8 : depth))
}
