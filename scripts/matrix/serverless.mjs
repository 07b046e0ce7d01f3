// Runtimes that are given one bundle: Cloudflare's workerd, Vercel's edge runtime.
import { readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from '../setup/shared.mjs'
import { begin, finish } from './processes.mjs'
import { tool, versionOf } from './tools.mjs'

const START_SECONDS = 20
const SECONDS = 900 // against hanging alone
const core = 'node_modules/sx-agent/wasm/dist/core/core_bg.wasm'

/** Leaves `.wasm` modules to the runtime, as the bundlers of these platforms do. */
const wasmStays = {
  name: 'wasm-stays',
  setup({ onResolve }) {
    onResolve({ filter: /\.wasm$/ }, () => ({ path: './core.wasm', external: true }))
  },
}

/** One file of what a runner needs. */
export async function bundle(project, entry, outfile, options) {
  await build({
    absWorkingDir: project,
    entryPoints: [entry],
    outfile,
    bundle: true,
    logLevel: 'error',
    target: 'es2022',
    mainFields: ['browser', 'module', 'main'],
    ...options,
  })
  return outfile
}

/** Serves `worker.js` and `core.wasm` of a folder in workerd and gives what it answers. */
async function askWorkerd(program, folder, flags = []) {
  const config = join(folder, 'config.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      (name = "worker.js", esModule = embed "worker.js"),
      (name = "./core.wasm", wasm = embed "core.wasm")
    ],
    compatibilityDate = "2026-04-01",
    compatibilityFlags = ${JSON.stringify(flags)}
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`,
  )
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe']
  const worker = begin(program, ['serve', '--control-fd=3', config], { cwd: folder, stdio })
  try {
    const port = await Promise.race([listening(worker.child), worker.ended])
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(SECONDS * 1000) })
    return await answer.text()
  } finally {
    worker.stop()
  }
}

/** The port that workerd says it listens on. */
function listening(child) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`workerd does not listen within ${START_SECONDS} seconds`))
    const timer = setTimeout(late, START_SECONDS * 1000)
    let text = ''
    child.stdio[3].setEncoding('utf8').on('data', (more) => {
      text += more
      const port = /"event":"listen".*?"port":(\d+)/.exec(text)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(port)
    })
  })
}

const workerd = (name, flags) => ({
  name,
  version: async () => versionOf('workerd'),
  async reports({ project }) {
    const program = tool('workerd')
    if (program === undefined) return undefined
    const folder = join(project, name.replace(/\W+/g, '-'))
    await mkdir(folder, { recursive: true })
    await bundle(project, 'test/conformance/runners/workerd.mjs', join(folder, 'worker.js'), {
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'], // those of wrangler
      plugins: [wasmStays],
    })
    await copyFile(join(project, core), join(folder, 'core.wasm'))
    return await askWorkerd(program, folder, flags)
  },
})

const edgeRuntime = {
  name: 'Vercel edge runtime',
  version: async () =>
    JSON.parse(readFileSync(join(root, 'node_modules/@edge-runtime/vm/package.json'), 'utf8')).version,
  async reports({ project }) {
    const outfile = join(project, 'edge-runtime.js')
    await bundle(project, 'test/conformance/runners/edge-runtime.mjs', outfile, {
      format: 'iife',
      banner: { js: '"use strict";' }, // as modules are
      conditions: ['edge-light', 'worker', 'browser'], // those of Next.js
      logOverride: { 'empty-import-meta': 'silent' },
    })
    const out = join(project, 'edge-runtime.txt')
    const args = [fileURLToPath(new URL('edge-vm.mjs', import.meta.url)), outfile, join(project, core), out]
    await finish(process.execPath, args, { seconds: SECONDS })
    return readFileSync(out, 'utf8')
  },
}

export const serverless = [workerd('workerd', []), workerd('workerd, nodejs_compat', ['nodejs_compat']), edgeRuntime]
