// What is built of Rust: the core and the other WebAssembly modules, and the error codes.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { finishGlue } from './glue.mjs'
import { cache, cargoHome, env, exe, hash, isDone, once, replace, root, run, Stop, wasm } from './shared.mjs'
import { folderOf, modules } from './table.mjs'
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

/** Flags of the compiler, for a module that uses SIMD or not, and what its crates are told. */
function flags(simd, cfg) {
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
    ...cfg.map((setting) => `--cfg=${setting}`),
  ].join('\x1f')
}

/** What every module is built from besides its own crates. */
const common = [
  'rust-toolchain.toml',
  'wasm/Cargo.toml',
  'wasm/Cargo.lock',
  'wasm/tools/Cargo.lock',
  'scripts/setup/outputs.mjs',
  'scripts/setup/glue.mjs',
]

/** The version of wasm-opt, which is told before it is installed. */
function optimiser() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return packages['node_modules/binaryen'].version
}

/** How many modules are compiled at a time: the linker's part of each has one thread, and takes up to a gigabyte. */
let seats = Math.max(2, availableParallelism())
const waiting = []

/** Does something heavy when it is its turn. */
async function seated(work) {
  if (seats > 0) seats -= 1
  else await new Promise((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) seats += 1
    else next()
  }
}

let fetching
/** The sources of all crates, downloaded once. */
function crates() {
  fetching ??= fetchCrates(wasm, 'sources of the core')
  return fetching
}

/** How Cargo is called for a module, the same for compiling it first and for wasm-pack, which then finds it compiled. */
function calling(name, quick) {
  const { simd = false, cargo = [], cfg = [] } = modules[name].build
  return {
    settings: ['--locked', ...cargo.flatMap((setting) => ['--config', setting])],
    env: {
      ...env,
      ...(quick ? unoptimised : {}),
      PATH: wasmTools + delimiter + env.PATH,
      CARGO_ENCODED_RUSTFLAGS: flags(simd, cfg),
      CARGO_TARGET_DIR: join(wasm, 'target', name), // one of its own, or Cargo would build one module at a time
    },
  }
}

/** What a module is built from, as a hash, and the files that are built. */
export function planned(name) {
  const { build } = modules[name]
  const { crates: folders, inputs = [] } = build
  const sources = folders.flatMap((crate) => [`wasm/${crate}/src`, `wasm/${crate}/Cargo.toml`])
  const files = [`${name}.js`, `${name}.d.ts`, `${name}_bg.wasm`, ...more(name), SOURCES]
  return {
    sources: hash(`${JSON.stringify(build)}\0${optimiser()}`, ...sources, ...inputs, ...common),
    files: files.map((file) => join(folderOf(name), file)),
  }
}

/** In the folder of a module, what {@link planned} says it was built from. */
export const SOURCES = 'sources.txt'

const CODES = ['codes.js', 'codes.d.ts', 'early.js', 'early.d.ts']

/** The files of a module that this script writes: which build it is, and of the core the table of error codes. */
export const more = (name) => ['build.js', 'build.d.ts', ...(name === 'core' ? CODES : [])]

/** What the stamp of a module may say. A full build serves where a quick one is asked for. */
export const keysOf = (sources, quick) => (quick ? [`${sources} quick`, sources] : [sources])

/** Whether every module of these names is there, built from the sources as they are. */
export function areBuilt(names, { quick }) {
  return names.every((name) => {
    const { sources, files } = planned(name)
    return isDone(name, keysOf(sources, quick), files)
  })
}

/**
 * wasm/dist/<name>: a WebAssembly module and its JavaScript glue, and what says which build it is; of the core also the
 * table of error codes.
 *
 * @param tools resolves once wasm-pack, wasm-bindgen and wasm-opt are there; compiling does not wait for them
 */
export async function buildModule(name, { quick, tools }) {
  const { crates: folders, wasmOpt = [] } = modules[name].build
  const { sources, files } = planned(name)
  await once(name, keysOf(sources, quick), files, async () => {
    const fresh = join(cache, name)
    const module = join(fresh, `${name}_bg.wasm`)
    const bindings = join(wasm, folders.at(-1))
    rmSync(fresh, { recursive: true, force: true })
    await crates()
    const { settings, env } = calling(name, quick)
    const why = quick ? 'Rust to WebAssembly, unoptimised' : 'Rust to WebAssembly'
    const compile = ['build', '--quiet', '--lib', '--release', '--target', 'wasm32-unknown-unknown', ...settings]
    await seated(() => run(name, why, 'cargo', compile, { cwd: bindings, env }))
    await tools
    const how = ['--mode', 'no-install', '--target', 'web', '--release', '--no-pack', '--no-gitignore']
    const args = ['--quiet', 'build', bindings, ...how, '--out-dir', fresh, '--out-name', name, '--', ...settings]
    await run(`glue of ${name}`, 'JavaScript that calls it', join(wasmTools, `wasm-pack${exe}`), args, { env })
    if (!quick) {
      const wasmOptProgram = join(root, 'node_modules', 'binaryen', 'bin', 'wasm-opt')
      const optimising = [wasmOptProgram, module, '-o', module, ...wasmOpt, ...optimise]
      await run(`wasm-opt of ${name}`, 'makes it smaller', process.execPath, optimising)
    }
    finishGlue(fresh, name)
    writeBuild(fresh, sign(module))
    if (name === 'core') await writeCodes(fresh)
    writeFileSync(join(fresh, SOURCES), `${keysOf(sources, quick)[0]}\n`)
    replace(fresh, folderOf(name))
  })
}

/**
 * Has the module say which build it is, in a section of its own (WebAssembly core specification 5.5.3), so that a module
 * of another version is told apart before it is started. Gives what it says.
 */
function sign(module) {
  const bytes = readFileSync(module)
  const build = buildOf(bytes)
  writeFileSync(module, Buffer.concat([bytes, section(build)]))
  return build
}

export const buildOf = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

/** The section that says which build a module is. It is shorter than 128 bytes: its length is one byte. */
export function section(build) {
  const name = 'sx-agent'
  const content = [name.length, ...Buffer.from(name), ...Buffer.from(build)]
  return Buffer.from([0, content.length, ...content])
}

/** build.js and its types: which build of a module the glue beside it is of. */
function writeBuild(folder, build) {
  writeFileSync(join(folder, 'build.js'), `export const build = '${build}'\n`)
  const meaning = '/** Which build of the module this is of: what its section `sx-agent` says. */\n'
  writeFileSync(join(folder, 'build.d.ts'), `${meaning}export declare const build: string\n`)
}

/**
 * What can fail before the core is loaded, or without it: a page whose agent is in a worker does not load it. Pages and edge
 * runtimes have the text of these codes in JavaScript, and ask the core for all others.
 */
const EARLY = [
  'Busy',
  'CorruptStore',
  'FileChanged',
  'Internal',
  'InvalidConfig',
  'InvalidId',
  'InvalidOption',
  'LimitExceeded',
  'NoAgentLoaded',
  'NoEntropy',
  'NotFound',
  'NotInitialized',
  'NotJson',
  'PasskeyUnavailable',
  'PasswordRequired',
  'StorageFull',
  'StorageUnavailable',
  'SyncStorageUnavailable',
  'TimedOut',
  'Unsupported',
  'Unverifiable',
  'VersionConflict',
  'WasmUnavailable',
  'WorkerUnavailable',
]

/** codes.js and early.js with their types: the table of error codes, asked of the core, so that nobody writes it twice. */
async function writeCodes(folder) {
  const core = await import(pathToFileURL(join(folder, 'core.js')).href)
  core.initSync({ module: new WebAssembly.Module(readFileSync(join(folder, 'core_bg.wasm'))) })
  if (typeof core.errorTable !== 'function')
    throw new Stop('The core does not export errorTable(); wasm/bindings must.')
  const table = JSON.parse(core.errorTable())
  const entry = ([code, what, then, isVerdict]) => `  ${code}: ${JSON.stringify({ what, then, isVerdict })},\n`
  const entries = (rows) => `{\n${rows.map(entry).join('')}}\n`
  const early = EARLY.map((code) => table.find(([name]) => name === code))
  const types = table.map(([code, what]) => `  /** ${what} */\n  readonly ${code}: Row\n`)
  const made = '// Made from the core by scripts/setup.mjs.\n'
  writeFileSync(join(folder, 'codes.js'), `${made}export const codes = ${entries(table)}export const early = codes\n`)
  writeFileSync(join(folder, 'early.js'), `${made}export const early = ${entries(early)}`)
  const declared = `/** Codes whose text needs no core: all of them in Node, elsewhere those that can fail before the core is loaded. */
export declare const early: Readonly<Partial<Record<keyof typeof codes, Row>>>
`
  writeFileSync(
    join(folder, 'early.d.ts'),
    `${made}import type { codes, Row } from './codes.js'
export type { codes, Row } from './codes.js'
${declared}`,
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
/** Every error code. */
export declare const codes: {
${types.join('')}}
${declared}`,
  )
}
