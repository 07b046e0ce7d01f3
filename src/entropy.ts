import type { Effect } from './effects.ts'
import { SxError } from './errors.ts'

/** 32 fresh random bytes, what one operation of the core takes. The core refuses a dead source. */
export const entropy: Effect<Uint8Array> = { kind: 'entropy', async: draw, sync: draw }

/** Unix milliseconds. */
export const now: Effect<number> = { kind: 'clock', async: () => Date.now(), sync: () => Date.now() }

/** Bytes that one operation takes. */
const DRAWN = 32

// To ask a runtime for random bytes takes it longer than to make many of them, so some are asked for at a time, as
// `crypto.randomUUID` of Node does. None is given out twice, and none stays behind.
let stock: Uint8Array<ArrayBuffer> = new Uint8Array(0)
let source: unknown // that gave it

function draw(): Uint8Array {
  const { crypto }: { crypto?: Crypto } = globalThis
  if (crypto === undefined) throw new SxError('NoEntropy')
  const asked: unknown = Reflect.get(crypto, 'getRandomValues') // what somebody may have replaced
  if (stock.length === 0 || asked !== source) {
    source = asked
    stock = new Uint8Array(0)
    try {
      stock = crypto.getRandomValues(new Uint8Array(16 * DRAWN))
    } catch (cause) {
      throw new SxError('NoEntropy', undefined, { cause })
    }
  }
  const drawn = stock.slice(0, DRAWN)
  stock.fill(0, 0, DRAWN)
  stock = stock.subarray(DRAWN)
  return drawn
}
