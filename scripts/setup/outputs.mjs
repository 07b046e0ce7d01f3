// What is built: the core and the media code as WebAssembly modules, the error codes, the package's dist.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { commitOf } from './commit.mjs'
import { finishDeclarations } from './declarations.mjs'
import { finishGlue } from './glue.mjs'
import { calledLate, finishLate, lateEntries, withoutAgent } from './late.mjs'
import { cache, cargoHome, env, exe, hash, once, root, run, Stop, wasm } from './shared.mjs'
import { fetchCrates, wasmTools } from './tools.mjs'

const optimise = ['-Os', '--strip-debug', '--strip-producers', '--strip-target-features']
const unoptimised = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: '1',
  CARGO_PROFILE_RELEASE_LTO: 'off',
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
}

/** Puts a finished folder in the place of the old one, so that nobody sees half of it. */
function replace(fresh, folder) {
  const old = `${fresh}.old`
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(old, { recursive: true, force: true })
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(fresh, folder)
  rmSync(old, { recursive: true, force: true })
}

/** What the module may use of WebAssembly: the target's own features but `multivalue`. */
const features = [
  'bulk-memory',
  'bulk-memory-opt',
  'mutable-globals',
  'nontrapping-fptoint',
  'reference-types',
  'sign-ext',
]

/** Flags of the compiler, for a module that uses SIMD or not. */
function flags(simd) {
  // Takes this machine's folders out of the module: the same sources give the same bytes.
  const sources = join(cargoHome, 'registry', 'src')
  const prefixes = [...readdirSync(sources).map((name) => `${join(sources, name)}=/cargo`), `${wasm}=/sx`]
  return [
    ...prefixes.map((prefix) => `--remap-path-prefix=${prefix}`),
    // wasm-bindgen returns several values at once where it may; V8 then compiles an entry for every
    // signature as the module is loaded, which takes longer than all the rest of loading.
    `-Clink-arg=--features=${simd ? [...features, 'simd128'] : features}`,
    ...(simd ? ['-Ctarget-feature=+simd128'] : []),
    '-Clink-arg=--no-check-features',
  ].join('\x1f')
}

/** What a module is built from beside its own crates. */
const common = ['rust-toolchain.toml', 'wasm/Cargo.toml', 'wasm/Cargo.lock', 'wasm/tools/Cargo.lock'].concat(
  'node_modules/binaryen/package.json',
  'scripts/setup/outputs.mjs',
  'scripts/setup/glue.mjs',
)

/**
 * wasm/dist/<name>: a WebAssembly module and its JavaScript glue, built from `crates`, of which the last one is the
 * bindings; `more` adds files to the folder, given which build the module says it is, `inputs` are what else it is made of,
 * `config` is for Cargo and `allowed` for wasm-opt. With `simd` the compiler may use it everywhere.
 */
async function buildModule(name, crates, options) {
  const { quick, outputs, more, inputs: others = [], config = [], allowed = [], simd = false } = options
  const out = join(wasm, 'dist', name)
  const sources = crates.flatMap((crate) => [`wasm/${crate}/src`, `wasm/${crate}/Cargo.toml`])
  const inputs = hash('', ...sources, ...others, ...common)
  const keys = quick ? [`${inputs} quick`, inputs] : [inputs] // a full build serves where a quick one is asked for
  const files = [`${name}.js`, `${name}.d.ts`, `${name}_bg.wasm`, ...outputs].map((file) => join(out, file))
  await once(name, keys, files, async () => {
    const fresh = join(cache, name)
    const module = join(fresh, `${name}_bg.wasm`)
    rmSync(fresh, { recursive: true, force: true })
    await fetchCrates(wasm, `sources the ${name} is built from`)
    const how = ['--mode', 'no-install', '--target', 'web', '--release', '--no-pack', '--no-gitignore']
    const names = ['--out-dir', fresh, '--out-name', name]
    const args = [
      '--quiet',
      'build',
      join(wasm, crates.at(-1)),
      ...how,
      ...names,
      '--',
      '--locked',
      ...config.flatMap((setting) => ['--config', setting]),
    ]
    const why = quick ? 'Rust to WebAssembly, unoptimised' : 'Rust to WebAssembly'
    await run(name, why, join(wasmTools, `wasm-pack${exe}`), args, {
      env: {
        ...env,
        ...(quick ? unoptimised : {}),
        PATH: wasmTools + delimiter + env.PATH,
        CARGO_ENCODED_RUSTFLAGS: flags(simd),
      },
    })
    if (!quick) {
      const wasmOpt = join(root, 'node_modules', 'binaryen', 'bin', 'wasm-opt')
      await run('wasm-opt', 'makes the module smaller', process.execPath, [
        wasmOpt,
        module,
        '-o',
        module,
        ...allowed,
        ...optimise,
      ])
    }
    finishGlue(fresh, name)
    await more(fresh, sign(module))
    replace(fresh, out)
  })
}

/** wasm/dist/core: the core, and the table of error codes. With SIMD it hashes a fifth faster. */
export const buildCore = ({ quick }) =>
  buildModule('core', ['json', 'confirm', 'core', 'bindings'], {
    quick,
    outputs: ['codes.js', 'codes.d.ts'],
    more: writeCodes,
    allowed: ['--enable-simd'],
    simd: true,
  })

/** wasm/dist/media and wasm/dist/pixels: the two channels of images, each loaded when it is needed. */
export async function buildMedia({ quick }) {
  const files = { outputs: ['build.js', 'build.d.ts'], more: writeBuild }
  await buildModule('media', ['media', 'media-bindings'], { quick, ...files })
  // Pixels are what takes time, and their code is loaded only where they are read.
  const config = ['profile.release.package.sx-media.opt-level=2']
  await buildModule('pixels', ['media', 'pixels-bindings'], { quick, config, ...files })
}

/** wasm/dist/schema: custom schemas, loaded when the first one is used. */
export const buildSchema = ({ quick }) =>
  buildModule('schema', ['json', 'confirm', 'core', 'schema', 'schema-bindings'], {
    quick,
    outputs: ['build.js', 'build.d.ts'],
    more: writeBuild,
    inputs: ['schemas'],
    config: ['profile.release.opt-level="z"'], // it is four times as large as the core, and validates fast enough so
    allowed: ['--enable-simd'], // its crates search strings with that
  })

/**
 * Has the module say which build it is, in a section of its own (WebAssembly core specification 5.5.3), so that a module
 * of another version is told apart before it is started. Gives what it says.
 */
function sign(module) {
  const bytes = readFileSync(module)
  const build = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const name = 'sx-agent'
  const section = [name.length, ...Buffer.from(name), ...Buffer.from(build)] // shorter than 128 bytes: one byte of length
  writeFileSync(module, Buffer.concat([bytes, Buffer.from([0, section.length, ...section])]))
  return build
}

/** build.js and its types: which build of a module the glue beside it is of. */
async function writeBuild(folder, build) {
  writeFileSync(join(folder, 'build.js'), `export const build = '${build}'\n`)
  const meaning = '/** Which build of the module this is of: what its section `sx-agent` says. */\n'
  writeFileSync(join(folder, 'build.d.ts'), `${meaning}export declare const build: string\n`)
}

/** codes.js and its types: the table of error codes, asked of the core, so that nobody writes it twice. */
async function writeCodes(folder, build) {
  const core = await import(pathToFileURL(join(folder, 'core.js')).href)
  core.initSync({ module: new WebAssembly.Module(readFileSync(join(folder, 'core_bg.wasm'))) })
  if (typeof core.errorTable !== 'function')
    throw new Stop('The core does not export errorTable(); wasm/bindings must.')
  const table = JSON.parse(core.errorTable())
  const entries = table.map(
    ([code, what, then, isVerdict]) => `  ${code}: ${JSON.stringify({ what, then, isVerdict })},\n`,
  )
  const types = table.map(([code, what]) => `  /** ${what} */\n  readonly ${code}: Row\n`)
  const made = '// Made from the core by scripts/setup.mjs.\n'
  writeFileSync(
    join(folder, 'codes.js'),
    `${made}export const build = '${build}'\nexport const codes = {\n${entries.join('')}}\n`,
  )
  writeFileSync(
    join(folder, 'codes.d.ts'),
    `${made}/** What the core's table says of a code. */
export interface Row {
  /** What happened, as a sentence. */
  readonly what: string
  /** What to do about it, as a sentence. */
  readonly then: string
  /** Whether it says of a document that it is not valid: in operations on stored documents it is a result, no error. */
  readonly isVerdict: boolean
}
/** Which build of the core these are of: what the section \`sx-agent\` of its module says. */
export declare const build: string
/** Every error code. */
export declare const codes: {
${types.join('')}}
`,
  )
}

/** The declarations of the entries; some entries are not for every runtime. */
function declared(condition) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(exports).flatMap((target) => (target[condition] === null ? [] : (target.types ?? [])))
}

/** The published modules by where they stand in `dist/<runtime>`, with their sources. */
function modules(condition) {
  return Object.fromEntries(
    declared(condition).map((path) => [path.match(/^\.\/dist\/types\/src\/(.+)\.d\.ts$/)[1], sourceOf(path)]),
  )
}

/** Files that are started as workers, by the address that stands in the sources. */
const workers = (runtime) =>
  Object.fromEntries(['verify-worker', 'agent-worker'].map((name) => [name, `${runtime}/${name}.ts`]))

/** The source that a declaration in dist was made of. */
const sourceOf = (path) => path.replace('./dist/types/', '').replace(/\.d\.ts$/, '.ts')

/** Has what is bundled find the modules from `dist/<runtime>`. */
const fromDist = {
  name: 'from-dist',
  transform: (code, id) =>
    /[\\/]wasm[\\/](module|images|schemas)\.js$/.test(id)
      ? code.replaceAll("'./dist/", "'../../wasm/dist/")
      : undefined,
}

/** Node compiles what it reads at each start: blanks and local names are left out, and traces still name functions. */
const small = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { toplevel: false, keepNames: { function: true, class: true } },
  codegen: true,
}

/** Puts the sources for one runtime into few files: finding and reading each costs Node a millisecond. */
async function bundle(outDir, condition, entries, { isSplit = false } = {}) {
  const { build } = await import('vite') // there only after npm's packages
  // What the glue of a module does as it is evaluated, not every bundler leaves out of a file that it needs.
  const apart = condition === 'node' ? [] : [{ name: 'images', test: /[\\/]dist[\\/](media|pixels|schema)[\\/]/ }]
  // Where the modules are stands in files of their own, for bundlers, of which each takes Node time to find and to read.
  const places = condition === 'node' ? [] : ['#module', '#images', '#schemas']
  const external = [/^node:/, ...places, 'commander', 'idb-keyval']
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: isSplit ? [calledLate, fromDist] : [fromDist],
    ssr: { resolve: { conditions: [condition] } }, // no library is pulled in, nothing is changed for a page
    build: {
      ssr: true,
      outDir,
      target: 'es2022',
      rolldownOptions: {
        input: isSplit ? { ...entries, ...lateEntries } : entries,
        external,
        platform: 'neutral', // or it imports node:module for a `require` that nothing calls
        preserveEntrySignatures: 'strict',
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          comments: { annotation: true, jsdoc: false, legal: true }, // documentation stands in the declarations
          minify: isSplit && small, // else readable without a source map, which would double what is downloaded
          codeSplitting: { groups: [...apart, { name: 'shared', minShareCount: 2, ...(isSplit && withoutAgent) }] },
        },
      },
    },
  })
  if (isSplit) await finishLate(outDir, Object.keys(modules('node')), small)
}

/** dist: the package as it is published. */
export async function buildDist() {
  const inputs = ['src', 'node', 'browser', 'edge']
  const settings = [
    'tsconfig.json',
    'tsconfig.build.json',
    'package.json',
    'package-lock.json',
    'wasm/module.d.ts',
    'wasm/images.d.ts',
    'wasm/schemas.d.ts',
  ]
  const glue = [
    'core/core',
    'core/codes',
    'media/media',
    'media/build',
    'pixels/pixels',
    'pixels/build',
    'schema/schema',
    'schema/build',
  ].flatMap((name) => [`wasm/dist/${name}.js`, `wasm/dist/${name}.d.ts`])
  const main = join(root, 'dist', 'node', 'index.js')
  await once(
    'dist',
    [
      hash(
        '',
        ...inputs,
        ...settings,
        ...glue,
        ...['outputs', 'late', 'declarations'].map((name) => `scripts/setup/${name}.mjs`),
      ),
    ],
    [main],
    async () => {
      const fresh = join(root, '.dist')
      rmSync(fresh, { recursive: true, force: true })
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
      const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', join(fresh, 'types')]
      await run('types', 'what the published package declares', process.execPath, args)
      await finishDeclarations(
        join(fresh, 'types'),
        declared().map((path) => path.replace('./dist/types/', '')),
      )
      console.error('setup: dist: TypeScript to the published package')
      const forNode = { ...modules(), ...workers('node'), 'cli/main': 'node/cli/main.ts' }
      await bundle(join(fresh, 'node'), 'node', forNode, { isSplit: true })
      await bundle(join(fresh, 'browser'), 'browser', { ...modules(), ...workers('browser') })
      await bundle(join(fresh, 'edge'), 'workerd', modules('workerd'))
      replace(fresh, join(root, 'dist'))
    },
  )
  // Beside what the stamp stands for: a commit may change nothing that is built.
  const [, core] = /^\[workspace\.package\]\r?\nversion = "(.+)"/m.exec(readFileSync(join(wasm, 'Cargo.toml'), 'utf8'))
  const build = { core, commit: await commitOf(root) }
  writeFileSync(join(root, 'dist', 'build.json'), `${JSON.stringify(build)}\n`)
}
