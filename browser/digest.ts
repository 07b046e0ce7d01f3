import { toHex } from '../src/bytes.ts'

/** By Web Cryptography, which pages have that were not sent over plain HTTP. */
export function digest(bytes: Uint8Array): Promise<string> | undefined {
  const { subtle } = crypto as { subtle?: SubtleCrypto }
  return subtle?.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>).then((hash) => toHex(new Uint8Array(hash)))
}
