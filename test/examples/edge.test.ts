// The example of an edge function, bundled for it and called in Vercel's edge runtime.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { create, getPublicKey, signMessage } from '../../src/simple.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { root } from '../docs/markdown.ts'
import { HANGING } from '../pace.ts'
import { environment, exampleProject } from './project.ts'

/** What that platform's bundler does with `.wasm?module`: it compiles the file, and the function finds the module. */
const compiled: Plugin = {
  name: 'compiled',
  setup(bundler) {
    bundler.onResolve({ filter: /\.wasm\?module$/ }, async ({ path, importer, resolveDir, kind }) => {
      const file = path.replace('?module', '')
      const { path: found } = await bundler.resolve(file, { importer, resolveDir, kind }) // by the exports of the package
      return { path: found, namespace: 'compiled' }
    })
    bundler.onLoad({ filter: /.*/, namespace: 'compiled' }, ({ path }) => {
      expect(path.endsWith('wasm/dist/core/core_bg.wasm')).toBe(true)
      return { contents: 'export default globalThis.coreModule' }
    })
  },
}

describe('examples/edge', () => {
  let project: string
  let remove: () => Promise<void>

  beforeAll(async () => {
    ;({ project, remove } = await exampleProject('edge'))
    await build({
      absWorkingDir: project,
      entryPoints: ['api/verify.js'],
      outfile: join(project, 'bundle.js'),
      bundle: true,
      format: 'iife',
      globalName: 'edgeFunction',
      footer: { js: 'globalThis.edgeFunction = edgeFunction' },
      conditions: ['edge-light', 'worker', 'browser'], // those of Next.js
      plugins: [compiled],
      logOverride: { 'empty-import-meta': 'silent' },
    })
  })

  afterAll(() => remove())

  async function call(env: Record<string, string>, ...bodies: (string | null)[]): Promise<unknown> {
    const core = join(project, 'node_modules/sx-agent/wasm/dist/core/core_bg.wasm')
    const args = [join(root, 'test/examples/edge-vm.mjs'), join(project, 'bundle.js'), core]
    const { stdout } = await promisify(execFile)(process.execPath, [...args, JSON.stringify({ env, bodies })], {
      env: environment(project),
      timeout: HANGING,
    })
    const { config, answers } = JSON.parse(stdout) as { config: unknown; answers: [number, string][] }
    expect(config).toEqual({ runtime: 'edge' })
    return answers.map(([status, text]) => [status, text.startsWith('{') ? (JSON.parse(text) as unknown) : text])
  }

  it('verifies by the keys that it has, and by no others', async () => {
    const options = { storage: memoryStorage(), password: 'a password for tests' }
    const { agentId } = await create({ name: 'Edge', algorithm: 'ed25519', ...options })
    const { raw } = await signMessage({ amount: 1 })
    const forged = raw.replace('"amount":1', '"amount":2')
    const SX_KEYS = JSON.stringify({ [agentId]: getPublicKey() })
    expect(await call({ SX_KEYS }, raw, forged, '{}', null)).toEqual([
      [200, { valid: true, signerId: agentId, data: { amount: 1 } }],
      [422, { valid: false, code: 'BadSignature' }],
      [422, { valid: false, code: 'MissingSignature' }],
      [405, 'POST a document'],
    ])
    expect(await call({}, raw)).toEqual([[422, { valid: false, code: 'UnknownSigner' }]])
  })
})
