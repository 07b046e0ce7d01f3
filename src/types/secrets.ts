import type { KeyAlgorithm } from './algorithms.ts'
import type { Bytes } from './bytes.ts'

/**
 * A private key that is somewhere else: in WebCrypto, where no script can read it out, in another process, in hardware.
 */
export interface ExternalSigner {
  /** SPKI PEM, SPKI DER or the raw bytes. */
  readonly publicKey: string | Uint8Array
  /** Of the key. */
  readonly algorithm: KeyAlgorithm
  /**
   * Signs exactly these bytes: Ed25519 (RFC 8032) without a prehash, or ML-DSA-87 (FIPS 204) with an empty context.
   * What it gives is verified before it is used.
   */
  readonly sign: (bytes: Bytes) => Promise<Uint8Array | ArrayBuffer> | Uint8Array | ArrayBuffer
}

/** In place of a password: the passkey of the person, which the browser asks for. Only in a page. */
export interface ByPasskey {
  readonly passkey: true
}

/** In place of the old password: the password that the page generated and stores, which the owner does not know. */
export interface ByKept {
  readonly kept: true
}
