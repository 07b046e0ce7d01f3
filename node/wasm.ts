import { readFileSync } from 'node:fs'
import * as glue from '#core'
import { moduleUrl } from '#module'
import { SxError } from '../src/errors.ts'

let ready = false

/** The core, loaded on first use. */
export function core(): typeof glue {
  if (!ready) load(new WebAssembly.Module(readFileSync(moduleUrl)))
  return glue
}

function load(module: WebAssembly.Module): void {
  try {
    glue.initSync({ module })
    ready = true
  } catch (cause) {
    throw new SxError('WasmUnavailable', undefined, { cause })
  }
}

/** Loads the core now rather than on first use. Nothing has to wait for this in Node. */
export async function init(source?: unknown): Promise<void> {
  if (ready) return
  if (source instanceof WebAssembly.Module) load(source)
  else if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    load(new WebAssembly.Module(source as BufferSource))
  } else core()
}

/** Whether the core can be called: always, here. */
export function isReady(): boolean {
  return true
}

/** Builds a new instance of the module, after a trap. */
export function rebuild(): void {
  glue.__wbg_reset_state()
}
