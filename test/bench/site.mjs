// The page in which the first verification is measured, built as a user's.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** How Vite is called, for the build and for the server of it. */
export function settings(outDir) {
  const root = fileURLToPath(new URL('page', import.meta.url))
  return { root, configFile: false, logLevel: 'error', build: { outDir, target: 'es2022', emptyOutDir: true } }
}

/** Builds the page into a folder that is there for as long as `work` takes. */
export async function withSite(work) {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    await build(settings(folder))
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
