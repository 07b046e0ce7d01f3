import type { Operation } from '../effects.ts'
import type { ExtractOptions, ImageSource, StripImageOptions } from '../image-types.ts'
import * as images from '../operations/image.ts'
import { EXTRACT_OPTIONS, STRIP_IMAGE_OPTIONS } from '../option-names.ts'
import { plainOptions } from '../options.ts'
import type { Session } from '../session.ts'
import type { Bytes } from '../types.ts'
import { asynchronous } from './form.ts'

/** The document, or as base64url what stands in the image. */
interface Extract {
  (image: ImageSource, options: ExtractOptions & { rawPayload: true }): Promise<string>
  (image: ImageSource, options?: ExtractOptions & { rawPayload?: false }): Promise<Record<string, unknown>>
  (image: ImageSource, options?: ExtractOptions): Promise<Record<string, unknown> | string>
}

/**
 * What an image carries as its signature, without verifying it: anybody may have written that. No
 * agent has to be loaded.
 *
 * @param image path of the file; or the image as `File`, `Blob`, `Response`, bytes or the `URL` to fetch it from
 * @param options `rawPayload`: as base64url of the JSON text; `signal` and `timeout`, as for `signText`
 * @returns the signed document
 * @throws SxError `MissingSignature`; `BadSignature` for one that was damaged; JSON codes, `InvalidDocument` for what is
 *   no document; `Unsupported` for what is no PNG, JPEG or WebP; `LimitExceeded` for more than 256 MiB; `Unverifiable`;
 *   `TimedOut`;
 *   `NotFound`; storage codes; `InvalidOption`
 * @example
 * await signImage('photo.jpg', 'signed.jpg')
 * const document = await extractMediaSignature('signed.jpg')
 * console.log(document.sxType) // sx-image
 */
export const extractMediaSignature = asynchronous(function extractMediaSignature(
  session: Session,
  image: ImageSource,
  options: ExtractOptions = {},
): Operation<unknown> {
  return images.extractMediaSignature(session, image, plainOptions(options, EXTRACT_OPTIONS))
}) as Extract

/** A file is written; without one the bytes are returned. */
interface Strip {
  (image: ImageSource, out: string, options?: StripImageOptions): Promise<void>
  (image: ImageSource, out?: null, options?: StripImageOptions): Promise<Bytes>
  (image: ImageSource, out?: string | null, options?: StripImageOptions): Promise<Bytes | void>
}

/**
 * Takes the signature out of the metadata of an image, whoever made it; what is left is the file as it was signed. A
 * signature in the pixels stays. An image without one stays as it is. No agent has to be loaded.
 *
 * @param image path of the file; or the image as `File`, `Blob`, `Response`, bytes or the `URL` to fetch it from;
 *   what is passed is left as it is
 * @param out the file to write, whole or not at all, which may be the one that is read; left out to get the bytes
 * @param options `force`: also take out what is left of damaged signatures; `signal` and `timeout`, as for `signText`
 * @returns nothing, or the bytes of the image
 * @throws SxError `BadSignature` for a signature that was damaged, and with `force` if nothing can be told apart; the
 *   codes of `signImage` about images and files
 * @example
 * import { readFileSync } from 'node:fs'
 * await signImage('photo.jpg', 'signed.jpg')
 * const bytes = await stripImageSignature('signed.jpg')
 * console.log(readFileSync('photo.jpg').equals(bytes)) // true
 */
export const stripImageSignature = asynchronous(function stripImageSignature(
  session: Session,
  image: ImageSource,
  out: string | null = null,
  options: StripImageOptions = {},
): Operation<unknown> {
  return images.stripImageSignature(session, image, out, plainOptions(options, STRIP_IMAGE_OPTIONS))
}) as Strip
