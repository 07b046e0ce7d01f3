/** Real processes on the same files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Order } from './process.ts'

/** The program of the processes, as one file that every user may read. */
export async function bundleProcess(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('./process.ts', import.meta.url)),
      outDir: folder,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'process.mjs' } },
    },
  })
  chmodSync(folder, 0o755)
  return join(folder, 'process.mjs')
}

/** Start a process; `uid` needs root. */
export function start(program: string, order: Order, uid?: number): ChildProcess {
  const identity = uid === undefined ? {} : { uid, gid: uid }
  return spawn(process.execPath, [program, JSON.stringify(order)], {
    ...identity,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The first line that a process says, parsed. */
export async function said(child: ChildProcess): Promise<unknown> {
  if (!child.stdout) throw new Error('the process has no output')
  for await (const line of createInterface(child.stdout)) return JSON.parse(line)
  throw new Error('the process said nothing')
}

/** Kill a process as a loss of power would, and wait until it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}
