import * as glue from '#pixels'
import { build } from '#pixels-build'
import { compiledModule } from '#wasm'
import { moduleCall } from '../core.ts'
import { checkModule } from '../core-module.ts'
import type { Bytes } from '../types.ts'

/** The pixels of images. What is thrown is an `SxError`; after a trap there is a new instance. */
export interface PixelsModule {
  /** How many bits a signature with this text takes. */
  needed(text: string): number
  /** How many bits an image has room for. */
  capacity(image: Uint8Array): Capacity
  /** What a signature that takes so many bits is to cover. `Unsupported`, `LimitExceeded` if there can be none. */
  prepare(image: Uint8Array, used: number): Prepared
  /** The image with this text in its pixels. */
  embed(image: Uint8Array, text: string, used: number): Bytes
  /** What the pixels hold, as JSON. */
  read(image: Uint8Array): string
}

/** What an image has room for. */
export interface Capacity {
  readonly availableBits: number
}

/** What a signature of pixels covers. */
export interface Prepared {
  readonly sha256: string
  /** What else changes how the image looks, as JSON. */
  readonly display: string
}

/** With more memory than this an instance is not kept: it would never give it back. */
const KEPT = 32 << 20

/** Loads the module. `WasmUnavailable`, `InvalidOption`. */
export async function loadPixels(source: unknown): Promise<PixelsModule> {
  const module = checkModule(await compiledModule(source, 'pixels'), 'pixels', 'readPixels', build)
  await glue.default({ module_or_path: module })
  const called = <T>(work: () => T): T => {
    const result = moduleCall(work, glue.__wbg_reset_state)
    if (glue.initSync({ module }).memory.buffer.byteLength > KEPT) glue.__wbg_reset_state()
    return result
  }
  return {
    needed: (text) => called(() => glue.neededBits(text)),
    capacity: (image) => JSON.parse(called(() => glue.imageCapacity(image))) as Capacity,
    prepare: (image, used) => {
      const found = JSON.parse(called(() => glue.preparePixels(image, used))) as { sha256: string; display: unknown }
      return { sha256: found.sha256, display: JSON.stringify(found.display) }
    },
    embed: (image, text, used) => called(() => glue.embedInPixels(image, text, used)) as Bytes,
    read: (image) => called(() => glue.readPixels(image)),
  }
}
