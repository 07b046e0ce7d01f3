// What editors leave of a signature, and pictures that two agents have signed: what is told, taken out and replaced.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, newFolder, refusal } from './fixtures.ts'

const image = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url)))
const SIGNATURE = 'sx-agent.signature'

let agent: SxAgent
let other: SxAgent
const idOf = (one: SxAgent): string => one.getAgentInfo()?.agentId ?? ''

beforeAll(async () => {
  const make = async (name: string): Promise<SxAgent> =>
    (await SxAgent.create({ ...agentIn(newFolder(), { algorithm: 'ed25519' }), name })).agent
  agent = await make('Camera')
  other = await make('Archive')
  agent.trustAgent(other.exportAgent())
})

/** The chunk of ours behind the pixels, as an editor writes it that knows its keyword only. */
function moved(png: Buffer): Buffer {
  const end = 33 + 12 + png.readUInt32BE(33)
  return Buffer.concat([png.subarray(0, 33), png.subarray(end, -12), png.subarray(33, end), png.subarray(-12)])
}

/** The chunk of ours as another kind of text, in its place or behind the pixels. */
function rewritten(type: 'tEXt' | 'zTXt' | 'iTXt', isMoved: boolean): (png: Buffer) => Buffer {
  return (png) => {
    const end = 33 + 12 + png.readUInt32BE(33)
    const payload = png.subarray(33 + 8 + SIGNATURE.length + 5, end - 4)
    const after = {
      tEXt: [Buffer.from([0]), payload],
      zTXt: [Buffer.from([0, 0]), deflateSync(payload)],
      iTXt: [Buffer.from([0, 1, 0, 0, 0]), deflateSync(payload)],
    }[type]
    const body = Buffer.concat([Buffer.from(type + SIGNATURE), ...after])
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(body.length - 4)
    crc.writeUInt32BE(crc32(body))
    const chunk = [length, body, crc]
    const parts = isMoved ? [png.subarray(end, -12), ...chunk] : [...chunk, png.subarray(end, -12)]
    return Buffer.concat([png.subarray(0, 33), ...parts, png.subarray(-12)])
  }
}

/** The segment of ours behind the first table. */
function movedSegment(jpeg: Buffer): Buffer {
  const end = 22 + jpeg.readUInt16BE(22)
  const table = end + 2 + jpeg.readUInt16BE(end + 2)
  return Buffer.concat([jpeg.subarray(0, 20), jpeg.subarray(end, table), jpeg.subarray(20, end), jpeg.subarray(table)])
}

/** A bit of the signature changed. */
function damaged(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  const at = changed.indexOf(changed.includes(SIGNATURE) ? SIGNATURE : 'sx:signature="') + 60
  changed[at] = (changed[at] ?? 0) ^ 0x80
  return changed
}

describe.each([
  ['interlaced.png', 'a chunk that was moved', 'valid', moved],
  ['interlaced.png', 'a chunk that became a text of Latin letters', 'valid', rewritten('tEXt', false)],
  ['interlaced.png', 'a chunk that was compressed', 'valid', rewritten('iTXt', false)],
  ['interlaced.png', 'a chunk that was compressed and moved', 'valid', rewritten('zTXt', true)],
  ['interlaced.png', 'a chunk with a wrong checksum', 'none', damaged], // where no reader goes on
  ['texture.jpg', 'a segment that was moved', 'valid', movedSegment],
  ['texture.jpg', 'a segment that is not as it is written', 'valid', damaged],
  ['rgb.png', 'a chunk that was moved', undefined, moved],
  ['lossy.webp', 'an element that is not as it is written', undefined, damaged],
] as const)('P04: %s with %s', (name, _, told, harm) => {
  const robust = told !== undefined
  let bare: Buffer
  let file: Buffer
  beforeAll(async () => {
    const signed = Buffer.from(await agent.signImage(image(name), null, { robust }))
    bare = Buffer.from(await stripImageSignature(signed))
    file = harm(signed)
  })

  it('with remains of a signature tells of both', async () => {
    const result = await agent.verifyImage(file)
    expect(result).toMatchObject({ status: 'invalid', code: 'BadSignature', coverage: undefined, lost: [] })
    const inFile = { place: 'file', status: 'invalid', valid: false, code: 'BadSignature', signerId: '' }
    const inPixels = { place: 'pixels', signerId: idOf(agent), valid: true, lost: [] }
    expect(result.signatures).toMatchObject(told === undefined || told === 'none' ? [inFile] : [inFile, inPixels])
  })

  it('loses them on demand, and its picture is valid again', async () => {
    const { advice } = await refusal(() => stripImageSignature(file), 'BadSignature')
    expect(advice).toBe('Pass `force: true` to remove the damaged signature.')
    const clean = Buffer.from(await stripImageSignature(file, null, { force: true }))
    expect(clean.includes(SIGNATURE) || clean.includes('sx:signature')).toBe(false)
    if (!name.endsWith('webp')) expect(clean.equals(bare)).toBe(true)
    const { status, coverage } = await agent.verifyImage(clean)
    expect([status, coverage]).toEqual(robust ? ['valid', 'pixels'] : ['missing_signature', undefined])
    expect(Buffer.from(await stripImageSignature(clean, null, { force: true })).equals(clean)).toBe(true)
  })

  it('is signed in their place', async () => {
    const again = await agent.signImage(file, null)
    expect(await agent.verifyImage(again)).toMatchObject({ status: 'valid', coverage: 'file' })
    await refusal(() => agent.signImage(file, null, { refuseOverwrite: true }), 'AlreadySigned')
  })
})

describe('a picture that two agents have signed', () => {
  let both: Uint8Array
  beforeAll(async () => {
    both = await other.signImage(await agent.signImage(image('texture.jpg'), null, { robust: true }), null)
  })

  it('has both signatures told where that is asked for', async () => {
    const result = await agent.verifyImage(both, { pixels: true })
    expect(result).toMatchObject({ status: 'valid', coverage: 'file', signerId: idOf(other) })
    expect(result.signatures).toMatchObject([
      { place: 'file', status: 'valid', signerId: idOf(other), signerName: 'Archive', trusted: true },
      { place: 'pixels', status: 'valid', signerId: idOf(agent), signerName: 'Camera', trusted: true },
    ])
    expect((await agent.verifyImage(both)).signatures).toHaveLength(1)
    await refusal(() => agent.verifyImage(both, { pixels: 1 as never }), 'InvalidOption')
  })

  it('has both told where the file was changed', async () => {
    const changed = Buffer.concat([both, Buffer.from('x')])
    const result = await agent.verifyImage(changed)
    expect(result).toMatchObject({ status: 'invalid', code: 'HashMismatch', coverage: 'file', signerId: idOf(other) })
    // The bytes at the end were not there when the picture was signed.
    expect(result.signatures).toMatchObject([
      { place: 'file', code: 'HashMismatch', signerId: idOf(other) },
      { place: 'pixels', code: 'DisplayMetadataChanged', signerId: idOf(agent) },
    ])
  })
})
