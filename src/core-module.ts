import { build } from '#codes'
import { SxError } from './errors.ts'

/** The section of the module that says which build of the core it is; set-up writes it. */
const SECTION = 'sx-agent'

/**
 * Refuses a compiled module that is not the core, or not the one that these sources were built with, before it is started:
 * what has begun to start cannot be replaced.
 *
 * @throws SxError `WasmUnavailable`
 */
export function checkCore(module: WebAssembly.Module): WebAssembly.Module {
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name))
  if (!['memory', '__wbindgen_start', 'errorTable'].every((name) => names.has(name))) {
    throw new SxError('WasmUnavailable', 'The WebAssembly module is not the core of this library.')
  }
  const [section] = WebAssembly.Module.customSections(module, SECTION)
  if (section !== undefined && new TextDecoder().decode(section) === build) return module
  const found = 'The WebAssembly module is the core of another version of this library; a cache may have kept it.'
  throw new SxError('WasmUnavailable', found)
}
