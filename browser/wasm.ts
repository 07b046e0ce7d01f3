import * as glue from '#core'
import { SxError } from '../src/errors.ts'

let pending: Promise<void> | undefined
let ready = false

/**
 * The core.
 *
 * @throws SxError `NotInitialized` before `init()` has finished
 */
export function core(): typeof glue {
  if (!ready) throw new SxError('NotInitialized')
  return glue
}

/**
 * Loads the core, once. Every asynchronous function of the library does it by itself.
 *
 * @throws SxError `WasmUnavailable` if the page forbids WebAssembly or the module is not served
 */
export function init(source: unknown = glue.moduleUrl): Promise<void> {
  pending ??= load(source).catch((cause: unknown) => {
    pending = undefined
    throw new SxError('WasmUnavailable', undefined, { cause })
  })
  return pending
}

async function load(source: unknown): Promise<void> {
  await glue.default({ module_or_path: source as Parameters<typeof glue.default>[0] as never })
  ready = true
}

/** Whether the core can be called. */
export function isReady(): boolean {
  return ready
}

/** Builds a new instance of the module, after a trap. */
export function rebuild(): void {
  glue.__wbg_reset_state()
}
