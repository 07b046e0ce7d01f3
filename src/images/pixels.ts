import { build } from '#glue/pixels/build.js'
import * as glue from '#glue/pixels/pixels.js'
import { compiledModule } from '#wasm'
import { fromHex } from '../bytes.ts'
import { moduleCall } from '../core.ts'
import { checkModule } from '../core-module.ts'
import type { Bytes } from '../types.ts'

/** The pixels of images. What is thrown is an `SxError`; after a trap there is a new instance. */
export interface PixelsModule {
  /** How many bits a signature with this text takes. */
  needed(text: string): number
  /**
   * What a signature is to cover that differs from this draft in its digits and in what else changes how the image looks,
   * where the draft has `display`. `Unsupported`, `LimitExceeded` if there can be none.
   */
  prepare(image: Uint8Array, draft: string, display: string): Prepared
  /** The image with this text in its pixels, which covers what was prepared and stands where. `Unsupported` if it cannot. */
  embed(image: Uint8Array, text: string, prepared: Prepared): Bytes
  /** What the pixels hold, as JSON. */
  read(image: Uint8Array): string
}

/** What a signature of pixels covers, and where it is to stand. */
export interface Prepared {
  /** How many bits it takes, and how many the image has room for. */
  readonly used: number
  readonly available: number
  /** Which coefficients of a JPEG take it. */
  readonly carriers: Uint32Array
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
    prepare: (image, draft, display) => {
      const [before = '', ...after] = draft.split(display)
      const answer = called(() => glue.preparePixels(image, before, after.join(display)))
      const found = JSON.parse(answer) as Prepared & { carriers: number[] }
      return { ...found, display: JSON.stringify(found.display), carriers: Uint32Array.from(found.carriers) }
    },
    embed: (image, text, { used, available, carriers, sha256 }) =>
      called(() =>
        glue.embedInPixels(image, text, new Uint32Array([used, available, ...carriers]), fromHex(sha256)),
      ) as Bytes,
    read: (image) => called(() => glue.readPixels(image)),
  }
}
