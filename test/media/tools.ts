/** Programs of others that read, write and strip images. Where one is not here, the tests on it do not run. */
import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { python } from '../corpus/python.mjs'
import { HANGING } from '../pace.ts'

const exec = promisify(execFile)
const options = { encoding: 'buffer', maxBuffer: 1 << 28, timeout: HANGING } as const

/** Runs a program; gives what it printed. Fails with its status. */
export async function run(program: string, ...args: string[]): Promise<Buffer> {
  const { stdout } = await exec(program, args, options)
  return stdout
}

/** Runs a program; gives its exit status with what it printed. */
export async function outcome(program: string, ...args: string[]): Promise<{ status: number; stdout: Buffer }> {
  try {
    return { status: 0, stdout: await run(program, ...args) }
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout: Buffer }
    if (typeof code !== 'number') throw error // it did not start, or was ended
    return { status: code, stdout }
  }
}

/** Those of these programs that are not here, with a warning for each. */
export function absent(...programs: string[]): string[] {
  const found = programs.filter((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined)
  for (const name of found) console.warn(`${name} is not here: the tests on it do NOT run.`)
  return found
}

/** Runs scripts of this folder in Python; undefined where its packages cannot be had. */
export async function scripts(): Promise<((script: string, ...args: string[]) => Promise<string>) | undefined> {
  const found = await python()
  if (found === undefined) return undefined
  return async (script, ...args) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const { stdout } = await exec(found.program, [path, ...args], { ...options, env: found.env })
    return stdout.toString()
  }
}
