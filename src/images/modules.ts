// The two modules for images, each loaded when it is needed for the first time. What calls them is imported like
// everything else: with `import()` in it, Vite could not make a worker of the library by its default settings.
import { mediaSource, pixelsSource } from '#images'
import { type EffectOf, kind } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { CoreSource } from '../types.ts'
import { loadMedia } from './media.ts'
import { loadPixels } from './pixels.ts'

/** Where the modules are, if not where the package has them. */
export interface ImageSources {
  /** Finds, puts in and takes out signatures in metadata. */
  media?: CoreSource | undefined
  /** Reads and writes signatures in pixels. */
  pixels?: CoreSource | undefined
}

const sources: ImageSources = {}

/** Says where the modules are; what is loaded already stays. */
export function setImageSources({ media, pixels }: ImageSources): void {
  if (media !== undefined) sources.media = media
  if (pixels !== undefined) sources.pixels = pixels
}

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
  /* @__PURE__ */ once(() => {
    const { media = mediaSource() } = sources
    return loadMedia(media)
  }),
)

/** The module for metadata. */
export const mediaModule: EffectOf<'mediaModule'> = { kind: MEDIA }

const PIXELS = /* @__PURE__ */ kind(
  'pixelsModule',
  /* @__PURE__ */ once(() => {
    const { pixels = pixelsSource() } = sources
    return loadPixels(pixels)
  }),
)

/** The module for pixels. */
export const pixelsModule: EffectOf<'pixelsModule'> = { kind: PIXELS }
