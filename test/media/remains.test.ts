// P04: signed pictures that sharp and vips have copied with their metadata, and what becomes of their signatures.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { photographs, sharpModule } from '../corpus/python.mjs'
import { agentIn, newFolder, refusal } from '../node/fixtures.ts'
import { absent, run } from './tools.ts'

interface Sharp {
  (path: string): { keepMetadata(): { toFile(path: string): Promise<unknown> } }
}

const sharp = (await sharpModule()) as Sharp | undefined
const photo = (await photographs()).find((path) => path.endsWith('chelsea.png'))
const hasVips = absent('vips').length === 0
const hasConvert = absent('convert').length === 0

type Copying = (source: string, target: string) => Promise<unknown>

/** What each program adds to a picture that had nothing else, besides the text that it writes again. */
const copying: readonly (readonly [name: string, isHere: boolean, adds: readonly string[], copy: Copying])[] = [
  [
    'sharp().keepMetadata()',
    sharp !== undefined,
    ['eXIf'],
    async (source, target) => await sharp?.(source).keepMetadata().toFile(target),
  ],
  ['vips copy', hasVips, [], (source, target) => run('vips', 'copy', source, target)],
]

/** A PNG without the chunks of a type. */
function without(png: Buffer, type: string): Buffer {
  const kept = [png.subarray(0, 8)]
  for (let at = 8; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) !== type) kept.push(png.subarray(at, end))
    at = end
  }
  return Buffer.concat(kept)
}

describe.each(copying)('P04: a signed PNG after %s', (_, isHere, adds, copy) => {
  let agent: SxAgent
  let path: string
  let file: Buffer

  beforeAll(async () => {
    if (!isHere || photo === undefined || !hasConvert) return
    agent = (await SxAgent.create(agentIn(newFolder(), { algorithm: 'ed25519' }))).agent
    const folder = newFolder()
    const plain = join(folder, 'plain.png')
    // Gamma, primaries and the rest of what `convert` writes are what a copy may lose or change.
    const plainly = ['-define', 'png:exclude-chunk=gAMA,cHRM,bKGD,date,tIME']
    await run('convert', photo, ...plainly, '-crop', '160x120+100+50', '+repage', plain)
    const signed = join(folder, 'signed.png')
    writeFileSync(signed, await agent.signImage(readFileSync(plain), null, { robust: true }))
    path = join(folder, 'copied.png')
    await copy(signed, path)
    file = readFileSync(path)
  })

  const isReady = isHere && photo !== undefined && hasConvert
  it.skipIf(!isReady)('tells of both signatures', async () => {
    expect(file.includes('sx-agent.signature')).toBe(true)
    const { status, code, signatures } = await agent.verifyImage(path)
    expect([status, code]).toEqual(['invalid', 'BadSignature'])
    const { agentId } = agent.getAgentInfo() ?? {}
    const inFile = { place: 'file', valid: false, code: 'BadSignature', signerId: '' }
    const inPixels = { place: 'pixels', signerId: agentId, lost: [] }
    const told = adds.length === 0 ? { valid: true } : { code: 'DisplayMetadataChanged' }
    expect(signatures).toMatchObject([inFile, { ...inPixels, ...told }])
    const bare = adds.reduce(without, file)
    expect((await agent.verifyImage(bare)).signatures).toMatchObject([inFile, { ...inPixels, valid: true }])
  })

  it.skipIf(!isReady)('loses what is left of the first on demand', async () => {
    await refusal(() => stripImageSignature(path, null), 'BadSignature')
    const clean = Buffer.from(await stripImageSignature(path, null, { force: true }))
    expect(clean.includes('sx-agent.signature')).toBe(false)
    const { coverage, signatures } = await agent.verifyImage(clean)
    expect([coverage, signatures.length]).toEqual(['pixels', 1])
  })

  it.skipIf(!isReady)('is signed in its place', async () => {
    const again = await agent.signImage(path, null)
    expect(await agent.verifyImage(again)).toMatchObject({ status: 'valid', coverage: 'file' })
  })
})
