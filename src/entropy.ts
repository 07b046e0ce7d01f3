import { type EffectOf, kind } from './effects.ts'
import { SxError } from './errors.ts'

const RANDOM = /* @__PURE__ */ kind('random', { async: draw, sync: draw })

/** 32 fresh random bytes, what one operation of the core takes. The core refuses a dead source. */
export const entropy: EffectOf<'random'> = { kind: RANDOM, length: 32 }

const NOW = /* @__PURE__ */ kind('now', { async: () => Date.now(), sync: () => Date.now() })

/** Unix milliseconds. */
export const now: EffectOf<'now'> = { kind: NOW }

const date = new DataView(new ArrayBuffer(8))
const dateBytes = new Uint8Array(date.buffer)

/** What {@link momentAt} takes: 32 fresh random bytes, after as many others as a date has. */
export const blankMoment: EffectOf<'random'> = { kind: RANDOM, length: dateBytes.length + entropy.length }

/**
 * When the core makes something, and 32 fresh random bytes for it, as one value.
 *
 * @param at Unix milliseconds
 * @param blank a {@link blankMoment}, which the date is written into
 */
export function momentAt(at: number, blank: Uint8Array): Uint8Array {
  date.setFloat64(0, at, true)
  blank.set(dateBytes)
  return blank
}

function draw({ length }: EffectOf<'random'>): Uint8Array {
  const source: Crypto | undefined = globalThis.crypto
  if (source === undefined) throw new SxError('NoEntropy')
  try {
    return source.getRandomValues(new Uint8Array(length))
  } catch (cause) {
    throw new SxError('NoEntropy', undefined, { cause })
  }
}
