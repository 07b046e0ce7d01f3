// What a page has to load that only verifies: little, with every bundler, and it works.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build as esbuild, transform } from 'esbuild'
import { rollup } from 'rollup'
import type { VerificationResult } from 'sx-agent'
import { build as vite } from 'vite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import webpack from 'webpack'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }

/** In bytes, compressed by brotli. */
const LARGEST = 10_800

type Verify = (core: Uint8Array, document: string, keys: Record<string, string>) => Promise<VerificationResult>

let folder: string
let project: string
const at = (...path: string[]): string => join(project, ...path)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-verifying-'))
  project = emptyProject(join(folder, 'project'))
  await npmInstall(project, await pack(folder))
  await writeFile(
    at('verify.js'),
    `import { init, verifyStandalone } from 'sx-agent/simple'

globalThis.verifyOnly = async (core, document, keys) => {
  await init({ core })
  return verifyStandalone(document, { keys })
}
`,
  )
})

afterAll(async () => {
  vi.unstubAllGlobals()
  await rm(folder, { recursive: true, force: true })
})

/** Each puts the program, made small, into a file. */
const bundlers: Record<string, (out: string) => Promise<unknown>> = {
  Vite: (out) =>
    vite({
      root: project,
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: out,
        target: 'es2022',
        rolldownOptions: { input: at('verify.js'), output: { entryFileNames: 'verify.js' } },
      },
    }),
  webpack: (path) =>
    new Promise((resolve, reject) => {
      const output = { path, filename: 'verify.js', publicPath: 'https://example.com/' }
      webpack({ mode: 'production', context: project, entry: './verify.js', target: 'web', output }, (error, stats) => {
        if (error !== null) reject(error)
        else if (stats?.hasErrors()) reject(new Error(stats.toString()))
        else resolve(undefined)
      })
    }),
  esbuild: (outdir) =>
    esbuild({ absWorkingDir: project, entryPoints: ['verify.js'], outdir, bundle: true, minify: true, format: 'esm' }),
  rollup: async (dir) => {
    const bundle = await rollup({ input: at('verify.js'), plugins: [nodeResolve({ browser: true })] })
    const { output } = await bundle.generate({ format: 'es' })
    const { code } = await transform(output[0].code, { minify: true })
    await esbuild({ stdin: { contents: code }, outfile: join(dir, 'verify.js') })
  },
}

it.each(Object.keys(bundlers))('%s leaves the rest out', async (name) => {
  const out = at(`out-${name}`)
  await bundlers[name]?.(out)
  expect(await readdir(out)).toContain('verify.js')
  const script = await readFile(join(out, 'verify.js'))
  const { length } = await promisify(brotliCompress)(script)
  expect(length).toBeLessThan(LARGEST)
  expect(length).toBeGreaterThan(LARGEST / 2) // it is the library that was measured

  vi.stubGlobal('self', { location: new URL('https://example.com/') }) // webpack's own part asks for it
  await import(/* @vite-ignore */ pathToFileURL(join(out, 'verify.js')).href)
  const { verifyOnly } = globalThis as unknown as { verifyOnly: Verify }
  const core = await readFile(at('node_modules/sx-agent/wasm/dist/core/core_bg.wasm'))
  const keys = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))
  for (const { raw, data } of documents.documents) {
    expect(await verifyOnly(core, raw, keys)).toMatchObject({ valid: true, data })
    expect(await verifyOnly(core, raw, {})).toMatchObject({ valid: false, code: 'UnknownSigner' })
  }
  const changed = documents.documents[0]?.raw.replace('"amount":1', '"amount":2') ?? ''
  expect(await verifyOnly(core, changed, keys)).toMatchObject({ valid: false, code: 'BadSignature' })
  await expect(verifyOnly(core, '', 1 as never)).rejects.toThrow('The public keys are not an object.')
})
