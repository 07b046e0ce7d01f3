// Runtimes that are given one bundle: Cloudflare's workerd, Vercel's edge runtime.
import { readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from '../setup/shared.mjs'
import { fileOf, listedNames } from '../setup/table.mjs'
import { begin, finish, SECONDS } from './processes.mjs'
import { tool, versionOf } from './tools.mjs'

const moduleOf = (name) => `node_modules/sx-agent/${fileOf(name)}`

/** Copies the modules into a folder, as `core.wasm` and so on. */
export async function copyModules(project, folder) {
  await Promise.all(listedNames.map((name) => copyFile(join(project, moduleOf(name)), join(folder, `${name}.wasm`))))
}

/** The files of a Worker that {@link bundleWorker} has made, that which is run first. */
export const workerFiles = ['worker.js', ...listedNames.map((name) => `${name}.wasm`)]

/** Leaves `.wasm` modules to the runtime, as the bundlers of these platforms do. */
const wasmStays = {
  name: 'wasm-stays',
  setup({ onResolve }) {
    onResolve({ filter: /\.wasm$/ }, ({ path }) => {
      const [, name] = /(\w+)_bg\.wasm$/.exec(path) ?? []
      return { path: `./${name}.wasm`, external: true }
    })
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

/**
 * Serves the modules of a folder in workerd, the first of which is the Worker; gives its address and how to stop it.
 *
 * @param options.modules names of files: `.wasm` ones are compiled
 * @param options.bindings texts by name
 */
export async function serveWorkerd(folder, { modules, flags = [], bindings = {} }) {
  const config = join(folder, 'config.capnp')
  const text = JSON.stringify
  const kind = (name) => (name.endsWith('.wasm') ? 'wasm' : 'esModule')
  const embedded = modules.map(
    (name, at) => `(name = ${text(at === 0 ? name : `./${name}`)}, ${kind(name)} = embed ${text(name)})`,
  )
  const bound = Object.entries(bindings).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`)
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [${embedded.join(', ')}],
    bindings = [${bound.join(', ')}],
    compatibilityDate = "2026-04-01",
    compatibilityFlags = ${text(flags)}
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`,
  )
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe']
  const worker = begin(tool('workerd'), ['serve', '--control-fd=3', config], { cwd: folder, stdio })
  try {
    const port = await Promise.race([listening(worker.child), worker.ended])
    return { url: `http://127.0.0.1:${port}/`, stop: worker.stop, output: worker.output }
  } catch (error) {
    worker.stop()
    throw error
  }
}

/** What a Worker answers. */
async function askWorkerd(folder, flags, path) {
  const { url, stop } = await serveWorkerd(folder, { modules: workerFiles, flags })
  try {
    const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(SECONDS * 1000) })
    return await answer.text()
  } finally {
    stop()
  }
}

/** One module of what a Worker needs, in `worker.js` of a folder, and the WebAssembly modules beside it. */
export async function bundleWorker(project, entry, folder) {
  await mkdir(folder, { recursive: true })
  await bundle(project, entry, join(folder, 'worker.js'), {
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'], // those of wrangler
    plugins: [wasmStays],
  })
  await copyModules(project, folder)
}

/** The port that workerd says it listens on. */
function listening(child) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`workerd does not listen within ${SECONDS} seconds`))
    const timer = setTimeout(late, SECONDS * 1000)
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

const workerd = (name, { flags = [], isOneOfSeveral = false } = {}) => ({
  name,
  version: async () => versionOf('workerd'),
  async reports({ project, brief }) {
    if (tool('workerd') === undefined) return undefined
    const folder = join(project, name.replace(/\W+/g, '-'))
    await bundleWorker(project, 'test/conformance/runners/workerd.mjs', folder)
    const short = isOneOfSeveral && brief
    return [{ name, text: await askWorkerd(folder, flags, short ? '/short' : '/'), short }]
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
    const args = [
      fileURLToPath(new URL('edge-vm.mjs', import.meta.url)),
      outfile,
      out,
      ...listedNames.map((name) => `${name}=${join(project, moduleOf(name))}`),
    ]
    await finish(process.execPath, args)
    return readFileSync(out, 'utf8')
  },
}

export const serverless = [
  workerd('workerd', { isOneOfSeveral: true }),
  workerd('workerd, nodejs_compat', { flags: ['nodejs_compat'], isOneOfSeveral: true }),
  edgeRuntime,
]
