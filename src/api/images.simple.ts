import type { Operation } from '../effects.ts'
import type { CheckImageOptions, ExtractOptions, ImageSource } from '../image-types.ts'
import * as images from '../operations/image.ts'
import type { Session } from '../session.ts'
import { asynchronous, nothing } from './form.ts'

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
export const extractMediaSignature = asynchronous(
  { needs: nothing, options: { at: 1, names: { signal: true, timeout: true, rawPayload: true } } },
  function extractMediaSignature(
    session: Session,
    image: ImageSource,
    options: ExtractOptions = {},
  ): Operation<unknown> {
    return images.extractMediaSignature(session, image, options)
  },
) as Extract

/**
 * Rejects an image that `signImage` would refuse, with the same code. Call it before you ask for a password or a passkey.
 * `imageCapacity` says whether the pixels have room for a signature. No agent has to be loaded.
 *
 * @param image path of the file; or the image as `File`, `Blob`, `Response`, bytes or the `URL` to fetch it from
 * @param options `refuseOverwrite` and `ignoreC2pa`, as for `signImage`; `signal` and `timeout`, as for `signText`
 * @throws SxError `AlreadySigned` with `refuseOverwrite`; `C2paPresent` without `ignoreC2pa`; `BadSignature`; `Unsupported` for
 *   what is no PNG, JPEG or WebP, or is not whole; `LimitExceeded` for more than 256 MiB; `Unverifiable`; `TimedOut`; `NotFound`;
 *   storage codes; `InvalidOption`
 * @example
 * await checkImage('photo.jpg')
 * await signImage('photo.jpg', 'signed.jpg')
 * const error = await checkImage('signed.jpg', { refuseOverwrite: true }).catch((cause) => cause)
 * console.log(error.code) // AlreadySigned
 */
export const checkImage = asynchronous(
  {
    needs: nothing,
    options: { at: 1, names: { signal: true, timeout: true, refuseOverwrite: true, ignoreC2pa: true } },
  },
  function checkImage(session: Session, image: ImageSource, options: CheckImageOptions = {}): Operation<void> {
    return images.checkImage(session, image, options)
  },
)
