// Images that are signed in their pixels: what survives, what does not, and what is said of it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { collect } from '../memory.ts'
import { agentIn, newFolder, refusal } from './fixtures.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const image = (name: string): Buffer => readFileSync(`${data}${name}`)

const agents: Record<string, SxAgent> = {}
beforeAll(async () => {
  for (const algorithm of ['ed25519', 'pq2025'] as const) {
    agents[algorithm] = (await SxAgent.create(agentIn(newFolder(), { algorithm }))).agent
  }
})
const signer = (algorithm = 'ed25519'): SxAgent => agents[algorithm] as SxAgent

function chunk(type: string, bytes: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), bytes])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(bytes.length)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** A PNG of noise, RGB or RGBA of 8 bits. */
function noise(width: number, height: number, colourType: 2 | 6, more: Buffer[] = []): Buffer {
  const samples = colourType === 6 ? 4 : 3
  let state = 1
  const rows = Buffer.alloc(height * (width * samples + 1))
  for (let at = 0; at < rows.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const inRow = at % (width * samples + 1)
    const isOpaque = colourType === 6 && inRow % 4 === 0 && state >>> 30 !== 0
    rows[at] = inRow === 0 ? 0 : isOpaque ? 255 : state >>> 24
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, colourType], 8)
  const parts = [chunk('IHDR', header), ...more, chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}

/** A PNG with nothing but what is displayed: what an optimiser leaves of it. */
function withoutMetadata(png: Uint8Array): Buffer {
  const kept = [Buffer.from(png.subarray(0, 8))]
  const view = Buffer.from(png)
  for (let at = 8; at < view.length; at += view.readUInt32BE(at) + 12) {
    const end = at + view.readUInt32BE(at) + 12
    if (/IHDR|IDAT|IEND/.test(view.toString('latin1', at + 4, at + 8))) kept.push(view.subarray(at, end))
  }
  return Buffer.concat(kept)
}

describe.each(['ed25519', 'pq2025'])('%s', (algorithm) => {
  const sources: [string, Buffer][] = [
    ['RGB', noise(140, 120, 2)],
    ['RGBA, partly translucent', noise(160, 120, 6)],
  ]
  it.each(sources)('%s outlives the loss of all metadata', async (_, source) => {
    const agent = signer(algorithm)
    const { supported, neededBits, availableBits, reason } = await agent.imageCapacity(source)
    expect([supported, reason]).toEqual([true, undefined])
    expect(availableBits).toBeGreaterThanOrEqual(neededBits)
    const signed = await agent.signImage(source, null, { robust: true })
    expect(await agent.verifyImage(signed)).toMatchObject({ status: 'valid', coverage: 'file', algorithm })
    const bare = withoutMetadata(signed)
    expect(await agent.verifyImage(bare)).toMatchObject({
      status: 'valid',
      coverage: 'pixels',
      trusted: true,
      algorithm,
    })
    expect(await agent.verifyImage(await agent.signImage(bare, null))).toMatchObject({ coverage: 'file', valid: true })
    const foreign = signer(algorithm === 'ed25519' ? 'pq2025' : 'ed25519')
    expect(await foreign.verifyImage(bare)).toMatchObject({ status: 'invalid', code: 'UnknownSigner' })
  })
})

describe('the picture of a JPEG', () => {
  it.each(['texture.jpg', 'texture-progressive.jpg'])('%s', async (name) => {
    const agent = signer()
    const source = image(name)
    const signed = await agent.signImage(source, null, { robust: true })
    const stripped = await sx.stripImageSignature(signed)
    expect(Math.abs(stripped.length - source.length)).toBeLessThanOrEqual(64)
    expect(await agent.verifyImage(stripped)).toMatchObject({ status: 'valid', coverage: 'pixels' })
    // Tables and everything else before the first scan are as they were.
    const scan = source.indexOf(Buffer.from([0xff, 0xda]))
    expect(Buffer.from(stripped.subarray(0, scan)).equals(source.subarray(0, scan))).toBe(true)
  })

  it('with metadata that turn it is another one', async () => {
    const agent = signer()
    const stripped = Buffer.from(
      await sx.stripImageSignature(await agent.signImage(image('texture.jpg'), null, { robust: true })),
    )
    const exif = Buffer.from('45786966000049492a0008000000010012010300010000000600000000000000', 'hex')
    const turned = Buffer.concat([
      stripped.subarray(0, 2),
      Buffer.from([0xff, 0xe1, 0, exif.length + 2]),
      exif,
      stripped.subarray(2),
    ])
    expect(await agent.verifyImage(turned)).toMatchObject({
      status: 'invalid',
      code: 'DisplayMetadataChanged',
      coverage: 'pixels',
      signerId: agent.getAgentInfo()?.agentId,
      signedAt: '',
    })
    // Signed with it, the picture stays valid with it and without it.
    const signed = await agent.signImage(turned, null, { robust: true })
    const { content } = (await sx.extractMediaSignature(await sx.stripImageSignature(signed))) as {
      content: { display: object }
    }
    expect(content.display).toEqual({ orientation: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
    const kept = Buffer.from(await sx.stripImageSignature(signed))
    expect(await agent.verifyImage(kept)).toMatchObject({ status: 'valid', lost: [] })
    const bare = Buffer.concat([kept.subarray(0, 2), kept.subarray(6 + exif.length)])
    const verdict = await agent.verifyImage(bare)
    expect(verdict).toMatchObject({ status: 'valid', coverage: 'pixels', lost: ['orientation'] })
    expect(verdict.signatures).toMatchObject([{ place: 'pixels', lost: ['orientation'] }])
    expect(Object.isFrozen(verdict.lost)).toBe(true)
    // What is not valid has lost nothing.
    const other = Buffer.concat([bare.subarray(0, 2), Buffer.from([0xff, 0xed, 0, 2]), bare.subarray(2)])
    expect(await agent.verifyImage(other)).toMatchObject({ code: 'DisplayMetadataChanged', lost: [] })
  })
})

describe('what happens to a picture', () => {
  it('may get words later, and nothing that programs show it by', async () => {
    const agent = signer()
    const png = withoutMetadata(await agent.signImage(noise(120, 100, 2), null, { robust: true }))
    const jpeg = Buffer.from(
      await sx.stripImageSignature(await agent.signImage(image('texture.jpg'), null, { robust: true })),
    )
    const inPng = (type: string, data: string) =>
      Buffer.concat([png.subarray(0, 33), chunk(type, Buffer.from(data, 'latin1')), png.subarray(33)])
    const inJpeg = (marker: number, data: string) =>
      Buffer.concat([
        jpeg.subarray(0, 2),
        Buffer.from([0xff, marker, 0, data.length + 2]),
        Buffer.from(data, 'latin1'),
        jpeg.subarray(2),
      ])
    for (const same of [
      inPng('tEXt', 'Title\0Sunset'),
      inPng('tIME', '\0\0\0\0\0\0\0'),
      inJpeg(0xfe, 'Created with GIMP'),
    ])
      expect(await agent.verifyImage(same)).toMatchObject({ status: 'valid', coverage: 'pixels' })
    const others = {
      'an index that was dropped': inPng('iDOT', '\0'.repeat(28)),
      'a background': inPng('bKGD', '\0\xff\0\0\0\0'),
      'Exif as text': inPng('tEXt', 'Raw profile type exif\0\nexif\n0\n'),
      'a gain map after the end': Buffer.concat([jpeg, image('texture.jpg')]),
      'a gain map that only its segment tells': inJpeg(0xe2, 'urn:iso:std:iso:ts:21496:-1\0'),
      'Exif by lower case': inJpeg(0xe1, 'exif\0\0II*\0'),
      'P01: a comment': inJpeg(0xfe, 'Metasoft MJPEG Codec'),
      'P03: a segment of Adobe that is long': inJpeg(0xee, 'Adobe\0\x64\0\0\0\0\x01\0'),
      'bytes after the end': Buffer.concat([png, Buffer.from('more')]),
      'a block of Photoshop': inJpeg(0xed, 'Photoshop 3.0\x008BIM\x04\x22'),
    }
    for (const [what, other] of Object.entries(others))
      expect(await agent.verifyImage(other), what).toMatchObject({ code: 'DisplayMetadataChanged', coverage: 'pixels' })
    for (const half of [
      jpeg.subarray(0, -2),
      Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(9), Buffer.from([0xff, 0xd9])]),
    ])
      expect(await agent.verifyImage(half)).toMatchObject({ status: 'missing_signature' })
  })

  it('P02: with another sense of its colours is another one', async () => {
    const agent = signer()
    const jpeg = Buffer.from(
      await sx.stripImageSignature(await agent.signImage(image('texture.jpg'), null, { robust: true })),
    )
    const adobe = Buffer.from('ffee000e41646f62650064000000000000', 'hex').subarray(0, 16)
    const changed = Buffer.concat([jpeg.subarray(0, 20), adobe, jpeg.subarray(20)])
    expect(await agent.verifyImage(changed)).toMatchObject({ code: 'HashMismatch', coverage: 'pixels' })
  })

  it('with the bits of another one it says whose those were', async () => {
    const agent = signer()
    const source = noise(120, 100, 2)
    const signed = withoutMetadata(await agent.signImage(source, null, { robust: true }))
    const pixels = await import('../../wasm/dist/pixels/pixels.js')
    // Another picture with the same bits: the same carriers hold the payload of the first one.
    const { payload } = JSON.parse(pixels.readPixels(signed)) as { payload: string }
    const other = noise(120, 101, 2)
    type Prepared = { used: number; available: number; carriers: number[]; sha256: string }
    const { used, available, carriers, sha256 } = JSON.parse(pixels.preparePixels(other, payload, '')) as Prepared
    const hash = Buffer.from(sha256, 'hex')
    const moved = pixels.embedInPixels(other, payload, Uint32Array.of(used, available, ...carriers), hash)
    expect(await agent.verifyImage(moved)).toMatchObject({
      status: 'invalid',
      code: 'HashMismatch',
      coverage: 'pixels',
      signerId: agent.getAgentInfo()?.agentId,
    })
  })

  it('is refused where it has no room, before anything is written', async () => {
    const agent = signer('pq2025')
    const { supported, reason, neededBits, availableBits } = await agent.imageCapacity(image('texture.jpg'))
    expect(supported).toBe(false)
    expect(reason).toBe(`The signature needs ${neededBits} bits, but the image can carry only ${availableBits}.`)
    const error = await refusal(() => agent.signImage(image('texture.jpg'), null, { robust: true }), 'Unsupported')
    expect(error.found).toBe(reason)
    for (const name of ['palette.png', 'lossy.webp', 'arithmetic.jpg']) {
      const capacity = await agent.imageCapacity(image(name))
      expect(capacity).toMatchObject({ supported: false, availableBits: 0 })
      const refused = await refusal(() => agent.signImage(image(name), null, { robust: true }), 'Unsupported')
      expect(refused.found).toBe(capacity.reason)
    }
  })

  it('T34 a chunk that claims 4 GiB, and text that inflates to much more than it is', async () => {
    const agent = signer()
    const bomb = chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(256 << 20))]))
    const source = noise(120, 100, 2, [bomb])
    collect()
    const before = process.memoryUsage().rss
    const signed = await agent.signImage(source, null)
    expect((await agent.verifyImage(signed)).valid).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(128 << 20)
    const endless = Buffer.from(noise(8, 8, 2))
    endless.writeUInt32BE(0xffff_ffff, 33)
    await refusal(() => agent.signImage(endless, null), 'Unsupported')
    expect((await agent.verifyImage(endless)).status).toBe('missing_signature')
  })
})
