/** How many pixels the header of a PNG or JPEG names, before anything is decoded. */
import { SxError } from '../errors.ts'

/** Bytes before the data of `IHDR`, which is the first chunk of a PNG. */
const IHDR = 16

function short(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

/** Width and height by the frame header of a JPEG; nothing where segments do not lead to one. */
function frameOf(bytes: Uint8Array): [width: number, height: number] | undefined {
  let at = 2
  for (;;) {
    if (bytes[at] !== 0xff) return undefined
    while (bytes[at] === 0xff) at++
    const marker = bytes[at++] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return [short(bytes, at + 5), short(bytes, at + 3)]
    if (marker < 0xc0 || marker === 0xd9 || marker === 0xda) return undefined
    at += Math.max(2, short(bytes, at))
  }
}

/**
 * Refuses a picture that has more pixels than the caller has decoded.
 *
 * @throws SxError `LimitExceeded`
 */
export function checkPixels(bytes: Uint8Array, limit: number | undefined): void {
  if (limit === undefined) return
  const size = bytes[0] === 0xff ? frameOf(bytes) : ([0, 4] as const).map((skip) => long(bytes, IHDR + skip))
  const [width = 0, height = 0] = size ?? []
  if (width * height <= limit) return
  throw new SxError(
    'LimitExceeded',
    `The image has ${width} × ${height} pixels. The limit ('limits.image') is ${limit}.`,
  )
}

function long(bytes: Uint8Array, at: number): number {
  return short(bytes, at) * 65_536 + short(bytes, at + 2)
}
