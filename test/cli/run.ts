/** Runs the built program in a folder of its own, as a shell would. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { HANGING } from '../pace.ts'
import { remembering } from '../programs.ts'

/** The built program. */
export const program: string = fileURLToPath(new URL('../../dist/node/cli/main.js', import.meta.url))
if (!existsSync(program)) throw new Error('The program is not built: run `node scripts/setup.mjs --dist`.')

const several = fileURLToPath(new URL('many.mjs', import.meta.url))

/** What a run of the program left. */
export interface Run {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Variables of the environment; what is undefined is not set. */
type Variables = Readonly<Record<string, string | undefined>>

/** How a program is run. */
export interface RunOptions {
  readonly input?: string | Uint8Array
  readonly env?: Variables
  /** Options of the runtime, before the program. */
  readonly node?: readonly string[]
}

/** The text of a command line for {@link Place.terminal}. */
const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** Where an agent is that others are copies of. */
interface Original {
  readonly path: string
  readonly agentId: string
}

const originals = new Map<string, Promise<Original>>()
afterAll(async () => {
  for (const { path } of await Promise.all(originals.values())) rmSync(path, { recursive: true, force: true })
})

/** A folder with a home of its own for each test file. */
export class Place {
  readonly path: string = mkdtempSync(join(tmpdir(), 'sx-cli-'))
  #env: Variables

  constructor(env: Variables = {}) {
    this.#env = env
  }

  /** A path in the folder. */
  at(...names: string[]): string {
    return join(this.path, ...names)
  }

  /** The environment of the program: nothing of ours but what it needs to be found. */
  env(more: Variables = {}): Variables {
    return { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: remembering, ...this.#env, ...more }
  }

  /** Starts the program. */
  start(args: readonly string[], { env, node = [] }: RunOptions = {}): ChildProcess {
    // In a session of its own: whoever runs the tests on a terminal must not be asked there.
    const options = { cwd: this.path, env: this.env(env), timeout: HANGING, detached: true }
    return spawn(process.execPath, [...node, program, ...args], options)
  }

  /** Runs the program to its end. */
  async sx(args: readonly string[], options: RunOptions = {}): Promise<Run> {
    const child = this.start(args, options)
    const done = outcome(child)
    child.stdin?.on('error', () => {}) // it may not want to read to the end
    child.stdin?.end(options.input ?? '')
    return await done
  }

  /** Runs it, and throws unless all went well; what it printed. */
  async done(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { exit, stdout, stderr } = await this.sx(args, options)
    if (exit !== 0) throw new Error(`sx ${args.join(' ')}: exit status ${exit}: ${stderr}`)
    return stdout
  }

  /**
   * Runs it on a pseudo-terminal, by `script` of util-linux, whose options other systems do not have.
   *
   * @param typed what is typed once the program has printed something, or the answer to each of its questions
   */
  async terminal(args: readonly string[], typed: string | readonly string[], env?: Variables): Promise<Run> {
    return await this.typing(quoted([process.execPath, program, ...args]), typed, env)
  }

  /**
   * Runs a line of the shell there, in which `sx` is the program, at `$program`, and `$node` runs it.
   *
   * @param typed as for {@link terminal}
   */
  async typing(line: string, typed: string | readonly string[], env?: Variables): Promise<Run> {
    const [node, path] = [process.execPath, program].map((word) => quoted([word]))
    const command = `node=${node} program=${path}; sx() { "$node" "$program" "$@"; }; ${line}`
    const options = { cwd: this.path, env: this.env({ TERM: 'xterm', ...env }), timeout: HANGING }
    const child = spawn('script', ['-qec', command, '/dev/null'], options)
    const done = outcome(child)
    child.stdin.on('error', () => {})
    if (typeof typed === 'string') child.stdout.once('data', () => child.stdin.write(typed))
    else {
      const answers = [...typed]
      child.stdout.on('data', (text: string) => {
        if (text.endsWith(': ')) child.stdin.write(answers.shift() ?? '\u0003')
      })
    }
    return await done
  }

  /** Runs it in one process for several command lines that end while they are parsed; see `many.mjs`. */
  async many(lines: readonly (readonly string[])[]): Promise<Run[]> {
    const options = { cwd: this.path, env: this.env(), timeout: HANGING }
    const child = spawn(process.execPath, [several, program, JSON.stringify(lines)], options)
    const { stdout, stderr } = await outcome(child)
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as Run[]
  }

  /** Runs it with `--json`: the one value that it printed, and the exit status. */
  async json(args: readonly string[], options: RunOptions = {}): Promise<{ exit: number | null; value: Answer }> {
    const { exit, stdout } = await this.sx(['--json', ...args], options)
    return { exit, value: JSON.parse(stdout) as Answer }
  }

  /**
   * Puts an agent here, with Ed25519 because its signatures are short; its id. In a test file there is one of each name
   * and password: the second time it is a copy, since making a key takes long.
   */
  async quickstart(name = 'Billing'): Promise<string> {
    const key = JSON.stringify([name, this.#env])
    const original = originals.get(key) ?? Place.#original(name, this.#env)
    originals.set(key, original)
    const { path, agentId } = await original
    cpSync(path, this.path, { recursive: true })
    return agentId
  }

  static async #original(name: string, env: Variables): Promise<Original> {
    const place = new Place(env)
    const line = ['quickstart', '--name', name, '--domain', 'example.com', '--algorithm', 'ed25519']
    const { agentId } = JSON.parse(await place.done(['--json', ...line])) as { agentId: string }
    return { path: place.path, agentId }
  }

  /** Removes the folder. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Makes places, each of which is removed at the end of the file. */
export function placing(): (env?: Variables) => Place {
  const places: Place[] = []
  afterAll(() => {
    for (const made of places) made.remove()
  })
  return (env) => {
    const made = new Place(env)
    places.push(made)
    return made
  }
}

/** Every command, as `--help` lists them: `agent`, `agent show`; with the help of each, and of the program as ``. */
export async function helpOfCommands(place: Place): Promise<Map<string, Run>> {
  const found = new Map<string, Run>()
  for (let paths = ['']; paths.length > 0; ) {
    const runs = await place.many(paths.map((path) => [...path.split(' ').filter(Boolean), '--help']))
    for (const [at, run] of runs.entries()) found.set(paths[at] ?? '', run)
    paths = paths.flatMap((path) => {
      const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(found.get(path)?.stdout ?? '') ?? []
      const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name)
      return names.filter((name) => name !== 'help').map((name) => `${path} ${name}`.trim())
    })
  }
  return found
}

/** Every command: `agent`, `agent show`. */
export async function commandPaths(place: Place): Promise<string[]> {
  return [...(await helpOfCommands(place)).keys()].filter((path) => path !== '')
}

/** What `--json` prints. */
export interface Answer {
  readonly ok: boolean
  readonly error?: { readonly code: string; readonly message: string }
  readonly [member: string]: unknown
}

/** What a process prints until it ends. */
export function outcome(child: ChildProcess): Promise<Run> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit) => resolve({ exit, stdout, stderr }))
  })
}
