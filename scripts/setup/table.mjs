// wasm/modules.json: the WebAssembly modules of the package, a row each. Whatever lists them takes them from here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stop, wasm } from './shared.mjs'

/**
 * The rows by the name of the module, that which takes longest to build first. The name is the one of its folder in
 * wasm/dist, of its option of `init` and of its export (`sx-agent/<name>.wasm`).
 *
 * - `noun` says what it is, `loaded` when it is loaded: left out where that is at once
 * - `budget` is how large it may be, in bytes, compressed by brotli
 * - `build.crates` are folders in wasm, the last one the bindings; `build.inputs` is what else it is made of
 * - with `build.simd` the compiler may use that everywhere
 * - `build.cargo` are settings for Cargo, `build.cfg` what crates choose code by, `build.wasmOpt` options
 *
 * With SIMD the core hashes a fifth faster. Pixels are what takes time, and their code is loaded only where they are read;
 * miniz_oxide inflates as fast when it is small. The schema module is four times as large as the core, and validates fast
 * enough when it is small; its crates search strings with SIMD. The module for agreements reads and hashes little.
 */
export const modules = JSON.parse(readFileSync(join(wasm, 'modules.json'), 'utf8'))

/** Their names, that of the one that takes longest first. */
export const moduleNames = Object.keys(modules)

/** The same as people list them: the core, then the others by the alphabet. */
export const listedNames = ['core', ...moduleNames.filter((name) => name !== 'core').sort()]

/** Refuses a table that set-up cannot work with. */
export function checkTable() {
  for (const [name, { noun, budget, build }] of Object.entries(modules)) {
    // It is part of names in JavaScript and of files.
    if (!/^[a-z]+$/.test(name)) throw new Stop(`wasm/modules.json: the name ${name} has other characters than a to z.`)
    if (typeof noun !== 'string' || !Number.isInteger(budget) || !Array.isArray(build?.crates))
      throw new Stop(`wasm/modules.json: the row ${name} lacks its noun, its budget in bytes, or build.crates.`)
  }
}

/** The folder of a module. */
export const folderOf = (name) => join(wasm, 'dist', name)

/** Where its WebAssembly is, from the root of the package. */
export const fileOf = (name) => `wasm/dist/${name}/${name}_bg.wasm`
