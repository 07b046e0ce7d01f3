// When the modules for images come into a page, from where, and what goes on without them.
import { describe, expect, it } from 'vitest'
import {
  asked,
  documentsIn,
  loadingImages,
  moduleOf,
  type Prepared,
  path,
  prepare,
  sign,
  site,
  testsOfBroken,
  testsOfForms,
  verify,
  visit,
  visitExample,
} from './images-loading.ts'
import { hasNoBrowser } from './site.ts'

loadingImages()

describe.skipIf(hasNoBrowser)('the modules for images', () => {
  it('are not fetched for documents and texts, and each when it is needed, once', async () => {
    const page = await visit()
    await prepare(page)
    await page.evaluate(() => (window as unknown as Prepared).make())
    expect(await documentsIn(page)).toEqual([true, true])
    expect(asked).toEqual(['core'])
    expect(await sign(page)).toEqual({ value: 'signed' })
    expect(await verify(page, 'signed')).toEqual({ value: 'valid' })
    expect(asked).toEqual(['core', 'media'])
    const several = await Promise.all([verify(page, 'photo'), verify(page, 'photo'), sign(page, true)])
    expect(several).toEqual([{ value: 'missing_signature' }, { value: 'missing_signature' }, { value: 'signed' }])
    expect(await verify(page, 'signed')).toEqual({ value: 'valid' })
    expect(asked).toEqual(['core', 'media', 'pixels'])
  })

  it('are not fetched by the example until there is a picture', async () => {
    const page = await visitExample()
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    await page.locator('#file').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
    await page.locator('#media-verdict .verdict').waitFor()
    expect(asked.filter((name) => name !== 'core')).toEqual([])
    await page.locator('#file').setInputFiles(path('media/tests/data/texture.jpg'))
    await page.locator('#excerpt').waitFor({ state: 'hidden' })
    await page.locator('#media-verdict .verdict').waitFor()
    expect(asked.filter((name) => name !== 'core')).toEqual(['media', 'pixels'])
  })

  testsOfBroken(
    ['missing', undefined, /The server answered 404 for the WebAssembly media at http/],
    ['cut off', moduleOf('media').subarray(0, 5000), /media is truncated or damaged/],
  )

  it('can be refused by a policy', async () => {
    const elsewhere = 'http://localhost:9/media.wasm'
    const page = await visit()
    await prepare(page)
    const outcome = await page.evaluate(async (media) => {
      await window.sx.init({ media })
      await (window as unknown as Prepared).make()
      return window.sx.outcome(async () => window.sx.stripImageSignature((window as unknown as Prepared).photo))
    }, elsewhere)
    expect(outcome).toMatchObject({ code: 'WasmUnavailable', message: expect.stringContaining(elsewhere) })
    expect(await documentsIn(page)).toEqual([true, true])
  })

  it('without WebAssembly images fail as documents do', async () => {
    const page = await visit(
      await site.under("default-src 'none'; connect-src 'self'; img-src data:; script-src 'self'"),
    )
    await prepare(page)
    const outcome = await page.evaluate(() =>
      window.sx.outcome(async () => window.sx.stripImageSignature((window as unknown as Prepared).photo)),
    )
    expect(outcome).toMatchObject({ code: 'WasmUnavailable', message: expect.stringContaining("'wasm-unsafe-eval'") })
  })

  testsOfForms('URL', 'Module')

  it('are named to an agent in a worker', async () => {
    const page = await visit()
    await prepare(page)
    const named: string[] = []
    for (const name of ['media', 'pixels'] as const) {
      await page.route(`**/named/${name}.wasm`, (route) => {
        named.push(name)
        return route.fulfill({ body: moduleOf(name), contentType: 'application/wasm' })
      })
    }
    const status = await page.evaluate(async () => {
      const { photo } = window as unknown as Prepared
      const media = new URL('/named/media.wasm', location.href)
      const agent = await window.sx.createWorkerAgent({ media, pixels: `${location.origin}/named/pixels.wasm` })
      await agent.quickstart({ name: 'W', domain: 'example.com', algorithm: 'ed25519' })
      const signed = await agent.signImage(photo, null, { robust: true })
      const { status } = await agent.verifyImage(signed as Uint8Array)
      await agent.close()
      return status
    })
    expect(status).toBe('valid')
    expect(named.sort()).toEqual(['media', 'pixels'])
  })
})
