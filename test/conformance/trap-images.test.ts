// A WebAssembly trap in what reads images, forced by overwriting its memory or by leaving none to it, is over when the
// caller gets its error; no image is valid because of it.

import { init, SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, test } from 'vitest'
import * as media from '#glue/media/media.js'
import * as pixels from '#glue/pixels/pixels.js'
import { noise } from './pictures.mjs'

const password = 'a password for tests'

let agent: SxAgent
let picture: Uint8Array
let signed: Uint8Array
let bare: Uint8Array
let forged: Uint8Array
let large: Uint8Array
beforeAll(async () => {
  await init()
  const storage = memoryStorage()
  await simple.create({ name: 'Camera', algorithm: 'ed25519', password, storage })
  agent = new SxAgent({ storage, password })
  await agent.load()
  picture = noise(60, 100)
  signed = await agent.signImage(picture, null, { robust: true })
  bare = await simple.stripImageSignature(signed)
  large = noise(600, 1000)
  const other = await agent.signImage(noise(61, 100), null)
  forged = media.embedPayload(bare, await simple.extractMediaSignature(other, { rawPayload: true }))
})

type Glue = { initSync: (module: never) => { memory: WebAssembly.Memory } }
/** The memory of the present instance. */
const memoryOf = (glue: object): WebAssembly.Memory => (glue as Glue).initSync({} as never).memory

/** Its allocator, and everything else in it, hold nonsense. */
const overwrite = (glue: object): void => void new Uint8Array(memoryOf(glue).buffer).fill(0xff)

/** There is no more of it than what the allocator of a new instance has already. */
function exhaust(glue: object): void {
  Reflect.get(glue, '__wbg_reset_state')()
  const memory = memoryOf(glue)
  for (let pages = 65_536; pages > 0; pages >>= 1) {
    try {
      for (;;) memory.grow(pages)
    } catch {} // so much is not left: half as much
  }
}

type Fault = [name: string, happens: (glue: object) => void, glue: object, call: () => Promise<unknown>]
// What reads metadata needs no more memory for a larger image, and what signs pixels gives an instance up that has so much.
const faults: Fault[] = [
  ['overwritten memory, signImage', overwrite, media, () => agent.signImage(picture, null)],
  ['overwritten memory, verifyImage', overwrite, media, () => agent.verifyImage(signed)],
  ['overwritten memory, stripImageSignature', overwrite, media, () => simple.stripImageSignature(signed)],
  ['overwritten memory, extractMediaSignature', overwrite, media, () => simple.extractMediaSignature(signed)],
  ['overwritten memory, imageCapacity', overwrite, pixels, () => agent.imageCapacity(picture)],
  ['overwritten memory, signing pixels', overwrite, pixels, () => agent.signImage(picture, null, { robust: true })],
  ['overwritten memory, verifying pixels', overwrite, pixels, () => agent.verifyImage(bare)],
  ['no memory, imageCapacity', exhaust, pixels, () => agent.imageCapacity(large)],
  ['no memory, verifying pixels', exhaust, pixels, () => agent.verifyImage(large)],
]

async function failure(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    return error
  }
}

test.each(faults)('a trap: %s: is an SxError, and everything works again after it', async (_, happens, glue, call) => {
  happens(glue)
  const error = await failure(call)
  expect(error).toBeInstanceOf(SxError)
  expect(error).toMatchObject({ code: 'Internal', cause: expect.any(WebAssembly.RuntimeError) as unknown })
  expect(await agent.verifyImage(signed)).toMatchObject({ valid: true, coverage: 'file' })
  expect(await agent.verifyImage(bare)).toMatchObject({ valid: true, coverage: 'pixels' })
  expect(await agent.verifyImage(picture)).toMatchObject({ status: 'missing_signature', valid: false })
  expect(await agent.verifyImage(await agent.signImage(picture, null, { robust: true }))).toMatchObject({ valid: true })
})

test.each([
  ['overwritten memory', overwrite, media],
  ['overwritten memory', overwrite, pixels],
  ['no memory', exhaust, media],
  ['no memory', exhaust, pixels],
])('%s makes no other image valid', async (_, happens, glue) => {
  for (const image of [picture, forged, signed.subarray(0, -1)]) {
    happens(glue)
    const answer = await failure(() => agent.verifyImage(image))
    const isValid = !(answer instanceof SxError) && (answer as { valid: boolean }).valid
    expect(isValid).toBe(false)
    await failure(() => agent.imageCapacity(large))
    expect((await agent.verifyImage(image)).valid).toBe(false)
  }
})
