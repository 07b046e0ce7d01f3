// JPEG images that are signed in their pixels alone, with small changes at random: what is still valid, libjpeg decodes
// to the same pixels, or not at all.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SxAgent, SxError } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { isValidImage, mutate, SAMPLES } from '../conformance/mutations.mjs'
import { agentIn, newFolder } from './fixtures.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const isMissing = spawnSync('djpeg', ['-version']).error !== undefined

/** The exit status after a warning: what it is about is shown nevertheless. */
const WARNED = 2

/** What libjpeg makes of an image; nothing of one that it does not decode to its end. */
function decoded(image: Uint8Array): string | undefined {
  const { status, stdout } = spawnSync('djpeg', ['-ppm'], { input: image })
  return (status === 0 || status === WARNED) && stdout.length > 0 ? stdout.toString('latin1') : undefined
}

describe.skipIf(isMissing)(`as libjpeg shows it${isMissing ? ' (skipped: djpeg is missing)' : ''}`, () => {
  it.each(['texture.jpg', 'texture-progressive.jpg'])('%s', async (name) => {
    const { agent } = await SxAgent.create(agentIn(newFolder()))
    const image = readFileSync(`${data}${name}`)
    const signed = await stripImageSignature(await agent.signImage(image, null, { robust: true }))
    const picture = decoded(signed)
    expect(picture?.length).toBeGreaterThan(10_000)
    let seen = 0
    await mutate([signed], 23, async (changed) => {
      if (!(await isValidImage(SxError, agent, changed))) return
      const now = decoded(changed)
      if (now === undefined) return
      seen++
      if (now !== picture) throw new Error('another picture')
    })
    expect(seen).toBeGreaterThan(0)
    expect(seen).toBeLessThan(SAMPLES / 4)
  })
})
