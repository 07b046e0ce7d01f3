// The package as it is published: what is in it, what it imports, and that an empty project can use it.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shell = process.platform === 'win32' // npm is a batch file there
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd,
    shell: shell && command === 'npm',
    timeout: 50_000,
  })
  return stdout
}

interface Manifest {
  version: string
  scripts: Record<string, string>
  exports: Record<string, unknown>
  imports: Record<string, unknown>
}
/** What a name stands for, by condition. */
interface Targets {
  readonly [condition: string]: string | null | Targets
}
interface Packed {
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

/** What a resolver takes that has these conditions: the first that fits, as Node's does. */
function targetFor(conditions: readonly string[], targets: Targets): string | null | undefined {
  const target = Object.entries(targets).find(([name]) => [...conditions, 'default'].includes(name))?.[1]
  return target === null || typeof target !== 'object' ? target : targetFor(conditions, target)
}

let folder: string
let project: string
let manifest: Manifest
let files: string[]
let size: number
let unpackedSize: number

/** The folder of the package in the project that installed it. */
const installed = (path: string): string => join(project, 'node_modules', 'sx-agent', path)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-packaging-'))
  project = join(folder, 'project')
  await mkdir(project)
  const [packed] = JSON.parse(await run(root, 'npm', 'pack', '--json', '--pack-destination', folder)) as [Packed]
  files = packed.files.map(({ path }) => path)
  ;({ size, unpackedSize } = packed)
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  await run(project, 'npm', 'install', ...options, join(folder, packed.filename))
  manifest = JSON.parse(await readFile(installed('package.json'), 'utf8')) as Manifest
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('contents', () => {
  it('holds these groups of files and no others', () => {
    const group = (path: string): string => (path.startsWith('dist/') ? path.split('/').slice(0, 2).join('/') : path)
    expect([...new Set(files.map(group))].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE-APACHE',
      'LICENSE-MIT',
      'NOTICE.md',
      'README.md',
      'SECURITY.md',
      'dist/browser',
      'dist/build.json',
      'dist/bundled',
      'dist/edge',
      'dist/node',
      'dist/types',
      'docs/changed-picture.png',
      'docs/files.md',
      'docs/growth-documents.svg',
      'docs/growth-images.svg',
      'docs/growth-signers.svg',
      'docs/growth-stores.svg',
      'docs/images.md',
      'docs/keys.md',
      'docs/loading.md',
      'docs/media.md',
      'docs/overview.svg',
      'docs/performance.md',
      'docs/protocol.md',
      'docs/schemas.md',
      'docs/signed-picture.png',
      'docs/storage.md',
      'docs/texts.md',
      'examples/README.md',
      'examples/bun/package.json',
      'examples/bun/server.js',
      'examples/deno/package.json',
      'examples/deno/server.js',
      'examples/edge/api/verify.js',
      'examples/edge/package.json',
      'examples/worker/agent.mjs',
      'examples/worker/bucket.js',
      'examples/worker/package.json',
      'examples/worker/worker.js',
      'examples/worker/wrangler.jsonc',
      'package.json',
      'schemas/header/v1/header.schema.json',
      'wasm/dist/core/codes.d.ts',
      'wasm/dist/core/core_bg.wasm',
      'wasm/dist/media/media_bg.wasm',
      'wasm/dist/pixels/pixels_bg.wasm',
      'wasm/dist/schema/schema_bg.wasm',
      'wasm/images.edge.js',
      'wasm/images.js',
      'wasm/images.workerd.js',
      'wasm/module.edge.js',
      'wasm/module.js',
      'wasm/module.workerd.js',
      'wasm/schemas.edge.js',
      'wasm/schemas.js',
      'wasm/schemas.workerd.js',
    ])
  })

  it('holds these modules and no others', () => {
    const entries = ['index', 'simple', 'storage/index', 'storage/testing']
    const api = ['shared', ...entries]
    const workers = ['worker', 'verify-worker', 'agent-worker']
    const inDist = (runtime: string, names: readonly string[]): string[] =>
      names.map((name) => `dist/${runtime}/${name}.js`)
    const expected = [
      ...inDist('node', [...api, ...workers, 'cli/main', 'agent', 'late', 'bundled']),
      ...inDist('bundled', [...entries, 'worker']),
      ...inDist('browser', [...api, ...workers, 'images']),
      ...inDist('edge', [...api, 'images', 'rolldown-runtime']), // for what is imported where it is needed
      ...['images', 'module', 'schemas'].flatMap((name) => [
        `wasm/${name}.js`,
        `wasm/${name}.edge.js`,
        `wasm/${name}.workerd.js`,
      ]),
    ]
    expect(files.filter((path) => /^(dist|wasm)\/.*\.js$/.test(path)).sort()).toEqual(expected.sort())
  })

  it('holds the declarations of these modules and no others', () => {
    const top = [
      'index',
      'simple',
      'worker',
      'agent',
      'audit-types',
      'deprecated',
      'effects',
      'errors',
      'file-types',
      'image-types',
      'limits',
      'platform',
      'public-types',
      'simple-agent',
      'types',
      'utilities',
    ]
    const topics = [
      'artifacts',
      'audit',
      'backup',
      'discovery',
      'documents',
      'files',
      'identity',
      'images',
      'keys',
      'many',
      'refresh',
      'repair',
      'requests',
      'storage',
      'strings',
      'text',
      'trust',
      'verification',
    ]
    const forms = [
      'artifacts.agent',
      'documents.agent',
      'documents.simple',
      'identity.agent',
      'identity.simple',
      'images.simple',
      'verification.simple',
    ]
    const storage = ['index', 'testing', 'contract', 'memory', 'mirror', 'prefix', 'unstorage']
    const expected = [
      ...top,
      ...[...topics, ...forms].map((name) => `api/${name}`),
      ...storage.map((name) => `storage/${name}`),
      'worker/agent-methods',
      'worker/script-policy',
    ]
    const declarations = files.filter((path) => path.startsWith('dist/') && path.endsWith('.d.ts'))
    expect(declarations.sort()).toEqual(expected.map((name) => `dist/types/src/${name}.d.ts`).sort())
  })

  it('holds nothing else in dist', () => {
    const strange = files.filter((path) => path.startsWith('dist/') && !/\.(js|d\.ts)$/.test(path))
    expect(strange).toEqual(['dist/build.json']) // says what it was built from, for `sx --version`
  })

  it('is of this size', () => {
    expect(size).toBeLessThan(1_600_000) // what is downloaded, in bytes; two fifths are the module for schemas
    expect(unpackedSize).toBeLessThan(5_100_000)
  })

  it('has for each runtime the build of every entry, and no agent in a worker where there are none', () => {
    const built = (entry: string, runtime: string): string =>
      `./dist/${runtime}/${entry === '.' ? 'index' : `${entry.slice(2)}${entry === './storage' ? '/index' : ''}`}.js`
    const found: unknown[] = []
    const expected: unknown[] = []
    for (const [entry, targets] of Object.entries(manifest.exports)) {
      if (typeof targets === 'string') continue // a file that is the same everywhere
      for (const [condition, runtime] of [
        ['workerd', 'edge'],
        ['edge-light', 'edge'],
        ['browser', 'browser'],
        ['node', 'node'],
        ['node module', 'bundled'], // a bundler
        ['default', 'browser'], // a resolver that says nothing
      ] as const) {
        const is = entry === './worker' && runtime === 'edge' ? null : built(entry, runtime)
        found.push([entry, condition, targetFor(condition.split(' '), targets as Targets)])
        expected.push([entry, condition, is])
      }
    }
    expect(found).toEqual(expected)
    expect(found.length).toBeGreaterThanOrEqual(25)
    const ofAgent = manifest.imports['#start-agent'] as Targets
    const resolved = ['workerd', 'edge-light', 'browser', 'node', 'default'].map((name) => targetFor([name], ofAgent))
    const [page, node] = ['./browser/start-agent.ts', './node/start-agent.ts']
    expect(resolved).toEqual([null, null, page, node, page])
  })

  it('runs nothing when it is installed', () => {
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
    expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([])
  })

  it('names no folder of the machine that built the module', async () => {
    const module = await readFile(installed('wasm/dist/core/core_bg.wasm'), 'latin1')
    expect(module).not.toContain(root.slice(0, -1))
    expect(module).not.toContain('registry/src')
  })
})

describe('modules', () => {
  const modules = (): string[] => files.filter((path) => /^(dist|wasm)\/.*\.js$/.test(path))
  const read = (path: string): Promise<string> => readFile(installed(path), 'utf8')

  /** What a module imports from outside the package. */
  async function foreign(path: string): Promise<string[]> {
    const names = ts.preProcessFile(await read(path), true, true).importedFiles.map(({ fileName }) => fileName)
    return names.filter((name) => !name.startsWith('.') && !name.startsWith('#'))
  }

  it('import only what their place allows: the core path needs no other package', async () => {
    const allowed = (path: string, name: string): boolean => {
      if (path.startsWith('dist/node/')) {
        return name.startsWith('node:') || (path.startsWith('dist/node/cli/') && name === 'commander')
      }
      return path.startsWith('dist/browser/') && name === 'idb-keyval'
    }
    const wrong: string[] = []
    for (const path of modules()) {
      for (const name of await foreign(path)) if (!allowed(path, name)) wrong.push(`${path}: ${name}`)
    }
    expect(modules().length).toBeGreaterThan(5)
    expect(wrong).toEqual([])
  })

  it('have no top-level await, so require() can load them', async () => {
    const awaits = (node: ts.Node): boolean => {
      if (ts.isFunctionLike(node)) return false
      if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true
      return ts.forEachChild(node, awaits) ?? false
    }
    const parse = async (path: string): Promise<ts.SourceFile> =>
      ts.createSourceFile(path, await read(path), ts.ScriptTarget.ES2022)
    expect(awaits(ts.createSourceFile('with.js', 'for (const x of await y) x()', ts.ScriptTarget.ES2022))).toBe(true)
    const wrong: string[] = []
    // The command line is a program, nobody requires it.
    for (const path of modules().filter((path) => !path.startsWith('dist/node/cli/'))) {
      if (awaits(await parse(path))) wrong.push(path)
    }
    expect(wrong).toEqual([])
  })
})

describe('an empty project', () => {
  /** Every entry that is a module, as a consumer names it. */
  const entries = (): string[] =>
    Object.keys(manifest.exports)
      .filter((entry) => !/\.\w+$/.test(entry))
      .map((entry) => `sx-agent${entry.slice(1)}`)

  it('imports it', async () => {
    const script = `import { hashString } from 'sx-agent'\nconsole.log(hashString('abc'))\n`
    await writeFile(join(project, 'consumer.mjs'), script)
    expect((await run(project, process.execPath, 'consumer.mjs')).trim()).toBe(abc)
  })

  it('requires it', async () => {
    const script = `console.log(require('sx-agent').hashString('abc'))\n`
    await writeFile(join(project, 'consumer.cjs'), script)
    expect((await run(project, process.execPath, 'consumer.cjs')).trim()).toBe(abc)
  })

  it('reads what the first verdict does not need when it is called for the first time', async () => {
    const script = `import { createRequire } from 'node:module'
import { createSync, getPublicKey, loadSync, SxError, signMessageSync, verifyStandalone } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
const { cache } = createRequire(import.meta.url)
const read = () => Object.keys(cache).filter((file) => /sx-agent.dist.node.late\\.js$/.test(file)).length
const [document, keys] = process.argv.slice(2)
if (document !== undefined) {
  const { valid } = verifyStandalone(document, { keys: JSON.parse(keys) })
  const before = read()
  const error = (() => { try { loadSync('/nowhere.json') } catch (error) { return error } })()
  console.log(valid, before, read(), error instanceof SxError, error.code)
} else {
  const agent = createSync({ name: 'Late', algorithm: 'ed25519', password: 'for tests only', storage: memoryStorage() })
  console.log(JSON.stringify([signMessageSync({ amount: 1 }).raw, JSON.stringify({ [agent.agentId]: getPublicKey() })]))
}
`
    await writeFile(join(project, 'late.mjs'), script)
    const made = JSON.parse(await run(project, process.execPath, 'late.mjs')) as string[]
    expect((await run(project, process.execPath, 'late.mjs', ...made)).trim()).toBe('true 0 1 true NotFound')
  })

  it('loads every entry', async () => {
    expect(entries()).toContain('sx-agent/simple')
    const script = entries().map((entry) => `await import('${entry}')\n`)
    await writeFile(join(project, 'entries.mjs'), script.join(''))
    await run(project, process.execPath, 'entries.mjs')
  })

  it('runs its command', async () => {
    const command = join(project, 'node_modules', '.bin', shell ? 'sx.cmd' : 'sx')
    expect((await run(project, command, '--version')).trim()).toBe(manifest.version)
  })

  it('bundles it for a page with its WebAssembly files, each once', async () => {
    await writeFile(join(project, 'index.html'), '<script type="module" src="./page.js"></script>')
    await writeFile(
      join(project, 'page.js'),
      `import { hashString, init } from 'sx-agent'\nawait init()\nhashString('abc')\n`,
    )
    await build({ root: project, configFile: false, logLevel: 'error', build: { target: 'es2022' } })
    const assets = await readdir(join(project, 'dist', 'assets'))
    const modules = assets.filter((name) => name.endsWith('.wasm')).map((name) => name.split('_')[0])
    expect(new Set(modules)).toEqual(new Set(['core', 'media', 'pixels', 'schema'])) // a page fetches what it uses of them
  })
})
