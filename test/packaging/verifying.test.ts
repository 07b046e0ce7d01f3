// What a page has to load that only verifies: little, and it works. verifying.slow.test.ts uses the other bundlers.
import { build as esbuild } from 'esbuild'
import { it } from 'vitest'
import { at, leavesTheRestOut } from './verifying.ts'

// oxlint-disable-next-line vitest/expect-expect -- what it calls does
it('esbuild leaves the rest out', () =>
  leavesTheRestOut('esbuild', (outdir) =>
    esbuild({ absWorkingDir: at(), entryPoints: ['verify.js'], outdir, bundle: true, minify: true, format: 'esm' }),
  ))
