import { SxError } from './errors.ts'

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

/** Whether two arrays hold the same bytes. Not for secrets: it stops at the first difference. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
