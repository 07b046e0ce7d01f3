/** How long workers may take to run, in milliseconds. */

/** Any worker, unless its user is in a hurry. Its file may be on its way for ever. */
export const LONGEST_START = 10_000

/** A worker that derives a key, which takes a page about half a second without one. */
export const LONGEST_START_TO_DERIVE = 3000
