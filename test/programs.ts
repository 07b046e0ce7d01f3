/** What programs that a test file starts share with it: what was derived from passwords. See `derivations.mjs`. */
import { inject } from 'vitest'

/** `NODE_OPTIONS` of such a program. */
export const remembering: string = `--import=${new URL(`derivations.mjs?folder=${encodeURIComponent(inject('derived'))}`, import.meta.url)}`
