// How often the picture of a JPEG is decoded, which is what a signature of the pixels takes its time for.
import { readFileSync } from 'node:fs'
import { SxAgent } from 'sx-agent'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { agentIn, newFolder } from './fixtures.ts'

const calls = vi.hoisted(() => [] as string[])
vi.mock(import('#glue/pixels/pixels.js'), async (original) => {
  const glue: Record<string, unknown> = await original()
  const counted = (name: string) => {
    const work = glue[name] as (...given: unknown[]) => unknown
    return (...given: unknown[]) => {
      calls.push(name)
      return work(...given)
    }
  }
  // Each of these decodes a JPEG once.
  const names = ['preparePixels', 'embedInPixels', 'readPixels']
  return { ...glue, ...Object.fromEntries(names.map((name) => [name, counted(name)])) }
})

const picture = readFileSync(new URL('../../wasm/media/tests/data/texture.jpg', import.meta.url))
let agent: SxAgent
beforeAll(async () => {
  agent = (await SxAgent.create(agentIn(newFolder(), { algorithm: 'ed25519' }))).agent
})
beforeEach(() => void calls.splice(0))

it('twice to sign it, once to verify it or to see what it has room for', async () => {
  const signed = await agent.signImage(picture, null, { robust: true })
  expect(calls.splice(0)).toEqual(['preparePixels', 'embedInPixels'])
  const { availableBits, neededBits } = await agent.imageCapacity(picture)
  expect(availableBits).toBeGreaterThan(neededBits)
  expect(calls.splice(0)).toEqual(['preparePixels'])
  expect(await agent.verifyImage(await agent.stripImageSignature(signed))).toMatchObject({ coverage: 'pixels' })
  expect(calls).toEqual(['readPixels'])
})

it('twice too where metadata that count make the signature longer', async () => {
  const exif = Buffer.from('45786966000049492a0008000000010012010300010000000600000000000000', 'hex')
  const head = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2]), exif])
  const signed = await agent.signImage(Buffer.concat([head, picture.subarray(2)]), null, { robust: true })
  expect(calls.splice(0)).toEqual(['preparePixels', 'embedInPixels'])
  expect(await agent.verifyImage(await agent.stripImageSignature(signed))).toMatchObject({ coverage: 'pixels' })
})
