import { SxError } from './errors.ts'

/**
 * Refuses a compiled module that is not the core, before it is started: what has begun to start cannot be replaced.
 *
 * @throws SxError `WasmUnavailable`
 */
export function checkCore(module: WebAssembly.Module): WebAssembly.Module {
  const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name))
  if (['memory', '__wbindgen_start', 'errorTable'].every((name) => names.has(name))) return module
  throw new SxError('WasmUnavailable', 'The WebAssembly module is not the core of this library.')
}
