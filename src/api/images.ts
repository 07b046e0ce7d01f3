import type { Operation } from '../effects.ts'
import type {
  ImageCapacity,
  ImageCapacityOptions,
  ImageSource,
  SignImageOptions,
  StripImageOptions,
  VerifyImageOptions,
  VerifyImageResult,
} from '../image-types.ts'
import * as images from '../operations/image.ts'
import type { Session } from '../session.ts'
import type { Bytes } from '../types.ts'
import { asynchronous, nothing, privateKey } from './form.ts'

/** A file is written; without one the bytes of the signed image are returned. */
interface SignImage {
  (image: ImageSource, out: string, options?: SignImageOptions): Promise<void>
  (image: ImageSource, out?: null, options?: SignImageOptions): Promise<Bytes>
  (image: ImageSource, out?: string | null, options?: SignImageOptions): Promise<Bytes | void>
}

/**
 * Signs an image, a PNG, JPEG or WebP: the signature stands in its metadata and covers every other byte of the file
 * (protocol, section 21). The picture stays as it is, to the bit. Metadata have one signature: that of
 * another agent is replaced, and so is one in the pixels, if `robust` puts another one there; without `robust` that
 * one stays, and counts again where the metadata are lost.
 *
 * With `robust`, the picture of a PNG or JPEG carries another signature in its least significant bits, which is not visible.
 * It is found if the metadata are gone. It does not survive another quality, scaling, rotation or cropping.
 *
 * @param image path of the file; or the image as `File`, `Blob`, `Response`, bytes or the `URL` to fetch it from;
 *   what is passed is left as it is
 * @param out the file to write, whole or not at all, which may be the one that is signed, and
 *   may be there: it is replaced; `null`, or left out, to get the bytes
 * @returns nothing, or the bytes of the signed image
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `Unsupported` for what is no
 *   whole image of these formats, and with `robust` for one that cannot carry a signature in its picture, with the
 *   reason; `AlreadySigned` with `refuseOverwrite`; `C2paPresent`; `BadSignature` if a signature is there that is so
 *   damaged that it cannot be taken out; `LimitExceeded` for more than 256 MiB; `Unverifiable` for a response or address
 *   that cannot be read, `TimedOut` for one that goes silent. Of files:
 *   `NotFound`; `LinkRefused` for symbolic and hard links to write to; `FileChanged` if `out` is the image and somebody
 *   else has changed it meanwhile; storage codes; `InvalidOption` for a path where there are no files
 * @example
 * import { readFileSync } from 'node:fs'
 * await signImage('photo.jpg', 'signed.jpg')
 * console.log((await verifyImage('signed.jpg')).status) // valid
 *
 * const signed = await signImage(readFileSync('photo.jpg'), null)
 * console.log((await verifyImage(signed)).coverage) // file
 */
export const signImage = asynchronous(
  {
    needs: privateKey,
    options: { at: 2, names: { signal: true, timeout: true, robust: true, refuseOverwrite: true, ignoreC2pa: true } },
    source: 'image',
  },
  function signImage(
    session: Session,
    image: ImageSource,
    out: string | null = null,
    options: SignImageOptions = {},
  ): Operation<unknown> {
    return images.signImage(session, image, out, options)
  },
) as SignImage

/**
 * The verdict on an image (protocol, section 21). Where its metadata hold no signature, its pixels are
 * looked at; `coverage` says which of both was found. `signatures` tells of both where that in the metadata is not valid. Never throws because of a signature, or for want of one unless
 * `strict` asks for it.
 *
 * What is valid is who signed and what, not whether the picture is true.
 *
 * @param image path of the file; or the image as `File`, `Blob`, `Response`, bytes or the `URL` to fetch it from
 * @param options `strict`: an image without a signature is an error; `pixels`: also read the pixels of a valid file;
 *   `keyDir`: more public keys, a folder of `<agentId>.public.pem` files or the keys by agent id, which is also what
 *   `keys` takes. With either of both no agent has to be loaded; `dataDirectory`, `key`: as for `verifyText`; `signal` and
 *   `timeout`, as for `signText`
 * @throws SxError `NoAgentLoaded` without keys; `MissingSignature` with `strict`; `Unsupported` for what is no PNG,
 *   JPEG or WebP; `LimitExceeded` for more than 256 MiB; `Unverifiable` for a response or address that cannot be read,
 *   `TimedOut` for one that goes silent; `NotFound` for the file or the folder; storage codes; `InvalidOption`, also for a path where there are no files
 * @example
 * import { readFileSync } from 'node:fs'
 * const signed = await signImage(readFileSync('photo.jpg'), null)
 * const { status, trusted, coverage } = await verifyImage(signed)
 * console.log(status, trusted, coverage) // valid true file
 *
 * signed[signed.length - 10] ^= 1
 * const changed = await verifyImage(signed)
 * console.log(changed.status, changed.code) // invalid HashMismatch
 */
export const verifyImage = asynchronous(
  {
    needs: nothing,
    options: {
      at: 1,
      names: {
        signal: true,
        timeout: true,
        strict: true,
        keyDir: true,
        keys: true,
        dataDirectory: true,
        key: true,
        pixels: true,
      },
    },
    source: 'image',
  },
  function verifyImage(
    session: Session,
    image: ImageSource,
    options: VerifyImageOptions = {},
  ): Operation<VerifyImageResult> {
    return images.verifyImage(session, image, options)
  },
)

/**
 * Whether an image has room for the signature that `signImage` with `robust` would put into its pixels. No agent has to be
 * loaded.
 *
 * @param image path of the file; or the image as `File`, `Blob`, `Response`, bytes or the `URL` to fetch it from
 * @param options `algorithm` of the key that will sign, default the agent's, without an agent `pq2025`; `signal` and
 *   `timeout`, as for `signText`
 * @returns whether it has; why not; how many bits the signature takes, and how many there are
 * @throws SxError `LimitExceeded` for more than
 *   256 MiB; `Unverifiable` for a response or address that cannot be read, `TimedOut`
 *   for one that goes silent; `NotFound`; storage codes; `InvalidOption`
 * @example
 * const { supported, neededBits, availableBits } = await imageCapacity('photo.jpg')
 * console.log(supported === neededBits <= availableBits) // true
 * await signImage('photo.jpg', 'signed.jpg', { robust: supported })
 */
export const imageCapacity = asynchronous(
  { needs: nothing, options: { at: 1, names: { algorithm: true, signal: true, timeout: true } }, source: 'image' },
  function imageCapacity(
    session: Session,
    image: ImageSource,
    options: ImageCapacityOptions = {},
  ): Operation<ImageCapacity> {
    return images.imageCapacity(session, image, options)
  },
)

/** A file is written; without one the bytes are returned. */
interface Strip {
  (image: ImageSource, out: string, options?: StripImageOptions): Promise<void>
  (image: ImageSource, out?: null, options?: StripImageOptions): Promise<Bytes>
  (image: ImageSource, out?: string | null, options?: StripImageOptions): Promise<Bytes | void>
}

/**
 * Removes the signature from the metadata of an image, whoever made it. The result is the file as it was before signing. A
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
export const stripImageSignature = asynchronous(
  { needs: nothing, options: { at: 2, names: { signal: true, timeout: true, force: true } }, source: 'image' },
  function stripImageSignature(
    session: Session,
    image: ImageSource,
    out: string | null = null,
    options: StripImageOptions = {},
  ): Operation<unknown> {
    return images.stripImageSignature(session, image, out, options)
  },
) as Strip
