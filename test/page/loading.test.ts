// How the core comes into a page: policies, media types, missing files, workers.
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'

const wasm = fileURLToPath(new URL('../../wasm/dist/core/core_bg.wasm', import.meta.url))

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(() => site?.leave(context))
afterAll(() => site?.close())

async function visit(url?: string): Promise<Page> {
  context = await site.emptied()
  return site.probe(context, url)
}

const initIn = (page: Page) => page.evaluate(() => window.sx.outcome(() => window.sx.init()))

const policy = (scripts: string): string =>
  `default-src 'none'; connect-src 'self'; img-src data:; script-src ${scripts}`

describe.skipIf(hasNoBrowser)('the core in a page', () => {
  it.each(['init', 'quickstart'] as const)(
    "is refused without 'wasm-unsafe-eval', and %s names the header",
    async (call) => {
      const page = await visit(await site.under(policy("'self'")))
      const outcome = await page.evaluate((call) => {
        const { sx } = window
        const calls = { init: () => sx.init(), quickstart: () => sx.quickstart({ name: 'A', domain: 'example.com' }) }
        return sx.outcome<unknown>(calls[call])
      }, call)
      expect(outcome).toMatchObject({ code: 'WasmUnavailable' })
      expect(outcome).toHaveProperty(
        'message',
        expect.stringContaining("Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'"),
      )
    },
  )

  it("needs no 'unsafe-eval' with it", async () => {
    const page = await visit(await site.under(policy("'self' 'wasm-unsafe-eval'")))
    expect(await initIn(page)).toHaveProperty('value')
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('is asked for once, however many calls come at the same time', async () => {
    const page = await visit()
    const modules: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('.wasm')) modules.push(request.url())
    })
    await page.evaluate(async () => {
      const calls = Array.from({ length: 5 }, () => window.sx.outcome(() => window.sx.load()))
      await Promise.all([window.sx.init(), ...calls, window.sx.init()])
    })
    expect(modules).toHaveLength(1)
  })

  it('throws NotInitialized in a synchronous call before init, and says what to do', async () => {
    const page = await visit()
    const [before, after] = await page.evaluate(async () => {
      const { sx } = window
      const call = () => sx.outcome(() => sx.verifyStandalone('{}'))
      const before = await call()
      await sx.init()
      return [before, await call()]
    })
    expect(before).toMatchObject({ code: 'NotInitialized', message: expect.stringContaining('await init()') })
    expect(after).toMatchObject({ value: { valid: false, code: 'MissingSignature' } })
  })

  it.each(['text/plain', 'application/octet-stream', ''])(
    'is taken with the media type %j, in silence',
    async (type) => {
      const page = await visit()
      await page.route('**/*.wasm', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, headers: { ...response.headers(), 'content-type': type } })
      })
      expect(await initIn(page)).toHaveProperty('value')
      expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
    },
  )

  it.each([
    ['404', { status: 404, body: 'none' }, '404'],
    ['the fallback page of a single-page app', { contentType: 'text/html', body: '<!doctype html>' }, 'another file'],
    ['half of it', { contentType: 'application/wasm', body: Buffer.from([0, 0x61, 0x73, 0x6d, 1]) }, 'truncated'],
  ])('is reported as missing when the server sends %s, and can be had later', async (_, answer, words) => {
    const page = await visit()
    await page.route('**/*.wasm', (route) => route.fulfill(answer))
    expect(await initIn(page)).toMatchObject({ code: 'WasmUnavailable', message: expect.stringContaining(words) })
    await page.unroute('**/*.wasm')
    expect(await initIn(page)).toHaveProperty('value')
  })

  it('is reported as missing when the network is down', async () => {
    const page = await visit()
    await page.route('**/*.wasm', (route) => route.abort())
    expect(await initIn(page)).toMatchObject({ code: 'WasmUnavailable', message: expect.stringContaining('.wasm') })
  })

  it.each(['text', 'URL', 'Request', 'Response', 'bytes', 'buffer', 'Module'])('is taken as %s', async (kind) => {
    const page = await visit()
    const modules: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('.wasm')) modules.push(new URL(request.url()).pathname)
    })
    await page.route('**/elsewhere.wasm', (route) => route.fulfill({ path: wasm, contentType: 'application/wasm' }))
    const code = await page.evaluate(async (kind) => {
      const { sx } = window
      const url = new URL('/elsewhere.wasm', location.href)
      const bytes = async (): Promise<ArrayBuffer> => (await fetch(url)).arrayBuffer()
      const sources = {
        text: () => url.href,
        URL: () => url,
        Request: () => new Request(url),
        Response: () => fetch(url),
        bytes: async () => new Uint8Array(await bytes()),
        buffer: bytes,
        Module: async () => WebAssembly.compile(await bytes()),
      }
      await sx.init({ core: await sources[kind as keyof typeof sources]() })
      return sx.verifyStandalone('{}').code
    }, kind)
    expect(code).toBe('MissingSignature')
    expect(modules).toEqual(['/elsewhere.wasm'])
  })

  it('is not taken as anything else', async () => {
    const page = await visit()
    const outcome = await page.evaluate(() => window.sx.outcome(() => window.sx.init({ core: 7 as never })))
    expect(outcome).toMatchObject({ code: 'InvalidOption' })
  })

  it('serves a page that has gone offline', async () => {
    context = await site.profile()
    const page = await site.probe(context)
    await page.evaluate(() => window.sx.init())
    await context.setOffline(true)
    const data = await page.evaluate(async () => {
      await window.sx.quickstart({ name: 'A', domain: 'example.com', algorithm: 'ed25519' })
      return (await window.sx.verifyOrThrow((await window.sx.signMessage('x')).raw)).data
    })
    expect(data).toBe('x')
  })

  it.each(['pq2025', 'ed25519'] as const)('works in a module worker, with the agent of the page: %s', async (kind) => {
    const page = await visit()
    const made = await page.evaluate(
      (kind) => window.sx.inWorker<{ raw: string; agentId: string }>('signed', kind),
      kind,
    )
    expect(made).toMatchObject({ created: true, valid: true, trusted: true, data: { from: 'worker' } })
    const seen = await page.evaluate(async (raw) => {
      const { agentId } = await window.sx.load()
      const { valid, data } = await window.sx.verifyOrThrow(raw)
      return { agentId, valid, data }
    }, made.raw)
    expect(seen).toEqual({ agentId: made.agentId, valid: true, data: { from: 'worker' } })
    expect(await page.evaluate(() => window.sx.inWorker('loaded'))).toBe(made.agentId)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })
})
