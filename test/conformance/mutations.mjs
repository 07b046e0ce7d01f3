// Small changes of bytes at random, the same in every runtime, since they follow from a seed.
import { equal, outcome } from './assert.mjs'

/** What is tried for each algorithm; each runtime does all of them. */
export const SAMPLES = 2000

/** A generator of numbers below 2^32 (mulberry32). */
export function random(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** These bytes, with `more` in the place of those from `from` to `to`. */
export function spliced(bytes, from, to, more = []) {
  const whole = new Uint8Array(bytes.length - (to - from) + more.length)
  whole.set(bytes.subarray(0, from))
  whole.set(more, from)
  whole.set(bytes.subarray(to), from + more.length)
  return whole
}

/** One small change of bytes: a bit, a byte less, a byte more, something before or after. */
function changed(bytes, next) {
  const at = next() % bytes.length
  const byte = next() & 255
  const kind = next() % 8
  if (kind < 4) return spliced(bytes, at, at + 1, [bytes[at] ^ (1 << (byte & 7))])
  if (kind === 4) return spliced(bytes, at, at + 1)
  if (kind < 7) return spliced(bytes, at, at, [byte])
  const end = byte & 1 ? 0 : bytes.length
  return spliced(bytes, end, end, [byte])
}

/** Checks so many changes of the files; which file it was comes second. A failure names the seed and the sample. */
export async function mutate(files, seed, check, samples = SAMPLES) {
  const next = random(seed)
  for (let sample = 0; sample < samples; sample++) {
    const file = files[sample % files.length]
    const other = changed(file, next)
    try {
      await check(other, file)
    } catch (cause) {
      throw new Error(`seed ${seed}, sample ${sample}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }
}

/** Whether an image is valid; one that is none any more is refused as `Unsupported`, and nothing else is thrown. */
export async function isValidImage(SxError, agent, image) {
  const { value, code } = await outcome(SxError, () => agent.verifyImage(image))
  if (value === undefined) equal(code, 'Unsupported')
  return value?.valid === true
}
