// Photographs that carry a signature in their picture: what of the file stays, what of the picture, and where it ends.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { photographs } from '../corpus/python.mjs'
import { agentIn, newFolder, refusal } from '../node/fixtures.ts'
import { absent, run, scripts } from './tools.ts'

const jpegs = (await photographs()).filter((path) => path.endsWith('.jpg'))
const pillow = await scripts()

/** The segments of a JPEG before and between its scans, as they stand, and how many bytes its coded data have. */
function segmentsOf(bytes: Buffer): { segments: string[]; coded: number } {
  const segments: string[] = []
  let coded = 0
  let at = 2
  while (at + 4 <= bytes.length && bytes[at + 1] !== 0xd9) {
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    segments.push(bytes.toString('hex', at, end))
    const isScan = bytes[at + 1] === 0xda
    at = end
    if (!isScan) continue
    while (bytes[at] !== 0xff || /00|d[0-7]/.test(bytes.toString('hex', at + 1, at + 2))) at += 1
    coded += at - end
  }
  return { segments, coded }
}

describe.skipIf(jpegs.length === 0)('photographs', () => {
  const agents: Record<string, SxAgent> = {}
  const signer = (algorithm: string): SxAgent => agents[algorithm] as SxAgent
  beforeAll(async () => {
    for (const algorithm of ['ed25519', 'pq2025'] as const)
      agents[algorithm] = (await SxAgent.create(agentIn(newFolder(), { algorithm }))).agent
  })

  /** As they came, and with progressive scans. */
  const variants = async (path: string): Promise<[string, Buffer][]> => {
    const baseline = readFileSync(path)
    if (absent('jpegtran').length > 0) return [['baseline', baseline]]
    return [
      ['baseline', baseline],
      ['progressive', await run('jpegtran', '-copy', 'all', '-progressive', path)],
    ]
  }

  it.each(jpegs.map((path) => [basename(path), path]))('%s keeps all but the bits that carry', async (_, path) => {
    for (const [kind, source] of await variants(path)) {
      for (const algorithm of ['ed25519', 'pq2025']) {
        const agent = signer(algorithm)
        const { supported, neededBits, availableBits } = await agent.imageCapacity(source)
        expect(supported).toBe(neededBits <= availableBits)
        if (!supported) continue
        const signed = await agent.signImage(source, null, { robust: true })
        const bare = Buffer.from(await stripImageSignature(signed))
        expect(await agent.verifyImage(bare)).toMatchObject({ status: 'valid', coverage: 'pixels', algorithm })
        // Quantisation and Huffman tables, Exif, colour profile, comments, headers of frame and scans, in their order.
        const [before, after] = [segmentsOf(source), segmentsOf(bare)]
        expect(before.segments.length).toBeGreaterThan(5)
        expect(after.segments).toEqual(before.segments)
        expect(Math.abs(bare.length - source.length)).toBeLessThanOrEqual(64)
        expect(bare.length - source.length).toBe(after.coded - before.coded)
        // Besides, the file has one segment more, and nothing else.
        const added = segmentsOf(Buffer.from(signed)).segments.filter((one) => !after.segments.includes(one))
        expect(added.map((segment) => [segment.slice(0, 4), segment.length / 2])).toEqual([
          ['ffeb', signed.length - bare.length],
        ])
        if (pillow === undefined) continue
        const folder = newFolder()
        const [original, carrying] = [join(folder, 'source.jpg'), join(folder, 'bare.jpg')]
        writeFileSync(original, source)
        writeFileSync(carrying, bare)
        const decibel = Number(await pillow('pillow.py', 'psnr', original, carrying))
        expect(decibel, `${kind}, ${algorithm}`).toBeGreaterThan(algorithm === 'ed25519' ? 45 : 35)
        expect(decibel).toBeLessThan(80) // the pictures are not the same one
      }
    }
  })

  it('say what is needed and what is there before anything is written', async () => {
    const agent = signer('pq2025')
    const refused = []
    for (const path of jpegs) {
      const { supported, reason, neededBits, availableBits } = await agent.imageCapacity(path)
      if (supported) continue
      refused.push(basename(path))
      const out = join(newFolder(), 'out.jpg')
      const { found } = await refusal(() => agent.signImage(path, out, { robust: true }), 'Unsupported')
      expect(found).toBe(`The signature needs ${neededBits} bits, but the image can carry only ${availableBits}.`)
      expect([found, existsSync(out)]).toEqual([reason, false])
    }
    expect(refused).toEqual(['flower.jpg'])
    const small = jpegs.find((path) => path.endsWith('flower.jpg')) ?? ''
    expect((await signer('ed25519').imageCapacity(small)).supported).toBe(true)
  })
})
