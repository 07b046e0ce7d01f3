// The judge that is shipped, built by `cargo` as a program for this machine: for as many histories as a module is too slow for.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { History } from './forms.ts'

const workspace = fileURLToPath(new URL('../../wasm', import.meta.url))

function run(command: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, cwd: workspace, maxBuffer: 2 ** 30 })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr.toString()}`)
  return stdout.toString()
}

export function buildJudge(): void {
  run('cargo', ['build', '--quiet', '--release', '-p', 'sx-agreement', '--example', 'judge'])
}

/** What it answers to each history, as JSON. */
export function answersOf(histories: readonly History[]): string[] {
  const lines = histories.map((history) => JSON.stringify(history)).join('\n')
  return run('target/release/examples/judge', [], `${lines}\n`).trimEnd().split('\n')
}
