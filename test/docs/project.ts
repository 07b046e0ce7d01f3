// A folder in which the blocks of a page run, as in the project of someone who installed the package.
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { HANGING } from '../pace.ts'
import { remembering } from '../programs.ts'
import { root } from './markdown.ts'

export class Project {
  readonly folder: string
  readonly #bin: string
  #count = 0

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'sx-docs-'))
    this.#bin = join(this.folder, 'node_modules', '.bin')
    mkdirSync(this.#bin, { recursive: true })
    symlinkSync(root, join(this.folder, 'node_modules', 'sx-agent'), 'junction')
    symlinkSync(join(root, 'node_modules', 'unstorage'), join(this.folder, 'node_modules', 'unstorage'), 'junction')
    this.write('package.json', '{"private":true,"type":"module"}')
    copyFileSync(join(root, 'wasm/media/tests/data/texture.jpg'), join(this.folder, 'photo.jpg'))
    const command = join(this.#bin, 'sx')
    writeFileSync(command, '#!/bin/sh\nexec node "$(dirname "$0")/../sx-agent/dist/node/cli/main.js" "$@"\n')
    chmodSync(command, 0o755)
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  /** Runs a module; gives what it printed. `timeout` is in milliseconds. */
  async module(code: string, env: Record<string, string> = {}, timeout?: number): Promise<string> {
    const file = `block-${++this.#count}.mjs`
    this.write(file, `${code}\n`)
    return this.#run(process.execPath, [file], env, timeout)
  }

  /** Runs a shell script, which ends at the first command that fails; gives what it printed. */
  async shell(code: string): Promise<string> {
    return this.#run('sh', ['-eu', '-c', code])
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #run(
    command: string,
    args: readonly string[],
    more: Record<string, string> = {},
    timeout = HANGING,
  ): Promise<string> {
    // Nothing of our own environment may stand in for what the page says is needed.
    const own = Object.entries(process.env).filter(([name]) => !/^(SX_|NODE_OPTIONS$|VITEST)/.test(name))
    const path = [this.#bin, process.env['PATH']].join(delimiter)
    const env = { ...Object.fromEntries(own), NODE_OPTIONS: remembering, ...more, PATH: path }
    const { stdout } = await promisify(execFile)(command, args, { cwd: this.folder, env, timeout })
    return stdout
  }
}

/** What a block says that it prints: the comments behind `console.log(…)`, in their order. */
export function promised(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, output = '']) => output)
}
