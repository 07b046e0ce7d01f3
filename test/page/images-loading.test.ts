// When the modules for images come into a page, from where, and what goes on without them.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Outcome } from './probe/probe.ts'
import { hasNoBrowser, Site } from './site.ts'

const path = (name: string): string => fileURLToPath(new URL(`../../wasm/${name}`, import.meta.url))
const moduleOf = (name: string): Buffer => readFileSync(path(`dist/${name}/${name}_bg.wasm`))
const photo = readFileSync(path('media/tests/data/texture.jpg')).toString('base64')

let site: Site
let context: BrowserContext
/** The modules that the page has asked for, without what a bundler adds to their names. */
let asked: string[]
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(() => context?.close())
afterAll(() => site?.close())

const nameOf = (url: string): string => /(\w+?)(_bg[\w-]*)?\.wasm$/.exec(url)?.[1] ?? ''

async function visit(url?: string): Promise<Page> {
  context = await site.profile()
  asked = []
  context.on('request', (request) => {
    if (request.url().endsWith('.wasm')) asked.push(nameOf(request.url()))
  })
  return site.probe(context, url)
}

interface Prepared {
  photo: Uint8Array<ArrayBuffer>
  signed: Uint8Array<ArrayBuffer>
  make(): Promise<unknown>
}

/** Puts the photograph into the page. */
async function prepare(page: Page): Promise<void> {
  await page.evaluate((base64) => {
    const photo = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const make = () => window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
    Object.assign(window, { photo, make })
  }, photo)
}

/** What documents and texts come to, which need none of these modules. */
const documentsIn = (page: Page): Promise<boolean[]> =>
  page.evaluate(async () => {
    const { sx } = window
    const { raw } = await sx.signMessage({ a: 1 })
    const text = await sx.signText({ text: 'Dear all' })
    return [(await sx.verify(raw)).valid, (await sx.verifyText(text)).valid]
  })

const sign = (page: Page, robust = false): Promise<Outcome<string>> =>
  page.evaluate(async (robust) => {
    const prepared = window as unknown as Prepared
    return window.sx.outcome(async () => {
      prepared.signed = await window.sx.signImage(prepared.photo, null, { robust })
      return 'signed'
    })
  }, robust)

const verify = (page: Page, name: 'photo' | 'signed'): Promise<Outcome<string>> =>
  page.evaluate(async (name) => {
    const prepared = window as unknown as Prepared
    return window.sx.outcome(async () => (await window.sx.verifyImage(prepared[name])).status)
  }, name)

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
    await visit()
    const page = await site.example(context)
    asked.length = 0
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    await page.locator('#file').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
    await page.locator('#media-verdict .verdict').waitFor()
    expect(asked.filter((name) => name !== 'core')).toEqual([])
    await page.locator('#file').setInputFiles(path('media/tests/data/texture.jpg'))
    await page.locator('#excerpt').waitFor({ state: 'hidden' })
    await page.locator('#media-verdict .verdict').waitFor()
    expect(asked.filter((name) => name !== 'core')).toEqual(['media', 'pixels'])
  })

  const broken: [string, Buffer | undefined, RegExp][] = [
    ['missing', undefined, /The server answered 404 for the WebAssembly media at http/],
    ['cut off', moduleOf('media').subarray(0, 5000), /media is truncated or damaged/],
    ['another file', Buffer.from('<!doctype html>'), /(is another file|is truncated or damaged)/],
    ['another module', moduleOf('core'), /not the media module/],
    ['of another version', Buffer.concat([moduleOf('media').subarray(0, -1), Buffer.from('!')]), /another version/],
  ]
  it.each(broken)(
    'can be %s: images say so, documents go on, and the next call tries again',
    async (_, body, found) => {
      const page = await visit()
      await prepare(page)
      await context.route('**/media*.wasm', (route) =>
        body === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body, contentType: 'application/wasm' }),
      )
      await page.evaluate(() => (window as unknown as Prepared).make())
      const failure = { code: 'WasmUnavailable', message: expect.stringMatching(found) as string }
      expect(await sign(page)).toEqual(failure)
      expect(await verify(page, 'photo')).toEqual(failure)
      expect(await documentsIn(page)).toEqual([true, true])
      await context.unroute('**/media*.wasm')
      expect(await sign(page)).toEqual({ value: 'signed' })
    },
  )

  it('can be missing for pixels alone: what metadata hold is read all the same', async () => {
    const page = await visit()
    await prepare(page)
    await context.route('**/pixels*.wasm', (route) => route.abort())
    await page.evaluate(() => (window as unknown as Prepared).make())
    expect(await sign(page)).toEqual({ value: 'signed' })
    expect(await verify(page, 'signed')).toEqual({ value: 'valid' })
    const failure = { code: 'WasmUnavailable', message: expect.stringMatching(/pixels cannot be fetched/) as string }
    expect(await sign(page, true)).toEqual(failure)
    expect(await verify(page, 'photo')).toEqual(failure) // never unsigned for want of a look
  })

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

  it.each(['text', 'URL', 'Response', 'bytes', 'Module'])('are taken as %s', async (kind) => {
    const page = await visit()
    await prepare(page)
    for (const name of ['media', 'pixels'] as const) {
      const body = moduleOf(name)
      await context.route(`**/named/${name}.wasm`, (route) => route.fulfill({ body, contentType: 'application/wasm' }))
    }
    await page.evaluate(async (kind) => {
      const source = async (name: string): Promise<string | URL | Response | ArrayBuffer | WebAssembly.Module> => {
        const url = new URL(`/named/${name}.wasm`, location.href)
        if (kind === 'text') return url.href
        if (kind === 'URL') return url
        const response = await fetch(url)
        if (kind === 'Response') return response
        const bytes = await response.arrayBuffer()
        return kind === 'bytes' ? bytes : WebAssembly.compile(bytes)
      }
      await window.sx.init({ media: await source('media'), pixels: await source('pixels') })
      await (window as unknown as Prepared).make()
    }, kind)
    expect(await sign(page, true)).toEqual({ value: 'signed' })
    expect(asked.filter((name) => name !== 'core').sort()).toEqual(['media', 'pixels'])
  })

  it('are named to an agent in a worker', async () => {
    const page = await visit()
    await prepare(page)
    const named: string[] = []
    for (const name of ['media', 'pixels'] as const) {
      await context.route(`**/named/${name}.wasm`, (route) => {
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
