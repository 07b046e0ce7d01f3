import { SxError } from './errors.ts'
import type { Bytes } from './types/bytes.ts'

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Which array it is: it cannot be changed from outside, and throws for nothing. */
const typeOfArray = /* @__PURE__ */ (() =>
  Reflect.getOwnPropertyDescriptor(Reflect.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag)?.get)()

/** Whether it is a `Uint8Array`, of this or of another realm, and nothing that only passes for one. */
export function isBytes(value: unknown): value is Uint8Array {
  return typeOfArray?.call(value) === 'Uint8Array'
}

/** The UTF-8 bytes of a text. */
export function encode(text: string): Uint8Array {
  return encoder.encode(text)
}

/**
 * The text of UTF-8 bytes from a storage.
 *
 * @throws SxError `CorruptStore` naming what was read
 */
export function decode(bytes: Uint8Array, name: string): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new SxError('CorruptStore', `${name} is not UTF-8 text.`, { cause })
  }
}

/** Whether two arrays hold the same bytes, or both are missing. Not for secrets: it stops at the first difference. */
export function equalBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** Bytes in lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of pieces that have so many together. */
export function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** The bytes of hexadecimal digits that a module of ours has written. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** So many bytes at a time become characters: a call may not have more arguments. Three bytes are four characters. */
const AT_ONCE = 0x6000

/** Base64 (RFC 4648, section 4) of bytes. */
export function toBase64(bytes: Uint8Array & { toBase64?(): string }): string {
  if (bytes.toBase64 !== undefined) return bytes.toBase64()
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    parts.push(btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + AT_ONCE) as unknown as number[])))
  }
  return parts.join('')
}

/** The bytes of base64 that the core has found to be canonical. */
export function fromBase64(text: string): Bytes {
  const native = Uint8Array as { fromBase64?(text: string): Bytes }
  if (native.fromBase64 !== undefined) return native.fromBase64(text)
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
