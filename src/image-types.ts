import type { SxErrorCode } from './errors.ts'
import type { SignImageOptions } from './types/images.ts'
import type { FetchOptions } from './types/texts.ts'

export type * from './types/images.ts'

/** Options of `stripImageSignature`. */
export interface StripImageOptions extends FetchOptions {
  /**
   * Also takes out what is left of damaged signatures, each with the chunk that it stands in: in a WebP that is all of
   * its XMP. Default false (`BadSignature`).
   */
  force?: boolean
}

/** Options of `checkImage`. */
export interface CheckImageOptions extends FetchOptions, Pick<SignImageOptions, 'refuseOverwrite' | 'ignoreC2pa'> {}

/** Options of `extractMediaSignature`. */
export interface ExtractOptions extends FetchOptions {
  /** Gives the payload as it stands in the image, in base64url; default false: the document that it holds. */
  rawPayload?: boolean
}

/** One signature of an image, and the verdict on it alone. The object is frozen; its members are those of the result. */
export interface ImageSignature
  extends Pick<
    VerifyImageResult,
    'valid' | 'signerId' | 'signerName' | 'keyId' | 'algorithm' | 'signedAt' | 'trusted' | 'lost' | 'errors' | 'code'
  > {
  /** Where it stands: in the metadata, where it is about the file, or in the pixels, where it is about the picture. */
  readonly place: 'file' | 'pixels'
  readonly status: VerifyImageResult['status']
}

/** The verdict on an image (protocol, section 21). The object is frozen. */
export interface VerifyImageResult {
  /** `missing_signature`: it carries none. `invalid`: it must not be taken for signed; `code` and `errors` say why. */
  readonly status: 'valid' | 'invalid' | 'missing_signature'
  /** Whether `status` is `valid`. */
  readonly valid: boolean
  /**
   * What the signature is about. `file`: every byte but those of `unsignedRegions`. `pixels`: the picture alone, because
   * the metadata with the other signature are gone; title, place and date in metadata are anybody's then. Undefined if
   * there is no signature that can be read.
   */
  readonly coverage: 'file' | 'pixels' | undefined
  /** The agent that signed: only what the signature claims, or '', unless the image is valid. */
  readonly signerId: string
  /**
   * The name in the signer's agent document, if that is known. Unless `trusted` is true, it is only what the signer says
   * about itself. '' if none is known, and unless the image is valid.
   */
  readonly signerName: string
  /** The key id of the signer's key (RFC 7638 thumbprint); like `signerId`. */
  readonly keyId: string
  /** Of the key: `pq2025` or `ed25519`; '' unless the image is valid. */
  readonly algorithm: string
  /** When it was signed, as the signer says (RFC 3339, UTC, milliseconds); '' unless the image is valid. */
  readonly signedAt: string
  /** Whether the signer is this agent or in its trust store (protocol, section 8), and the image valid. */
  readonly trusted: boolean
  /** Parts of a valid file that the signature does not cover: `c2pa`, a C2PA manifest that was added later, or none. */
  readonly unsignedRegions: readonly 'c2pa'[]
  /**
   * What the picture had when its pixels were signed and has not any more, by its kind: `orientation` for Exif that turns
   * or mirrors it, else `Exif`, `ICC`, `XMP`, `COM` and so on, or the type of a chunk; `transparent` for the colours of
   * pixels that nobody sees, `depth` for 16 bits of a sample where 8 are enough (docs/images.md, section 2). It may look
   * different for that. Empty unless the image is valid with the coverage `pixels`.
   */
  readonly lost: readonly string[]
  /**
   * Each signature with the verdict on it, that in the metadata first. The result is about the first one. The one in the
   * pixels is there if the metadata hold none or one that is not valid, and with the option `pixels`.
   */
  readonly signatures: readonly ImageSignature[]
  /** Why it is not valid: a sentence that begins with the code. Empty if it is valid. */
  readonly errors: readonly string[]
  /** Why it is not valid, for programs; undefined if it is valid. */
  readonly code: SxErrorCode | undefined
}
