import { type Effect, type Operation, perform } from './effects.ts'
import { SxError } from './errors.ts'

/** 32 fresh random bytes, what one operation of the core takes. The core refuses a dead source. */
export const entropy: Effect<Uint8Array> = { kind: 'entropy', async: draw, sync: draw }

/** Unix milliseconds. */
export const now: Effect<number> = { kind: 'clock', async: () => Date.now(), sync: () => Date.now() }

const date = new DataView(new ArrayBuffer(8))
const dateBytes = new Uint8Array(date.buffer)

/** When the core makes something, and 32 fresh random bytes for it, as one value. @param at Unix milliseconds */
export function* momentAt(at: number): Operation<Uint8Array> {
  const random = yield* perform(entropy)
  const moment = new Uint8Array(8 + random.length)
  date.setFloat64(0, at, true)
  moment.set(dateBytes)
  moment.set(random, 8)
  return moment
}

function draw(): Uint8Array {
  const source: Crypto | undefined = globalThis.crypto
  if (source === undefined) throw new SxError('NoEntropy')
  try {
    return source.getRandomValues(new Uint8Array(32))
  } catch (cause) {
    throw new SxError('NoEntropy', undefined, { cause })
  }
}
