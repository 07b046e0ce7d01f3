import * as glue from '#core'
import { coreSource } from '#modules/core/source.js'
import { checkCore, type ModuleName, whatIsMissing } from '../src/core-module.ts'
import { learnCodes, SxError } from '../src/errors.ts'

/** `\0asm`, what every module begins with (WebAssembly core specification 5.5.16). */
const MAGIC = [0x00, 0x61, 0x73, 0x6d]

let pending: Promise<void> | undefined
let ready = false
let compiled: WebAssembly.Module | undefined

/**
 * Has the core ready to be called. Where it is compiled already, as in Cloudflare Workers, it is started on first use.
 *
 * @throws SxError `NotInitialized` before `init()` has finished; `WasmUnavailable`
 */
export function requireCore(): void {
  if (!ready) start(standing())
}

/** Bytes as programs of this runtime expect them: as they are. */
export function shownBytes(bytes: Uint8Array): Uint8Array {
  return bytes
}

/** The module that stands ready without `init()`. */
function standing(): WebAssembly.Module {
  const source = coreSource()
  if (source instanceof WebAssembly.Module) return source
  throw new SxError('NotInitialized')
}

function begin(module: WebAssembly.Module): void {
  learnCodes(glue.errorTable())
  compiled ??= module
  ready = true
}

function start(module: WebAssembly.Module): void {
  try {
    glue.initSync({ module: checkCore(module) })
    begin(module)
  } catch (error) {
    throw error instanceof SxError ? error : unavailable('The WebAssembly core cannot be started.', error)
  }
}

/**
 * Loads the core, once. Every asynchronous function of the library does it by itself. A load that is under way is waited
 * for; if it fails, a source of one's own is loaded.
 *
 * @param source address, response, bytes or compiled module; by default the file of the package
 * @throws SxError `WasmUnavailable` if the page forbids WebAssembly or the module is not served
 */
export async function init(source?: unknown): Promise<void> {
  while (pending !== undefined) {
    try {
      await pending
      return
    } catch (error) {
      if (source === undefined) throw error
    }
  }
  pending = load(source ?? coreSource()).catch((error: unknown) => {
    pending = undefined
    throw error instanceof SxError ? error : unavailable('The WebAssembly core cannot be started.', error)
  })
  await pending
}

/** Whether the core can be called. */
export function isReady(): boolean {
  return ready
}

/** The compiled module of the core, for workers; `undefined` before it is loaded. */
export function module(): WebAssembly.Module | undefined {
  return compiled
}

/** Builds a new instance of the module, after a trap. */
export function rebuild(): void {
  glue.__wbg_reset_state()
}

// Fetching and compiling are done here and not by the glue: it prints a warning for a wrong media
// type, which a library does not do, and its errors don't tell a missing file from a forbidden one.
async function load(source: unknown): Promise<void> {
  if (ready) return
  const module = checkCore(await compiledModule(source, 'core'))
  // A synchronous call may have started it meanwhile, or do so while the glue waits: then there would be two instances.
  if (coreSource() instanceof WebAssembly.Module) requireCore()
  else await glue.default({ module_or_path: module })
  if (!ready) begin(module)
}

/**
 * A compiled module of the library.
 *
 * @param source as for {@link init}; `undefined` where a bundle does not know its own address
 * @throws SxError `WasmUnavailable`; `InvalidOption` for anything else
 */
export async function compiledModule(source: unknown, name: ModuleName): Promise<WebAssembly.Module> {
  if (source === undefined) throw unavailable(`The bundle does not contain the WebAssembly ${name}.`)
  if (source instanceof WebAssembly.Module) return source
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return compile(source as BufferSource, name)
  if (source instanceof Response) return compileResponse(source, name)
  if (typeof source === 'string' || source instanceof URL || source instanceof Request) {
    return compileResponse(await download(source, name), name)
  }
  throw new SxError('InvalidOption', `The option '${name}' is not an address, response, bytes or module.`)
}

/**
 * {@link compiledModule} without waiting: what is compiled already, as in Cloudflare Workers.
 *
 * @throws SxError `NotInitialized`
 */
export function compiledModuleNow(source: unknown, name: ModuleName): WebAssembly.Module {
  if (source instanceof WebAssembly.Module) return source
  throw new SxError(
    'NotInitialized',
    `The WebAssembly ${name} is not loaded yet. Load it with \`init({ ${name}: true })\`.`,
  )
}

async function download(source: string | URL | Request, name: ModuleName): Promise<Response> {
  try {
    return await fetch(source)
  } catch (cause) {
    throw unavailable(`The WebAssembly ${name} cannot be fetched from ${addressOf(source)}.${hint()}`, cause)
  }
}

/** What a bundler for Node has done that took the build for pages. */
function hint(): string {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  const isNode = process?.versions?.node !== undefined && typeof document === 'undefined'
  return isNode ? ' This is the build for pages. For Node, let the bundler resolve with the condition `node`.' : ''
}

function addressOf(source: string | URL | Request): string {
  return source instanceof Request ? source.url : String(source)
}

async function compileResponse(response: Response, name: ModuleName): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw unavailable(`The server answered ${response.status} for the WebAssembly ${name} at ${response.url}.`)
  }
  // Streaming asks for the media type `application/wasm`, which not every static host sends.
  const streams = 'compileStreaming' in WebAssembly // not in every edge runtime
  if (streams && response.headers.get('Content-Type') === 'application/wasm') {
    try {
      return await WebAssembly.compileStreaming(response)
    } catch (cause) {
      throw await refused(cause, name)
    }
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) {
    throw unavailable(`The server sent another file for the WebAssembly ${name} at ${response.url}.`)
  }
  return compile(bytes, name)
}

async function compile(bytes: BufferSource, name: ModuleName): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes)
  } catch (cause) {
    throw await refused(cause, name)
  }
}

/** The smallest module: its magic number and version. */
const EMPTY = Uint8Array.of(...MAGIC, 1, 0, 0, 0)

/**
 * A Content-Security-Policy that forbids WebAssembly, an edge runtime that compiles nothing, and a file that was cut off
 * show as a `CompileError`, a broken connection does not. Where nothing can be compiled, it is not the file.
 */
async function refused(cause: unknown, name: ModuleName): Promise<SxError> {
  if (!(cause instanceof WebAssembly.CompileError))
    return unavailable(`The WebAssembly ${name} was not transferred completely.`, cause)
  const isAllowed = await WebAssembly.compile(EMPTY).then(
    () => true,
    () => false,
  )
  const found = isAllowed
    ? `The WebAssembly ${name} is truncated or damaged, or uses features that this runtime does not support.${whatIsMissing()}`
    : 'WebAssembly is not allowed here.'
  return unavailable(found, cause)
}

function unavailable(found: string, cause?: unknown): SxError {
  return new SxError('WasmUnavailable', found, { cause })
}
