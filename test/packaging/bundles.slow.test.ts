// The packed package through the bundlers that people use: what comes out runs, or says what is missing.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build as esbuild } from 'esbuild'
import { type Browser, chromium } from 'playwright'
import { rollup } from 'rollup'
import { build as vite, createServer as viteServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import webpack from 'webpack'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { listedNames } from '../../scripts/setup/table.mjs'
import { HANGING } from '../pace.ts'

const executablePath = findBrowser('chromium')
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
}

let folder: string
let project: string
const at = (...path: string[]): string => join(project, ...path)
/** Where the package says that a module is. */
async function moduleOf(name: 'core' | 'media'): Promise<string> {
  const { exports } = JSON.parse(await readFile(at('node_modules/sx-agent/package.json'), 'utf8')) as {
    exports: Record<string, string>
  }
  return at('node_modules/sx-agent', exports[`./${name}.wasm`] ?? '')
}

/** Puts the modules that `named.js` names beside a bundle. */
async function serveModules(folder: string): Promise<void> {
  for (const name of ['core', 'media'] as const) await copyFile(await moduleOf(name), join(folder, `${name}.wasm`))
}

/** A PNG of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-bundles-'))
  project = emptyProject(join(folder, 'project'))
  await npmInstall(project, await pack(folder))
  const program = (options: string): string => `import { init } from 'sx-agent'
import { create, signImage, signMessage, verify, verifyImage } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

async function main() {
  await init(${options})
  await create({ name: 'Bundled', algorithm: 'ed25519', password: 'a password for tests', storage: memoryStorage() })
  const { raw } = await signMessage({ amount: 1 })
  const { valid, trusted } = await verify(raw)
  const image = await signImage(Uint8Array.from(atob('${PNG}'), (character) => character.charCodeAt(0)), null)
  const { status } = await verifyImage(image)
  return \`valid \${valid}, trusted \${trusted}, image \${status}\`
}
main().catch((error) => error.message).then((text) => {
  if (typeof document === 'undefined') console.log(text)
  else document.title = text
})
`
  await writeFile(at('program.js'), program(''))
  await writeFile(at('named.js'), program("{ core: '/core.wasm', media: '/media.wasm' }"))
  await writeFile(at('index.html'), '<!doctype html><script type="module" src="./program.js"></script>')
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const done = 'valid true, trusted true, image valid'

async function inNode(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: project, timeout: HANGING })
  return stdout.trim()
}

describe.skipIf(executablePath === undefined)('a page', () => {
  let browser: Browser
  const servers: Server[] = []

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs })
  })

  afterAll(async () => {
    await browser.close()
    for (const server of servers) server.close()
  })

  /** What a page says in its title. */
  async function saidAt(url: string): Promise<string> {
    const page = await browser.newPage()
    page.setDefaultTimeout(HANGING)
    await page.goto(url)
    await page.waitForFunction(() => document.title !== '')
    return page.title()
  }

  /** What the page of a folder says, served with the header of docs/loading.md. */
  async function saidIn(root: string, script?: string): Promise<string> {
    if (script !== undefined) await writeFile(join(root, 'index.html'), `<!doctype html><body>${script}</body>`)
    const server = createServer((request, response) => {
      const path = request.url === '/' ? '/index.html' : (request.url ?? '')
      readFile(join(root, path)).then(
        (bytes) => {
          const type = types[extname(path)] ?? 'text/plain'
          response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy }).end(bytes)
        },
        () => response.writeHead(404).end(),
      )
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return saidAt(`http://localhost:${(server.address() as AddressInfo).port}/`)
  }

  it('of Vite', async () => {
    const outDir = at('vite')
    await vite({ root: project, configFile: false, logLevel: 'error', build: { outDir, target: 'es2022' } })
    const assets = await readdir(join(outDir, 'assets'))
    expect(assets.filter((name) => name.endsWith('.wasm'))).toHaveLength(listedNames.length)
    expect(await saidIn(outDir)).toBe(done)
  })

  it("of Vite's server for development, without any setting", async () => {
    const server = await viteServer({ root: project, configFile: false, logLevel: 'error', server: { port: 0 } })
    try {
      await server.listen()
      expect(await saidAt(server.resolvedUrls?.local[0] ?? '')).toBe(done)
    } finally {
      await server.close()
    }
  })

  it('of webpack', async () => {
    const path = at('webpack')
    await packed({ target: 'web', output: { path, filename: 'program.js', publicPath: '/' } })
    expect((await readdir(path)).filter((name) => name.endsWith('.wasm'))).toHaveLength(listedNames.length)
    expect(await saidIn(path, '<script src="/program.js"></script>')).toBe(done)
  })

  it('of esbuild, as a module that misses the core and as a script that names it', async () => {
    const outdir = at('esbuild')
    await esbuild({ absWorkingDir: project, entryPoints: ['program.js'], outdir, bundle: true, format: 'esm' })
    await esbuild({ absWorkingDir: project, entryPoints: ['named.js'], outdir, bundle: true, logLevel: 'error' })
    const without = await saidIn(outdir, '<script type="module" src="/program.js"></script>')
    expect(without).toMatch(/^WasmUnavailable: The server answered 404 .*init\(\{ core \}\)/)
    await serveModules(outdir)
    expect(await saidIn(outdir, '<script src="/named.js"></script>')).toBe(done)
  })

  it('of esbuild, which names the core while somebody else looks for it in vain', async () => {
    const outdir = at('esbuild-late')
    await writeFile(
      at('late.js'),
      `import { init, verifyStandalone } from 'sx-agent/simple'
import { SxAgent } from 'sx-agent'
const core = new URL('/core.wasm', location.href)
const codeOf = (work) => work.then(() => 'loaded', ({ code }) => code)
const lost = codeOf(new SxAgent().load())
Promise.all([lost, codeOf(init({ core: '/nope' })), codeOf(init({ core })), codeOf(init()), codeOf(init({ core }))]).then(
  (codes) => { document.title = [...codes, verifyStandalone('{}').code].join(' ') },
)
`,
    )
    await esbuild({ absWorkingDir: project, entryPoints: ['late.js'], outdir, bundle: true, logLevel: 'error' })
    await serveModules(outdir)
    const said = await saidIn(outdir, '<script src="/late.js"></script>')
    expect(said).toBe('WasmUnavailable WasmUnavailable loaded WasmUnavailable loaded MissingSignature')
  })

  it('of esbuild, as a script that does not say where the core is: the error does', async () => {
    const outdir = at('esbuild-iife')
    await esbuild({ absWorkingDir: project, entryPoints: ['program.js'], outdir, bundle: true, logLevel: 'error' })
    const said = await saidIn(outdir, '<script src="/program.js"></script>')
    expect(said).toMatch(/^WasmUnavailable: The bundle does not contain .*init\(\{ core \}\)/)
  })

  it.each([true, false])('of rollup, with `browser: %s`', async (browser) => {
    const dir = at(`rollup-${browser}`)
    const bundle = await rollup({ input: at('named.js'), plugins: [nodeResolve({ browser })] })
    await bundle.write({ dir, format: 'es' })
    await serveModules(dir)
    expect(await saidIn(dir, '<script type="module" src="/named.js"></script>')).toBe(done)
  })
})

/** Runs webpack on the program. */
async function packed(options: webpack.Configuration): Promise<void> {
  const settings: webpack.Configuration = { mode: 'production', context: project, entry: './program.js', ...options }
  await new Promise<void>((resolve, reject) => {
    webpack(settings, (error, stats) => {
      if (error !== null) reject(error)
      else if (stats?.hasErrors()) reject(new Error(stats.toString()))
      else resolve()
    })
  })
}

describe('a program for Node', () => {
  const bundled = { bundle: true, platform: 'node', logLevel: 'error' } as const

  it('of esbuild, as a module without the core beside it: the error names the place', async () => {
    const outfile = at('esbuild-node', 'program.mjs')
    await esbuild({ ...bundled, absWorkingDir: project, entryPoints: ['program.js'], outfile, format: 'esm' })
    expect(await inNode(outfile)).toMatch(
      /^WasmUnavailable: The WebAssembly core cannot be read from .*init\(\{ core \}\)/,
    )
  })

  it('of esbuild, as CommonJS: it says that it needs the core, and takes its path', async () => {
    const [outfile, other] = [at('esbuild-node', 'program.cjs'), at('esbuild-node', 'named.cjs')]
    await esbuild({ ...bundled, absWorkingDir: project, entryPoints: ['program.js'], outfile, format: 'cjs' })
    expect(await inNode(outfile)).toMatch(/^WasmUnavailable: The bundle does not contain .*init\(\{ core \}\)/)
    const named = await readFile(at('named.js'), 'utf8')
    const [core, media] = [await moduleOf('core'), await moduleOf('media')].map((path) => JSON.stringify(path))
    await writeFile(at('path.js'), named.replace("'/core.wasm'", core ?? '').replace("'/media.wasm'", media ?? ''))
    await esbuild({ ...bundled, absWorkingDir: project, entryPoints: ['path.js'], outfile: other, format: 'cjs' })
    expect(await inNode(other)).toBe(done)
  })

  it.each(['cjs', 'iife'] as const)(
    'of esbuild, as %s: without the files of workers, it says so or does without',
    async (format) => {
      const outfile = at('esbuild-node', `workers-${format}.cjs`)
      const program = `import { init } from 'sx-agent'
import { create, signMessage, verifyMany } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { createWorkerAgent } from 'sx-agent/worker'

async function main() {
  const core = ${JSON.stringify(await moduleOf('core'))}
  await init({ core })
  await create({ name: 'Bundled', algorithm: 'ed25519', password: 'a password for tests', storage: memoryStorage() })
  const { raw } = await signMessage({ amount: 1 })
  const verdicts = await verifyMany(Array.from({ length: 100 }, () => raw))
  const refused = await createWorkerAgent({ core }).catch(({ name, code }) => name + ' ' + code)
  console.log(verdicts.filter(({ valid }) => valid).length, refused)
}
main()
`
      await writeFile(at('workers.js'), program)
      await esbuild({ ...bundled, absWorkingDir: project, entryPoints: ['workers.js'], outfile, format })
      expect(await inNode(outfile)).toBe('100 SxError WorkerUnavailable')
    },
  )

  it.each([undefined, ['node'], ['node', 'module']])('of esbuild, with the conditions %j', async (conditions) => {
    const outfile = at('esbuild-node', `conditions-${conditions?.length ?? 0}.mjs`)
    const [core, media] = [await moduleOf('core'), await moduleOf('media')].map((path) => JSON.stringify(path))
    const program = (await readFile(at('program.js'), 'utf8')).replace(
      'init()',
      `init({ core: ${core}, media: ${media} })`,
    )
    await writeFile(at('conditions.js'), program)
    const options = { absWorkingDir: project, entryPoints: ['conditions.js'], outfile, format: 'esm' as const }
    await esbuild({ ...bundled, ...options, ...(conditions && { conditions }) })
    expect(await inNode(outfile)).toBe(done)
  })

  it('of webpack', async () => {
    const path = at('webpack-node')
    await packed({ target: 'node20', output: { path, filename: 'program.cjs' } })
    expect(await inNode(join(path, 'program.cjs'))).toBe(done)
  })

  it('of rollup with the condition `node`', async () => {
    const dir = at('rollup-for-node')
    const bundle = await rollup({ input: at('conditions.js'), plugins: [nodeResolve({ exportConditions: ['node'] })] })
    await bundle.write({ dir, format: 'es', entryFileNames: '[name].mjs' })
    expect(await inNode(join(dir, 'conditions.mjs'))).toBe(done)
  })

  it('of rollup without the condition `node` is the build for pages, and says so', async () => {
    const dir = at('rollup-node')
    const bundle = await rollup({ input: at('program.js'), plugins: [nodeResolve()] })
    await bundle.write({ dir, format: 'es', entryFileNames: '[name].mjs' })
    expect(await inNode(join(dir, 'program.mjs'))).toMatch(/^WasmUnavailable: .*the condition `node`/)
  })
})
