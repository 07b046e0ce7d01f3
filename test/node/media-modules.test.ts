// The WebAssembly modules of images as JavaScript calls them: what they answer, what they throw, what they weigh.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import * as media from '../../wasm/dist/media/media.js'
import * as pixels from '../../wasm/dist/pixels/pixels.js'

const path = (name: string) => fileURLToPath(new URL(`../../wasm/${name}`, import.meta.url))
const image = (name: string) => new Uint8Array(readFileSync(path(`media/tests/data/${name}`)))
const module = (name: string) => readFileSync(path(`dist/${name}/${name}_bg.wasm`))

interface Scan {
  status: 'none' | 'signed' | 'damaged'
  payload?: string
  problem?: [string, string, string]
  own?: [number, number]
  content: (string | [number, number])[]
  length: number
}
const scan = (bytes: Uint8Array) => JSON.parse(media.scanImage(bytes)) as Scan

/** SHA-256 of what a scan says is the content, and how long that is. */
function digest(bytes: Uint8Array) {
  const hash = createHash('sha256')
  let length = 0
  for (const piece of scan(bytes).content) {
    const part = typeof piece === 'string' ? Buffer.from(piece, 'hex') : bytes.subarray(...piece)
    length += part.length
    hash.update(part)
  }
  return { sha256: hash.digest('hex'), length }
}

const thrown = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

beforeAll(() => {
  media.initSync({ module: new WebAssembly.Module(module('media')) })
  pixels.initSync({ module: new WebAssembly.Module(module('pixels')) })
})

describe('the metadata channel', () => {
  for (const name of ['rgb.png', 'exif.jpg', 'progressive.jpg', 'lossy.webp', 'xmp.webp', 'animated.webp']) {
    it(`${name}: what is put in is found, covers the rest, and comes out`, () => {
      const bytes = image(name)
      const before = digest(bytes)
      expect(before).toEqual({ sha256: createHash('sha256').update(bytes).digest('hex'), length: bytes.length })
      const signed = media.embedPayload(bytes, before.sha256)
      expect(scan(signed)).toMatchObject({ status: 'signed', payload: before.sha256, length: bytes.length })
      expect(digest(signed)).toEqual(before)
      expect(Buffer.from(media.stripPayload(signed, false)).equals(bytes)).toBe(true)
    })
  }

  it('says of a damaged signature what is wrong', () => {
    const signed = media.embedPayload(image('rgb.png'), 'e30')
    const [, end] = scan(signed).own ?? [0, 0]
    signed[end - 1] = ~(signed[end - 1] ?? 0)
    const problem = ['Altered', 'BadSignature', 'The part of the image that contains its signature was changed.']
    expect(scan(signed)).toMatchObject({ status: 'damaged', problem })
    expect(thrown(() => media.stripPayload(signed, false))).toEqual(problem.slice(1))
  })

  it('throws the code and a sentence', () => {
    const text = new TextEncoder().encode('no image')
    const refusal = ['Unsupported', 'The input is not a PNG, JPEG or WebP image.']
    expect(thrown(() => media.scanImage(text))).toEqual(refusal)
    expect(thrown(() => media.embedPayload(text, 'e30'))).toEqual(refusal)
    expect(thrown(() => media.embedPayload(image('rgb.png'), 'A'.repeat(65_001)))).toEqual([
      'LimitExceeded',
      'The payload is longer than 65,000 characters.',
    ])
  })

  it('takes no memory for a large image', () => {
    const bytes = image('baseline.jpg')
    const large = new Uint8Array(64 << 20)
    large.set(bytes)
    const { memory } = media.initSync({ module: new WebAssembly.Module(module('media')) })
    const before = memory.buffer.byteLength
    const signed = media.embedPayload(large, 'e30')
    expect(scan(signed)).toMatchObject({ status: 'signed', length: large.length })
    expect(media.stripPayload(signed, false).length).toBe(large.length)
    expect(memory.buffer.byteLength - before).toBeLessThan(2 << 20)
  })
})

describe('the robust channel', () => {
  const payload = '{"signed":true}'
  interface Prepared {
    used: number
    available: number
    carriers: number[]
    sha256: string
    display: object
  }
  const prepare = (bytes: Uint8Array) => JSON.parse(pixels.preparePixels(bytes, payload, '')) as Prepared
  const embed = (bytes: Uint8Array, { used, available, carriers, sha256 }: Prepared) => {
    const room = new Uint32Array([used, available, ...carriers])
    return pixels.embedInPixels(bytes, payload, room, Buffer.from(sha256, 'hex'))
  }

  for (const name of ['photo.jpg', 'photo-progressive.jpg', 'interlaced.png']) {
    it(`${name}: what is put in is found without metadata`, () => {
      const bytes = image(name)
      const prepared = prepare(bytes)
      const { used, available, carriers, sha256, display } = prepared
      expect(used).toBe(pixels.neededBits(payload))
      expect(available).toBeGreaterThan(used)
      expect(carriers).toHaveLength(name.endsWith('.jpg') ? used : 0)
      const found = { status: 'signed', payload, exact: true, sha256, display }
      expect(JSON.parse(pixels.readPixels(embed(bytes, prepared)))).toEqual(found)
      expect(JSON.parse(pixels.readPixels(bytes))).toEqual({ status: 'none' })
    })

    it(`${name}: nothing is written that was not prepared so`, () => {
      const bytes = image(name)
      const prepared = prepare(bytes)
      const { used, available, carriers, sha256 } = prepared
      const isJpeg = name.endsWith('.jpg')
      const largest = 0xffff_ffff
      const others: Partial<Prepared>[] = [
        { sha256: '' },
        { sha256: sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
        { available: available - 3 },
        { available: largest },
        { used: used + 256 },
        { used: used - 256 },
        { used: largest, available: largest },
        { used: 0, available: 0 },
      ]
      const moved: number[][] = [
        [],
        carriers.slice(1),
        carriers.slice(0, -1),
        carriers.map((number) => number + 1),
        carriers.toReversed(),
        [...carriers, largest],
        [largest, ...carriers],
        [...carriers, ...carriers],
        carriers.map((number, at) => carriers[at === 7 ? 8 : at] ?? number),
        [...carriers.slice(0, -1), largest],
        carriers.map(() => largest),
      ]
      if (isJpeg) others.push(...moved.map((places) => ({ carriers: places })))
      for (const [at, other] of others.entries()) {
        const answer = thrown(() => embed(bytes, { ...prepared, ...other }))
        expect(answer, `${at}`).toEqual(['Unsupported', expect.any(String)])
      }
      const changed = image(isJpeg ? 'photo-odd.jpg' : 'photo.jpg')
      expect(thrown(() => embed(changed, prepared))).toEqual(['Unsupported', expect.any(String)])
      expect(embed(bytes, prepared)).toBeInstanceOf(Uint8Array)
    })
  }

  it('says what is too small, and why something cannot carry', () => {
    const small = image('baseline.jpg')
    const prepared = prepare(small)
    expect(prepared).toMatchObject({ used: 592, carriers: [] })
    expect(prepared.available).toBeGreaterThan(0)
    expect(prepared.available).toBeLessThan(592)
    expect(thrown(() => embed(small, prepared))).toEqual(['Unsupported', expect.any(String)])
    expect(thrown(() => prepare(image('palette.png')))).toEqual(['Unsupported', expect.any(String)])
  })
})
