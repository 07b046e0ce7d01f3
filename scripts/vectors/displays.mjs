// What else there is in pictures that are signed in their pixels, and what becomes of it: order, places, hidden colours.
import { pngOf, stored } from '../../test/conformance/pictures.mjs'

/** Width and height: a pixel carries three bits, or one if all are grey. */
const [COLOURED, GREY] = [
  [44, 38],
  [64, 60],
]
/** Rows of pixels that nobody sees. */
const HIDDEN = 2

/** A PNG of noise. `kind` is its colour type and depth, `hidden` the colours of its invisible pixels if it has alpha. */
function drawn([colour, depth], { hidden = [0, 0, 0], isGrey = false } = {}) {
  const [width, height] = isGrey ? GREY : COLOURED
  const rows = []
  for (let y = 0; y < height; y++) {
    rows.push(0)
    for (let x = 0; x < width; x++) {
      const isHidden = colour === 6 && y >= height - HIDDEN
      const noise = (n) => (x * 7 + y * 13 + (isGrey ? 0 : n) * 31 + x * y) % 251
      const samples = [0, 1, 2].map((n) => (isHidden ? hidden[n] : noise(n)))
      const pixel = [...(colour === 0 ? samples.slice(0, 1) : samples), ...(colour === 6 ? [isHidden ? 0 : 255] : [])]
      rows.push(...pixel.flatMap((sample) => (depth === 16 ? [sample, sample] : [sample])))
    }
  }
  return Buffer.from(pngOf(width, height, colour, stored(Uint8Array.from(rows)), depth))
}

/**
 * Cases: a picture is signed, and what was signed stands in another one.
 *
 * @param tools how the images of the vectors are signed and taken apart
 */
export function displays({ signPixels, insert, chunk, segment, adobe, photo }) {
  const becomes = (name, before, after = before) => {
    const { put } = signPixels('ed25519', before, `image display ${name}`)
    return [`pixels: ${name}`, put(after)]
  }
  const latin = (text) => Buffer.from(text, 'latin1')
  const png = (kind, chunks = [], options = {}) => insert(drawn(kind, options), 33, ...chunks)
  const rgb = (...chunks) => png([2, 8], chunks)
  const hiding = (...hidden) => png([6, 8], [], { hidden })
  const grey = (colour, ...chunks) => png([colour, 8], chunks, { isGrey: true })
  const [palette, gamma] = [chunk('PLTE', Buffer.from([1, 2, 3])), chunk('gAMA', Buffer.from([0, 1, 0, 0]))]
  const profile = chunk('iCCP', latin('profile\0\0data'))
  const tiff = latin('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0')
  const [turned, packed] = [chunk('eXIf', tiff), chunk('zTXt', latin('Raw profile type exif\0\0data'))]
  const [one, two, three] = ['page\x001x1', 'Raw profile type exif\0\nexif\n0\n', 'gamma\x001'].map((text) =>
    chunk('tEXt', latin(text)),
  )

  const marker = (byte) => photo.indexOf(Buffer.from([0xff, byte]))
  const [afterFrame, end] = [marker(0xc0) + 2 + photo.readUInt16BE(marker(0xc0) + 2), photo.length - 2]
  const early = (...parts) => insert(photo, 20, ...parts)
  const between = (...parts) => insert(photo, afterFrame, ...parts)
  const comment = segment(0xfe, latin('CS=ITU601'))
  const icc = segment(0xe2, latin('ICC_PROFILE\0\x01\x01 a profile'))
  const exif = segment(0xe1, Buffer.concat([latin('Exif\0\0'), tiff]))
  const xmp = segment(0xe1, latin('http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation="3"/>'))

  return [
    becomes('colours of invisible pixels', hiding(7, 8, 9)),
    becomes('colours of invisible pixels that are black now', hiding(7, 8, 9), hiding(0, 0, 0)),
    becomes('colours of invisible pixels that came later', hiding(0, 0, 0), hiding(7, 8, 9)),
    becomes('other colours of invisible pixels', hiding(7, 8, 9), hiding(7, 8, 10)),
    becomes('samples of 8 bits stored with 16', png([2, 8]), png([2, 16])),
    becomes('samples of 16 bits stored with 8', png([2, 16]), png([2, 8])),
    becomes('a gamma after a palette that is lost', rgb(palette, gamma), rgb(gamma)),
    becomes('a gamma before a palette that is lost', rgb(gamma, palette), rgb(gamma)),
    becomes('a profile of grey pixels stored as RGB', grey(0, profile), grey(2, profile)),
    becomes('a profile of grey pixels stored as RGB, stored as grey', grey(2, profile), grey(0, profile)),
    becomes('a chunk and a text', rgb(turned, packed)),
    becomes('a chunk and a text, swapped', rgb(turned, packed), rgb(packed, turned)),
    becomes('a chunk and a text, of which one is lost', rgb(turned, packed), rgb(packed)),
    becomes('a chunk that moved between texts', rgb(one, turned, two, three), rgb(one, two, turned, three)),
    becomes('a chunk between texts that is lost', rgb(one, turned, two, gamma), rgb(one, two, gamma)),
    becomes('a comment after the frame header', between(comment)),
    becomes('a comment that moved after the frame header', early(comment), between(comment)),
    becomes('a profile that moved after the frame header', early(icc), between(icc)),
    becomes('a profile that moved after the scan', between(icc), insert(photo, end, icc)),
    becomes('Exif and XMP', early(exif, xmp)),
    becomes('Exif and XMP, swapped', early(exif, xmp), early(xmp, exif)),
    ['pixels: Adobe after the frame header', insert(becomes('Adobe', photo)[1], afterFrame, adobe(1))],
  ]
}
