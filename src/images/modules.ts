// The two modules for images, each loaded when it is needed for the first time. What calls them is imported like
// everything else: with `import()` in it, Vite could not make a worker of the library by its default settings.
import { mediaSource } from '#modules/media/source.js'
import { pixelsSource } from '#modules/pixels/source.js'
import type { Effect } from '../effects.ts'
import { SxError } from '../errors.ts'
import { sourceOf } from '../module-sources.ts'
import { loadMedia, type MediaModule } from './media.ts'
import { loadPixels, type PixelsModule } from './pixels.ts'

/** Loads something once; after a failure the next call tries again. */
function once<T>(load: () => Promise<T>): Effect<T> {
  let pending: Promise<T> | undefined
  return {
    kind: 'storage',
    async: () => {
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

/** The module for metadata: finds, puts in and takes out signatures there. */
export const mediaModule: Effect<MediaModule> = /* @__PURE__ */ once(() => loadMedia(sourceOf('media', mediaSource)))

/** The module for pixels: reads and writes signatures there. */
export const pixelsModule: Effect<PixelsModule> = /* @__PURE__ */ once(() =>
  loadPixels(sourceOf('pixels', pixelsSource)),
)
