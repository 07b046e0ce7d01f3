/** What programs that a test file starts share with it: what was derived from passwords. See `derivations.mjs`. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { share } from './derivations.mjs'

const derived = mkdtempSync(join(tmpdir(), 'sx-derived-'))
chmodSync(derived, 0o777) // some run as another user
share(derived)
afterAll(() => {
  rmSync(derived, { recursive: true, force: true })
})

/** `NODE_OPTIONS` of such a program. */
export const remembering: string = `--import=${new URL(`derivations.mjs?folder=${encodeURIComponent(derived)}`, import.meta.url)}`
