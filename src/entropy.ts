import type { Effect } from './effects.ts'
import { SxError } from './errors.ts'

/** 32 fresh random bytes, what one operation of the core takes. The core refuses a dead source. */
export const entropy: Effect<Uint8Array> = { async: draw, sync: draw }

/** Unix milliseconds. */
export const now: Effect<number> = { async: Date.now, sync: Date.now }

function draw(): Uint8Array {
  const source: Crypto | undefined = globalThis.crypto
  if (source === undefined) throw new SxError('NoEntropy')
  try {
    return source.getRandomValues(new Uint8Array(32))
  } catch (cause) {
    throw new SxError('NoEntropy', undefined, { cause })
  }
}
