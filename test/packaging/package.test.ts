// The package as it is published: what is in it, what it imports, and that an empty project can use it.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadersOf } from '../../scripts/setup/loaders.mjs'
import { fileOf, listedNames } from '../../scripts/setup/table.mjs'
import { HANGING } from '../pace.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shell = process.platform === 'win32' // npm is a batch file there
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd,
    shell: shell && command === 'npm',
    timeout: HANGING,
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

/** The files of a WebAssembly module in the package. */
const filesOf = (name: string): string[] => [fileOf(name), ...loadersOf(name)]
/** The JavaScript of the package. */
const modules = (): string[] => files.filter((path) => /^(dist|wasm)\/.*\.m?js$/.test(path))
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
      'dist/edge',
      'dist/node',
      'dist/types',
      'docs/agreement-rules.md',
      'docs/agreements.md',
      'docs/api.md',
      'docs/changed-picture.png',
      'docs/cli.md',
      'docs/faq.md',
      'docs/files.md',
      'docs/guides/bun.md',
      'docs/guides/deno.md',
      'docs/guides/html.md',
      'docs/guides/nextjs.md',
      'docs/guides/node.md',
      'docs/guides/testing.md',
      'docs/guides/vite.md',
      'docs/guides/workers.md',
      'docs/http.md',
      'docs/images.md',
      'docs/keys.md',
      'docs/loading.md',
      'docs/media.md',
      'docs/overview.svg',
      'docs/protocol.md',
      'docs/schemas.md',
      'docs/signed-picture.png',
      'docs/storage.md',
      'docs/texts.md',
      'docs/verification.md',
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
      'schemas/agreement/v2/agreement.schema.json',
      'schemas/header/v1/header.schema.json',
      ...['wasm/dist/core/codes.d.ts', 'wasm/dist/modules.d.ts', ...listedNames.flatMap(filesOf)].sort(),
    ])
  })

  it('holds these modules and no others', () => {
    const api = ['http', 'index', 'simple', 'verify', 'storage/index', 'storage/testing']
    const files = ['verifying', 'shared']
    const inDist = (runtime: string, names: readonly string[]): string[] =>
      names.map((name) => `dist/${runtime}/${/\.\w+$/.test(name) ? name : `${name}.js`}`)
    const expected = [
      ...inDist('node', [...api, ...files, 'agent', 'worker', 'agent-worker.mjs', 'verify-worker.mjs', 'cli/main']),
      ...inDist('browser', [...api, ...files, 'verdict', 'images', 'worker', 'agent-worker', 'verify-worker']),
      ...inDist('edge', [...api, ...files, 'images']),
      ...listedNames.flatMap(loadersOf),
    ]
    expect(modules().sort()).toEqual(expected.sort())
  })

  it('holds the declarations of these modules and no others', () => {
    const top = [
      'http',
      'index',
      'simple',
      'verify',
      'worker',
      'agent',
      'audit-types',
      'deprecated',
      'errors',
      'file-types',
      'image-types',
      'limits',
      'public-types',
      'simple-agent',
      'topics',
      'topics.agent',
      'types',
      'utilities',
    ]
    const topics = [
      'agreement-field',
      'agreements',
      'artifacts',
      'attachments',
      'audit',
      'backup',
      'batch',
      'discovery',
      'documents',
      'files',
      'identity',
      'images',
      'init',
      'inspect',
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
      'agreement-field.agent',
      'agreement-field.simple',
      'artifacts.agent',
      'documents.agent',
      'documents.simple',
      'identity.agent',
      'identity.simple',
      'images.simple',
      'keys.simple',
      'trust.simple',
      'verification.simple',
    ]
    const types = [
      'agents',
      'agreement-field',
      'agreements',
      'algorithms',
      'artifacts',
      'backups',
      'bytes',
      'discovery',
      'documents',
      'images',
      'keys',
      'loading',
      'modules',
      'repair',
      'requests',
      'schemas',
      'secrets',
      'settings',
      'standalone',
      'texts',
      'trust',
      'verification',
    ]
    const storage = ['index', 'testing', 'contract', 'memory', 'mirror', 'prefix', 'unstorage']
    const expected = [
      ...top,
      ...[...topics, ...forms].map((name) => `api/${name}`),
      ...storage.map((name) => `storage/${name}`),
      ...types.map((name) => `types/${name}`),
      ...['memory-replay-store', 'verify-request'].map((name) => `requests/${name}`),
      'worker/script-policy',
    ]
    const declarations = files.filter((path) => path.startsWith('dist/') && path.endsWith('.d.ts'))
    expect(declarations.sort()).toEqual(expected.map((name) => `dist/types/src/${name}.d.ts`).sort())
  })

  it('holds nothing else in dist', () => {
    const strange = files.filter((path) => path.startsWith('dist/') && !/\.(m?js|d\.ts)$/.test(path))
    expect(strange).toEqual(['dist/build.json']) // says what it was built from, for `sx --version`
  })

  it('is of this size', () => {
    expect(size).toBeLessThan(1_930_000) // what is downloaded, in bytes; two fifths are the module for schemas
    expect(unpackedSize).toBeLessThan(6_100_000)
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
        ['default', 'browser'], // a resolver that says nothing
      ] as const) {
        const is = entry === './worker' && runtime === 'edge' ? null : built(entry, runtime)
        found.push([entry, condition, targetFor([condition], targets as Targets)])
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

  it('have lines that can be shown: Node prints the one that an error was thrown in', async () => {
    const lines = await Promise.all(
      modules().map(async (path) => (await read(path)).split('\n').map((line) => ({ path, length: line.length }))),
    )
    // The longest is the table of MIME types, one text. No file holds WebAssembly: that stands in files of its own.
    expect(lines.flat().filter(({ length }) => length > 2_200)).toEqual([])
  })

  describe('lead on', () => {
    /** What a module imports, and what it starts as a worker, of the package. */
    async function next(path: string): Promise<{ imports: string[]; workers: string[] }> {
      const text = await read(path)
      const place = (name: string): string => posix.join(posix.dirname(path), name)
      const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
      const workers = [...text.matchAll(/new URL\("(\.\/[\w-]+\.m?js)", import\.meta\.url\)/g)]
      return {
        imports: imports.filter((name) => name.startsWith('.')).map(place),
        workers: workers.map(([, name = '']) => place(name)),
      }
    }

    /** A module and all that it leads to. */
    async function reached(start: string): Promise<Set<string>> {
      const all = new Set([start])
      for (const path of all) {
        const { imports, workers } = await next(path)
        for (const name of [...imports, ...workers]) all.add(name)
      }
      return all
    }

    it('from no worker to a module that starts it: bundlers that follow both never end', async () => {
      const starts: string[] = []
      const wrong: string[] = []
      for (const path of modules()) {
        for (const worker of (await next(path)).workers) {
          starts.push(worker)
          expect(files).toContain(worker)
          if ((await reached(worker)).has(path)) wrong.push(`${worker} leads to ${path}, which starts it`)
        }
      }
      expect(wrong).toEqual([])
      const ofWorkers = ['browser', 'node'].flatMap((runtime) =>
        ['agent', 'verify'].map((name) => `dist/${runtime}/${name}-worker.${runtime === 'node' ? 'mjs' : 'js'}`),
      )
      expect([...new Set(starts)].sort()).toEqual(ofWorkers)
    })

    it('from sx-agent/verify to nothing of agents', async () => {
      for (const runtime of ['node', 'browser', 'edge']) {
        const all = await reached(`dist/${runtime}/verify.js`)
        expect(all).toContain(`dist/${runtime}/verifying.js`)
        expect(all).not.toContain(`dist/${runtime}/shared.js`)
      }
    })

    it('from the verifying thread of Node nowhere: bundlers copy it alone', async () => {
      expect(await reached('dist/node/verify-worker.mjs')).toEqual(new Set(['dist/node/verify-worker.mjs']))
    })
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

  it('prints an error that nobody catches in little room', async () => {
    const programs = [
      `import { load } from 'sx-agent/simple'\nawait load('./nowhere.json')\n`,
      `import { loadSync } from 'sx-agent/simple'\nloadSync('./nowhere.json')\n`,
      `import { verifyStandalone } from 'sx-agent/verify'\nverifyStandalone('{}', { keyDirectory: './nowhere' })\n`,
      `import { verifyText } from 'sx-agent/verify'\nawait verifyText({ text: 'Text' })\n`,
      `import { SxAgent } from 'sx-agent'\nnew SxAgent({ algorithm: 'ed25519' })\n`,
      `import { init } from 'sx-agent/verify'\nawait init({ core: new Uint8Array(8) })\n`,
    ]
    for (const program of programs) {
      await writeFile(join(project, 'uncaught.mjs'), program)
      const { stderr } = (await run(project, process.execPath, 'uncaught.mjs').then(
        () => ({ stderr: '' }),
        (error: unknown) => error,
      )) as { stderr: string }
      expect(stderr).toMatch(/^file:.*\n.*new SxError.*\n[^]*\nSxError: [^]*\n    at /)
      expect(stderr.length).toBeLessThan(3_000)
    }
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
    expect(new Set(modules)).toEqual(new Set(listedNames)) // a page fetches what it uses of them
  })
})
