import type { SxAgent, SxError } from 'sx-agent'

/** What is tried for each algorithm; each runtime does all of them. */
export declare const SAMPLES: number

/** A generator of numbers below 2^32 (mulberry32). */
export declare function random(seed: number): () => number

/** These bytes, with `more` in the place of those from `from` to `to`. */
export declare function spliced(
  bytes: Uint8Array,
  from: number,
  to: number,
  more?: ArrayLike<number>,
): Uint8Array<ArrayBuffer>

/** Checks so many changes of the files; which file it was comes second. A failure names the seed and the sample. */
export declare function mutate(
  files: readonly Uint8Array[],
  seed: number,
  check: (changed: Uint8Array<ArrayBuffer>, file: Uint8Array) => unknown,
  samples?: number,
): Promise<void>

/** Whether an image is valid; one that is none any more is refused as `Unsupported`, and nothing else is thrown. */
export declare function isValidImage(error: typeof SxError, agent: SxAgent, image: Uint8Array): Promise<boolean>
