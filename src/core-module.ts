import { build } from '#glue/core/build.js'
import type { moduleNames } from '#modules'
import { SxError } from './errors.ts'

/** The section of a module that says which build it is; set-up writes it. */
const SECTION = 'sx-agent'

/**
 * Refuses a compiled module that is not the core, or not the one that these sources were built with, before it is started:
 * what has begun to start cannot be replaced.
 *
 * @throws SxError `WasmUnavailable`
 */
export function checkCore(module: WebAssembly.Module): WebAssembly.Module {
  return checkModule(module, 'core', 'errorTable', build)
}

/** What to do about a module of another version. */
const REPLACE =
  'Replace it with the .wasm file of the installed version. If a cache holds the old file, clear the cache.'

/** {@link checkCore} for any module of the library: it has this name, exports this function and is of this build. */
export function checkModule(
  module: WebAssembly.Module,
  name: ModuleName,
  mark: string,
  expected: string,
): WebAssembly.Module {
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name))
  if (!['memory', '__wbindgen_start', mark].every((one) => names.has(one))) {
    throw new SxError('WasmUnavailable', `The WebAssembly module is not the ${name} module of this library.`)
  }
  const [section] = WebAssembly.Module.customSections(module, SECTION)
  if (section !== undefined && new TextDecoder().decode(section) === expected) return module
  const found = `The WebAssembly module is the ${name} module of another version of this library.`
  throw new SxError('WasmUnavailable', found, { advice: REPLACE })
}

/** The modules, as the options of `init` are called. */
export type ModuleName = keyof typeof moduleNames

/** A module of one type: of functions that give a vector (WebAssembly core specification 5.3.2). */
const WITH_SIMD = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b)

/** Why a runtime that knows WebAssembly may refuse a module: nothing where it knows all that is used. */
export function whatIsMissing(): string {
  return WebAssembly.validate(WITH_SIMD) ? '' : ' This runtime does not support WebAssembly SIMD, which is required.'
}
