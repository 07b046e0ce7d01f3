// Parts of images that no encoder of Debian writes as the tests need them.
import { crc32 } from 'node:zlib'

const number = (value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])

/** A chunk of a PNG. */
export function chunk(kind, ...parts) {
  const body = Buffer.concat([Buffer.from(kind), ...parts])
  return Buffer.concat([number(body.length - 4), body, number(crc32(body))])
}

/** A PNG with another chunk directly after IHDR. */
export function gained(png, part) {
  return Buffer.concat([png.subarray(0, 33), part, png.subarray(33)])
}

/** A colour profile (ICC.1, version 2.1) with the primaries of sRGB and a gamma of 2.2. */
export function profile() {
  const fixed = (...values) => Buffer.concat(values.map((value) => number(Math.round(value * 65_536))))
  const xyz = (...values) => Buffer.concat([Buffer.from('XYZ \0\0\0\0'), fixed(...values)])
  const name = Buffer.from('Test\0')
  const tags = {
    desc: Buffer.concat([Buffer.from('desc\0\0\0\0'), number(name.length), name, Buffer.alloc(79)]),
    cprt: Buffer.from('text\0\0\0\0None\0\0\0\0'),
    wtpt: xyz(0.9642, 1, 0.8249),
    rXYZ: xyz(0.4361, 0.2225, 0.0139),
    gXYZ: xyz(0.3851, 0.7169, 0.0971),
    bXYZ: xyz(0.1431, 0.0606, 0.7141),
    rTRC: Buffer.from('curv\0\0\0\0\0\0\0\x01\x02\x33\0\0', 'latin1'),
  }
  tags.gTRC = tags.rTRC
  tags.bTRC = tags.rTRC
  const entries = Object.entries(tags)
  const table = [number(entries.length)]
  const data = []
  let at = 128 + 4 + 12 * entries.length
  for (const [tag, value] of entries) {
    const padded = Buffer.concat([value, Buffer.alloc(-value.length & 3)])
    table.push(Buffer.from(tag), number(at), number(value.length))
    data.push(padded)
    at += padded.length
  }
  const header = Buffer.alloc(128)
  header.writeUInt32BE(at)
  header.writeUInt32BE(0x02100000, 8)
  header.write('mntrRGB XYZ ', 12)
  header.set([7, 0xea, 0, 1, 0, 1], 24)
  header.write('acsp', 36)
  fixed(0.9642, 1, 0.8249).copy(header, 68)
  return Buffer.concat([header, ...table, ...data])
}

/** A JPEG with another one behind it and a Multi-Picture index of both (CIPA DC-007), as cameras write previews. */
export function withSecondImage(first, second) {
  const entries = Buffer.alloc(32)
  const directory = Buffer.alloc(8 + 2 + 36 + 4)
  directory.write('MM\0*\0\0\0\x08', 'latin1')
  directory.writeUInt16BE(3, 8)
  const tags = [
    [0xb000, 7, 4, 0x30313030],
    [0xb001, 4, 1, 2],
    [0xb002, 7, entries.length, directory.length],
  ]
  for (const [at, [tag, kind, count, value]] of tags.entries()) {
    directory.writeUInt16BE(tag, 10 + 12 * at)
    directory.writeUInt16BE(kind, 12 + 12 * at)
    directory.writeUInt32BE(count, 14 + 12 * at)
    directory.writeUInt32BE(value, 18 + 12 * at)
  }
  const length = directory.length + entries.length + 6
  const at = 20 // after JFIF
  const total = first.length + length + 2
  entries.writeUInt32BE(0x20030000)
  entries.writeUInt32BE(total, 4)
  entries.writeUInt32BE(second.length, 20)
  entries.writeUInt32BE(total - (at + 8), 24)
  const index = Buffer.concat([Buffer.from([0xff, 0xe2, 0, length]), Buffer.from('MPF\0'), directory, entries])
  return Buffer.concat([first.subarray(0, at), index, first.subarray(at), second])
}
