import * as glue from '#core'
import { coreSource } from '#modules/core/source.js'
import { checkCore, type ModuleName, whatIsMissing } from '../src/core-module.ts'
import { SxError } from '../src/errors.ts'
import { moduleInPackage } from '../wasm/place.js'
import { isServed } from './paths.ts'
import { isNotAllowed } from './storage/failure.ts'

const fs = process.getBuiltinModule('node:fs')
const { Buffer } = process.getBuiltinModule('node:buffer')

let ready = false
let compiled: WebAssembly.Module | undefined

/** Has the core ready to be called: loads it on first use. */
export function requireCore(): void {
  if (!ready) load(byDefault())
}

/** Bytes as programs of this runtime expect them: a `Buffer`. */
export function shownBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
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
  else load(await bytesOf(source, 'core'))
}

/** The file of the package, unless a bundler has left it behind. */
function byDefault(): BufferSource | WebAssembly.Module {
  return standing(coreSource(), 'core')
}

function standing(source: URL | WebAssembly.Module | undefined, name: ModuleName): BufferSource | WebAssembly.Module {
  if (source === undefined) throw unavailable(`The bundle does not contain the WebAssembly ${name}.`)
  return source instanceof URL ? read(source, name) : source
}

/**
 * A compiled module of the library.
 *
 * @param source as for {@link init}; `undefined` where a bundle does not know its own address
 * @throws SxError `WasmUnavailable`; `InvalidOption` for anything else
 */
export async function compiledModule(source: unknown, name: ModuleName): Promise<WebAssembly.Module> {
  const bytes = source === undefined ? standing(source, name) : await bytesOf(source, name)
  if (bytes instanceof WebAssembly.Module) return bytes
  try {
    return await WebAssembly.compile(bytes)
  } catch (cause) {
    throw unavailable(`The WebAssembly ${name} cannot be started.${whatIsMissing()}`, cause)
  }
}

/**
 * {@link compiledModule} without waiting.
 *
 * @throws SxError also `NotInitialized` for a source that has to be awaited
 */
export function compiledModuleNow(source: unknown, name: ModuleName): WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source
  const isAwaited = source instanceof Response || source instanceof Request || isAddress(source)
  if (isAwaited) throw new SxError('NotInitialized', `The WebAssembly ${name} must be fetched first.`)
  const bytes = source === undefined ? standing(source, name) : (bytesAtHand(source) ?? readFrom(source, name))
  try {
    return bytes instanceof WebAssembly.Module ? bytes : new WebAssembly.Module(bytes)
  } catch (cause) {
    throw unavailable(`The WebAssembly ${name} cannot be started.${whatIsMissing()}`, cause)
  }
}

async function bytesOf(source: unknown, name: ModuleName): Promise<BufferSource | WebAssembly.Module> {
  if (source instanceof Response || source instanceof Request || isAddress(source)) return download(source, name)
  return bytesAtHand(source) ?? readFrom(source, name)
}

const isAddress = (source: unknown): source is string | URL =>
  (typeof source === 'string' || source instanceof URL) && /^https?:/i.test(String(source))

function bytesAtHand(source: unknown): BufferSource | WebAssembly.Module | undefined {
  if (source instanceof WebAssembly.Module || source instanceof ArrayBuffer) return source
  return ArrayBuffer.isView(source) ? source : undefined
}

function readFrom(source: unknown, name: ModuleName): BufferSource | WebAssembly.Module {
  if (typeof source === 'string' || source instanceof URL) return read(source, name)
  throw new SxError('InvalidOption', `The option '${name}' is not a path, address, response, bytes or module.`)
}

async function download(source: string | URL | Request | Response, name: ModuleName): Promise<ArrayBuffer> {
  try {
    const response = source instanceof Response ? source : await fetch(source)
    if (response.ok) return await response.arrayBuffer()
    throw unavailable(`The server answered ${response.status} for the WebAssembly ${name}.`)
  } catch (cause) {
    throw cause instanceof SxError ? cause : unavailable(`The WebAssembly ${name} cannot be fetched.`, cause)
  }
}

/** Reads a file by its path or `file:` address. */
function read(file: string | URL, name: ModuleName): Uint8Array<ArrayBuffer> {
  try {
    const place = isServed(file) ? moduleInPackage(name) : file
    return fs.readFileSync(typeof place === 'string' && /^file:/i.test(place) ? new URL(place) : place)
  } catch (cause) {
    const found = `The WebAssembly ${name} cannot be read from ${file}.`
    if (isNotAllowed(cause)) throw new SxError('WasmUnavailable', found, { advice: `${cause.message}.`, cause })
    throw unavailable(found, cause)
  }
}

function load(source: BufferSource | WebAssembly.Module): void {
  try {
    const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source)
    glue.initSync({ module: checkCore(module) })
    // In Deno it is JavaScript that copies.
    if (!('deno' in process.versions)) glue.copyTextsWith(copyUtf16)
    compiled = module
    ready = true
  } catch (cause) {
    if (cause instanceof SxError) throw cause
    throw unavailable(`The WebAssembly core cannot be started.${whatIsMissing()}`, cause)
  }
}

let view = Buffer.alloc(0)

/** Copies a text into the core's memory as it is, which takes a fraction of the time of encoding it. */
function copyUtf16(text: string, memory: ArrayBuffer, at: number): void {
  if (view.buffer !== memory) view = Buffer.from(memory)
  view.write(text, at, text.length * 2, 'utf16le')
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
