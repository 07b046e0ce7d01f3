// Images that are signed in their pixels alone, with small changes at random: what is still valid, Chromium shows as it
// showed the one that was signed, or not at all.
import { init, SxAgent, SxError } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, test } from 'vitest'
import { isValidImage, mutate, SAMPLES, spliced } from '../conformance/mutations.mjs'
import { noise, pngChunk } from '../conformance/pictures.mjs'
import vectors from '../vectors/images.json' with { type: 'json' }

beforeAll(() => init())

/** What is shown of an image, as text; nothing of one that cannot be shown. */
async function shown(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  let bitmap: ImageBitmap
  try {
    bitmap = await createImageBitmap(new Blob([bytes]))
  } catch {
    return undefined
  }
  const { width, height } = bitmap
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context?.drawImage(bitmap, 0, 0)
  bitmap.close()
  const pixels = context?.getImageData(0, 0, width, height).data ?? []
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(pixels))
  return `${width} x ${height}: ${new Uint8Array(digest).join()}`
}

const jpegs = vectors.pictures.filter(({ name }) => name.endsWith('.jpg'))
const pictures: [name: string, algorithm: 'ed25519' | 'pq2025', image: Uint8Array][] = [
  ...jpegs.map(({ name, input }): (typeof pictures)[number] => [
    name,
    'ed25519',
    Uint8Array.from(atob(input), (character) => character.charCodeAt(0)),
  ]),
  ['noise.png', 'ed25519', noise(50, 100)],
  ['noise.png', 'pq2025', noise(150, 100)],
]

test.each(pictures)('%s, %s', async (name, algorithm, image) => {
  const storage = memoryStorage()
  const { agent } = await SxAgent.create({ name: 'Camera', algorithm, storage, password: 'a password for tests' })
  const signed = await stripImageSignature(await agent.signImage(image, null, { robust: true }))
  const picture = await shown(signed)
  expect(picture).toBeDefined()
  let valid = 0
  let seen = 0
  const check = async (changed: Uint8Array<ArrayBuffer>) => {
    if (!(await isValidImage(SxError, agent, changed))) return
    valid++
    const now = await shown(changed)
    if (now === undefined) return
    seen++
    if (now !== picture) throw new Error('another picture')
  }
  await mutate([signed], 17 + algorithm.length, check)
  expect(valid).toBeLessThan(SAMPLES / 4)
  // A checksum covers all that a PNG holds; words come and go as whole chunks.
  for (let length = 0; length < 21 && name.endsWith('.png'); length++) {
    const words = pngChunk('tEXt', new TextEncoder().encode(`Comment\0${'word '.repeat(length)}`))
    await check(spliced(signed, 33, 33, words))
  }
  expect(seen).toBeGreaterThan(20)
})
