// Files that are much larger than they look.
import { pngChunk, pngOf } from './pictures.mjs'

/** Bytes of zero, deflated by hand: as references to the byte before, 258 at a time, of which eight take 13 bytes. */
export function deflatedZeros(count) {
  const bits = []
  const put = (value, length) => {
    for (let bit = 0; bit < length; bit++) bits.push((value >> bit) & 1)
  }
  const code = (value, length) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1)
  }
  const references = (times) => {
    for (let n = 0; n < times; n++) {
      code(0b11000101, 8) // a length of 258
      code(0, 5) // at a distance of 1
    }
  }
  const whole = Math.floor((count - 1) / 258)
  const runs = Math.floor(whole / 8)
  put(0b011, 3) // the last block, of fixed codes
  code(0x30, 8) // a zero
  const head = bits.length
  references(8)
  const run = bits.splice(head)
  const before = bits.splice(0)
  references(whole % 8)
  for (let n = 0; n < (count - 1) % 258; n++) code(0x30, 8)
  code(0, 7)
  const after = bits
  const length = before.length + runs * run.length + after.length
  const bytes = new Uint8Array(2 + Math.ceil(length / 8) + 4)
  bytes.set([0x78, 0x01])
  const write = (at, list) => {
    list.forEach((bit, n) => {
      bytes[2 + ((at + n) >> 3)] |= bit << ((at + n) & 7)
    })
  }
  write(0, before)
  for (let n = 0; n < Math.min(runs, 2); n++) write(before.length + n * run.length, run)
  if (runs > 2) {
    // The bits of the second run and of each later one stand in the same places of their bytes.
    const from = 2 + ((before.length + run.length) >> 3)
    const end = 2 + ((before.length + runs * run.length) >> 3)
    for (let at = from + 13; at < end + 1; at += 13) bytes.copyWithin(at, from, from + Math.min(13, end + 1 - at))
    const last = before.length + runs * run.length
    const clean = 2 + (last >> 3)
    bytes[clean] &= (1 << (last & 7)) - 1
    bytes.fill(0, clean + 1)
  }
  write(before.length + runs * run.length, after)
  const b = count % 65_521
  bytes.set([b >> 8, b & 255, 0, 1], bytes.length - 4)
  return bytes
}

/** A grey PNG of 8 bits that is black all over: 1,000 times as large as its file. */
export const blackPng = (width, height) => pngOf(width, height, 0, deflatedZeros(height * (width + 1)))

/** A PNG chunk of text that inflates to so many bytes. */
export const textBomb = (count) => pngChunk('zTXt', new TextEncoder().encode('Comment\0\0'), deflatedZeros(count))
