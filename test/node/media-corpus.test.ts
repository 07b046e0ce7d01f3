// Every kind of image that the encoders of Debian make: signed, found, cut out again, byte for byte.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as media from '../../wasm/dist/media/media.js'
import * as pixels from '../../wasm/dist/pixels/pixels.js'
import { makeCorpus, missing } from '../corpus/make.mjs'

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const absent = missing()

describe.skipIf(absent.length > 0)(`images of all kinds${absent.length > 0 ? ` (${absent} missing)` : ''}`, () => {
  it('carry a signature and lose it without a trace', { timeout: 300_000 }, async () => {
    for (const [name, glue] of Object.entries({ media, pixels }))
      glue.initSync({ module: readFileSync(path(`wasm/dist/${name}/${name}_bg.wasm`)) })
    const folder = path('.cache/corpus')
    const names = await makeCorpus(folder)
    expect(names.length).toBeGreaterThan(150)
    const payload = '{"signed":true}'
    const used = pixels.neededBits(payload)
    let robust = 0
    for (const name of names) {
      const bytes = new Uint8Array(readFileSync(join(folder, name)))
      const signed = media.embedPayload(bytes, 'e30')
      expect(JSON.parse(media.scanImage(signed)), name).toMatchObject({
        status: 'signed',
        payload: 'e30',
        length: bytes.length,
      })
      expect(Buffer.from(media.stripPayload(signed)).equals(bytes), name).toBe(true)
      const { availableBits } = JSON.parse(pixels.imageCapacity(bytes)) as { availableBits: number }
      if (availableBits < used) continue
      robust += 1
      const prepared = JSON.parse(pixels.preparePixels(bytes, used)) as object
      const carrying = pixels.embedInPixels(bytes, payload, used)
      const found = { status: 'signed', payload, exact: true, ...prepared }
      expect(JSON.parse(pixels.readPixels(carrying)), name).toEqual(found)
      if (name.endsWith('.jpg')) expect(Math.abs(carrying.length - bytes.length), name).toBeLessThanOrEqual(64)
    }
    expect(robust).toBeGreaterThan(50)
  })
})
