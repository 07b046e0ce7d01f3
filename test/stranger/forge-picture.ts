// Puts a signature into the coefficients of a JPEG as docs/images.md, section 2, has it. Deterministic.
import { crc32 } from 'node:zlib'
import canonicalize from 'canonicalize'
import { documentOf, type Signer, seal } from './forge.ts'
import { jpeg } from './jpeg.ts'
import type { Plane } from './jpegs.ts'
import { HEADER, pack, payloadPlaces, startsOf } from './pixels.ts'

const bitsOf = (bytes: Uint8Array): number[] =>
  [...bytes].flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((n) => (byte >> n) & 1))

/** Planes of which the first one carries these bits. */
function carrying([first, ...others]: readonly Plane[], bits: ReadonlyMap<number, number>): Plane[] {
  if (first === undefined) throw new RangeError('There is no plane.')
  let carrier = 0
  const blocks = first.blocks.map((block, n) => {
    const isShown = n % first.stride < first.columns && n < first.stride * first.rows
    return block.map((value, at) => {
      if (!isShown || at === 0 || Math.abs(value) < 2) return value
      const bit = bits.get(carrier++)
      return bit === undefined ? value : Math.sign(value) * ((Math.abs(value) & ~1) | bit)
    })
  })
  return [{ ...first, blocks }, ...others]
}

/** Planes that carry a signature; nothing if there is no room. */
export function signedPlanes(
  planes: readonly Plane[],
  write: (planes: readonly Plane[]) => Buffer,
  signer: Signer,
): Plane[] | undefined {
  const { carriers, sha256, display } = jpeg(write(planes), () => undefined)
  const bare = { ...documentOf(Buffer.alloc(0), signer), sxType: 'sx-image' }
  const textOf = (hash: string): string => {
    const document = seal({ ...bare, content: { display, scheme: 'sx-pixels-v1', sha256: hash } }, signer)
    return canonicalize(document) ?? ''
  }
  const parts = Math.ceil(pack(textOf('0'.repeat(64))).length / 32) + 1 // one to spare, which is allowed
  const used = 3 * HEADER + 256 * parts
  if (used > carriers.length) return undefined
  const starts = startsOf(carriers.length)
  const places = payloadPlaces(carriers.length, used)
  const all = new Set([...places, ...starts.flatMap((start) => Array.from({ length: HEADER }, (_, n) => start + n))])
  const payload = Buffer.alloc(32 * parts)
  payload.set(pack(textOf(sha256((carrier) => all.has(carrier), used))))
  const header = Buffer.from('SXpx\x01\x01\0\0\0\0\0\0\0\0', 'latin1')
  header.writeUInt32BE(used, 6)
  header.writeUInt32BE(crc32(payload), 10)
  const bits = new Map<number, number>()
  for (const [n, bit] of bitsOf(payload).entries()) bits.set(places[n]!, bit)
  for (const start of starts) for (const [n, bit] of bitsOf(header).entries()) bits.set(start + n, bit)
  return carrying(planes, bits)
}
