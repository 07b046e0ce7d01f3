// The coefficients of a JPEG as docs/images.md has them: segments, and what is hashed. What is refused throws.
import { createHash } from 'node:crypto'
import { isPlainComment, Record } from './display.ts'
import { isCandidate } from './metadata.ts'
import type { Picture } from './pixels.ts'
import {
  type Component,
  type Frame,
  frameOf,
  type Huffman,
  huffman,
  placeOf,
  quantisation,
  refuse,
  scan,
} from './scans.ts'

/** The sense of the colours. */
function senseOf({ components }: Frame, hasJfif: boolean, adobe: number | undefined): number {
  const ids = components.map(({ id }) => id).join()
  const isRgb = ids === '82,71,66'
  if (components.length < 3) return 0
  if (components.length === 3) {
    if (!hasJfif && (adobe === 0 || (isRgb && adobe === undefined))) return 0
    const isYcc = hasJfif ? adobe === undefined || adobe === 1 : adobe === 1 || (adobe === undefined && ids === '1,2,3')
    if (!isRgb && isYcc) return 1
  } else {
    if (adobe === undefined) return 0
    if (adobe === 2) return 2
    if (adobe === 0) return 3
  }
  return 16 + (hasJfif ? 8 : 0) + (adobe === undefined ? 0 : adobe + 1)
}

export function jpeg(file: Buffer, storeOf: (from: number, end: number) => number | undefined): Picture {
  const record = new Record()
  const tables = new Map<number, Huffman>()
  const quantisations = new Map<number, readonly number[]>()
  let frame: Frame | undefined
  let adobe: number | undefined
  let [at, hasJfif, scans, interval] = [2, false, 0, 0]
  for (;;) {
    if (file.readUInt8(at) !== 0xff) refuse('stray bytes')
    while (file.readUInt8(at) === 0xff) at++
    const marker = file.readUInt8(at++)
    if (marker === 0xd9) break
    const end = at + file.readUInt16BE(at)
    if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8) || end < at + 2 || end > file.length) refuse('a marker')
    const data = file.subarray(at + 2, end)
    const begins = (name: string): boolean => data.toString('latin1', 0, name.length) === name
    const place = scans > 0 ? 1 : frame === undefined ? 0 : 2
    const start = at
    at = end
    if (marker === 0xc4) huffman(data, tables)
    else if (marker === 0xdb) {
      quantisation(data, quantisations)
      for (const { quantisation: known, table } of frame?.components ?? [])
        if (known !== undefined && known.join() !== quantisations.get(table)?.join()) refuse('another table')
    } else if (marker === 0xdd && data.length === 2) interval = data.readUInt16BE(0)
    else if (marker >= 0xc0 && marker <= 0xc2 && frame === undefined) frame = frameOf(marker, data, file.length)
    else if (marker === 0xda && frame !== undefined && ++scans <= 64) {
      for (const component of frame.components) {
        const isIn = [...data.subarray(1, -3)].some((id, n) => n % 2 === 0 && id === component.id)
        if (isIn)
          component.quantisation ??= quantisations.get(component.table) ?? refuse('no table of quantisation before')
      }
      at = scan(file, data, end, frame, tables, interval)
    } else if (marker === 0xe0 && place !== 1 && data.length >= 14 && begins('JFIF\0')) {
      const isPlain =
        data.length === 14 &&
        data[5] === 1 &&
        data.readUInt16BE(8) === data.readUInt16BE(10) &&
        data.readUInt16BE(12) === 0
      if (hasJfif || record.has('APP0', 'COM') || !isPlain) record.add('APP0', place, data)
      hasJfif = true
    } else if (marker >= 0xe0 && marker <= 0xef && begins('Adobe')) {
      const transform = data[11] ?? 255
      if (marker !== 0xee || place > 0 || transform > 2 || (adobe ?? transform) !== transform) refuse('Adobe')
      if (data.length !== 12) record.add('APP14', place, data)
      adobe = transform
    } else if (marker === 0xe2 && begins('MPF\0'))
      refuse('a Multi-Picture index, of which there is none among the vectors')
    else if (marker >= 0xe0 && marker <= 0xef) {
      const stored = marker === 0xeb ? storeOf(start + 2, end) : undefined
      if (stored !== undefined) at = stored
      else if (marker !== 0xeb || !isCandidate(file, start + 2, end)) app(record, marker, place, data)
    } else if (marker === 0xfe) {
      if (!isPlainComment(data)) record.add('COM', place, data)
    } else refuse(`the marker ${marker}`)
  }
  if (frame === undefined || frame.components.some(({ precision }) => precision.some((left) => left !== 0)))
    refuse('no picture')
  if (at < file.length) record.add('end', 1, file.subarray(at))
  return pictureOf(frame, senseOf(frame, hasJfif, adobe), record)
}

function app(record: Record, marker: number, place: number, data: Buffer): void {
  const begins = (name: string): boolean => data.toString('latin1', 0, name.length) === name
  if (marker === 0xe1 && data.toString('latin1', 0, 4).toLowerCase() === 'exif') {
    record.orientation('Exif', data.subarray(6))
    record.add('Exif', place, data)
  } else if (marker === 0xe1 && begins('http://ns.adobe.com/')) record.add('XMP', place, data)
  else if (marker === 0xe2 && begins('ICC_PROFILE\0')) record.add('ICC', place, data)
  else record.add(`APP${marker & 15}`, place, data)
}

function pictureOf({ width, height, components }: Frame, sense: number, record: Record): Picture {
  const shown = ({ columns, rows, blocks }: Component): Int32Array[] =>
    Array.from(
      { length: columns * rows },
      (_, n) => blocks.get(placeOf(Math.floor(n / columns), n % columns)) ?? refuse('a block'),
    )
  const planes = components.map(shown)
  const isCarrier = (value: number, at: number): boolean => at > 0 && Math.abs(value) > 1
  const carriers = (planes[0] ?? []).flatMap((block) =>
    [...block].filter(isCarrier).map((value) => Math.abs(value) & 1),
  )
  const sha256 = (isUsed: (carrier: number) => boolean, used: number): string => {
    const parts: number[] = [width >> 8, width & 255, height >> 8, height & 255, sense, components.length]
    for (const { id, across, down, quantisation: table = [] } of components)
      parts.push(id, across, down, ...table.flatMap((value) => [value >> 8, value & 255]))
    const count = Buffer.alloc(4)
    count.writeUInt32BE(used)
    const hash = createHash('sha256').update('sx-pixels-v1 jpeg\n').update(Buffer.from(parts)).update(count)
    let carrier = 0
    for (const [number, blocks] of planes.entries()) {
      for (const block of blocks) {
        const bytes = Buffer.alloc(128)
        for (const [at, value] of block.entries()) {
          const isZeroed = number === 0 && isCarrier(value, at) && isUsed(carrier++)
          bytes.writeInt16BE(isZeroed ? Math.sign(value) * (Math.abs(value) & ~1) : value, 2 * at)
        }
        hash.update(bytes)
      }
    }
    return hash.digest('hex')
  }
  return { carriers, sha256, display: record.end() }
}
