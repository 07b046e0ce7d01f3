// Beside C2PA, by its reference implementation: which order keeps both signatures, and what is said of the other.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { python } from '../corpus/python.mjs'
import { agentIn, newFolder, refusal } from '../node/fixtures.ts'
import { manifests } from './manifests.mjs'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const images = ['texture.jpg', 'texture-progressive.jpg', 'exif.jpg', 'rgb.png', 'lossy.webp', 'alpha.webp', 'xmp.webp']
/** Nobody vouches for the certificate of the tests; else all is well. */
const VALID = ['Valid', 'signingCredential.untrusted']

describe.skipIf((await python()) === undefined)('beside C2PA', () => {
  let theirs: NonNullable<Awaited<ReturnType<typeof manifests>>>
  let agent: SxAgent
  let folder: string
  beforeAll(async () => {
    folder = newFolder()
    const started = await manifests(folder)
    if (started === undefined) throw new Error('C2PA does not start.')
    theirs = started
    ;({ agent } = await SxAgent.create(agentIn(newFolder())))
  })
  afterAll(() => theirs.stop())

  const path = (kind: string, name: string): string => join(folder, `${kind}-${name}`)
  const sign = async (from: string, to: string): Promise<void> => {
    await theirs.ask({ do: 'sign', in: from, out: to })
  }
  const verdict = (file: string): Promise<unknown> => theirs.ask({ do: 'verify', in: file })

  it.each(images)('%s: ours, then theirs: both are valid', async (name) => {
    const [ours, both] = [path('ours', name), path('both', name)]
    await agent.signImage(join(data, name), ours)
    await sign(ours, both)
    expect(await verdict(both)).toEqual(VALID)
    expect(await agent.verifyImage(both)).toMatchObject({
      status: 'valid',
      trusted: true,
      coverage: 'file',
      unsignedRegions: ['c2pa'],
    })
    // Theirs sees that ours was taken out, ours that a byte was changed.
    const bytes = readFileSync(both)
    const cut = path('cut', name)
    writeFileSync(cut, await stripImageSignature(bytes))
    expect(await verdict(cut)).toContain('assertion.dataHash.mismatch')
    expect((await agent.verifyImage(cut)).status).toBe('missing_signature')
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
    expect((await agent.verifyImage(bytes)).valid).toBe(name.endsWith('webp')) // where that is in their store
  })

  it.each(images)('%s: theirs first: ours is refused, or with ignoreC2pa theirs is broken', async (name) => {
    const [first, ours] = [path('first', name), path('after', name)]
    await sign(join(data, name), first)
    expect(await verdict(first)).toEqual(VALID)
    const original = readFileSync(first)
    await refusal(() => agent.signImage(first, first), 'C2paPresent')
    expect(readFileSync(first).equals(original)).toBe(true)
    await agent.signImage(first, ours, { ignoreC2pa: true })
    expect(await agent.verifyImage(ours)).toMatchObject({ status: 'valid', unsignedRegions: ['c2pa'] })
    expect(await verdict(ours)).toContain('assertion.dataHash.mismatch')
    // Whoever takes ours out again has theirs as it was.
    writeFileSync(path('again', name), await stripImageSignature(ours))
    expect(await verdict(path('again', name))).toEqual(VALID)
  })

  it('a robust signature stays in the picture beside theirs', async () => {
    const [ours, both] = [path('robust', 'texture.jpg'), path('robust-both', 'texture.jpg')]
    await agent.signImage(join(data, 'texture.jpg'), ours, { robust: true })
    await sign(ours, both)
    expect(await verdict(both)).toEqual(VALID)
    expect(await agent.verifyImage(both)).toMatchObject({ status: 'valid', coverage: 'file' })
    const bare = await stripImageSignature(both)
    expect(await agent.verifyImage(bare)).toMatchObject({ status: 'valid', coverage: 'pixels' })
  })
})
