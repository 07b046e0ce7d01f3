// The robust channel as docs/images.md, section 2, has it: carriers, places, packing. Written from that page.
import { crc32 } from 'node:zlib'
import { page } from './page.ts'

/** A picture that is read. */
export interface Picture {
  /** The lowest bit of each carrier. */
  readonly carriers: readonly number[]
  /** SHA-256 with the bit of these carriers taken as 0; how many they are. */
  readonly sha256: (isUsed: (carrier: number) => boolean, used: number) => string
  readonly display: Readonly<Record<string, string>>
}

/** A signature that was found in a picture. */
export interface Embedded {
  readonly text: string
  readonly isExact: boolean
  readonly sha256: string
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BASE64URL = `${BASE64.slice(0, 62)}-_`
const HEX = '0123456789abcdef'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
export const HEADER = 112

/** Digits of so many bits, filled up with zeros. */
function bitsOf(digits: string, alphabet: string, width: number): number[] {
  const bits = Array.from(digits, (digit) => alphabet.indexOf(digit).toString(2).padStart(width, '0')).join('')
  return (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2))
}

const run = (text: string, alphabet: string, most: number): string => {
  let length = 0
  while (length < most && length < text.length && alphabet.includes(text[length] ?? '')) length++
  return text.slice(0, length)
}

/** Packs bytes, here one character each. */
export function pack(latin1: string): Buffer {
  const out: number[] = []
  for (let rest = latin1; rest !== ''; ) {
    const entry = page.dictionary.filter((text) => rest.startsWith(text)).toSorted((a, b) => b.length - a.length)[0]
    const form = INSTANT.exec(rest)?.[0] ?? UUID.exec(rest)?.[0]
    const hex = run(rest, HEX, 255)
    const [plain, url] = [run(rest, BASE64, 65_535), run(rest, BASE64URL, 65_535)]
    const longer = url.length > plain.length ? url : plain
    const follows = rest[hex.length] ?? ' '
    let taken: string
    if (entry !== undefined) {
      out.push(0x80 + page.dictionary.indexOf(entry))
      taken = entry
    } else if (form !== undefined) {
      out.push(form.endsWith('Z') ? 6 : 5, ...bitsOf(form.replaceAll(/[^0-9a-f]/g, ''), HEX, 4))
      taken = form
    } else if (hex.length === 255 || (hex.length >= 8 && !`${BASE64}-_`.includes(follows))) {
      out.push(3, hex.length, ...bitsOf(hex, HEX, 4))
      taken = hex
    } else if (longer.length >= 16) {
      const isUrl = longer.length > plain.length
      out.push(isUrl ? 4 : 2, longer.length >> 8, longer.length & 255, ...bitsOf(longer, isUrl ? BASE64URL : BASE64, 6))
      taken = longer
    } else if (/^[ -~]/.test(rest)) {
      out.push(rest.charCodeAt(0))
      taken = rest.slice(0, 1)
    } else {
      taken = (/^[^ -~]{1,255}/.exec(rest) ?? [''])[0]
      out.push(1, taken.length, ...Buffer.from(taken, 'latin1'))
    }
    rest = rest.slice(taken.length)
  }
  return Buffer.from(out)
}

/** The text that was packed so; nothing if there is none. */
export function unpack(packed: Buffer): string | undefined {
  let at = 0
  let text = ''
  const take = (count: number): Buffer => {
    if (at + count > packed.length) throw new RangeError('the packing ends early')
    return packed.subarray(at, (at += count))
  }
  const digits = (count: number, alphabet: string, width: number): string => {
    const bits = [...take(Math.ceil((count * width) / 8))].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    return Array.from(
      { length: count },
      (_, n) => alphabet[Number.parseInt(bits.slice(n * width, (n + 1) * width), 2)],
    ).join('')
  }
  const formed = (form: string): string => {
    const found = digits(form.replaceAll(/[^x]/g, '').length, HEX, 4).split('')
    return form.replaceAll('x', () => found.shift() ?? '')
  }
  while (at < packed.length) {
    const [token = 0] = take(1)
    if (token === 0) break
    if (token === 1) text += take(take(1)[0] ?? 0).toString('latin1')
    else if (token === 2 || token === 4) text += digits(take(2).readUInt16BE(0), token === 2 ? BASE64 : BASE64URL, 6)
    else if (token === 3) text += digits(take(1)[0] ?? 0, HEX, 4)
    else if (token === 5) text += formed('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx')
    else if (token === 6) text += formed('xxxx-xx-xxTxx:xx:xx.xxxZ')
    else if (token >= 0x20 && token <= 0x7e) text += String.fromCharCode(token)
    else if (page.dictionary[token - 0x80] !== undefined) text += page.dictionary[token - 0x80]
    else return undefined
    if (text.length > 65_536) return undefined
  }
  const again = pack(text)
  const padded = Buffer.concat([again, Buffer.alloc(Math.max(0, packed.length - again.length))])
  const bytes = Buffer.from(text, 'latin1')
  return padded.equals(packed) && Buffer.from(bytes.toString()).equals(bytes) ? bytes.toString() : undefined
}

/** Where the header stands. */
export const startsOf = (count: number): readonly [number, number, number] => {
  const third = Math.floor(count / 3)
  return [0, third, 2 * third]
}

const toBytes = (bits: readonly number[]): Buffer =>
  Buffer.from(
    Array.from({ length: bits.length / 8 }, (_, n) => Number.parseInt(bits.slice(n * 8, n * 8 + 8).join(''), 2)),
  )

/** The carriers that hold the payload, in order. */
export function payloadPlaces(count: number, used: number): number[] {
  const starts = startsOf(count)
  const places: number[] = []
  for (let at = 0; at < count && places.length < used - 3 * HEADER; at++)
    if (!starts.some((start) => at >= start && at < start + HEADER)) places.push(at)
  return places
}

/** The signature that the carriers of a picture hold. */
export function embedded({ carriers, sha256 }: Picture): Embedded | undefined {
  const count = carriers.length
  if (count < 3 * HEADER) return undefined
  const starts = startsOf(count)
  const copies = starts.map((start) => carriers.slice(start, start + HEADER))
  const majority = Array.from({ length: HEADER }, (_, n) => Number(copies.filter((copy) => copy[n] === 1).length > 1))
  for (const header of [majority, ...copies].map(toBytes)) {
    const used = header.readUInt32BE(6)
    const payloadBits = used - 3 * HEADER
    const isKnown = header.toString('latin1', 0, 6) === 'SXpx\x01\x01' && used <= count
    if (!isKnown || payloadBits <= 0 || payloadBits % 256 !== 0 || payloadBits > 8 * 65_536) continue
    const places = payloadPlaces(count, used)
    const payload = toBytes(places.map((place) => carriers[place] ?? 0))
    if (crc32(payload) !== header.readUInt32BE(10)) continue
    const text = unpack(payload)
    if (text === undefined) continue
    const all = new Set(places)
    for (const start of starts) for (let n = 0; n < HEADER; n++) all.add(start + n)
    const isExact = copies.every((copy) => toBytes(copy).equals(header))
    return { text, isExact, sha256: sha256((carrier) => all.has(carrier), used) }
  }
  return undefined
}
