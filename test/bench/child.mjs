// Measuring in a process of its own, so that no group inherits the heap or the compiled code of another.
import { execFile } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What a script of `children` prints: JSON. */
export async function child(script, args = [], program = execPath) {
  const path = fileURLToPath(new URL(`children/${script}`, import.meta.url))
  const { stdout } = await run(program, ['--expose-gc', path, ...args], { timeout: 600_000 })
  return JSON.parse(stdout)
}
