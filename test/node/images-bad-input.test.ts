// What is no whole picture, and pictures that are larger than the caller wants decoded.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentOptions, SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, newFolder, refusal } from './fixtures.ts'

const image = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url)))

const make = async (limits?: AgentOptions['limits']): Promise<SxAgent> => {
  const options = agentIn(newFolder(), { algorithm: 'ed25519' })
  return (await SxAgent.create(limits === undefined ? options : { ...options, limits })).agent
}

let agent: SxAgent
let folder: string
beforeAll(async () => {
  agent = await make()
  folder = newFolder()
})

it('a folder where a picture is expected is said to be one', async () => {
  const path = join(folder, 'holiday.png')
  mkdirSync(path)
  const calls = [
    () => agent.verifyImage(path),
    () => agent.signImage(path, null),
    () => agent.signImage(path, path),
    () => agent.imageCapacity(path),
    () => agent.signFile(path),
    () => agent.signText(path),
    () => stripImageSignature(path),
  ]
  for (const call of calls) {
    const error = await refusal(call, 'NotFound')
    expect(error.message).toContain(`${path} is a folder. Pass the path of a file.`)
  }
})

describe.each(['rgb.png', 'texture.jpg', 'lossy.webp'])('%s while it is being written', (name) => {
  const half = (bytes: Uint8Array): string => {
    const path = join(folder, `half-${name}`)
    writeFileSync(path, bytes.subarray(0, Math.min(400, bytes.length - 30)))
    return path
  }

  it('is not signed, and it is said what to do', async () => {
    const error = await refusal(() => agent.signImage(half(image(name)), null), 'Unsupported')
    expect(error.message).toContain('If it is still being written, wait;')
    if (!name.endsWith('webp')) {
      const robust = await refusal(() => agent.signImage(half(image(name)), null, { robust: true }), 'Unsupported')
      expect(robust.message).toBe(error.message)
    }
    const { status, errors } = await agent.verifyImage(half(image(name)))
    expect([status, errors.join().includes('If it is still being written, wait')]).toEqual(['missing_signature', true])
  })

  it('is said to be cut off where it was signed', async () => {
    const path = half(await agent.signImage(image(name), null))
    const { status, errors } = await agent.verifyImage(path)
    // The signature of a WebP is its last chunk, of which nothing is there yet.
    expect(status).toBe(name.endsWith('webp') ? 'missing_signature' : 'invalid')
    if (status === 'invalid') expect(errors.join()).toContain('The image was cut off')
  })
})

it('a JPEG counts as whole from its first scan on, but not for its pixels', async () => {
  const bytes = image('texture.jpg')
  const cut = bytes.subarray(0, bytes.length - 30)
  const { status } = await agent.verifyImage(await agent.signImage(cut, null))
  expect(status).toBe('valid')
  await refusal(() => agent.signImage(cut, null, { robust: true }), 'Unsupported')
})

describe('limits.image', () => {
  let signed: Uint8Array
  beforeAll(async () => {
    // Without the one in the metadata, the picture has to be decoded.
    signed = await stripImageSignature(await agent.signImage(image('texture.jpg'), null, { robust: true }))
  })

  it('bounds what is decoded', async () => {
    const { width, height } = { width: 136, height: 104 }
    const enough = await make({ image: width * height })
    expect((await enough.verifyImage(signed)).coverage).toBe('pixels')
    const few = await make({ image: width * height - 1 })
    const calls = [
      () => few.verifyImage(signed),
      () => few.imageCapacity(image('texture.jpg')),
      () => few.signImage(image('texture.jpg'), null, { robust: true }),
      () => few.signImage(image('texture.jpg'), null, { refuseOverwrite: true }),
    ]
    for (const call of calls) {
      const { message } = await refusal(call, 'LimitExceeded')
      expect(message).toContain("136 × 104 pixels. The limit ('limits.image') is 14143.")
    }
    const file = await few.signImage(image('texture.jpg'), null)
    expect(await few.verifyImage(file)).toMatchObject({ status: 'valid', coverage: 'file' })
    await refusal(() => few.verifyImage(file, { pixels: true }), 'LimitExceeded')
  })

  it('reads the size of a PNG', async () => {
    const few = await make({ image: 100 })
    const { message } = await refusal(() => few.verifyImage(image('interlaced.png')), 'LimitExceeded')
    expect(message).toMatch(/\d+ × \d+ pixels/)
  })

  it('is a whole number up to what is ever read', async () => {
    for (const limit of [0, -1, 1.5, 2 ** 26 + 1, Number.NaN, '100' as never, null as never])
      await refusal(() => make({ image: limit }), 'InvalidOption')
    expect((await (await make({ image: 2 ** 26 })).verifyImage(signed)).valid).toBe(false) // of another agent
  })
})
