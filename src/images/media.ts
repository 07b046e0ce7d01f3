import { build } from '#glue/media/build.js'
import * as glue from '#glue/media/media.js'
import { compiledModule } from '#wasm'
import { moduleCall } from '../core.ts'
import { checkModule } from '../core-module.ts'
import type { Bytes } from '../types.ts'

/** The metadata of images. What is thrown is an `SxError`; after a trap there is a new instance. */
export interface MediaModule {
  /** What there is of signatures and C2PA, as JSON; {@link Scan} is what of it is read here. */
  scan(image: Uint8Array): string
  /** The image with this payload in its metadata, in the place of one that is there. */
  embed(image: Uint8Array, payload: string): Bytes
  /** The image without the signature in its metadata; if wanted without what is left of damaged ones, too. */
  strip(image: Uint8Array, withRemains: boolean): Bytes
}

/** Part of what a scan finds. */
export interface Scan {
  readonly format: 'png' | 'jpeg' | 'webp'
  readonly status: 'none' | 'signed' | 'damaged'
  /** What a signature covers: ranges of the file and, between them, bytes in hexadecimal. */
  readonly content: readonly (readonly [from: number, to: number] | string)[]
  /** Bytes of the content. */
  readonly length: number
}

/** Loads the module. `WasmUnavailable`, `InvalidOption`. */
export async function loadMedia(source: unknown): Promise<MediaModule> {
  const module = checkModule(await compiledModule(source, 'media'), 'media', 'scanImage', build)
  await glue.default({ module_or_path: module })
  const called = <T>(work: () => T): T => moduleCall(work, glue.__wbg_reset_state)
  return {
    scan: (image) => called(() => glue.scanImage(image)),
    embed: (image, payload) => called(() => glue.embedPayload(image, payload)) as Bytes,
    strip: (image, withRemains) => called(() => glue.stripPayload(image, withRemains)) as Bytes,
  }
}
