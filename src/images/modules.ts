// The two modules for images, each loaded when it is needed for the first time. What calls them is imported like
// everything else: with `import()` in it, Vite could not make a worker of the library by its default settings.
import { mediaSource } from '#modules/media/source.js'
import { pixelsSource } from '#modules/pixels/source.js'
import { type EffectOf, kind } from '../effects.ts'
import { SxError } from '../errors.ts'
import { sourceOf } from '../module-sources.ts'
import { loadMedia } from './media.ts'
import { loadPixels } from './pixels.ts'

/** Loads a module once; after a failure the next call tries again. */
/* @__NO_SIDE_EFFECTS__ */
function once<T>(load: () => Promise<T>): { async(): Promise<T>; sync(): never } {
  let pending: Promise<T> | undefined
  return {
    async: async () => {
      pending ??= load().catch((error: unknown) => {
        pending = undefined
        throw error
      })
      return pending
    },
    sync: () => {
      throw new SxError('Unsupported', 'Images have no synchronous functions.')
    },
  }
}

const MEDIA = /* @__PURE__ */ kind(
  'mediaModule',
  /* @__PURE__ */ once(() => loadMedia(sourceOf('media', mediaSource))),
)

/** The module for metadata: finds, puts in and takes out signatures there. */
export const mediaModule: EffectOf<'mediaModule'> = { kind: MEDIA }

const PIXELS = /* @__PURE__ */ kind(
  'pixelsModule',
  /* @__PURE__ */ once(() => loadPixels(sourceOf('pixels', pixelsSource))),
)

/** The module for pixels: reads and writes signatures there. */
export const pixelsModule: EffectOf<'pixelsModule'> = { kind: PIXELS }
