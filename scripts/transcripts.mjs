// Writes test/vectors/transcripts: what each operation asks of its runtime, and what comes of it (docs/transcripts.md).
//
//   node scripts/transcripts.mjs
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './setup/shared.mjs'

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'node', 'test/transcripts/transcripts.test.ts'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SX_TRANSCRIPTS: 'write' } },
)
process.exitCode = status ?? 1
