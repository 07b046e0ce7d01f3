// Pictures for the cases: one of noise, and what of a file is displayed.
import { random } from './mutations.mjs'

const table = Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(bytes) {
  let value = -1
  for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8)
  return ~value >>> 0
}

const number = (value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const latin = (text) => Array.from(text, (character) => character.charCodeAt(0))

/** A chunk of a PNG; its data in one piece or several. */
export function pngChunk(kind, ...data) {
  const length = data.reduce((sum, part) => sum + part.length, 0)
  const chunk = new Uint8Array(length + 12)
  chunk.set([...number(length), ...latin(kind)])
  let at = 8
  for (const part of data) {
    chunk.set(part, at)
    at += part.length
  }
  chunk.set(number(crc32(chunk.subarray(4, at))), at)
  return chunk
}

/** A PNG with these compressed pixels, of 8 bits if nothing else is said. */
export function pngOf(width, height, colour, pixels, depth = 8) {
  const header = [...number(width), ...number(height), depth, colour, 0, 0, 0]
  const signature = Uint8Array.from([0x89, ...latin('PNG\r\n\x1a\n')])
  const parts = [signature, pngChunk('IHDR', header), pngChunk('IDAT', pixels), pngChunk('IEND', [])]
  const file = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    file.set(part, at)
    at += part.length
  }
  return file
}

/** The zlib form of bytes, stored as they are. */
export function stored(bytes) {
  const parts = [0x78, 0x01]
  for (let at = 0; at < bytes.length; at += 65_535) {
    const part = bytes.subarray(at, at + 65_535)
    const isLast = at + 65_535 >= bytes.length
    parts.push(
      isLast ? 1 : 0,
      part.length & 255,
      part.length >> 8,
      ~part.length & 255,
      (~part.length >> 8) & 255,
      ...part,
    )
  }
  let [a, b] = [1, 0]
  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return Uint8Array.from([...parts, ...number(((b << 16) | a) >>> 0)])
}

/** A PNG of noise, RGB of 8 bits. */
export function noise(width, height) {
  const next = random(width)
  const rows = Uint8Array.from({ length: height * (width * 3 + 1) }, (_, at) =>
    at % (width * 3 + 1) === 0 ? 0 : next(),
  )
  return pngOf(width, height, 2, stored(rows))
}

const SHOWN = /^(IHDR|PLTE|tRNS|IDAT|eXIf|iCCP|gAMA|cHRM|sRGB|cICP|mDC[Vv]|cLL[Ii]|acTL)$/

/** What of a PNG is displayed, with what says how: its chunks but for texts and the like. */
export function shownOfPng(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks = []
  for (let at = 8, kind = ''; kind !== 'IEND'; ) {
    const end = at + view.getUint32(at) + 12
    kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (SHOWN.test(kind)) chunks.push(kind, bytes.subarray(at, end).join())
    at = end
  }
  return chunks
}
