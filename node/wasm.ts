import { readFileSync } from 'node:fs'
import * as glue from '#core'
import { coreSource } from '#module'
import { checkCore } from '../src/core-module.ts'
import { SxError } from '../src/errors.ts'

let ready = false
let compiled: WebAssembly.Module | undefined

/** Has the core ready to be called: loads it on first use. */
export function requireCore(): void {
  if (!ready) load(byDefault())
}

/**
 * Loads the core now rather than on first use. Nothing has to wait for this in Node.
 *
 * @param source bytes, compiled module, path, address or response; by default the file of the package
 * @throws SxError `WasmUnavailable`; `InvalidOption` for anything else
 */
export async function init(source?: unknown): Promise<void> {
  if (ready) return
  if (source === undefined) requireCore()
  else load(await bytesOf(source))
}

/** The file of the package, unless a bundler has left it behind. */
function byDefault(): BufferSource | WebAssembly.Module {
  const source = coreSource()
  if (source === undefined) throw unavailable('This bundle does not know where the WebAssembly core is.')
  return source instanceof URL ? read(source) : source
}

async function bytesOf(source: unknown): Promise<BufferSource | WebAssembly.Module> {
  if (source instanceof WebAssembly.Module || source instanceof ArrayBuffer) return source
  if (ArrayBuffer.isView(source)) return source
  if (source instanceof Response || source instanceof Request) return download(source)
  if (typeof source !== 'string' && !(source instanceof URL)) {
    throw new SxError('InvalidOption', "The option 'core' is no path, address, response, bytes or module.")
  }
  return /^https?:/i.test(String(source)) ? download(source) : read(source)
}

async function download(source: string | URL | Request | Response): Promise<ArrayBuffer> {
  try {
    const response = source instanceof Response ? source : await fetch(source)
    if (response.ok) return await response.arrayBuffer()
    throw unavailable(`The server answers ${response.status} for the WebAssembly core.`)
  } catch (cause) {
    throw cause instanceof SxError ? cause : unavailable('The WebAssembly core cannot be fetched.', cause)
  }
}

/** Reads a file by its path or `file:` address. */
function read(file: string | URL): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(typeof file === 'string' && /^file:/i.test(file) ? new URL(file) : file)
  } catch (cause) {
    throw unavailable(`The WebAssembly core cannot be read from ${file}.`, cause)
  }
}

function load(source: BufferSource | WebAssembly.Module): void {
  try {
    const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source)
    glue.initSync({ module: checkCore(module) })
    compiled = module
    ready = true
  } catch (cause) {
    if (cause instanceof SxError) throw cause
    throw unavailable('The WebAssembly core cannot be started here.', cause)
  }
}

function unavailable(found: string, cause?: unknown): SxError {
  return new SxError('WasmUnavailable', found, { cause })
}

/** Whether the core can be called: always, here. */
export function isReady(): boolean {
  return true
}

/** The compiled module of the core, for workers; `undefined` before it is loaded. */
export function module(): WebAssembly.Module | undefined {
  return compiled
}

/** Builds a new instance of the module, after a trap. */
export function rebuild(): void {
  glue.__wbg_reset_state()
}
