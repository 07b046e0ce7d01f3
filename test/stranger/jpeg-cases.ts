// JPEG files at the edges of what docs/images.md, section 2, says is read.

import { flatTable, jpegOf, type Plane, type ScanScript, segment } from './jpegs.ts'
import { type Drawing, plainDrawing } from './scan-scripts.ts'

export interface JpegCase {
  readonly name: string
  readonly file: Buffer
  readonly isRead: boolean
}

const scan = (first: number, last: number, high = 0, low = 0, more: Partial<ScanScript> = {}): ScanScript => ({
  planes: [0],
  first,
  last,
  high,
  low,
  interval: 0,
  longestRun: 1,
  overrun: 0,
  ...more,
})

const write = ({ size, planes, units }: Drawing, ...scans: ScanScript[]): Buffer => jpegOf(size, planes, units, scans)

const GREY = plainDrawing(1)
const PROGRESSIVE = write(GREY, scan(0, 0), scan(1, 63))
const SEQUENTIAL = write(GREY, scan(0, 63))
const REFINED = write(GREY, scan(0, 0, 0, 1), scan(1, 63), scan(0, 0, 1, 0))
const QUANTISATION = segment(0xdb, [0, ...Array.from({ length: 64 }, (_, n) => 1 + n)])
const OTHER = segment(0xdb, [0, ...Array.from({ length: 64 }, () => 9)])

function replaced(file: Buffer, from: readonly number[], to: readonly number[]): Buffer {
  const at = file.lastIndexOf(Buffer.from(from))
  if (at < 0) throw new RangeError('There is nothing to replace.')
  return Buffer.concat([file.subarray(0, at), Buffer.from(to), file.subarray(at + from.length)])
}

/** With these bytes before the tables of codes. */
const before = (bytes: readonly number[]): Buffer => replaced(PROGRESSIVE, flatTable(0), [...bytes, ...flatTable(0)])
/** With these bytes between the two scans. */
function between(bytes: readonly number[], file = PROGRESSIVE): Buffer {
  const at = file.lastIndexOf(Buffer.from([0xff, 0xdd]))
  return Buffer.concat([file.subarray(0, at), Buffer.from(bytes), file.subarray(at)])
}
/** With these bytes before `EOI`. */
const atEnd = (bytes: readonly number[]): Buffer =>
  Buffer.concat([PROGRESSIVE.subarray(0, -2), Buffer.from(bytes), PROGRESSIVE.subarray(-2)])
const header = (tables: number, first: number, last: number, bits: number): number[] => [
  1,
  1,
  tables,
  first,
  last,
  bits,
]

const codes = (kind: number, counts: readonly number[], values: readonly number[]): number[] =>
  segment(0xc4, [kind, ...Array.from({ length: 16 }, (_, n) => counts[n] ?? 0), ...values])
const many = (length: number): number[] => Array.from({ length }, (_, n) => n & 255)

function headers(): [string, Buffer, boolean][] {
  const constants = (tables: number, first: number, last: number, bits: number): Buffer =>
    replaced(PROGRESSIVE, header(0, 0, 0, 0), header(tables, first, last, bits))
  const others = (tables: number, first: number, last: number, bits: number): Buffer =>
    replaced(PROGRESSIVE, header(0, 1, 63, 0), header(tables, first, last, bits))
  const refinement = (tables: number): Buffer => replaced(REFINED, header(0, 0, 0, 0x10), header(tables, 0, 0, 0x10))
  const sequential = (tables: number, last: number, bits: number): Buffer =>
    replaced(SEQUENTIAL, header(0, 0, 63, 0), header(tables, 0, last, bits))
  return [
    ['two scans', PROGRESSIVE, true],
    ['one scan', SEQUENTIAL, true],
    ['refined constants', REFINED, true],
    ['constants and others together', constants(0, 0, 5, 0), false],
    ['a band up to 64', others(0, 1, 64, 0), false],
    ['a band that ends before it begins', others(0, 2, 1, 0), false],
    ['shifted by 14', others(0, 1, 63, 14), false],
    ['constants shifted by 14', constants(0, 0, 0, 14), false],
    ['two bits at once', others(0, 1, 63, 0x20), false],
    ['as many bits as before', others(0, 1, 63, 0x11), false],
    ['a missing table that is not used', constants(3, 0, 0, 0), true],
    ['a missing table of others that is not used', others(0x30, 1, 63, 0), true],
    ['a missing table', constants(0x10, 0, 0, 0), false],
    ['a missing table of others', others(1, 1, 63, 0), false],
    ['missing tables of a refinement', refinement(0x32), true],
    ['a sequential scan shifted', sequential(0, 63, 1), false],
    ['a sequential scan of bits', sequential(0, 63, 0x10), false],
    ['a sequential scan up to 62', sequential(0, 62, 0), false],
    ['missing tables of a sequential scan', sequential(0x22, 63, 0), false],
  ]
}

function tables(): [string, Buffer, boolean][] {
  const flat = segment(0xc4, [0, ...codes(0, [0, 0, 0, 0, 17], many(17)).slice(5)])
  return [
    ['constants of 16 bits in a table', replaced(PROGRESSIVE, flatTable(0), flat), false],
    ['constants of 16 bits in a table that is not used', before(codes(1, [1], [16])), true],
    ['constants of 16 bits in a table that is replaced', before(codes(0, [1], [16])), true],
    ['256 values', before(codes(0x11, [0, 0, 0, 0, 0, 0, 0, 0, 255, 1], many(256))), true],
    ['257 values', before(codes(0x11, [0, 0, 0, 0, 0, 0, 0, 0, 255, 2], many(257))), false],
    ['a value twice', before(codes(0x11, [0, 2], [1, 1])), true],
    ['no values', before(codes(0x11, [], [])), true],
    ['no tables', before(segment(0xc4, [])), true],
    ['a code of ones', before(codes(0x11, [2], [1, 2])), false],
    ['more codes than there are', before(codes(0x11, [1, 3], [1, 2, 3, 4])), false],
    ['a table of the number 4', before(codes(0x14, [1], [1])), false],
    ['a table of the third kind', before(codes(0x20, [1], [1])), false],
    ['a table that is cut off', before(segment(0xc4, [0x11, ...many(16)])), false],
    ['quantisation by 16 bits', before(segment(0xdb, [0x11, ...many(128)])), true],
    ['quantisation by 0', before(segment(0xdb, [0, ...Array.from({ length: 64 }, () => 0)])), true],
    ['quantisation of the number 4', before(segment(0xdb, [4, ...many(64)])), false],
    ['quantisation that is cut off', before(segment(0xdb, [1, ...many(63)])), false],
    ['the same quantisation again', between(QUANTISATION), true],
    ['another quantisation', between(OTHER), false],
    ['another quantisation of a number that is not used', between(segment(0xdb, [1, ...many(64)])), true],
    ['another quantisation and back', between([...OTHER, ...QUANTISATION]), false],
    [
      'another quantisation and back at once',
      between(segment(0xdb, [...OTHER.slice(4), ...QUANTISATION.slice(4)])),
      true,
    ],
    ['no quantisation', replaced(PROGRESSIVE, QUANTISATION, []), false],
    ['an interval of three bytes', before(segment(0xdd, [0, 0, 0])), false],
  ]
}

function data(): [string, Buffer, boolean][] {
  const restarted = write(GREY, scan(0, 0, 0, 0, { interval: 2 }), scan(1, 63))
  const long = { longestRun: 1000, overrun: 2 }
  return [
    ['restarts', restarted, true],
    ['fill bytes before a restart', replaced(restarted, [0xff, 0xd0], [0xff, 0xff, 0xd0]), true],
    ['another restart', replaced(restarted, [0xff, 0xd0], [0xff, 0xd1]), false],
    ['no restart', replaced(restarted, [0xff, 0xd0], []), false],
    ['a byte before a restart', replaced(restarted, [0xff, 0xd0], [0, 0xff, 0xd0]), false],
    ['a run beyond the end', write(GREY, scan(0, 0), scan(1, 63, 0, 0, long)), true],
    ['runs beyond restarts', write(GREY, scan(0, 0), scan(1, 63, 0, 0, { ...long, interval: 3 })), true],
    ['fill bytes before the end', atEnd([0xff, 0xff]), true],
    ['a zero before the end', atEnd([0]), false],
    ['a coded byte before the end', atEnd([0xff, 0]), false],
    ['a restart before the end', atEnd([0xff, 0xd0]), false],
    ['a table before the end', atEnd(flatTable(1)), true],
    ['bytes after the end', Buffer.concat([PROGRESSIVE, Buffer.from([1, 2])]), true],
    ['no end', PROGRESSIVE.subarray(0, -2), false],
    [
      'other bits that fill up the last byte',
      Buffer.concat([PROGRESSIVE.subarray(0, -3), Buffer.from([PROGRESSIVE.at(-3)! & 0xfe]), PROGRESSIVE.subarray(-2)]),
      true,
    ],
    ['a byte less', Buffer.concat([PROGRESSIVE.subarray(0, -3), PROGRESSIVE.subarray(-2)]), false],
  ]
}

function components(): [string, Buffer, boolean][] {
  const two = plainDrawing(2)
  const alike = { ...two, planes: two.planes.map((plane) => ({ ...plane, id: 1 })) }
  const apart = [scan(1, 63), scan(1, 63, 0, 0, { planes: [1] })]
  return [
    ['two components', write(two, scan(0, 0, 0, 0, { planes: [0, 1] }), ...apart), true],
    ['two components exchanged', write(two, scan(0, 0, 0, 0, { planes: [1, 0] }), ...apart), false],
    ['two components of one id', write(alike, scan(0, 0, 0, 0, { planes: [0, 1] }), ...apart), false],
    ['a component missing', write(two, scan(0, 0), scan(1, 63)), false],
  ]
}

function extremes(): [string, Buffer, boolean][] {
  const chain = (first: number, last: number, low: number): ScanScript[] =>
    Array.from({ length: low + 1 }, (_, n) => scan(first, last, n === 0 ? 0 : low - n + 1, low - n))
  const of = (value: (block: number, at: number) => number): Drawing => {
    const [plane] = GREY.planes as [Plane]
    const blocks = plane.blocks.map((_, n) => Array.from({ length: 64 }, (_value, at) => (at === 4 ? 2 : value(n, at))))
    return { ...GREY, planes: [{ ...plane, blocks }] }
  }
  return [32_767, -32_767, -32_768, 32_768].flatMap((extreme) =>
    [0, 1, 13].flatMap((low): [string, Buffer, boolean][] => {
      const other = of((n, at) => (at === 5 && n === 3 ? extreme : 0))
      const constant = of((n, at) => (at === 0 && n > 2 ? extreme : 0))
      const isWhole = extreme <= 32_767 && (low > 0 || extreme > -32_768)
      return [
        [`${extreme} shifted by ${low}`, write(other, scan(0, 0), ...chain(1, 63, low)), isWhole],
        [`a constant of ${extreme} shifted by ${low}`, write(constant, ...chain(0, 0, low), scan(1, 63)), isWhole],
      ]
    }),
  )
}

export function jpegCases(): JpegCase[] {
  return [...headers(), ...tables(), ...data(), ...components(), ...extremes(), ...differing()].map(
    ([name, file, isRead]) => ({
      name,
      file,
      isRead,
    }),
  )
}

/** What some readers show otherwise, and others refuse. */
function differing(): [string, Buffer, boolean][] {
  const others = replaced(PROGRESSIVE, header(0, 1, 63, 0), header(0xf0, 1, 63, 0))
  return [
    ['constants after others', write(GREY, scan(1, 63), scan(0, 0)), false],
    ['quantisation after the first scan', between(QUANTISATION, replaced(PROGRESSIVE, QUANTISATION, [])), false],
    ['a table of the number 15 that is not used', others, false],
  ]
}
