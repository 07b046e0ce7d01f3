import type { KeyAlgorithm } from './algorithms.ts'
import type { FetchOptions, VerifyTextOptions } from './texts.ts'

/**
 * An image to sign or verify, a PNG, JPEG or WebP of at most 256 MiB: the path of a file; its bytes; a `Blob` or `File`;
 * a `Response`, which is read once; or an address to fetch it from, as `URL` (`http:`, `https:`, `blob:`, `data:`). The
 * format is detected from the bytes.
 */
export type ImageSource = string | Uint8Array | Blob | Response | URL

/** Options of `signImage`. */
export interface SignImageOptions extends FetchOptions {
  /** Also signs the picture itself, in its pixels: that outlives the loss of all metadata. PNG and JPEG; default false. */
  robust?: boolean
  /** Rejects an image that carries a signature (`AlreadySigned`); default false: its signature is replaced. */
  refuseOverwrite?: boolean
  /** Signs an image with a C2PA manifest too, which becomes invalid by that; default false (`C2paPresent`). */
  ignoreC2pa?: boolean
}

/** Options of `verifyImage`. */
export interface VerifyImageOptions extends VerifyTextOptions {
  /** Rejects with `MissingSignature` where the image carries none; default false: that is a status then. */
  strict?: boolean
  /**
   * Also reads the pixels of a PNG or JPEG whose metadata hold a valid signature, so that `signatures` tells of another
   * one there. That takes about as long as to show the picture; default false.
   */
  pixels?: boolean
}

/** Options of `imageCapacity`. */
export interface ImageCapacityOptions extends FetchOptions {
  /** Of the key that will sign: default the agent's; without an agent `pq2025`. */
  algorithm?: KeyAlgorithm
}

/** Whether an image has room for a signature in its pixels. The object is frozen. */
export interface ImageCapacity {
  /** Whether `signImage` with `robust` can sign it. */
  readonly supported: boolean
  /** Why not, as a sentence; undefined if it can. */
  readonly reason: string | undefined
  /** So many bits the signature takes. */
  readonly neededBits: number
  /** So many bits the image can carry. */
  readonly availableBits: number
}
