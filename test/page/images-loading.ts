// What tests of the modules for images do in a page.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Outcome } from './probe/probe.ts'
import { hasNoBrowser, Site } from './site.ts'

export const path = (name: string): string => fileURLToPath(new URL(`../../wasm/${name}`, import.meta.url))
export const moduleOf = (name: string): Buffer => readFileSync(path(`dist/${name}/${name}_bg.wasm`))
const photo = readFileSync(path('media/tests/data/texture.jpg')).toString('base64')

export let site: Site
let context: BrowserContext
/** The modules that the page has asked for, without what a bundler adds to their names. */
export let asked: string[]

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function loadingImages(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open()
  })
  afterEach(() => site?.leave(context))
  afterAll(() => site?.close())
}

const nameOf = (url: string): string => /(\w+?)(_bg[\w-]*)?\.wasm$/.exec(url)?.[1] ?? ''

/** The core is not asked for before it is needed. */
function listen(page: Page): void {
  asked = []
  page.on('request', (request) => {
    if (request.url().endsWith('.wasm')) asked.push(nameOf(request.url()))
  })
}

export async function visitExample(): Promise<Page> {
  context = await site.emptied()
  const page = await site.example(context)
  listen(page)
  return page
}

export async function visit(url?: string): Promise<Page> {
  context = await site.emptied()
  const page = await site.probe(context, url)
  listen(page)
  return page
}

export interface Prepared {
  photo: Uint8Array<ArrayBuffer>
  signed: Uint8Array<ArrayBuffer>
  make(): Promise<unknown>
}

/** Puts the photograph into the page. */
export async function prepare(page: Page): Promise<void> {
  await page.evaluate((base64) => {
    const photo = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const make = () => window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
    Object.assign(window, { photo, make })
  }, photo)
}

/** What documents and texts come to, which need none of these modules. */
export const documentsIn = (page: Page): Promise<boolean[]> =>
  page.evaluate(async () => {
    const { sx } = window
    const { raw } = await sx.signMessage({ a: 1 })
    const text = await sx.signText({ text: 'Dear all' })
    return [(await sx.verify(raw)).valid, (await sx.verifyText(text)).valid]
  })

export const sign = (page: Page, robust = false): Promise<Outcome<string>> =>
  page.evaluate(async (robust) => {
    const prepared = window as unknown as Prepared
    return window.sx.outcome(async () => {
      prepared.signed = await window.sx.signImage(prepared.photo, null, { robust })
      return 'signed'
    })
  }, robust)

export const verify = (page: Page, name: 'photo' | 'signed'): Promise<Outcome<string>> =>
  page.evaluate(async (name) => {
    const prepared = window as unknown as Prepared
    return window.sx.outcome(async () => (await window.sx.verifyImage(prepared[name])).status)
  }, name)

/** Tests of what can be wrong with what the server sends: what, its body, and what is said of it. */
export function testsOfBroken(...rows: [what: string, body: Buffer | undefined, found: RegExp][]): void {
  it.each(rows)('can be %s: images say so, documents go on, and the next call tries again', async (_, body, found) => {
    const page = await visit()
    await prepare(page)
    await page.route('**/media*.wasm', (route) =>
      body === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body, contentType: 'application/wasm' }),
    )
    await page.evaluate(() => (window as unknown as Prepared).make())
    const failure = { code: 'WasmUnavailable', message: expect.stringMatching(found) as string }
    expect(await sign(page)).toEqual(failure)
    expect(await verify(page, 'photo')).toEqual(failure)
    expect(await documentsIn(page)).toEqual([true, true])
    await page.unroute('**/media*.wasm')
    expect(await sign(page)).toEqual({ value: 'signed' })
  })
}

/** Tests of the forms in which modules can be passed to `init`. */
export function testsOfForms(...kinds: ('text' | 'URL' | 'Response' | 'bytes' | 'Module')[]): void {
  it.each(kinds)('are taken as %s', async (kind) => {
    const page = await visit()
    await prepare(page)
    for (const name of ['media', 'pixels'] as const) {
      const body = moduleOf(name)
      await page.route(`**/named/${name}.wasm`, (route) => route.fulfill({ body, contentType: 'application/wasm' }))
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
}
