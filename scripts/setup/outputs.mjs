// What is built of Rust: the core and what is loaded beside it as WebAssembly modules, and the error codes.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { finishGlue } from './glue.mjs'
import { cache, cargoHome, env, exe, hash, once, replace, root, run, Stop, wasm } from './shared.mjs'
import { fetchCrates, wasmTools } from './tools.mjs'

const optimise = ['-Os', '--strip-debug', '--strip-producers', '--strip-target-features']
const unoptimised = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: '1',
  CARGO_PROFILE_RELEASE_LTO: 'off',
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
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
