// The blocks of the page on loading run: in Chromium under the policy that it names, or through the bundlers of
// edge runtimes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { env } from 'node:process'
import { build, type Plugin } from 'esbuild'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { HANGING } from '../pace.ts'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }
import { readPage, root } from './markdown.ts'
import { Project } from './project.ts'

const { blocks } = readPage('docs/loading.md')
const code = (file: string): string => blocks.find((block) => block.file === file)?.code ?? ''
const core = readFileSync(join(root, 'wasm/dist/core/core_bg.wasm'))
const digest = createHash('sha384').update(core).digest('base64')
const policy = blocks.find(({ language }) => language === 'http')?.code.replace('Content-Security-Policy: ', '')

const executablePath = findBrowser('chromium')
const keys = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))
const [document] = documents.documents
const project = new Project()

/** What follows a block: a document is verified, by its function or after it. */
const check = `
import { verifyStandalone as direct } from 'sx-agent/simple'
const { valid, code } = typeof verify === 'function' ? await verify(${JSON.stringify(document?.raw)}, ${JSON.stringify(keys)})
  : direct(${JSON.stringify(document?.raw)}, ${JSON.stringify({ keys })})
globalThis.document.title = valid ? 'valid' : code
`

it('runs every block that has a name: docs.test.ts runs the others', () => {
  const pages = [
    'named.js',
    'from-server.js',
    'preload.html',
    'lazy.js',
    'integrity.js',
    'kept-keys.js',
    'inline.js',
    'shared.js',
    'service-worker.js',
  ]
  expect(blocks.flatMap(({ file }) => file ?? [])).toEqual([...pages, 'worker.js', 'edge.js'])
})

afterAll(() => project.remove())

describe.skipIf(executablePath === undefined && env['CI'] !== 'true')('in a page', () => {
  let server: Server
  let browser: Browser
  let address: string
  let isOffline = false
  const asked: string[] = []
  const served = new Map<string, [type: string, body: string | Uint8Array]>()

  beforeAll(async () => {
    served.set('/core.wasm', ['application/wasm', core])
    server = createServer(({ url = '' }, response) => {
      asked.push(url)
      const [type, body] = served.get(url) ?? []
      if (type === undefined || isOffline) response.writeHead(404).end()
      else response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://localhost:${(server.address() as AddressInfo).port}`
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs })
  })

  afterAll(async () => {
    await browser.close()
    server.close()
  })

  /** Serves a block, bundled, and a page with it. */
  async function serve(file: string, text: string, html?: string): Promise<void> {
    project.write(file, text)
    const { outputFiles } = await build({
      absWorkingDir: project.folder,
      entryPoints: [file],
      bundle: true,
      format: 'esm',
      target: 'es2022',
      splitting: true,
      outdir: 'out',
      write: false,
    })
    for (const { path, text } of outputFiles) served.set(path.replace(/^.*\/out/, ''), ['text/javascript', text])
    served.set('/', ['text/html', html ?? `<!doctype html><script type="module" src="/${file}"></script>`])
  }

  async function titleOf(path = '/'): Promise<string> {
    const page = await browser.newPage()
    page.setDefaultTimeout(HANGING)
    try {
      await page.goto(address + path)
      await page.waitForFunction(() => globalThis.document.title !== '')
      return await page.title()
    } finally {
      await page.close()
    }
  }

  const filled = (file: string): string =>
    code(file)
      .replace("'sha384-…'", `'sha384-${digest}'`)
      .replace("'…'", `'${core.toString('base64')}'`)

  it.each(['named.js', 'lazy.js', 'integrity.js', 'kept-keys.js', 'inline.js', 'shared.js'])('%s', async (file) => {
    await serve(file, filled(file) + check)
    expect(await titleOf()).toBe('valid')
  })

  it('from-server.js fetches an image, and the modules that it needs', async () => {
    for (const name of ['media', 'pixels']) {
      served.set(`/${name}.wasm`, ['application/wasm', readFileSync(join(root, `wasm/dist/${name}/${name}_bg.wasm`))])
    }
    served.set('/keys.json', ['application/json', Buffer.from('{}')])
    served.set('/photo.jpg', ['image/jpeg', readFileSync(join(root, 'wasm/media/tests/data/photo.jpg'))])
    asked.length = 0
    await serve('from-server.js', `${code('from-server.js')}\nglobalThis.document.title = status\n`)
    expect(await titleOf()).toBe('missing_signature')
    expect(asked.filter((url) => /wasm|photo/.test(url))).toEqual([
      '/core.wasm',
      '/photo.jpg',
      '/media.wasm',
      '/pixels.wasm',
    ])
  })

  it('another core than the pinned one is not taken', async () => {
    const other = code('integrity.js').replace('…', createHash('sha384').update('other').digest('base64'))
    const caught = other.replace(
      /^await (.*)$/m,
      'try { await $1 } catch (error) { globalThis.document.title = error.name }',
    )
    await serve('integrity.js', caught)
    expect(await titleOf()).toBe('TypeError')
  })

  it('preload.html fetches the core once', async () => {
    await serve('named.js', code('named.js') + check, `<!doctype html>${code('preload.html')}`)
    asked.length = 0
    expect(await titleOf()).toBe('valid')
    expect(asked.filter((url) => url === '/core.wasm')).toHaveLength(1)
    expect(asked.indexOf('/core.wasm')).toBeGreaterThan(0)
  })

  it('service-worker.js needs no network the second time', async () => {
    await serve('named.js', code('named.js') + check)
    served.set('/service-worker.js', ['text/javascript', code('service-worker.js')])
    const profile = await browser.newContext()
    try {
      const page = await profile.newPage()
      page.setDefaultTimeout(HANGING)
      await page.goto(address)
      await page.evaluate(async () => {
        await navigator.serviceWorker.register('/service-worker.js')
        await navigator.serviceWorker.ready
      })
      isOffline = true
      await page.reload()
      await page.waitForFunction(() => globalThis.document.title !== '')
      expect(await page.title()).toBe('valid')
    } finally {
      isOffline = false
      await profile.close()
    }
  })
})

describe('at the edge', () => {
  /** The core stays outside, as the bundlers of these runtimes leave it. */
  const outside: Plugin = {
    name: 'outside',
    setup: (build) => {
      build.onResolve({ filter: /\.wasm(\?module)?$/ }, () => ({ path: './core.wasm', external: true }))
    },
  }

  it.each([
    ['worker.js', ['workerd', 'worker', 'browser']],
    ['edge.js', ['edge-light', 'worker', 'browser']],
  ])('%s takes the core as a module', async (file, conditions) => {
    project.write(file, code(file))
    const { outputFiles } = await build({
      absWorkingDir: project.folder,
      entryPoints: [file],
      bundle: true,
      format: 'esm',
      write: false,
      conditions,
      plugins: [outside],
    })
    const [{ text } = { text: '' }] = outputFiles
    expect(text.match(/from "\.\/core\.wasm"/g)).toHaveLength(1)
    // As the runtime does: the import is the compiled module.
    const program = text.replace(/^import (\w+) from "\.\/core\.wasm";$/m, 'const $1 = globalThis.compiledCore;')
    Object.assign(globalThis, { compiledCore: await WebAssembly.compile(core) })
    const { default: made } = (await import(`data:text/javascript,${encodeURIComponent(program)}`)) as {
      default: { fetch(request: Request): Promise<Response> } | ((request: Request) => Promise<Response>)
    }
    const request = new Request('https://example.com', { method: 'POST', body: document?.raw ?? '' })
    const response = await (typeof made === 'function' ? made(request) : made.fetch(request))
    expect(await response.json()).toMatchObject({ valid: false, errors: [expect.stringMatching(/^UnknownSigner/)] })
  })
})
