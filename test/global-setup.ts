/** Once for a run: a folder for what is derived from passwords. See `derivations.mjs`. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    derived: string
  }
}

export default function setup(project: TestProject): () => void {
  const derived = mkdtempSync(join(tmpdir(), 'sx-derived-'))
  chmodSync(derived, 0o777) // some programs run as another user
  project.provide('derived', derived)
  return () => rmSync(derived, { recursive: true, force: true })
}
